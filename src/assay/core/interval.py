"""A number with its uncertainty."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Interval"]


class Interval(NamedTuple):
    """A value between its bounds; the bounds are nan where the data cannot give them.

    >>> Interval(0.5, 0.25, 0.75)
    Interval(value=0.5, low=0.25, high=0.75)
    """

    value: float
    low: float
    high: float
