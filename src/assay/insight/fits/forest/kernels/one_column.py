"""Kernels of forests without a depth limit on one column: nothing is searched, groups are averaged.

Imported only when a fit needs it. Kernels get the room that they work in from their callers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.insight.fits.forest.kernels.compiled import compiled

__all__ = ["class_shares", "find_groups", "group_means", "pair_shares"]

Singles = npt.NDArray[np.float32]
Counts = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@compiled
def find_groups(
    values: Singles,
    counts: Counts,
    queries: Singles,
    tolerance: np.float32,
    starts: Ints,
    stops: Ints,
    reach: Ints,
    ends: Longs,
) -> None:
    """Which group of rows gives which test values their prediction, for every tree.

    Values and test values ascend. A group is a run of drawn rows, each within the tolerance of the drawn row before;
    test values up to the middle between two groups belong to the lower one. Group ``h`` of the flat lists holds rows
    ``starts[h]:stops[h]`` and answers the test values from ``reach[h - 1]`` (0 for the first of a tree) up to
    ``reach[h]``; groups that hold no test value are left out. ``ends[t]`` closes the list of tree t.
    """
    rows = values.size
    count = 0
    for tree in range(counts.shape[0]):
        draws = counts[tree]
        position = 0
        first = -1
        last = -1
        for row in range(rows):
            if draws[row] == 0:
                continue
            if first < 0:
                first = row
            elif not values[row] <= np.float32(values[last] + tolerance):
                middle = np.float64(values[last]) / 2.0 + np.float64(values[row]) / 2.0
                before = position
                while position < queries.size and queries[position] <= middle:
                    position += 1
                if position > before:
                    starts[count] = first
                    stops[count] = last + 1
                    reach[count] = position
                    count += 1
                if position == queries.size:
                    break
                first = row
            last = row
        if position < queries.size:
            starts[count] = first
            stops[count] = last + 1
            reach[count] = queries.size
            count += 1
        ends[tree] = count


@compiled
def group_means(
    counts: Counts,
    target: Floats,
    starts: Ints,
    stops: Ints,
    reach: Ints,
    ends: Longs,
    total: Floats,
) -> None:
    """Add, tree by tree, the weighted mean target of its group to every test value."""
    group = 0
    for tree in range(counts.shape[0]):
        draws = counts[tree]
        start = 0
        while group < ends[tree]:
            weight = 0.0
            weighted = 0.0
            for row in range(starts[group], stops[group]):
                count = np.float64(draws[row])
                weight += count
                weighted += count * target[row]
            mean = weighted / weight
            for query in range(start, reach[group]):
                total[query] += mean
            start = reach[group]
            group += 1


@compiled
def pair_shares(
    counts: Counts, codes: Ints, starts: Ints, stops: Ints, reach: Ints, ends: Longs, total: Floats
) -> None:
    """Add, tree by tree, the weighted shares of classes 0 and 1 in its group to every test value."""
    group = 0
    for tree in range(counts.shape[0]):
        draws = counts[tree]
        start = 0
        while group < ends[tree]:
            weight = np.int32(0)
            ones = np.int32(0)
            for row in range(starts[group], stops[group]):
                weight += np.int32(draws[row])
                ones += np.int32(draws[row]) * codes[row]
            zero_share, one_share = (weight - ones) / weight, ones / weight
            for query in range(start, reach[group]):
                total[query, 0] += zero_share
                total[query, 1] += one_share
            start = reach[group]
            group += 1


@compiled
def class_shares(
    counts: Counts, codes: Ints, starts: Ints, stops: Ints, reach: Ints, ends: Longs, total: Floats, shares: Floats
) -> None:
    """Add, tree by tree, the weighted share of each class in its group to every test value.

    ``shares`` holds a zero for each class.
    """
    classes = total.shape[1]
    group = 0
    for tree in range(counts.shape[0]):
        draws = counts[tree]
        start = 0
        while group < ends[tree]:
            weight = 0.0
            for row in range(starts[group], stops[group]):
                count = np.float64(draws[row])
                weight += count
                shares[codes[row]] += count
            for code in range(classes):
                share = shares[code] / weight
                shares[code] = 0.0
                if share > 0.0:
                    for query in range(start, reach[group]):
                        total[query, code] += share
            start = reach[group]
            group += 1
