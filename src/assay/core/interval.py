"""A number with its uncertainty."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Interval"]


class Interval(NamedTuple):
    """A value between its bounds; the bounds are nan where the data cannot give them.

    Parameters
    ----------
    value : float
        The estimate.
    low, high : float
        Its bounds.

    Examples
    --------
    >>> interval = Interval(0.8125, 0.79, 0.833)
    >>> interval
    0.812 [0.790, 0.833]
    >>> interval.low, tuple(interval)
    (0.79, (0.8125, 0.79, 0.833))
    """

    value: float
    low: float
    high: float

    def __repr__(self) -> str:
        value, low, high = map(_shown, self)
        return f"{value} [{low}, {high}]"

    def _repr_html_(self) -> str:
        value, low, high = map(_shown, self)
        return f"<b>{value}</b> [{low}, {high}]"


def _shown(number: float) -> str:
    """Three digits behind the point where that tells something, else three that count.

    >>> [_shown(number) for number in (0.5, 12.3456, -1.0, 0.000123, 123456.0, 0.0, float("nan"))]
    ['0.500', '12.346', '-1.000', '0.000123', '1.23e+05', '0.000', 'nan']
    """
    return f"{number:.3f}" if number == 0 or 0.001 <= abs(number) < 10_000 else f"{number:.3g}"
