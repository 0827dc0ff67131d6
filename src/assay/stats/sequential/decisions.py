"""Which pairs of subjects a run has decided that stops early once they are decided."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay.core import Goal, Interval, InvalidInput, Json
from assay.stats.intervals import negated

__all__ = ["Decisions", "PairDecision", "decided_tiers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDecision:
    """One pair: the anytime-valid evidence that they differ, corrected for all pairs, and who won; empty while open.

    ``difference`` is the mean of a - b over ``problems`` with an interval that holds at any time of stopping.
    """

    a: str
    b: str
    winner: str
    evidence: float
    units: int  # problems, or clusters of them, that were looked at
    problems: int
    difference: Interval

    @property
    def p_value(self) -> float:
        """A p-value that may be looked at at any time."""
        return min(1.0, 1.0 / self.evidence) if self.evidence > 0 else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """A run that stopped when decided: at which level, on which metric, and every pair."""

    level: float
    metric: str
    goal: Goal
    planned: int
    not_run: int  # cells that were not needed
    pairs: tuple[PairDecision, ...]
    against: str = ""  # the subject that all others were compared with; empty for all pairs
    trouble: str = ""  # why nothing could be decided
    fewest: int = 0  # problems or clusters that a pair needs at least
    units: int = 0  # that there are

    @property
    def decided(self) -> int:
        """How many pairs are decided."""
        return sum(bool(pair.winner) for pair in self.pairs)

    def of(self, a: str, b: str) -> PairDecision | None:
        """The decision on a pair, from a's point of view; None where they were not compared."""
        for pair in self.pairs:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.a, pair.b) == (b, a):
                return replace(pair, a=a, b=b, difference=negated(pair.difference))
        return None

    def sentence(self) -> str:
        """A sentence that readers need before any number."""
        if self.trouble:
            return f"Not stopped early: {self.trouble}"
        whom = f" against {self.against}" if self.against else ""
        few = ""
        if self.units < self.fewest:
            few = f"; a pair needs {self.fewest} problems or clusters to be decided, and there are {self.units}"
        return (
            f"Stopped when decided at {self.level:g} on {self.metric}: {self.decided} of {len(self.pairs)} pairs{whom} "
            f"decided, {self.not_run} of {self.planned} cells not run{few}. Comparisons on {self.metric} hold at any "
            "time of stopping; other intervals take the number of problems for fixed, and are too sure"
        )

    def to_json(self) -> dict[str, Json]:
        """As plain values."""
        pairs: list[Json] = [{**asdict(pair), "difference": list(pair.difference)} for pair in self.pairs]
        names = ("level", "metric", "goal", "planned", "not_run", "against", "trouble", "fewest", "units")
        return {**{name: getattr(self, name) for name in names}, "pairs": pairs}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Decisions:
        """The inverse of :meth:`to_json`."""
        try:
            pairs = tuple(
                PairDecision(**{**pair, "difference": Interval(*map(_number, pair["difference"]))})
                for pair in body["pairs"]
            )
            return cls(**{**body, "pairs": pairs})
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"decisions: damaged, {type(error).__name__}: {error}.") from None


def _number(value: float | None) -> float:
    """A number that JSON holds; undefined is null there."""
    return math.nan if value is None else float(value)


def decided_tiers(decisions: Decisions, subjects: Sequence[str]) -> tuple[int, ...]:
    """The tier of each subject, given best first: a subject that a tier's first was found to beat starts the next.

    >>> pair = PairDecision(a="a", b="c", winner="a", evidence=30.0, units=9, problems=9, difference=Interval(1, 0, 1))
    >>> run = Decisions(level=0.05, metric="mrr", goal="max", planned=30, not_run=3, pairs=(pair,))
    >>> decided_tiers(run, ["a", "b", "c"])
    (1, 1, 2)
    """
    numbers: list[int] = []
    first = ""
    for subject in subjects:
        pair = decisions.of(first, subject) if first else None
        if not first or (pair is not None and pair.winner == first):
            numbers.append(numbers[-1] + 1 if numbers else 1)
            first = subject
        else:
            numbers.append(numbers[-1])
    return tuple(numbers)
