"""The conformal track: sets of classes for several tasks at once, and whether they keep what they promise.

Here is what a researcher types; every metric function is in :mod:`assay.conformal.metrics`.
"""

from typing import TYPE_CHECKING

from assay.conformal import metrics as metrics
from assay.conformal.answer.answer import ConformalAnswer
from assay.conformal.answer.answer import decode as _decode
from assay.conformal.answer.answer import encode as _encode
from assay.conformal.answer.contract import CONTRACT as _CONTRACT
from assay.conformal.answer.template import TEMPLATE as _TEMPLATE
from assay.conformal.calibration.calibrate import METHODS, calibrate
from assay.conformal.calibration.calibration import Calibration, evaluate_stream
from assay.conformal.calibration.predictor import MultiTaskConformalClassifier
from assay.conformal.calibration.quantile import conformal_quantile
from assay.conformal.examine.evidence import ConformalEvidence
from assay.conformal.examine.examination import SETTINGS as _SETTINGS
from assay.conformal.examine.examination import describe as _describe
from assay.conformal.examine.examination import examine as _examine
from assay.conformal.examine.examination import oracle as _oracle
from assay.conformal.generate import builtin as _builtin
from assay.conformal.generate import generate
from assay.conformal.metrics.certainty import coverage_interval, coverage_test
from assay.conformal.metrics.coverages import class_coverage, coverage, coverage_gap, taskwise_coverage
from assay.conformal.metrics.size import efficiency, informativeness
from assay.conformal.metrics.slices import size_stratified_coverage
from assay.conformal.problem.numbers import Numbers, NumberTask
from assay.conformal.problem.task import ConformalTask, ConformalTruth, load, write_problem
from assay.conformal.problem.user_problem import new_problem
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.counts import SetCounts, count_sets
from assay.conformal.sets.prediction_sets import PredictionSets
from assay.conformal.subjects.builtin import SUBJECTS as _SUBJECTS
from assay.core import Track as _Track
from assay.core.deprecation import moved_names as _moved_names

__all__ = [
    "METHODS",
    "TRACK",
    "Calibration",
    "CombinationSets",
    "ConformalAnswer",
    "ConformalEvidence",
    "ConformalTask",
    "ConformalTruth",
    "MultiTaskConformalClassifier",
    "NumberTask",
    "Numbers",
    "PredictionSets",
    "SetCounts",
    "calibrate",
    "class_coverage",
    "conformal_quantile",
    "count_sets",
    "coverage",
    "coverage_gap",
    "coverage_interval",
    "coverage_test",
    "efficiency",
    "evaluate_stream",
    "generate",
    "informativeness",
    "load",
    "new_problem",
    "size_stratified_coverage",
    "taskwise_coverage",
    "write_problem",
]

TRACK: _Track[ConformalTask, ConformalTruth, ConformalAnswer, ConformalEvidence] = _Track(
    name="conformal",
    question="Which classes or numbers are still possible, in each of several tasks, so that the truth is among them?",
    load=load,
    builtin=_builtin,
    encode=_encode,
    decode=_decode,
    examine=_examine,
    metrics=metrics.METRICS,
    families=metrics.FAMILIES,
    headline="relative_size",
    clusters=("family",),
    headlines=("relative_width",),
    oracle=_oracle,
    subjects=_SUBJECTS,
    details=_describe,
    settings=_SETTINGS,
    preload=("numpy.random",),
    template=_TEMPLATE,
    contract=_CONTRACT,
    panels="assay.conformal.panels:panels",
    commands="assay.cli.conformal:app",
)

_MOVED = {
    **{name: "assay.conformal.metrics" for name in metrics.__all__ if name not in __all__},
    "decode": "assay.conformal.answer.answer",
    "encode": "assay.conformal.answer.answer",
    "ClusteringParameters": "assay.conformal.calibration.clusters",
    "clustering_parameters": "assay.conformal.calibration.clusters",
    "bonferroni": "assay.conformal.calibration.joint",
    "max_rank": "assay.conformal.calibration.joint",
    "max_score": "assay.conformal.calibration.joint",
    "joint_labels": "assay.conformal.calibration.joint_model",
    "joint_probabilities": "assay.conformal.calibration.joint_model",
    "marginal_probabilities": "assay.conformal.calibration.joint_model",
    "product_sets": "assay.conformal.calibration.joint_model",
    "project_sets": "assay.conformal.calibration.joint_model",
    "split_labels": "assay.conformal.calibration.joint_model",
    "conformal_rank": "assay.conformal.calibration.quantile",
    "smallest_calibration": "assay.conformal.calibration.quantile",
    "aps": "assay.conformal.calibration.scores",
    "hinge": "assay.conformal.calibration.scores",
    "margin": "assay.conformal.calibration.scores",
    "parse_score": "assay.conformal.calibration.scores",
    "pip": "assay.conformal.calibration.scores",
    "raps": "assay.conformal.calibration.scores",
    "top_k": "assay.conformal.calibration.scores",
    "oracle": "assay.conformal.examine.examination",
    "builtin": "assay.conformal.generate",
    "softmax": "assay.conformal.sets.checks",
    "TaskCounts": "assay.conformal.sets.counts",
}
if not TYPE_CHECKING:
    __getattr__ = _moved_names(__name__, _MOVED)
