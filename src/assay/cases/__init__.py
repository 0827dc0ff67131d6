"""The cases track: predictions explained by their nearest training cases, and how far that can be trusted."""

from assay.cases.answer.answer import CasesAnswer, decode, encode
from assay.cases.answer.template import TEMPLATE
from assay.cases.examine import describe, examine, oracle
from assay.cases.explanation.batch import ExplanationBatch
from assay.cases.explanation.explainer import CaseExplainer
from assay.cases.explanation.explanation import Explanation, Neighbor
from assay.cases.explanation.thresholds import CalibratedThresholds, calibrate_thresholds
from assay.cases.generate.problems import builtin, generate
from assay.cases.metrics import (
    auprc,
    aurc,
    auroc,
    brier,
    class_homogeneity,
    compute_correspondence,
    correspondence,
    cross_recalibrated,
    diversity,
    euclidean_distance,
    excess_aurc,
    expected_calibration_error,
    fpr_at_tpr,
    interpret,
    label_noise_auroc,
    mean_correspondence_correct,
    mean_correspondence_wrong,
    neighbour_recall,
    non_representativeness,
    ood_auroc,
    recalibrate,
    recalibrated_brier,
    recalibrated_calibration_error,
    score_stability,
    stability,
)
from assay.cases.metrics.registration import METRICS
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
    "auprc",
    "aurc",
    "auroc",
    "brier",
    "builtin",
    "calibrate_thresholds",
    "class_homogeneity",
    "compute_correspondence",
    "correspondence",
    "credibility",
    "cross_recalibrated",
    "decode",
    "default_detector_scores",
    "diversity",
    "encode",
    "euclidean_distance",
    "examine",
    "excess_aurc",
    "expected_calibration_error",
    "fpr_at_tpr",
    "generate",
    "interpret",
    "label_noise_auroc",
    "load",
    "mean_correspondence_correct",
    "mean_correspondence_wrong",
    "nearest_distance_scores",
    "neighbour_recall",
    "non_representativeness",
    "ood_auroc",
    "oracle",
    "problem_from_table",
    "recalibrate",
    "recalibrated_brier",
    "recalibrated_calibration_error",
    "score_stability",
    "stability",
    "trust_scores",
    "write_problem",
    "write_problem_from_frames",
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
    version=3,
    template=TEMPLATE,
    panels="assay.cases.panels:panels",
    commands="assay.cli.cases:app",
)
