"""The drift track: why did the process change, and which document says so."""

from assay.core import Track
from assay.drift import metrics
from assay.drift.answer.answer import DriftAnswer, DriftReply, Quote, decode, encode
from assay.drift.answer.template import TEMPLATE
from assay.drift.answer.trec import read_qrels, read_run, ready_answer, write_qrels, write_run
from assay.drift.detection.detect import detect
from assay.drift.detection.drift import DRIFT_TYPES, Drift, DriftType
from assay.drift.detection.profile import ChangeProfile, ChangeRow, change_profile
from assay.drift.documents.document import Chunk, Corpus, Document
from assay.drift.documents.folder import read_corpus
from assay.drift.examine.evaluation import Evaluation, evaluate
from assay.drift.examine.evidence import DriftEvidence, Verdict
from assay.drift.examine.examination import describe, examine, oracle
from assay.drift.examine.master_report import write_evaluation
from assay.drift.explanation.explainer import Cause, DriftExplainer, Explanation, Link
from assay.drift.explanation.retrieve import Scored, Weights, rank
from assay.drift.generate.problems import builtin, generate
from assay.drift.generate.simulate import PlantedDrift, Simulated, simulate
from assay.drift.logs.event_log import EventLog
from assay.drift.logs.read import from_frame, read_log, write_log
from assay.drift.metrics.aggregates import AGGREGATES
from assay.drift.metrics.arrays import *
from assay.drift.metrics.detection import *
from assay.drift.metrics.evidence import *
from assay.drift.metrics.ranking import *
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
    "Link",
    "PlantedDrift",
    "Quote",
    "Scored",
    "Simulated",
    "Verdict",
    "Weights",
    "builtin",
    "change_profile",
    "decode",
    "detect",
    "encode",
    "evaluate",
    "examine",
    "from_frame",
    "generate",
    "load",
    "oracle",
    "rank",
    "read_corpus",
    "read_detections",
    "read_log",
    "read_qrels",
    "read_run",
    "simulate",
    "write_detections",
    "write_evaluation",
    "write_log",
    "write_problem",
    "write_qrels",
    "write_run",
]
__all__ += metrics.__all__

TRACK: Track[DriftTask, DriftTruth, DriftAnswer, DriftEvidence] = Track(
    name="drift",
    question="Does an explainer rank the document that caused a process to change?",
    load=load,
    builtin=builtin,
    encode=encode,
    decode=decode,
    examine=examine,
    metrics=metrics.METRICS,
    families=metrics.FAMILIES,
    headline="mrr",
    oracle=oracle,
    subjects=SUBJECTS,
    aggregates=AGGREGATES,
    details=describe,
    ready_answer=ready_answer,
    preload=("assay.drift.explanation.explainer", "assay.drift.detection.profile", "bm25s", "scipy.stats"),
    template=TEMPLATE,
    panels="assay.drift.panels:panels",
    commands="assay.cli.drift:app",
)
