"""What an examination found: every performance that a metric needs, none of them a score yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.core import Json
from assay.core.arrays import FloatArray
from assay.insight.examine.config import InsightConfig
from assay.insight.problem.task import ProblemType

__all__ = ["Chance", "FunctionFinding", "InsightEvidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionFinding:
    """What became of one feature function."""

    name: str
    verdict: str | None = None  # "leak", "clean", "blocked", "inconclusive"; None = not checked
    kind: str | None = None
    status: str  # "ok", or why it has no values
    evidence: Mapping[str, Json] = field(default_factory=dict)


class Chance(NamedTuple):
    """What as many columns without information would reach on average, after ρ; arrays as in the evidence."""

    without: float
    predictive: FloatArray
    single: FloatArray
    correlation: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InsightEvidence:
    """What metrics of the insight track read: performances of all models of one solution.

    ``naive``, ``inclusive`` and ``exclusive`` are AUC or R². All others are on the scale that ρ reads: AUC, or R² moved
    onto it. Arrays have a row per ground-truth column.

    Attributes
    ----------
    config : InsightConfig
        The settings of the examination.
    problem_type : str
        What the target is.
    columns : tuple of str
        The insight columns that are scored.
    ground_truth : tuple of str
        The experts' columns.
    descriptions : tuple of str
        The experts' words, one per column.
    naive : float
        Performance of the base columns alone.
    inclusive : float
        Performance of base and insight columns.
    exclusive : float
        Performance of the insight columns alone.
    inclusive_part : float
        What enters the combined score: AUC, or max(R², 0).
    without : float
        P(S), of the insight columns.
    with_column : ndarray
        P(S ∪ {c}), with one ground-truth column added.
    predictive : ndarray
        P(S → c), of the insight columns for each ground-truth column.
    single : ndarray
        P({s} → c), with a column per insight column.
    importance : ndarray
        P({c} → target), of each ground-truth column.
    coverers : tuple of str
        The columns that correlation coverage compares.
    correlation : ndarray
        Absolute rank correlations, with a column per coverer.
    correlation_weights : ndarray
        How much each ground-truth column counts for correlation coverage.
    chance : Chance or None
        What columns without information would reach, which coverage leaves out; None where it counts.
    target_leak : bool or None
        Whether a function leaks; None when that was not checked.
    functions : tuple of FunctionFinding
        What became of each function.
    isolation : str
        How strongly the functions were confined.
    notes : tuple of str
        What was remarkable.
    subject_notes : tuple of str
        The subject's own notes, which score nothing.
    engines : mapping of str to int
        Who did how many of the fits.

    Examples
    --------
    >>> import tempfile
    >>> from assay.insight import InsightAnswer, evaluate, generate, load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     problem = load(generate(folder, seed=3, rows=60, difficulty="easy"))
    >>> answer = InsightAnswer(solved_by="me", columns=("paid",), train=problem.task.train, test=problem.task.test)
    >>> evidence = evaluate(problem, answer, trust_columns=True, N_RF_ESTIMATORS=5).evidence
    >>> evidence.columns, evidence.single.shape
    (('paid',), (3, 1))
    """

    config: InsightConfig
    problem_type: ProblemType
    columns: tuple[str, ...]  # the insight columns that are scored
    ground_truth: tuple[str, ...]
    descriptions: tuple[str, ...]  # of the ground-truth columns, in the experts' words
    naive: float
    inclusive: float
    exclusive: float
    inclusive_part: float  # what enters the combined score: AUC, or max(R², 0)
    without: float  # P(S)
    with_column: FloatArray  # P(S ∪ {c})
    predictive: FloatArray  # P(S → c)
    single: FloatArray  # P({s} → c), a column per insight column
    importance: FloatArray  # P({c} → target)
    coverers: tuple[str, ...]  # the columns that correlation coverage compares
    correlation: FloatArray  # absolute, a column per coverer
    correlation_weights: FloatArray
    chance: Chance | None = None  # None = it counts
    target_leak: bool | None = None  # None = not checked
    functions: tuple[FunctionFinding, ...] = ()
    isolation: str = "not run"  # of the functions: the level of the sandbox
    notes: tuple[str, ...] = ()
    subject_notes: tuple[str, ...] = ()  # the subject's own, which score nothing
    engines: Mapping[str, int] = field(default_factory=dict)  # who did how many of the fits
