"""Weighted sums of the targets on the left of every cut, and the scores that follow from them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.insight.fits.forest.kernels.compiled import compiled
from assay.insight.fits.forest.kernels.tree_draws import lowest_bit

__all__ = ["best_cut", "rounding", "score_cuts", "survey"]

_EPSILON = np.finfo(np.float64).eps
_ONE = np.uint64(1)


@compiled
def survey(
    column: npt.NDArray[np.uint32],
    rows: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.float64],
    weighted: npt.NDArray[np.float64],
    sums: npt.NDArray[np.float64],
    present: npt.NDArray[np.uint64],
    groups: npt.NDArray[np.uint32],
    lefts: npt.NDArray[np.float64],
    left_weights: npt.NDArray[np.float64],
) -> int:
    """Group the rows by value, ascending, with the weight and the weighted sum up to each group; how many there are.

    When each group is a single row, the sums are those of the original to the last bit.
    """
    low = high = column[rows[0]]
    for p in range(len(rows)):
        code = column[rows[p]]
        sums[2 * code] += weighted[p]
        sums[2 * code + 1] += weights[p]
        present[code >> 6] |= _ONE << np.uint64(code & 63)
        low, high = min(low, code), max(high, code)
    many = 0
    left, left_weight = 0.0, 0.0
    for word in range(low >> 6, (high >> 6) + 1):
        bits = present[word]
        present[word] = 0
        while bits:
            alone = bits & (~bits + _ONE)
            bits ^= alone
            code = (word << 6) + lowest_bit(alone)
            left += sums[2 * code]
            left_weight += sums[2 * code + 1]
            sums[2 * code], sums[2 * code + 1] = 0.0, 0.0
            groups[many] = code
            lefts[many], left_weights[many] = left, left_weight
            many += 1
    return many


@compiled
def score_cuts(
    lefts: npt.NDArray[np.float64],
    left_weights: npt.NDArray[np.float64],
    cuts: int,
    total: float,
    weight: float,
    scores: npt.NDArray[np.float64],
) -> None:
    """Score each cut by the sum over both sides of squared sum over weight; more is better."""
    for g in range(cuts):
        right = total - lefts[g]
        scores[g] = lefts[g] * lefts[g] / left_weights[g] + right * right / (weight - left_weights[g])


@compiled
def rounding(rows: int, weight: float, largest: float) -> float:
    """By how much a score may at most change with the order of summation, with room to spare.

    Two sums of n terms, whatever their order and starting end, differ by less than 5 n u M, where u is half an epsilon
    and M, the sum of absolute terms, is at most weight times largest target. A side's sum is at most its weight times
    the largest target, so that squares over weights differ by less than 4 (largest + difference) difference; the last
    term covers the rounding of the scores themselves, the constant that of numbers near zero.
    """
    sums = 8.0 * (rows + 4.0) * _EPSILON * weight * largest
    return 8.0 * largest * sums + 4.0 * sums * sums + 16.0 * _EPSILON * weight * largest * largest + 1e-290


@compiled
def best_cut(
    column: npt.NDArray[np.uint32],
    values: npt.NDArray[np.float32],
    tolerance: np.float32,
    rows: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.float64],
    weighted: npt.NDArray[np.float64],
    total_weight: float,
    total: float,
    best: float,
) -> tuple[float, int]:
    """The first cut of the sorted rows that beats ``best``: its score and the number of rows left of it, or 0."""
    size = len(rows)
    cut, summed = 0, 0
    left_weight, left = 0.0, 0.0
    code = column[rows[0]]
    for p in range(1, size):
        previous = code
        code = column[rows[p]]
        if code == previous or values[code] <= values[previous] + tolerance:
            continue
        if p - summed <= size - p:
            for q in range(summed, p):
                left += weighted[rows[q]]
                left_weight += weights[rows[q]]
        else:  # fewer rows follow than lie between: the original starts again from the end
            left, left_weight = total, total_weight
            for q in range(size - 1, p - 1, -1):
                left -= weighted[rows[q]]
                left_weight -= weights[rows[q]]
        summed = p
        right = total - left
        score = left * left / left_weight + right * right / (total_weight - left_weight)
        if score > best:
            best, cut = score, p
    return best, cut
