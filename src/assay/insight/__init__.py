"""The insight track: did an agent that writes feature functions find what the experts know?

Here is what a researcher types; every metric function is in :mod:`assay.insight.metrics`.
"""

from typing import TYPE_CHECKING

from assay.core import Track as _Track
from assay.core.deprecation import moved_names as _moved_names
from assay.insight import metrics as metrics
from assay.insight.answer.answer import InsightAnswer, read_solution, write_solution
from assay.insight.answer.answer import decode as _decode
from assay.insight.answer.answer import encode as _encode
from assay.insight.answer.answer import ready_answer as _ready_answer
from assay.insight.answer.contract import CONTRACT as _CONTRACT
from assay.insight.answer.functions import FeatureFunction
from assay.insight.answer.template import TEMPLATE as _TEMPLATE
from assay.insight.examine.config import PRESETS as _PRESETS
from assay.insight.examine.config import SETTINGS as _SETTINGS
from assay.insight.examine.config import InsightConfig
from assay.insight.examine.counts import blocked_functions as _blocked_functions
from assay.insight.examine.counts import crashed_functions as _crashed_functions
from assay.insight.examine.counts import leaking_functions as _leaking_functions
from assay.insight.examine.evaluation import Evaluation, evaluate
from assay.insight.examine.evidence import InsightEvidence
from assay.insight.examine.examination import describe as _describe
from assay.insight.examine.examination import examine as _examine
from assay.insight.fits.forest import ForestSettings, Prediction, predict
from assay.insight.generate.synthetic import builtin as _builtin
from assay.insight.generate.synthetic import generate  # now: a later import of the room would take its name
from assay.insight.leakage.verdict import LeakageReport, LeakVerdict
from assay.insight.metrics import combined_score, correlation_coverage, predictive_coverage
from assay.insight.problem.handover import hand_over as _hand_over
from assay.insight.problem.tags import derive_tags as _derive_tags
from assay.insight.problem.task import MARKER as _MARKER
from assay.insight.problem.task import InsightTask, InsightTruth, load, write_problem
from assay.insight.problem.times_file import DeclaredTimes
from assay.insight.subjects.builtin import PRIVILEGED as _PRIVILEGED
from assay.insight.subjects.builtin import SUBJECTS as _SUBJECTS
from assay.insight.subjects.builtin import ground_truth as _ground_truth

if TYPE_CHECKING:
    from assay.insight.generate import generate_problem, generate_problems
    from assay.insight.leakage.check import check_leakage
    from assay.insight.leakage.static.notes import explain_source
    from assay.insight.problem.user_problem.problem import new_problem
    from assay.insight.subjects.llm import Llm
    from assay.insight.subjects.relational import Relational

__all__ = [
    "TRACK",
    "DeclaredTimes",
    "Evaluation",
    "FeatureFunction",
    "ForestSettings",
    "InsightAnswer",
    "InsightConfig",
    "InsightEvidence",
    "InsightTask",
    "InsightTruth",
    "LeakVerdict",
    "LeakageReport",
    "Llm",
    "Prediction",
    "Relational",
    "check_leakage",
    "combined_score",
    "correlation_coverage",
    "evaluate",
    "explain_source",
    "generate",
    "generate_problem",
    "generate_problems",
    "load",
    "new_problem",
    "predict",
    "predictive_coverage",
    "read_solution",
    "write_problem",
    "write_solution",
]

TRACK: _Track[InsightTask, InsightTruth, InsightAnswer, InsightEvidence] = _Track(
    name="insight",
    question="Did an agent's feature functions find what the experts know, without cheating?",
    load=load,
    builtin=_builtin,
    encode=_encode,
    decode=_decode,
    examine=_examine,
    metrics=metrics.METRICS,
    headline="combined_score",
    clusters=("base", "family"),
    oracle=_ground_truth,
    subjects=_SUBJECTS,
    privileged=_PRIVILEGED,
    details=_describe,
    counts={
        "functions crashed": _crashed_functions,
        "functions leaking": _leaking_functions,
        "functions blocked": _blocked_functions,
    },
    settings=_SETTINGS,
    presets=_PRESETS,
    privileged_settings={"trust_columns": True, "check_leakage": "always"},
    derive_tags=_derive_tags,
    ready_answer=_ready_answer,
    answer_suffix="",
    hand_over=_hand_over,
    marker=_MARKER,
    needed=("target_column",),
    preload=("pandas", "scipy.stats"),
    version=2,
    template=_TEMPLATE,
    contract=_CONTRACT,
    panels="assay.insight.panels:panels",
    commands="assay.cli.insight:app",
)

if not TYPE_CHECKING:  # for one release; a type checker no longer sees these names
    __getattr__ = _moved_names(
        __name__,
        {
            "declare_times": "assay.insight.problem.times_file",
            "compute_columns": "assay.insight.columns.compute",
            "ColumnDifference": "assay.insight.columns.submitted_values",
            "ComputedColumn": "assay.insight.columns.compute",
            "ComputedColumns": "assay.insight.columns.compute",
            "DOMAINS": "assay.insight.generate",
            "FunctionFinding": "assay.insight.examine.evidence",
            "ProblemType": "assay.insight.problem.task",
            "RandomFeatures": "assay.insight.subjects.random_features",
            "StaticFinding": "assay.insight.leakage.static.notes",
            "TableTime": "assay.insight.problem.task",
            "builtin": "assay.insight.generate.synthetic",
            "choose_engine": "assay.insight.fits.forest",
            "compare_with_shipped": "assay.insight.columns.submitted_values",
            "decode": "assay.insight.answer.answer",
            "encode": "assay.insight.answer.answer",
            "ground_truth": "assay.insight.subjects.builtin",
            "hand_over": "assay.insight.problem.handover",
            "infer_problem_type": "assay.insight.problem.task",
            "published_leak": "assay.insight.published.leak",
            "read_times_file": "assay.insight.problem.times_file",
            **dict.fromkeys(sorted(set(metrics.__all__) - set(__all__)), "assay.insight.metrics"),
        },
        later={  # what scoring a solution has no use for
            "check_leakage": "assay.insight.leakage.check",
            "explain_source": "assay.insight.leakage.static.notes",
            "Llm": "assay.insight.subjects.llm",
            "Relational": "assay.insight.subjects.relational",
            "generate_problem": "assay.insight.generate.problems",
            "generate_problems": "assay.insight.generate.problems",
            "new_problem": "assay.insight.problem.user_problem.problem",
        },
    )
