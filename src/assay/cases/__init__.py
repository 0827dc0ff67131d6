"""The cases track: predictions explained by their nearest training cases, and how far that can be trusted."""

from assay.cases.answer import CasesAnswer, decode, encode
from assay.cases.batch import ExplanationBatch
from assay.cases.examine import describe, examine, oracle
from assay.cases.explainer import CaseExplainer
from assay.cases.explanation import Explanation, Neighbor
from assay.cases.index import CaseIndex, Neighbours
from assay.cases.metrics import (
    auroc,
    compute_correspondence,
    correspondence,
    euclidean_distance,
    interpret,
    mean_correspondence_correct,
    mean_correspondence_wrong,
)
from assay.cases.problem import CasesEvidence, CasesTask, CasesTruth, load, write_problem
from assay.cases.scoring import METRICS
from assay.cases.subjects import SUBJECTS
from assay.cases.synthetic import builtin, generate
from assay.cases.template import TEMPLATE
from assay.core import Track

__all__ = [
    "TRACK",
    "CaseExplainer",
    "CaseIndex",
    "CasesAnswer",
    "CasesEvidence",
    "CasesTask",
    "CasesTruth",
    "Explanation",
    "ExplanationBatch",
    "Neighbor",
    "Neighbours",
    "auroc",
    "builtin",
    "compute_correspondence",
    "correspondence",
    "decode",
    "encode",
    "euclidean_distance",
    "examine",
    "generate",
    "interpret",
    "load",
    "mean_correspondence_correct",
    "mean_correspondence_wrong",
    "oracle",
    "write_problem",
]

TRACK: Track[CasesTask, CasesTruth, CasesAnswer, CasesEvidence] = Track(
    name="cases",
    question="Which predictions of a classifier are right and which are wrong, judged by similar training cases?",
    load=load,
    builtin=builtin,
    encode=encode,
    decode=decode,
    examine=examine,
    metrics=METRICS,
    headline="auroc",
    oracle=oracle,
    subjects=SUBJECTS,
    details=describe,
    answer_suffix=".json",
    preload=("sklearn.metrics", "sklearn.neighbors"),
    version=1,
    template=TEMPLATE,
    panels="assay.cases.panels:panels",
)
