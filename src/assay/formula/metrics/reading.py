"""How metrics read the evidence, and what a failed subject gets where a metric is defined.

A problem about noise has one model per level: its values are means over the levels, and the noise scores compare them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from assay.core import AnyProblem, Metric
from assay.formula.examine.evidence import FormulaEvidence, PartEvidence
from assay.formula.problem.task import FormulaTask, FormulaTruth

__all__ = [
    "OfPart",
    "beyond",
    "by_verdict",
    "floor_where",
    "has_beyond",
    "has_truth",
    "mean_of_defined",
    "on_test",
    "over_parts",
    "share",
]

OfPart: TypeAlias = Callable[[FormulaEvidence, PartEvidence], float]


def over_parts(
    score: OfPart, chosen: Callable[[PartEvidence], bool] = lambda part: True
) -> Callable[[FormulaEvidence], float]:
    """The mean over the chosen parts where the score is defined; nan when it is nowhere."""

    def function(evidence: FormulaEvidence) -> float:
        return mean_of_defined([score(evidence, part) for part in evidence.parts if chosen(part)])

    return function


def mean_of_defined(values: Iterable[float]) -> float:
    """The mean of the values that are not nan; nan where none is."""
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else math.nan


def by_verdict(score: Callable[[Any], float]) -> OfPart:
    """A score of the verdict on the model, undefined without a truth."""

    def of_part(evidence: FormulaEvidence, part: PartEvidence) -> float:
        return math.nan if part.model.equivalence is None else score(part.model.equivalence.verdict)

    return of_part


def on_test(score: Callable[..., float]) -> OfPart:
    """A score of the model's values on the test partition."""
    return lambda evidence, part: score(evidence.test_target, part.test)


def beyond(score: Callable[..., float]) -> OfPart:
    """A score of the model's values on the extrapolation partition, undefined where there is none."""

    def of_part(evidence: FormulaEvidence, part: PartEvidence) -> float:
        if evidence.extrapolation_target is None or part.extrapolation is None:
            return math.nan
        return score(evidence.extrapolation_target, part.extrapolation)

    return of_part


def floor_where(value: float, defined: Callable[[FormulaTask, FormulaTruth], object]) -> Callable[[AnyProblem], float]:
    """The floor where a metric is defined on a problem; undefined for a failed subject too, or only failures count."""
    return lambda problem: value if defined(problem.task, problem.truth) else math.nan


def share(
    name: str,
    function: Callable[[FormulaEvidence], float],
    definition: Callable[..., object],
    defined: Callable[[FormulaTask, FormulaTruth], object],
) -> Metric[FormulaEvidence]:
    """A metric from 0 to 1 that is defined on some problems: there the truth has 1 and a failed subject 0."""
    return Metric(name, function, definition, floor=floor_where(0.0, defined), oracle=1.0, limits=(0, 1))


def has_truth(task: FormulaTask, truth: FormulaTruth) -> bool:
    """Whether the true formula is known."""
    return truth.formula is not None


def has_beyond(task: FormulaTask, truth: FormulaTruth) -> bool:
    """Whether there is an extrapolation partition."""
    return truth.extrapolation_target is not None
