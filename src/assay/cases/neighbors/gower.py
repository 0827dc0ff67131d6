"""Gower's distance between rows of numbers and categories, some of them missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.cases.neighbors.checks import FloatArray

__all__ = ["Gower", "fit_gower"]

_SMALLEST = float(np.nextafter(0.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gower:
    """The yardsticks of Gower's distance: per feature its range among the training cases, and its weight.

    Categories are codes, whole numbers with the range 1: two codes are then equal, or at least one range apart.
    """

    ranges: FloatArray
    weights: FloatArray

    def contributions(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Per feature min(|a - b| / range, 1); nan where either value is missing."""
        with np.errstate(over="ignore"):
            share = a - b
            np.abs(share, out=share)
            share /= self.ranges
        # a query may lie beyond the range of training; without the limit one such feature would drown the others
        return np.minimum(share, 1.0, out=share)

    def pairs(self, a: FloatArray, b: FloatArray) -> FloatArray:
        r"""Distances between rows that broadcast against each other.

        $$d(a, b) = \frac{\sum_j w_j m_j \min(|a_j - b_j| / r_j, 1)}{\sum_j w_j m_j}$$

        where $$m_j$$ is 1 when both rows have feature j and else 0; for categories the fraction is 0 when they are
        equal and else 1. Rows without a common feature are as far apart as can be: 1.

        >>> yard = Gower(ranges=np.array([10.0, 1.0]), weights=np.array([1.0, 1.0]))
        >>> yard.pairs(np.array([[2.0, 0.0], [np.nan, 3.0]]), np.array([[7.0, 0.0]])).tolist()
        [0.25, 1.0]
        """
        share = self.contributions(a, b)
        missing = np.isnan(share)
        if not missing.any():
            share *= self.weights
            whole: FloatArray = share.sum(axis=-1) / self.weights.sum()
            return whole
        share[missing] = 0.0
        share *= self.weights
        common = np.where(missing, 0.0, self.weights).sum(axis=-1)
        distances: FloatArray = np.ones(common.shape)
        np.divide(share.sum(axis=-1), common, out=distances, where=common > 0)
        return distances


def fit_gower(encoded: FloatArray, *, categorical: frozenset[int], weights: FloatArray) -> Gower:
    """Ranges of the training cases; a constant feature counts 0 when equal and else 1, like a category."""
    ranges = np.ones(encoded.shape[1])
    for feature, column in enumerate(encoded.T):
        if feature not in categorical:
            present = column[~np.isnan(column)]
            # any difference divided by the smallest number there is reaches the limit of 1
            ranges[feature] = (np.ptp(present) if len(present) else 0.0) or _SMALLEST
    return Gower(ranges=ranges, weights=weights)
