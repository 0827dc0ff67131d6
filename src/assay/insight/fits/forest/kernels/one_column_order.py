"""Kernel of regression trees on one column that follow scikit-learn's order of sums among rows that share a value too.

Imported only when a fit needs it, because it imports the compiler.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.insight.fits.forest.kernels.compiled import compiled
from assay.insight.fits.forest.kernels.introsort import introsort
from assay.insight.fits.forest.kernels.one_column_growth import EPSILON, up_to

__all__ = ["grow_ordered_trees"]

Singles = npt.NDArray[np.float32]
Counts = npt.NDArray[np.uint8]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_ROW = 0xFFFFFFFF  # the low half of a key


@compiled
def _left_of(keys: Longs, weighted: Floats, start: int, cut: int, end: int, sofar: float, whole: float) -> float:
    """The sum of keys before the cut, from a sum up to ``start`` or from the sum of all, whichever is nearer."""
    if cut - start <= end - cut:
        for place in range(start, cut):
            sofar += weighted[keys[place] & _ROW]
        return sofar
    for place in range(end - 1, cut - 1, -1):
        whole -= weighted[keys[place] & _ROW]
    return whole


@compiled
def grow_ordered_trees(
    values: Singles,
    ranks: Longs,
    places: Longs,
    counts: Counts,
    target: Floats,
    asked: Singles,
    tolerance: np.float32,
    limit: int,
    from_tree: int,
    to_tree: int,
    total: Floats,
) -> None:
    """Add the mean target of the leaf of every asked value for some of the trees.

    ``ranks`` number the distinct values, ``places`` says where the rows as given stand in ascending order. A node keeps
    its rows as scikit-learn's would lie: sorted by the same sort, then the right side of a cut moved up by one, its
    first row last.
    """
    rows = values.size
    keys, drawn = np.empty(rows + 1, dtype=np.int64), np.empty(rows, dtype=np.int64)
    repeats = np.zeros(rows, dtype=np.int64)  # drawn rows so far that share the value of the one before
    apart = np.zeros(rows, dtype=np.bool_)  # whether a cut may stand before a drawn row
    weights, weighted, squared = np.zeros(rows + 1), np.empty(rows), np.empty(rows)
    spans, impurities = np.empty((rows + 1, 5), dtype=np.int64), np.empty(rows + 1)
    room = np.empty((128, 5), dtype=np.int64)
    for tree in range(from_tree, to_tree):
        size = 0
        for row in range(rows):
            count = np.float64(counts[tree, row])
            weighted[row] = count * target[row]
            squared[row] = weighted[row] * target[row]
            if count > 0.0:
                drawn[size] = row
                weights[size + 1] = weights[size] + count
                if size > 0:
                    before = drawn[size - 1]
                    repeats[size] = repeats[size - 1] + (ranks[row] == ranks[before])
                    apart[size] = not values[row] <= np.float32(values[before] + tolerance)
                size += 1
        filled = 0
        for place in places:
            if counts[tree, place] > 0:
                keys[filled] = (ranks[place] << 32) | place
                filled += 1
        everything = weights[size]
        spans[0] = (0, size, 0, 0, asked.size)
        waiting = 1
        while waiting > 0:
            waiting -= 1
            low, high, depth, begin, end = spans[waiting]
            if begin == end:
                continue
            weight = weights[high] - weights[low]
            once, twice = 0.0, 0.0
            for place in range(low, high):
                once += weighted[keys[place] & _ROW]
                twice += squared[keys[place] & _ROW]
            mean = once / weight
            impurity = impurities[waiting] if depth > 0 else twice / weight - mean * mean
            cut = low
            if depth < limit and high - low > 1 and not impurity <= EPSILON:
                if repeats[high - 1] > repeats[low]:
                    introsort(keys[low : high + 1], high - low, ranks[drawn[low]], ranks[drawn[high - 1]], room)
                else:
                    for place in range(low, high):
                        keys[place] = (ranks[drawn[place]] << 32) | drawn[place]
                best, sofar, reached = -np.inf, 0.0, low
                for place in range(low + 1, high):
                    if apart[place]:
                        sofar = _left_of(keys, weighted, reached, place, high, sofar, once)
                        reached = place
                        rest = once - sofar
                        left, right = weights[place] - weights[low], weights[high] - weights[place]
                        score = sofar * sofar / left + rest * rest / right
                        if score > best:
                            best, cut = score, place
            if cut > low:
                first = keys[cut]
                for place in range(cut, high - 1):
                    keys[place] = keys[place + 1]
                keys[high - 1] = first
                left, right = weights[cut] - weights[low], weights[high] - weights[cut]
                left_sum = _left_of(keys, weighted, low, cut, high, 0.0, once)
                left_squares = 0.0
                for place in range(low, cut):
                    left_squares += squared[keys[place] & _ROW]
                left_mean, right_mean = left_sum / left, (once - left_sum) / right
                left_impurity = left_squares / left - left_mean * left_mean
                right_impurity = (twice - left_squares) / right - right_mean * right_mean
                gain = (weight / everything) * (
                    impurity - (right / weight * right_impurity) - (left / weight * left_impurity)
                )
                if not gain + EPSILON < 0.0:
                    lower, upper = values[drawn[cut - 1]], values[drawn[cut]]
                    between = up_to(asked, begin, end, np.float64(lower) / 2.0 + np.float64(upper) / 2.0)
                    spans[waiting] = (cut, high, depth + 1, between, end)
                    impurities[waiting] = right_impurity
                    spans[waiting + 1] = (low, cut, depth + 1, begin, between)
                    impurities[waiting + 1] = left_impurity
                    waiting += 2
                    continue
            for question in range(begin, end):
                total[question] += mean
