"""Positions of intervals on an axis, and shades of cells."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from assay.core import Goal, Interval

__all__ = ["SHADES", "Axis", "Bar", "axis_of", "reach_of"]

SHADES = 6
WIDTH = 100.0


@dataclass(frozen=True, slots=True)
class Bar:
    """Positions on an axis from 0 to 100; without bounds there is only the value."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Axis:
    """The range that bars share, so that their lengths can be compared."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """A value's position."""
        return round(WIDTH * (value - self.low) / (self.high - self.low), 2)

    def bar(self, interval: Interval) -> Bar | None:
        """An interval's positions; none where there is no finite value to draw."""
        if not math.isfinite(interval.value):
            return None
        if not (math.isfinite(interval.low) and math.isfinite(interval.high)):
            return Bar(self.place(interval.value), None, None)
        return Bar(self.place(interval.value), self.place(interval.low), self.place(interval.high))

    def shade(self, value: float, goal: Goal) -> int:
        """From 1 for the worst end of the axis to SHADES for the best; 0 for what is undefined."""
        if math.isnan(value):
            return 0
        share = min(max(self.place(value) / WIDTH, 0.0), 1.0) if math.isfinite(value) else float(value > 0)
        return 1 + min(int((share if goal == "max" else 1 - share) * SHADES), SHADES - 1)


def axis_of(values: Iterable[float]) -> Axis:
    """From 0 to 1 when all values lie there, as most metrics do; else as wide as the finite values.

    >>> axis_of([0.2, 0.9, float("nan")])
    Axis(low=0.0, high=1.0)
    >>> axis_of([-3.0, 5.0])
    Axis(low=-3.0, high=5.0)
    """
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    if low >= 0 and high <= 1:
        return Axis(0.0, 1.0)
    # a spread that is zero, or lost to overflow, leaves nothing to compare: any axis around it does
    return Axis(low, high) if 0 < high - low < math.inf else Axis(low - 1.0, low + 1.0)


def reach_of(values: Iterable[float]) -> Axis:
    """From the lowest to the highest finite value, so that shades tell them apart wherever they lie.

    >>> reach_of([0.8, 0.9, float("inf")])
    Axis(low=0.8, high=0.9)
    >>> reach_of([0.5, 0.5])
    Axis(low=0.0, high=1.0)
    """
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    return Axis(low, high) if 0 < high - low < math.inf else axis_of(finite)
