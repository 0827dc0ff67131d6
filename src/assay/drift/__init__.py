"""The drift track: why did the process change, and which document says so."""

from assay.core import Track
from assay.drift.answer.answer import DriftAnswer, DriftReply, Quote, decode, encode
from assay.drift.answer.template import TEMPLATE
from assay.drift.answer.trec import read_qrels, read_run, ready_answer, write_qrels, write_run
from assay.drift.detection.detect import detect
from assay.drift.detection.drift import DRIFT_TYPES, Drift, DriftType
from assay.drift.detection.profile import ChangeProfile, ChangeRow, change_profile
from assay.drift.documents.document import Chunk, Corpus, Document
from assay.drift.documents.folder import read_corpus
from assay.drift.examine.evaluation import Evaluation, evaluate
from assay.drift.examine.examination import DriftEvidence, Verdict, describe, examine, oracle
from assay.drift.examine.master_report import write_evaluation
from assay.drift.explanation.explainer import Cause, DriftExplainer, Explanation, Link
from assay.drift.explanation.retrieve import Scored, Weights, rank
from assay.drift.generate.problems import builtin, generate
from assay.drift.generate.simulate import PlantedDrift, Simulated, simulate
from assay.drift.logs.event_log import EventLog
from assay.drift.logs.read import from_frame, read_log, write_log
from assay.drift.metrics import (
    DetectionCounts,
    GoldenRanks,
    abstention_accuracy,
    abstention_precision,
    abstention_recall,
    always_fire,
    confidence_brier,
    count_detections,
    decision_accuracy,
    detection_f1,
    detection_lag,
    detection_precision,
    detection_recall,
    faithfulness,
    golden_ranks,
    match_points,
    mean_reciprocal_rank,
    mean_reciprocal_ranks,
    ndcg,
    ndcgs,
    pool_detections,
    recall_at_k,
    recalls_at_k,
    reciprocal_rank,
    reciprocal_ranks,
    success_at_k,
    successes_at_k,
)
from assay.drift.metrics.registration import AGGREGATES, METRICS
from assay.drift.problem.detector_files import Detection, read_detections, write_detections
from assay.drift.problem.task import DriftTask, DriftTruth, load, write_problem
from assay.drift.subjects import SUBJECTS

__all__ = [
    "DRIFT_TYPES",
    "TRACK",
    "Cause",
    "ChangeProfile",
    "ChangeRow",
    "Chunk",
    "Corpus",
    "Detection",
    "DetectionCounts",
    "Document",
    "Drift",
    "DriftAnswer",
    "DriftEvidence",
    "DriftExplainer",
    "DriftReply",
    "DriftTask",
    "DriftTruth",
    "DriftType",
    "Evaluation",
    "EventLog",
    "Explanation",
    "GoldenRanks",
    "Link",
    "PlantedDrift",
    "Quote",
    "Scored",
    "Simulated",
    "Verdict",
    "Weights",
    "abstention_accuracy",
    "abstention_precision",
    "abstention_recall",
    "always_fire",
    "builtin",
    "change_profile",
    "confidence_brier",
    "count_detections",
    "decision_accuracy",
    "decode",
    "detect",
    "detection_f1",
    "detection_lag",
    "detection_precision",
    "detection_recall",
    "encode",
    "evaluate",
    "examine",
    "faithfulness",
    "from_frame",
    "generate",
    "golden_ranks",
    "load",
    "match_points",
    "mean_reciprocal_rank",
    "mean_reciprocal_ranks",
    "ndcg",
    "ndcgs",
    "oracle",
    "pool_detections",
    "rank",
    "read_corpus",
    "read_detections",
    "read_log",
    "read_qrels",
    "read_run",
    "recall_at_k",
    "recalls_at_k",
    "reciprocal_rank",
    "reciprocal_ranks",
    "simulate",
    "success_at_k",
    "successes_at_k",
    "write_detections",
    "write_evaluation",
    "write_log",
    "write_problem",
    "write_qrels",
    "write_run",
]

TRACK: Track[DriftTask, DriftTruth, DriftAnswer, DriftEvidence] = Track(
    name="drift",
    question="Does an explainer rank the document that caused a process to change?",
    load=load,
    builtin=builtin,
    encode=encode,
    decode=decode,
    examine=examine,
    metrics=METRICS,
    headline="mrr",
    oracle=oracle,
    subjects=SUBJECTS,
    aggregates=AGGREGATES,
    details=describe,
    ready_answer=ready_answer,
    answer_suffix=".json",
    preload=("assay.drift.explanation.explainer", "assay.drift.detection.profile", "bm25s", "scipy.stats"),
    template=TEMPLATE,
    panels="assay.drift.panels:panels",
    commands="assay.cli.drift:app",
)
