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
    asked: Singles,
    tolerance: np.float32,
    starts: Ints,
    stops: Ints,
    reach: Ints,
    ends: Longs,
) -> None:
    """Which group of rows answers which asked values, for every tree.

    Values and asked values ascend. A group is a run of drawn rows, each within the tolerance of the drawn row before;
    asked values up to the middle between two groups belong to the lower one. Group ``h`` of the flat lists holds rows
    ``starts[h]:stops[h]`` and answers the asked values from ``reach[h - 1]`` (0 for the first of a tree) up to
    ``reach[h]``; groups nobody asks for are left out. ``ends[t]`` closes the list of tree t.
    """
    rows = values.size
    found = 0
    for tree in range(counts.shape[0]):
        drawn = counts[tree]
        question = 0
        first = -1
        last = -1
        for row in range(rows):
            if drawn[row] == 0:
                continue
            if first < 0:
                first = row
            elif not values[row] <= np.float32(values[last] + tolerance):
                middle = np.float64(values[last]) / 2.0 + np.float64(values[row]) / 2.0
                before = question
                while question < asked.size and asked[question] <= middle:
                    question += 1
                if question > before:
                    starts[found] = first
                    stops[found] = last + 1
                    reach[found] = question
                    found += 1
                if question == asked.size:
                    break
                first = row
            last = row
        if question < asked.size:
            starts[found] = first
            stops[found] = last + 1
            reach[found] = asked.size
            found += 1
        ends[tree] = found


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
    """Add, tree by tree, the weighted mean target of its group to every asked value."""
    group = 0
    for tree in range(counts.shape[0]):
        drawn = counts[tree]
        question = 0
        while group < ends[tree]:
            weight = 0.0
            weighted = 0.0
            for row in range(starts[group], stops[group]):
                count = np.float64(drawn[row])
                weight += count
                weighted += count * target[row]
            mean = weighted / weight
            for asked in range(question, reach[group]):
                total[asked] += mean
            question = reach[group]
            group += 1


@compiled
def pair_shares(
    counts: Counts, codes: Ints, starts: Ints, stops: Ints, reach: Ints, ends: Longs, total: Floats
) -> None:
    """Add, tree by tree, the weighted shares of classes 0 and 1 in its group to every asked value."""
    group = 0
    for tree in range(counts.shape[0]):
        drawn = counts[tree]
        question = 0
        while group < ends[tree]:
            weight = np.int32(0)
            ones = np.int32(0)
            for row in range(starts[group], stops[group]):
                weight += np.int32(drawn[row])
                ones += np.int32(drawn[row]) * codes[row]
            zero_share, one_share = (weight - ones) / weight, ones / weight
            for asked in range(question, reach[group]):
                total[asked, 0] += zero_share
                total[asked, 1] += one_share
            question = reach[group]
            group += 1


@compiled
def class_shares(
    counts: Counts, codes: Ints, starts: Ints, stops: Ints, reach: Ints, ends: Longs, total: Floats, shares: Floats
) -> None:
    """Add, tree by tree, the weighted share of each class in its group to every asked value.

    ``shares`` holds a zero for each class.
    """
    classes = total.shape[1]
    group = 0
    for tree in range(counts.shape[0]):
        drawn = counts[tree]
        question = 0
        while group < ends[tree]:
            weight = 0.0
            for row in range(starts[group], stops[group]):
                count = np.float64(drawn[row])
                weight += count
                shares[codes[row]] += count
            for code in range(classes):
                share = shares[code] / weight
                shares[code] = 0.0
                if share > 0.0:
                    for asked in range(question, reach[group]):
                        total[asked, code] += share
            question = reach[group]
            group += 1
