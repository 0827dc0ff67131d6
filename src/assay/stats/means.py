"""Correctly rounded means, independent of the order of the values."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from assay.stats.resampling import WHOLE, FloatArray

__all__ = ["exact_mean", "row_means"]

_EXPONENT = 1000  # two to that power is a float, and so is its inverse


def exact_mean(values: ArrayLike) -> float:
    """The mean, rounded once: the float nearest to the quotient of the exact sum and the count.

    Neither the order of the values nor their number moves a digit, and equal values have exactly themselves as mean.
    It is infinite, or nan, where the values are; nan without any.

    >>> exact_mean([0.1, 0.1, 0.1]), exact_mean([1e16, 1.0, -1e16])
    (0.1, 0.3333333333333333)
    >>> exact_mean([math.inf, 1.0]), exact_mean([])
    (inf, nan)
    """
    rest = np.asarray(values, dtype=np.float64)
    if not rest.size:
        return math.nan
    largest = float(np.max(np.abs(rest)))
    if not math.isfinite(largest):
        with np.errstate(invalid="ignore"):  # inf and -inf together: the outcome says it
            return float(np.sum(rest))
    if not largest:
        return 0.0
    # so many leading bits at a time that the sum of them all is a whole number which a float holds
    bits = WHOLE - (rest.size - 1).bit_length()
    shift = bits - math.frexp(largest)[1]
    rest = np.ldexp(rest, shift) if abs(shift) > _EXPONENT else rest * 2.0**shift
    total = 0
    while True:
        whole = np.rint(rest)
        total += int(whole.sum())
        rest -= whole
        if not rest.any():
            break
        rest *= 2.0**bits
        total <<= bits
        shift += bits
    # dividing whole numbers rounds once
    return total / (rest.size << shift) if shift >= 0 else (total << -shift) / rest.size


def row_means(rows: FloatArray) -> FloatArray:
    """The mean of what each row has; nan where it has nothing."""
    undefined = np.isnan(rows)
    some = bool(undefined.any())
    return np.array([exact_mean(row[~gaps] if some else row) for row, gaps in zip(rows, undefined, strict=True)])
