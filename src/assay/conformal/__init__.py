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
from assay.conformal.metrics.class_coverages import class_coverage, coverage_gap
from assay.conformal.metrics.coverages import coverage, taskwise_coverage
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
    name: f"assay.conformal.{module}"
    for module, names in {
        "metrics": tuple(name for name in metrics.__all__ if name not in __all__),
        "answer.answer": ("decode", "encode"),
        "calibration.clusters": ("ClusteringParameters", "clustering_parameters"),
        "calibration.joint": ("bonferroni", "max_rank", "max_score"),
        "calibration.joint_model": (
            "joint_labels",
            "joint_probabilities",
            "marginal_probabilities",
            "product_sets",
            "project_sets",
            "split_labels",
        ),
        "calibration.quantile": ("conformal_rank", "smallest_calibration"),
        "calibration.scores": ("aps", "hinge", "margin", "parse_score", "pip", "raps", "top_k"),
        "examine.examination": ("oracle",),
        "generate": ("builtin",),
        "sets.checks": ("softmax",),
        "sets.counts": ("TaskCounts",),
    }.items()
    for name in names
}
if not TYPE_CHECKING:
    __getattr__ = _moved_names(__name__, _MOVED)
