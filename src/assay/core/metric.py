"""Metrics: pure functions of evidence; aggregates: scores that exist only across problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

from assay.core.problem import AnyProblem
from assay.core.record import Record

__all__ = ["Aggregate", "Flag", "Goal", "Metric"]

EvidenceT_contra = TypeVar("EvidenceT_contra", contravariant=True)

Goal: TypeAlias = Literal["max", "min"]
Flag: TypeAlias = Literal["leak", "undecided"]


@dataclass(frozen=True, slots=True)
class Metric(Generic[EvidenceT_contra]):
    """A named number of one record; nan means undefined here.

    ``definition`` is the pure function whose docstring holds the formula and the examples; ``floor`` is what a failed
    subject gets; ``oracle`` is what the truth itself must score, within ``tolerance``. A score above zero of a metric
    with a ``flag`` says that the answer uses what it must not know, or that no verdict could be reached; reports count
    such answers.
    """

    name: str
    function: Callable[[EvidenceT_contra], float]
    definition: Callable[..., object]
    goal: Goal = "max"
    floor: float | Callable[[AnyProblem], float] = 0.0
    oracle: float | None = None
    tolerance: float = 1e-9
    version: int = 1
    flag: Flag | None = None

    def floor_for(self, problem: AnyProblem) -> float:
        """What a failed subject gets on this problem."""
        return float(self.floor(problem)) if callable(self.floor) else float(self.floor)

    @property
    def summary(self) -> str:
        """The first line of the definition."""
        return (self.definition.__doc__ or "").strip().partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A named number per subject that exists only across problems, such as noise sensitivity or competition ranks.

    The function gets the records of all subjects of one run, sorted, and answers with a number per subject name.
    """

    name: str
    function: Callable[[Sequence[Record]], Mapping[str, float]]
    goal: Goal = "max"
    version: int = 1

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]
