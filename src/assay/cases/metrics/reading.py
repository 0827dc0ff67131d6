"""How metrics read the evidence, and what a failed subject gets where a metric is defined."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from assay.cases.examine.evidence import CasesEvidence
from assay.cases.metrics.arrays import BoolArray
from assay.core import AnyProblem

__all__ = ["floor_where", "floor_with", "of_parts", "without_twins"]


def of_parts(metric: Callable[..., float], *names: str) -> Callable[[CasesEvidence], float]:
    """A metric of parts of the evidence, undefined where the answer or the problem lacks one."""

    def function(evidence: CasesEvidence) -> float:
        parts = [getattr(evidence, name) for name in names]
        return math.nan if any(part is None for part in parts) else metric(*parts)

    return function


# a metric that is undefined on a problem is undefined for a failed subject too: otherwise only failures would count


def floor_with(value: float, *, right: int = 0, wrong: int = 0) -> Callable[[AnyProblem], float]:
    """The floor where a problem has at least so many right and wrong predictions."""

    def enough(problem: AnyProblem) -> bool:
        verdicts = without_twins(problem, problem.task.predicted != problem.truth.labels)
        return bool((~verdicts).sum() >= right and verdicts.sum() >= wrong)

    return floor_where(value, enough)


def floor_where(value: float, defined: Callable[[AnyProblem], bool]) -> Callable[[AnyProblem], float]:
    """The floor where the metric is defined on a problem."""
    return lambda problem: value if defined(problem) else math.nan


def without_twins(problem: AnyProblem, values: BoolArray) -> BoolArray:
    """Values of the queries that count: perturbed copies do not."""
    twins = problem.task.twins
    return values if twins is None else np.delete(values, twins[twins >= 0])
