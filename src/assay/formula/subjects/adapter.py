"""What every adapter shares: parts one after the other, the clock, and an answer from what was found."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from importlib.util import find_spec
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np

from assay.core import Budget, MissingExtra, NamedSubject, demand_whole
from assay.core.arrays import FloatArray
from assay.formula.answer.answer import CHECKED_ROWS, FormulaAnswer, Model
from assay.formula.expression.expression import Expression, to_text
from assay.formula.expression.parser import rename
from assay.formula.metrics import pareto_front
from assay.formula.problem.task import FormulaTask, Part

__all__ = ["CHECKED_ROWS", "Adapter", "Candidate", "Stopwatch", "mean_squared_error"]

_LARGEST_FRONT = 10  # beside the first: every one of them is compared with the truth
# of the cell's seconds: the rest is for imports, for the last step before the clock is read, and for the answer
_USABLE, _RESERVED = 0.75, 2.0

PartT = TypeVar("PartT")


class Stopwatch:
    """Shares what is left of a budget evenly between the fits that are still to come."""

    def __init__(self, seconds: float) -> None:
        usable = max(seconds * _USABLE - _RESERVED, seconds * 0.25)
        self._until = time.monotonic() + usable

    def remaining(self) -> float:
        """Seconds until fits must be over; at least a tenth of a second."""
        return max(self._until - time.monotonic(), 0.1)

    def shares(self, parts: Sequence[PartT]) -> Iterator[tuple[PartT, float]]:
        """Each part with its share of what is left when its turn comes."""
        for place, part in enumerate(parts):
            yield part, self.remaining() / (len(parts) - place)


class Candidate(NamedTuple):
    """A model over placeholders ``x0``, ``x1``, ..., its training error, and what it predicts for the first rows."""

    expression: Expression
    error: float
    predictions: FloatArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter(NamedSubject, ABC):
    """Fits one part at a time; the first candidate is the one it stands by, the others its Pareto set."""

    package: ClassVar[str] = ""  # the distribution that does the work; empty for a method of our own
    extra: ClassVar[str] = "symbolic"  # the extra that installs it

    def __post_init__(self) -> None:
        for parameter in fields(self):
            demand_whole(getattr(self, parameter.name), f"{self.title}: {parameter.name}", least=1)
        # refused at once, before anything is fitted; the library is not imported for that
        if self.package and find_spec(self.package) is None:
            raise MissingExtra(f"The subject {self.title}", self.package, self.extra)

    @property
    def libraries(self) -> tuple[str, ...]:
        """The one that does the work: another version is another subject."""
        return (self.package,) if self.package else ()

    @abstractmethod
    def fit(self, inputs: FloatArray, target: FloatArray, *, seconds: float, seed: int) -> list[Candidate]:
        """Models of one part, the best first, well within the seconds."""

    def solve(self, task: FormulaTask, budget: Budget, /) -> FormulaAnswer:
        """A front of models for every part."""
        watch = Stopwatch(budget.seconds)
        fronts = []
        for part, seconds in watch.shares(task.parts):
            candidates = self.fit(part.inputs, part.target, seconds=seconds, seed=budget.seed)
            fronts.append(_named(candidates, task, part))
        return FormulaAnswer(fronts=tuple(fronts))


def _named(candidates: Sequence[Candidate], task: FormulaTask, part: Part) -> tuple[Model, ...]:
    """The first candidate, and those of the others that no other beats in both error and size."""
    names = {f"x{place}": name for place, name in enumerate(task.variables)}
    first, *others = candidates
    rest = [candidate for candidate in others if np.isfinite(candidate.error)]
    front = pareto_front([-c.error for c in rest], [c.expression.nodes for c in rest]) if rest else []
    if len(front) > _LARGEST_FRONT:  # the smallest, the best, and evenly what lies between
        front = [front[round(place)] for place in np.linspace(0, len(front) - 1, _LARGEST_FRONT)]
    chosen = [first, *(rest[place] for place in front)]
    models = [Model(formula=to_text(rename(c.expression, names)), predictions=c.predictions) for c in chosen]
    texts = [model.formula for model in models]
    return tuple(model for place, model in enumerate(models) if texts.index(model.formula) == place)


def mean_squared_error(target: FloatArray, predicted: FloatArray) -> float:
    """The mean squared error; infinite where a prediction is not a number."""
    with np.errstate(all="ignore"):
        error = float(np.mean(np.square(target - predicted)))
    return error if np.isfinite(error) else float("inf")
