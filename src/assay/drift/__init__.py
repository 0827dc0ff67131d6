"""The drift track: why did the process change, and which document says so.

Here is what a researcher types; every metric function is in :mod:`assay.drift.metrics`.
"""

from typing import TYPE_CHECKING

from assay.core import Track as _Track
from assay.core.deprecation import moved_names as _moved_names
from assay.drift import metrics as metrics
from assay.drift.answer.answer import DriftAnswer, DriftReply
from assay.drift.answer.answer import decode as _decode
from assay.drift.answer.answer import encode as _encode
from assay.drift.answer.contract import CONTRACT as _CONTRACT
from assay.drift.answer.template import TEMPLATE as _TEMPLATE
from assay.drift.answer.trec import ready_answer as _ready_answer
from assay.drift.detection.detect import detect
from assay.drift.detection.drift import Drift
from assay.drift.detection.profile import ChangeProfile, change_profile
from assay.drift.documents.document import Corpus, Document
from assay.drift.documents.folder import read_corpus
from assay.drift.examine.evaluation import Evaluation, evaluate
from assay.drift.examine.evidence import DriftEvidence
from assay.drift.examine.examination import describe as _describe
from assay.drift.examine.examination import examine as _examine
from assay.drift.examine.examination import oracle as _oracle
from assay.drift.explanation.explainer import DriftExplainer, Explanation
from assay.drift.generate.problems import builtin as _builtin
from assay.drift.generate.problems import generate
from assay.drift.generate.simulate import simulate
from assay.drift.logs.event_log import EventLog
from assay.drift.logs.read import from_frame, read_log, write_log
from assay.drift.metrics import mean_reciprocal_rank, ndcg, recall_at_k
from assay.drift.metrics.aggregates import AGGREGATES as _AGGREGATES
from assay.drift.problem.detector_files import Detection, read_detections
from assay.drift.problem.task import DriftTask, DriftTruth, load
from assay.drift.problem.user_problem.problem import new_problem
from assay.drift.subjects import SUBJECTS as _SUBJECTS

__all__ = [
    "TRACK",
    "ChangeProfile",
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
    "Evaluation",
    "EventLog",
    "Explanation",
    "change_profile",
    "detect",
    "evaluate",
    "from_frame",
    "generate",
    "load",
    "mean_reciprocal_rank",
    "ndcg",
    "new_problem",
    "read_corpus",
    "read_detections",
    "read_log",
    "recall_at_k",
    "simulate",
    "write_log",
]

TRACK: _Track[DriftTask, DriftTruth, DriftAnswer, DriftEvidence] = _Track(
    name="drift",
    question="Does an explainer rank the document that caused a process to change?",
    load=load,
    builtin=_builtin,
    encode=_encode,
    decode=_decode,
    examine=_examine,
    metrics=metrics.METRICS,
    families=metrics.FAMILIES,
    headline="mrr",
    clusters=("organisation", "domain"),
    oracle=_oracle,
    subjects=_SUBJECTS,
    aggregates=_AGGREGATES,
    details=_describe,
    ready_answer=_ready_answer,
    preload=("assay.drift.explanation.explainer", "assay.drift.detection.profile", "bm25s", "scipy.stats"),
    template=_TEMPLATE,
    contract=_CONTRACT,
    panels="assay.drift.panels:panels",
    adopt="assay.drift.problem.testsets:adopt",
    commands="assay.cli.drift.app:app",
)

if not TYPE_CHECKING:  # for one release; a type checker no longer sees these names
    __getattr__ = _moved_names(
        __name__,
        {
            "Cause": "assay.drift.explanation.explainer",
            "ChangeRow": "assay.drift.detection.profile",
            "Chunk": "assay.drift.documents.document",
            "DRIFT_TYPES": "assay.drift.detection.drift",
            "DriftType": "assay.drift.detection.drift",
            "Link": "assay.drift.explanation.explainer",
            "PlantedDrift": "assay.drift.generate.simulate",
            "Quote": "assay.drift.answer.answer",
            "Scored": "assay.drift.explanation.retrieve",
            "Simulated": "assay.drift.generate.simulate",
            "Verdict": "assay.drift.examine.evidence",
            "Weights": "assay.drift.explanation.retrieve",
            "builtin": "assay.drift.generate.problems",
            "decode": "assay.drift.answer.answer",
            "encode": "assay.drift.answer.answer",
            "oracle": "assay.drift.examine.examination",
            "rank": "assay.drift.explanation.retrieve",
            "read_qrels": "assay.drift.answer.trec",
            "read_run": "assay.drift.answer.trec",
            "write_detections": "assay.drift.problem.detector_files",
            "write_evaluation": "assay.drift.examine.master_report",
            "write_problem": "assay.drift.problem.task",
            "write_qrels": "assay.drift.answer.trec",
            "write_run": "assay.drift.answer.trec",
            **dict.fromkeys(sorted(set(metrics.__all__) - set(__all__)), "assay.drift.metrics"),
        },
    )
