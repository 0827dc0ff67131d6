"""What an examination found: every performance that a metric needs, none of them a score yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from assay.core import Json
from assay.insight.examine.config import InsightConfig
from assay.insight.problem.task import ProblemType

__all__ = ["FunctionFinding", "InsightEvidence"]

FloatArray: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionFinding:
    """What became of one feature function."""

    name: str
    status: str  # "ok", or why it has no values
    verdict: str | None = None  # "leak", "clean", "inconclusive"; None = not checked
    kind: str | None = None
    evidence: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InsightEvidence:
    """Performances of all models of one solution.

    ``naive``, ``inclusive`` and ``exclusive`` are AUC or R². All others are on the scale that ρ reads: AUC, or R² moved
    onto it. Arrays have a row per ground-truth column.
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
    target_leak: bool | None = None  # None = not checked
    functions: tuple[FunctionFinding, ...] = ()
    isolation: str = "not run"  # of the functions: the level of the sandbox
    notes: tuple[str, ...] = ()
    subject_notes: tuple[str, ...] = ()  # the subject's own, which score nothing
    engines: Mapping[str, int] = field(default_factory=dict)  # who did how many of the fits
