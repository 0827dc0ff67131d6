"""Intervals of shares: hits among trials, and means of values that may be hits and misses."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.core import Interval, InvalidInput
from assay.stats.intervals import bootstrap_interval

__all__ = ["mean_interval", "share_interval"]

_Z = 1.959963984540054  # of a 95 % interval


def share_interval(hits: int, count: int) -> Interval:
    r"""A share with Wilson's 95 % interval, which has a width even when all or none are hits.

    $$\frac{p + z^2 / 2n \pm z \sqrt{p (1 - p) / n + z^2 / 4n^2}}{1 + z^2 / n}$$

    >>> [round(bound, 2) for bound in share_interval(6, 8)]
    [0.75, 0.41, 0.93]
    """
    if not 0 <= hits <= count:
        raise InvalidInput(f"a share needs between 0 and {count} hits, got {hits!r}.")
    if not count:
        return Interval(math.nan, math.nan, math.nan)
    p, width = hits / count, _Z**2 / count
    centre = (p + width / 2) / (1 + width)
    reach = math.sqrt(p * (1 - p) * width + width**2 / 4) / (1 + width)
    return Interval(p, max(0.0, centre - reach), min(1.0, centre + reach))


def mean_interval(values: Sequence[float]) -> Interval:
    """The mean of the defined values with a 95 % interval: Wilson's for hits and misses, else a bootstrap.

    >>> mean_interval([1.0, 0.0, float("nan"), 1.0, 1.0]) == share_interval(3, 4)
    True
    """
    defined = [value for value in values if not math.isnan(value)]
    if defined and all(value in (0.0, 1.0) for value in defined):
        return share_interval(int(sum(defined)), len(defined))
    return bootstrap_interval(defined)
