"""The insight track: did an agent that writes feature functions find what the experts know?"""

from assay.core import Track
from assay.insight import metrics
from assay.insight.answer.answer import InsightAnswer, decode, encode, read_solution, ready_answer, write_solution
from assay.insight.answer.functions import FeatureFunction
from assay.insight.answer.template import TEMPLATE
from assay.insight.columns.compute import ComputedColumn, ComputedColumns, compute_columns
from assay.insight.columns.submitted_values import ColumnDifference, compare_with_shipped
from assay.insight.examine.config import PRESETS, SETTINGS, InsightConfig
from assay.insight.examine.evaluate import Evaluation, evaluate
from assay.insight.examine.evidence import FunctionFinding, InsightEvidence
from assay.insight.examine.examination import describe, examine
from assay.insight.fits.forest import ForestSettings, Prediction, choose_engine, predict
from assay.insight.generate import DOMAINS, generate_problem, generate_problems
from assay.insight.generate.synthetic import builtin, generate
from assay.insight.leakage.check import check_leakage
from assay.insight.leakage.static.notes import StaticFinding, explain_source
from assay.insight.leakage.verdict import LeakageReport, LeakVerdict
from assay.insight.metrics.association import *
from assay.insight.metrics.coverages import *
from assay.insight.metrics.leak import *
from assay.insight.metrics.performance import *
from assay.insight.metrics.score import *
from assay.insight.problem.handover import hand_over
from assay.insight.problem.tags import derive_tags
from assay.insight.problem.task import (
    MARKER,
    InsightTask,
    InsightTruth,
    ProblemType,
    TableTime,
    infer_problem_type,
    load,
    write_problem,
)
from assay.insight.problem.times_file import DeclaredTimes, declare_times, read_times_file
from assay.insight.published.leak import published_leak
from assay.insight.subjects.builtin import PRIVILEGED, SUBJECTS, ground_truth
from assay.insight.subjects.llm import Llm
from assay.insight.subjects.random_features import RandomFeatures
from assay.insight.subjects.relational import Relational

__all__ = [
    "DOMAINS",
    "TRACK",
    "ColumnDifference",
    "ComputedColumn",
    "ComputedColumns",
    "DeclaredTimes",
    "Evaluation",
    "FeatureFunction",
    "ForestSettings",
    "FunctionFinding",
    "InsightAnswer",
    "InsightConfig",
    "InsightEvidence",
    "InsightTask",
    "InsightTruth",
    "LeakVerdict",
    "LeakageReport",
    "Llm",
    "Prediction",
    "ProblemType",
    "RandomFeatures",
    "Relational",
    "StaticFinding",
    "TableTime",
    "builtin",
    "check_leakage",
    "choose_engine",
    "compare_with_shipped",
    "compute_columns",
    "declare_times",
    "decode",
    "encode",
    "evaluate",
    "examine",
    "explain_source",
    "generate",
    "generate_problem",
    "generate_problems",
    "ground_truth",
    "hand_over",
    "infer_problem_type",
    "load",
    "predict",
    "published_leak",
    "read_solution",
    "read_times_file",
    "write_problem",
    "write_solution",
]
__all__ += metrics.__all__

TRACK: Track[InsightTask, InsightTruth, InsightAnswer, InsightEvidence] = Track(
    name="insight",
    question="Did an agent's feature functions find what the experts know, without cheating?",
    load=load,
    builtin=builtin,
    encode=encode,
    decode=decode,
    examine=examine,
    metrics=metrics.METRICS,
    headline="combined_score",
    oracle=ground_truth,
    subjects=SUBJECTS,
    privileged=PRIVILEGED,
    details=describe,
    settings=SETTINGS,
    presets=PRESETS,
    privileged_settings={"trust_columns": True, "check_leakage": "always"},
    derive_tags=derive_tags,
    ready_answer=ready_answer,
    answer_suffix="",
    hand_over=hand_over,
    marker=MARKER,
    preload=("pandas", "scipy.stats"),
    version=2,
    template=TEMPLATE,
    panels="assay.insight.panels:panels",
    commands="assay.cli.insight:app",
)
