"""Scores that differ by rounding only are equal, in comparisons and in ranks."""

from __future__ import annotations

import numpy as np

from assay.stats.resampling import FloatArray

__all__ = ["differences", "level_rounding"]

_ROUNDING = 1e-12  # scores closer than this share of their size are equal


def differences(left: FloatArray, right: FloatArray) -> FloatArray:
    """Left minus right; 0 where both are the same infinity, or differ by rounding only.

    >>> differences(np.array([np.inf, 0.3]), np.array([np.inf, 0.1 + 0.2])).tolist()
    [0.0, 0.0]
    """
    values = np.zeros(left.size)
    with np.errstate(over="ignore"):
        np.subtract(left, right, out=values, where=left != right)
    size = np.maximum(np.abs(left), np.abs(right))
    values[np.isfinite(size) & (np.abs(values) <= _ROUNDING * size)] = 0.0
    return values


def level_rounding(scores: FloatArray) -> FloatArray:
    """The scores [subject, problem] with those of a problem that differ by rounding only made the same.

    >>> level_rounding(np.array([[0.3], [0.1 + 0.2], [0.4]])).ravel().tolist()
    [0.3, 0.3, 0.4]
    """
    order = np.argsort(scores, axis=0)
    ordered = np.take_along_axis(scores, order, axis=0)
    for row in range(1, len(ordered)):
        before = ordered[row - 1]
        ordered[row] = np.where(differences(ordered[row], before) == 0.0, before, ordered[row])
    leveled = np.empty_like(scores)
    np.put_along_axis(leveled, order, ordered, axis=0)
    return leveled
