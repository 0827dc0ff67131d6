"""The conformal track: sets of classes for several tasks at once, and whether they keep what they promise."""

from assay.conformal import metrics
from assay.conformal.answer.answer import ConformalAnswer, decode, encode
from assay.conformal.answer.template import TEMPLATE
from assay.conformal.calibration.calibrate import METHODS, calibrate
from assay.conformal.calibration.calibration import Calibration, evaluate_stream
from assay.conformal.calibration.clusters import ClusteringParameters, clustering_parameters
from assay.conformal.calibration.joint import bonferroni, max_rank, max_score
from assay.conformal.calibration.joint_model import (
    joint_labels,
    joint_probabilities,
    marginal_probabilities,
    product_sets,
    project_sets,
    split_labels,
)
from assay.conformal.calibration.predictor import MultiTaskConformalClassifier
from assay.conformal.calibration.quantile import conformal_quantile, conformal_rank, smallest_calibration
from assay.conformal.calibration.scores import aps, hinge, margin, parse_score, pip, raps, top_k
from assay.conformal.examine.evidence import ConformalEvidence
from assay.conformal.examine.examination import SETTINGS, describe, examine, oracle
from assay.conformal.generate import builtin, generate
from assay.conformal.metrics.accuracy import *
from assay.conformal.metrics.certainty import *
from assay.conformal.metrics.coverages import *
from assay.conformal.metrics.headline import *
from assay.conformal.metrics.size import *
from assay.conformal.metrics.slab import *
from assay.conformal.metrics.slices import *
from assay.conformal.metrics.weights import *
from assay.conformal.problem.task import ConformalTask, ConformalTruth, load, write_problem
from assay.conformal.sets.checks import softmax
from assay.conformal.sets.counts import SetCounts, TaskCounts, count_sets
from assay.conformal.sets.prediction_sets import PredictionSets
from assay.conformal.subjects.builtin import SUBJECTS
from assay.core import Track

__all__ = [
    "METHODS",
    "TRACK",
    "Calibration",
    "ClusteringParameters",
    "ConformalAnswer",
    "ConformalEvidence",
    "ConformalTask",
    "ConformalTruth",
    "MultiTaskConformalClassifier",
    "PredictionSets",
    "SetCounts",
    "TaskCounts",
    "aps",
    "bonferroni",
    "builtin",
    "calibrate",
    "clustering_parameters",
    "conformal_quantile",
    "conformal_rank",
    "count_sets",
    "decode",
    "encode",
    "evaluate_stream",
    "examine",
    "generate",
    "hinge",
    "joint_labels",
    "joint_probabilities",
    "load",
    "margin",
    "marginal_probabilities",
    "max_rank",
    "max_score",
    "oracle",
    "parse_score",
    "pip",
    "product_sets",
    "project_sets",
    "raps",
    "smallest_calibration",
    "softmax",
    "split_labels",
    "top_k",
    "write_problem",
]
__all__ += metrics.__all__

TRACK: Track[ConformalTask, ConformalTruth, ConformalAnswer, ConformalEvidence] = Track(
    name="conformal",
    question="Which classes are still possible, in each of several tasks, so that the truth is among them as promised?",
    load=load,
    builtin=builtin,
    encode=encode,
    decode=decode,
    examine=examine,
    metrics=metrics.METRICS,
    families=metrics.FAMILIES,
    headline="relative_size",
    oracle=oracle,
    subjects=SUBJECTS,
    details=describe,
    settings=SETTINGS,
    preload=("numpy.random",),
    template=TEMPLATE,
    panels="assay.conformal.panels:panels",
    commands="assay.cli.conformal:app",
)
