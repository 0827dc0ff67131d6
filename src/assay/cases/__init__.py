"""The cases track: predictions explained by their nearest training cases, and how far that can be trusted."""

from assay.cases import metrics
from assay.cases.answer.answer import CasesAnswer, decode, encode
from assay.cases.answer.template import TEMPLATE
from assay.cases.examine import describe, examine, oracle
from assay.cases.explanation.batch import ExplanationBatch
from assay.cases.explanation.explainer import CaseExplainer
from assay.cases.explanation.explanation import Explanation, Neighbor
from assay.cases.explanation.thresholds import CalibratedThresholds, calibrate_thresholds
from assay.cases.generate.problems import builtin, generate
from assay.cases.metrics.agreement import *
from assay.cases.metrics.calibration import *
from assay.cases.metrics.detection import *
from assay.cases.metrics.neighbourhood import *
from assay.cases.metrics.planted import *
from assay.cases.neighbors.index import CaseIndex, Neighbours
from assay.cases.problem.from_table import problem_from_table, write_problem_from_frames
from assay.cases.problem.task import CasesEvidence, CasesTask, CasesTruth, load, write_problem
from assay.cases.subjects.builtin import SUBJECTS
from assay.cases.subjects.conformal_knn import credibility
from assay.cases.subjects.detector import DetectorScores, default_detector_scores
from assay.cases.subjects.trust import nearest_distance_scores, trust_scores
from assay.core import Track

__all__ = [
    "TRACK",
    "CalibratedThresholds",
    "CaseExplainer",
    "CaseIndex",
    "CasesAnswer",
    "CasesEvidence",
    "CasesTask",
    "CasesTruth",
    "DetectorScores",
    "Explanation",
    "ExplanationBatch",
    "Neighbor",
    "Neighbours",
    "builtin",
    "calibrate_thresholds",
    "credibility",
    "decode",
    "default_detector_scores",
    "encode",
    "examine",
    "generate",
    "load",
    "nearest_distance_scores",
    "oracle",
    "problem_from_table",
    "trust_scores",
    "write_problem",
    "write_problem_from_frames",
]
__all__ += metrics.__all__

TRACK: Track[CasesTask, CasesTruth, CasesAnswer, CasesEvidence] = Track(
    name="cases",
    question="Which predictions of a classifier are right and which are wrong, judged by similar training cases?",
    load=load,
    builtin=builtin,
    encode=encode,
    decode=decode,
    examine=examine,
    metrics=metrics.METRICS,
    families=metrics.FAMILIES,
    headline="auroc",
    oracle=oracle,
    subjects=SUBJECTS,
    details=describe,
    preload=("sklearn.metrics", "sklearn.neighbors"),
    version=3,
    template=TEMPLATE,
    panels="assay.cases.panels:panels",
    commands="assay.cli.cases:app",
)
