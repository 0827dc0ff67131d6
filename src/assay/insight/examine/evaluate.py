"""One solution on one problem, without a run: the same numbers, for a terminal or a notebook."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core import InvalidInput, Json, Problem, Setting, SubjectFailed, plain
from assay.insight.answer.answer import InsightAnswer, read_solution
from assay.insight.examine.config import PRESETS, SETTINGS
from assay.insight.examine.evidence import InsightEvidence
from assay.insight.examine.examination import describe, examine
from assay.insight.metrics import METRICS
from assay.insight.problem.task import InsightTask, InsightTruth, load

__all__ = ["Evaluation", "evaluate"]

_KEYS = (
    "naive_performance",
    "inclusive_performance",
    "exclusive_performance",
    "correlation_coverage",
    "incremental_performance_coverage",
    "predictive_coverage",
    "single_column_predictive_coverage",
    "coverage",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluation:
    """The scores of one solution, with the evidence behind them."""

    problem: str
    subject: str
    scores: Mapping[str, float]
    details: Mapping[str, Json]
    evidence: InsightEvidence
    isolation: str
    seconds: float

    def to_json(self) -> dict[str, Json]:
        """Everything as plain values; what is undefined is null."""
        head: dict[str, Any] = {
            "preset": self.details["preset"],
            "problem": self.problem,
            "subject": self.subject,
            "problem_type": self.details["problem_type"],
        }
        scores = {name: self.scores[name] for name in _KEYS}
        tail = {
            "lift": self.scores["lift"],
            "target_leak": self.details["target_leak"],
            "combined_score": self.scores["combined_score"],
            "columns": self.details["columns"],
            "functions": self.details["functions"],
            "solution_columns": self.details["solution_columns"],
            "notes": self.details["notes"],
            "fits": self.details["fits"],
            "isolation": self.isolation,
            "seconds": self.seconds,
        }
        return {name: plain(value) for name, value in {**head, **scores, **tail}.items()}


def evaluate(
    problem: Problem[InsightTask, InsightTruth] | str | Path,
    solution: InsightAnswer | str | Path,
    **settings: Setting,
) -> Evaluation:
    """Score a solution, or the folder of one, on a problem, or the folder of one; settings as in a run.

    ``trust_columns=True`` scores the values that the solution ships. A solution that cannot be scored raises
    InvalidInput.
    """
    started = time.monotonic()
    where = load(Path(problem)) if isinstance(problem, str | Path) else problem
    answer = read_solution(Path(solution)) if isinstance(solution, str | Path) else solution
    chosen = {**SETTINGS, **PRESETS.get(str(settings.get("preset")), {}), **settings}
    try:
        evidence = examine(where, answer, chosen)
    except SubjectFailed as failure:
        raise InvalidInput(f"problem {where.id!r}, solution of {answer.solved_by!r}: {failure}") from failure
    return Evaluation(
        problem=where.id,
        subject=answer.solved_by,
        scores={metric.name: metric.function(evidence) for metric in METRICS},
        details=describe(evidence),
        evidence=evidence,
        isolation=evidence.isolation,
        seconds=time.monotonic() - started,
    )
