"""The cases track: predictions explained by their nearest training cases, and how far that can be trusted.

Here is what a researcher types; every metric function is in :mod:`assay.cases.metrics`.
"""

from typing import TYPE_CHECKING

from assay.cases import metrics as metrics
from assay.cases.answer.answer import CasesAnswer
from assay.cases.answer.answer import decode as _decode
from assay.cases.answer.answer import encode as _encode
from assay.cases.answer.contract import CONTRACT as _CONTRACT
from assay.cases.answer.template import TEMPLATE as _TEMPLATE
from assay.cases.examine.evidence import CasesEvidence
from assay.cases.examine.examination import describe as _describe
from assay.cases.examine.examination import examine as _examine
from assay.cases.examine.examination import oracle as _oracle
from assay.cases.explanation.batch import ExplanationBatch
from assay.cases.explanation.explainer import CaseExplainer
from assay.cases.explanation.explanation import Explanation, Neighbor
from assay.cases.explanation.thresholds import CalibratedThresholds, calibrate_thresholds
from assay.cases.generate.problems import builtin as _builtin
from assay.cases.generate.problems import generate
from assay.cases.metrics.agreement import compute_correspondence, correspondence, interpret
from assay.cases.metrics.detection import auroc
from assay.cases.neighbors.index import CaseIndex, Neighbours
from assay.cases.problem.from_table import problem_from_table
from assay.cases.problem.task import CasesTask, CasesTruth, load, write_problem
from assay.cases.problem.user_problem import new_problem
from assay.cases.subjects.builtin import SUBJECTS as _SUBJECTS
from assay.cases.subjects.conformal_knn import credibility
from assay.cases.subjects.detector import FittedDetector, default_detector_scores, fit_detector
from assay.cases.subjects.neighbourhood_detector import DetectorScores
from assay.cases.subjects.second_opinion import second_opinion_scores
from assay.cases.subjects.trust import nearest_distance_scores, trust_scores
from assay.core import Track as _Track
from assay.core.deprecation import moved_names as _moved_names

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
    "FittedDetector",
    "Neighbor",
    "Neighbours",
    "auroc",
    "calibrate_thresholds",
    "compute_correspondence",
    "correspondence",
    "credibility",
    "default_detector_scores",
    "fit_detector",
    "generate",
    "interpret",
    "load",
    "nearest_distance_scores",
    "new_problem",
    "problem_from_table",
    "second_opinion_scores",
    "trust_scores",
    "write_problem",
]

TRACK: _Track[CasesTask, CasesTruth, CasesAnswer, CasesEvidence] = _Track(
    name="cases",
    question="Which predictions of a classifier are right and which are wrong, judged by similar training cases?",
    load=load,
    builtin=_builtin,
    encode=_encode,
    decode=_decode,
    examine=_examine,
    metrics=metrics.METRICS,
    families=metrics.FAMILIES,
    headline="auroc",
    clusters=("dataset",),
    oracle=_oracle,
    subjects=_SUBJECTS,
    details=_describe,
    preload=("sklearn.metrics", "sklearn.neighbors"),
    version=3,
    template=_TEMPLATE,
    contract=_CONTRACT,
    panels="assay.cases.panels:panels",
    commands="assay.cli.cases:app",
)

_MOVED = {
    **{name: "assay.cases.metrics" for name in metrics.__all__ if name not in __all__},
    "decode": "assay.cases.answer.answer",
    "encode": "assay.cases.answer.answer",
    "oracle": "assay.cases.examine.examination",
    "builtin": "assay.cases.generate.problems",
    "write_problem_from_frames": "assay.cases.problem.from_table",
}
_REPLACED = {"write_problem_from_frames": "assay.cases.new_problem"}
if not TYPE_CHECKING:
    __getattr__ = _moved_names(__name__, _MOVED, replaced=_REPLACED)
