"""From values to places on a drawing, with ticks at round numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Scale", "number", "scale_around"]

_MOST_OF = 0.6  # of the range from 0 to 1: values that fill so much of it are shown on all of it
_ROOM = 0.04  # beside the outermost values


@dataclass(frozen=True, slots=True)
class Scale:
    """Values from ``low`` to ``high`` along ``length`` from ``start``; a negative length runs upwards or leftwards.

    On a logarithmic scale equal ratios are equally long; its values must be above zero.

    >>> Scale(0, 10, 100, 50)(4)
    120.0
    >>> Scale(1, 100, 0, 200, log=True)(10)
    100.0
    """

    low: float
    high: float
    start: float
    length: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The place of a value."""
        low, high, at = (math.log(end) if self.log else end for end in (self.low, self.high, value))
        return self.start + self.length * (at - low) / ((high - low) or 1.0)

    @property
    def end(self) -> float:
        """The place of the highest value."""
        return self.start + self.length

    def ticks(self, most: int = 5) -> list[float]:
        """About so many round numbers between the ends.

        >>> Scale(0, 1, 0, 100).ticks()
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        >>> Scale(-0.13, 0.08, 0, 100).ticks(4)
        [-0.1, 0.0]
        >>> Scale(1, 30, 0, 100, log=True).ticks()
        [1.0, 2.0, 5.0, 10.0, 20.0]
        """
        if self.log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            steps = (1.0, 2.0, 5.0) if len(powers) <= most else (1.0,)
            values = [factor * 10.0**power for power in powers for factor in steps]
            return [value for value in values if self.low <= value * (1 + 1e-9) and value <= self.high * (1 + 1e-9)]
        if self.high <= self.low:
            return [self.low]
        least = (self.high - self.low) / most
        power = math.floor(math.log10(least))
        size = 10.0**power
        step = size * next(factor for factor in (1, 2, 5, 10) if factor * size >= least * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(place * step, 12 - power) for place in range(first, last + 1)]


def scale_around(values: Iterable[float], *, log: bool = False) -> Scale:
    """A scale of length 100 that holds all finite values; from 0 to 1 where they fill most of that.

    >>> scale_around([0.2, 0.9])
    Scale(low=0.0, high=1.0, start=0.0, length=100.0, log=False)
    >>> round(scale_around([0.7, 0.95]).low, 2)
    0.69
    >>> scale_around([3, 700], log=True).high
    1000.0
    """
    finite = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
    low, high = min(finite, default=0.0 if not log else 1.0), max(finite, default=1.0)
    if log:
        low, high = (10.0 ** math.floor(math.log10(low)), 10.0 ** math.ceil(math.log10(high)))
        return Scale(low, high if high > low else 10 * low, 0.0, 100.0, log=True)
    if low >= 0 and high <= 1 and (high - low > _MOST_OF or not finite):
        return Scale(0.0, 1.0, 0.0, 100.0)
    if not 0 < high - low < math.inf:  # nothing to compare, or lost to overflow: any scale around it does
        return Scale(0.0, 1.0, 0.0, 100.0) if 0 <= low <= high <= 1 else Scale(low - 1.0, low + 1.0, 0.0, 100.0)
    # the ends of what a metric can reach are no place for room
    room = _ROOM * (high - low)
    outer = (max(low - room, 0.0) if low >= 0 else low - room, min(high + room, 1.0) if high <= 1 else high + room)
    return Scale(outer[0], outer[1], 0.0, 100.0)


def number(value: float) -> str:
    """A coordinate with at most two digits after the point.

    >>> number(12.0), number(0.126), number(1e6)
    ('12', '0.13', '1000000')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")
