"""One solution on one problem, without a run: the same numbers, for a terminal or a notebook."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core import InvalidInput, Json, Problem, Setting, SubjectFailed, plain
from assay.core.display import object_html, shortened
from assay.insight.answer.answer import InsightAnswer, read_solution
from assay.insight.examine.config import COVERAGE_METRICS, PRESETS, SETTINGS
from assay.insight.examine.evidence import InsightEvidence
from assay.insight.examine.examination import describe, examine
from assay.insight.metrics import METRICS
from assay.insight.problem.task import InsightTask, InsightTruth, load

__all__ = ["Evaluation", "evaluate"]

_KEYS = (
    "preset",
    "problem",
    "subject",
    "problem_type",
    "naive_performance",
    "inclusive_performance",
    "exclusive_performance",
    *COVERAGE_METRICS,
    "coverage",
    "lift",
    "target_leak",
    "combined_score",
    "columns",
    "functions",
    "solution_columns",
    "notes",
    "fits",
    "isolation",
    "seconds",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluation:
    """The scores of one solution, with the evidence behind them.

    Attributes
    ----------
    problem : str
        The problem's id.
    subject : str
        Who solved it.
    scores : mapping of str to float
        Every metric by name; nan where it is undefined.
    details : mapping of str to JSON
        What a report shows of it: columns, functions, notes.
    evidence : InsightEvidence
        Every performance behind the scores.
    isolation : str
        How strongly the functions were confined: ``strong``, ``weak``, or ``not run``.
    seconds : float
        What the evaluation took.

    Examples
    --------
    >>> import tempfile
    >>> from assay.insight import InsightAnswer, evaluate, generate, load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     problem = load(generate(folder, seed=3, rows=60, difficulty="easy"))
    >>> answer = InsightAnswer(solved_by="me", columns=("paid",), train=problem.task.train, test=problem.task.test)
    >>> evaluate(problem, answer, trust_columns=True, N_RF_ESTIMATORS=5).to_json()["target_leak"] is None
    True
    """

    problem: str
    subject: str
    scores: Mapping[str, float]
    details: Mapping[str, Json]
    evidence: InsightEvidence
    isolation: str
    seconds: float

    def __repr__(self) -> str:
        shown = {name: self.scores[name] for name in ("combined_score", "coverage", "inclusive_performance")}
        scores = ", ".join(f"{name} {value:.3f}" for name, value in shown.items())
        leak = self.scores["target_leak"]
        checked = "not checked for leaks" if math.isnan(leak) else "LEAKS" if leak else "no leak"
        return f"Evaluation({shortened(self.subject)!r} on {shortened(self.problem)!r}: {scores}, {checked})"

    def _repr_html_(self) -> str:
        facts = {"isolation": self.isolation, "seconds": self.seconds}
        rows = self.scores.items()
        title = f"{self.subject} on {self.problem}"
        return object_html(title, facts, columns=("metric", "score"), rows=rows, total=len(self.scores))

    def to_json(self) -> dict[str, Json]:
        """Everything as plain values; what is undefined is null."""
        # of both, the details say of target_leak whether it was checked
        facts: dict[str, Any] = {**self.scores, **self.details, "problem": self.problem, "subject": self.subject}
        facts |= {"isolation": self.isolation, "seconds": self.seconds}
        return {name: plain(facts[name]) for name in _KEYS}


def evaluate(
    problem: Problem[InsightTask, InsightTruth] | str | Path,
    solution: InsightAnswer | str | Path,
    **settings: Setting,
) -> Evaluation:
    """Score one solution of one problem.

    Parameters
    ----------
    problem : Problem, str or Path
        A problem of this track, or its folder.
    solution : InsightAnswer, str or Path
        An answer, the folder of one, or a Python file of functions.
    **settings : bool, int, float or str
        Settings as in a run, such as ``trust_columns=True`` to score the values that the solution ships; see
        ``InsightConfig``.

    Returns
    -------
    Evaluation
        The scores and what is behind them.

    Raises
    ------
    InvalidInput
        The solution cannot be scored.

    Examples
    --------
    >>> import tempfile
    >>> from assay.insight import generate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     problem = load(generate(folder, seed=3, rows=60, difficulty="easy"))
    >>> answer = InsightAnswer(solved_by="me", columns=("paid",), train=problem.task.train, test=problem.task.test)
    >>> round(evaluate(problem, answer, trust_columns=True, N_RF_ESTIMATORS=5).scores["coverage"], 3)
    0.172
    """
    started = time.monotonic()
    loaded = load(Path(problem)) if isinstance(problem, str | Path) else problem
    answer = read_solution(Path(solution)) if isinstance(solution, str | Path) else solution
    if not isinstance(answer, InsightAnswer):
        raise InvalidInput(
            f"solution: must be an InsightAnswer or the folder of one, got a {type(answer).__name__}: {answer!r:.60}."
        )
    chosen = {**SETTINGS, **PRESETS.get(str(settings.get("preset")), {}), **settings}
    try:
        evidence = examine(loaded, answer, chosen)
    except SubjectFailed as failure:
        raise InvalidInput(f"problem {loaded.id!r}, solution of {answer.solved_by!r}: {failure}") from failure
    return Evaluation(
        problem=loaded.id,
        subject=answer.solved_by,
        scores={metric.name: metric.function(evidence) for metric in METRICS},
        details=describe(evidence),
        evidence=evidence,
        isolation=evidence.isolation,
        seconds=time.monotonic() - started,
    )
