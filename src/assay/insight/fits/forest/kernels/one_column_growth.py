"""Kernels of trees on one column that are really grown, split by split: with a depth limit, or where rounding decides.

The arithmetic follows scikit-learn's operation by operation. Imported only when a fit needs it. Kernels get the room
that they work in from their callers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.insight.fits.forest.kernels.compiled import compiled
from assay.insight.fits.forest.kernels.tree_draws import note

__all__ = [
    "class_room",
    "find_all_groups",
    "grow_class_trees",
    "grow_mean_trees",
    "mean_room",
    "root_sums",
    "up_to",
]

Singles = npt.NDArray[np.float32]
Counts = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

EPSILON = float(np.finfo(np.float64).eps)


@compiled
def find_all_groups(
    values: Singles, counts: Counts, tolerance: np.float32, starts: Ints, stops: Ints, ends: Longs
) -> int:
    """The groups of equal drawn values of every tree; returns the largest number of drawn rows in one group.

    Rows ``starts[g]:stops[g]``, undrawn ones among them, are group g; ``ends[t]`` closes the list of tree t.
    """
    count = 0
    crowd = 0
    for tree in range(counts.shape[0]):
        draws = counts[tree]
        last = -1
        members = 0
        for row in range(values.size):
            if draws[row] == 0:
                continue
            if last < 0 or not values[row] <= np.float32(values[last] + tolerance):
                if last >= 0:
                    stops[count] = last + 1
                    count += 1
                starts[count] = row
                members = 0
            members += 1
            crowd = max(crowd, members)
            last = row
        stops[count] = last + 1
        count += 1
        ends[tree] = count
    return crowd


@compiled
def root_sums(counts: Counts, target: Floats, sums: Floats) -> None:
    """Weighted sum of the target and of its squares for every tree, rows in the order in which they were given."""
    for tree in range(counts.shape[0]):
        once, twice = 0.0, 0.0
        for row in range(target.size):
            weighted = np.float64(counts[tree, row]) * target[row]
            once += weighted
            twice += weighted * target[row]
        sums[tree, 0], sums[tree, 1] = once, twice


@compiled
def up_to(queries: Singles, first: int, last: int, middle: float) -> int:
    """How many test values lie at or below the middle; those before ``first`` do, those from ``last`` do not."""
    while first < last:
        half = (first + last) // 2
        if queries[half] <= middle:
            first = half + 1
        else:
            last = half
    return first


@compiled
def _score_classes(
    below: Floats, low: int, weights: Floats, left_squares: Floats, right_squares: Floats, scores: Floats
) -> None:
    """How good each cut of a node is: minus the weighted impurity on both sides, up to a constant."""
    last = weights.size - 1
    for cut in range(1, last):
        left_squares[cut] = 0.0
        right_squares[cut] = 0.0
    for code in range(below.shape[0]):
        column = below[code][low : low + last + 1]
        base, top = column[0], column[last]
        for cut in range(1, last):
            left, right = column[cut] - base, top - column[cut]
            left_squares[cut] += left * left
            right_squares[cut] += right * right
    base, top = weights[0], weights[last]
    for cut in range(1, last):
        left, right = weights[cut] - base, top - weights[cut]
        left_gini = 1.0 - left_squares[cut] / (left * left)
        right_gini = 1.0 - right_squares[cut] / (right * right)
        scores[cut] = -right * right_gini - left * left_gini


@compiled
def _score_means(sums: Floats, weights: Floats, whole: float, running: Floats, scores: Floats) -> None:
    """How good each cut of a node is: the squared sums over the weights on both sides; and the sums to its left."""
    last = weights.size - 1
    base, top = weights[0], weights[last]
    sofar = 0.0
    for place in range(last):
        sofar += sums[place]
        running[place + 1] = sofar
    for cut in range(1, last):
        rest = whole - running[cut]
        scores[cut] = running[cut] * running[cut] / (weights[cut] - base) + rest * rest / (top - weights[cut])


@compiled
def _first_best(scores: Floats) -> int:
    """Where the first of the largest scores stands, the ends left out; -1 when none exceeds minus infinity."""
    best = -np.inf
    place = -1
    for cut in range(1, scores.size - 1):
        if scores[cut] > best:
            best = scores[cut]
            place = cut
    return place


def class_room(rows: int, classes: int) -> tuple[Floats, Floats, Floats, Floats, Floats, Longs, Floats, Floats]:
    """What :func:`grow_class_trees` works in."""
    room = rows + 1
    scores, left_squares, right_squares, impurities = (np.empty(room) for _ in range(4))
    spans = np.empty((room, 5), dtype=np.int64)
    below, weights, here = np.zeros((classes, room)), np.zeros(room), np.zeros(classes)
    return below, weights, scores, left_squares, right_squares, spans, impurities, here


@compiled
def grow_class_trees(
    values: Singles,
    counts: Counts,
    codes: Longs,
    queries: Singles,
    starts: Ints,
    stops: Ints,
    ends: Longs,
    limit: int,
    total: Floats,
    room: tuple[Floats, Floats, Floats, Floats, Floats, Longs, Floats, Floats],
) -> None:
    """Add the class shares of the leaf of every test value, tree by tree; ``total`` is [test values, classes]."""
    classes = total.shape[1]
    # ``below`` is the weight of each class in the groups before, ``weights`` that of all classes
    below, weights, scores, left_squares, right_squares, spans, impurities, here = room
    first = 0
    for tree in range(counts.shape[0]):
        size = ends[tree] - first
        here[:] = 0.0
        for group in range(size):
            for row in range(starts[first + group], stops[first + group]):
                here[codes[row]] += counts[tree, row]
            heavy = 0.0
            for code in range(classes):
                below[code, group + 1] = here[code]
                heavy += here[code]
            weights[group + 1] = heavy
        everything = weights[size]
        squares = 0.0
        for code in range(classes):
            squares += below[code, size] * below[code, size]
        note(spans, 0, (0, size, 0, 0, queries.size))
        impurities[0] = 1.0 - squares / (everything * everything)
        waiting = 1
        while waiting > 0:
            waiting -= 1
            low, high, depth, begin, end = spans[waiting]
            impurity = impurities[waiting]
            if begin == end:
                continue
            weight = weights[high] - weights[low]
            cut = low
            if depth < limit and impurity > EPSILON and high - low > 1:
                _score_classes(
                    below,
                    low,
                    weights[low : high + 1],
                    left_squares[low : high + 1],
                    right_squares[low : high + 1],
                    scores[low : high + 1],
                )
                cut = low + _first_best(scores[low : high + 1])
            if cut > low:
                left, right = weights[cut] - weights[low], weights[high] - weights[cut]
                left_gini = 1.0 - left_squares[cut] / (left * left)
                right_gini = 1.0 - right_squares[cut] / (right * right)
                gain = (weight / everything) * (impurity - (right / weight * right_gini) - (left / weight * left_gini))
                if not gain + EPSILON < 0.0:
                    lower, upper = values[stops[first + cut - 1] - 1], values[starts[first + cut]]
                    between = up_to(queries, begin, end, np.float64(lower) / 2.0 + np.float64(upper) / 2.0)
                    note(spans, waiting, (cut, high, depth + 1, between, end))
                    impurities[waiting] = right_gini
                    note(spans, waiting + 1, (low, cut, depth + 1, begin, between))
                    impurities[waiting + 1] = left_gini
                    waiting += 2
                    continue
            for code in range(classes):
                share = (below[code, high] - below[code, low]) / weight
                for query in range(begin, end):
                    total[query, code] += share
        first = ends[tree]


@compiled
def _rivals(scores: Floats, worst: float) -> int:
    """How many cuts score at least this much."""
    count = 0
    for cut in range(1, scores.size - 1):
        count += scores[cut] >= worst
    return count


def mean_room(
    rows: int, queries: int
) -> tuple[Floats, Longs, npt.NDArray[np.bool_], Floats, Floats, Floats, Floats, Longs, Floats, Floats]:
    """What :func:`grow_mean_trees` works in."""
    room = rows + 1
    sums, squares, running, scores = (np.empty(room) for _ in range(4))
    spans, facts = np.empty((room, 5), dtype=np.int64), np.empty((room, 4))
    weights, turns, level = np.zeros(room), np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.bool_)
    return weights, turns, level, sums, squares, running, scores, spans, facts, np.empty(queries)


@compiled
def grow_mean_trees(
    values: Singles,
    counts: Counts,
    target: Floats,
    roots: Floats,
    queries: Singles,
    starts: Ints,
    stops: Ints,
    ends: Longs,
    limit: int,
    exact: bool,
    from_tree: int,
    total: Floats,
    room: tuple[Floats, Longs, npt.NDArray[np.bool_], Floats, Floats, Floats, Floats, Longs, Floats, Floats],
) -> int:
    """Add the mean target of the leaf of every test value, tree by tree, until rounding may decide a split of a tree.

    Returns that tree, of which nothing was added, or the number of trees.

    ``roots`` holds sum and sum of squares of each tree's target in the order of the rows as they were given. Sums run
    in scikit-learn's order: a left child is summed ascending, a right child from its second group on and the first one
    last, and the left side of a chosen cut from whichever end is nearer. Only within a group is the order another one.
    ``exact`` says that this does not matter: groups hold one drawn row each, or nothing is rounded. Otherwise every
    decision must be clearer than any order of summation could blur it.
    """
    # of the groups before: ``weights``, and ``turns``, how many differ from their predecessor or within;
    # ``level``: whether a group has one target value
    weights, turns, level, sums, squares, running, scores, spans, facts, own = room
    first = ends[from_tree - 1] if from_tree > 0 else 0
    for tree in range(from_tree, counts.shape[0]):
        size = ends[tree] - first
        before = np.nan
        for group in range(size):
            heavy, once, twice = 0.0, 0.0, 0.0
            here = target[starts[first + group]]
            level[group] = True
            for row in range(starts[first + group], stops[first + group]):
                count = np.float64(counts[tree, row])
                weighted = count * target[row]
                heavy += count
                once += weighted
                twice += weighted * target[row]
                level[group] &= target[row] == here or counts[tree, row] == 0
            sums[group], squares[group] = once, twice
            weights[group + 1] = weights[group] + heavy
            turns[group + 1] = turns[group] + (not level[group] or here != before)
            before = here
        everything = weights[size]
        mean = roots[tree, 0] / everything
        blur = 8.0 * EPSILON * (everything + 4.0) * roots[tree, 1]
        note(spans, 0, (0, size, 0, 0, queries.size))
        note(facts, 0, (roots[tree, 1] / everything - mean * mean, blur / everything, roots[tree, 0], roots[tree, 1]))
        waiting = 1
        while waiting > 0:
            waiting -= 1
            low, high, depth, begin, end = spans[waiting]
            impurity, doubt, once, twice = facts[waiting]
            if begin == end:
                continue
            weight = weights[high] - weights[low]
            cut = low
            splits = depth < limit and high - low > 1
            blur = 8.0 * EPSILON * (weight + 4.0) * twice
            if splits and not exact:
                if level[low] and turns[high] == turns[low + 1]:
                    splits = False  # split or not, every leaf has the same value
                elif abs(impurity - EPSILON) <= doubt:
                    return tree
            if splits and not impurity <= EPSILON:
                own_scores = scores[low : high + 1]
                _score_means(sums[low:high], weights[low : high + 1], once, running[low : high + 1], own_scores)
                cut = low + _first_best(own_scores)
                if not exact and _rivals(own_scores, scores[cut] - blur) != 1:
                    return tree
            if cut > low:
                left, right = weights[cut] - weights[low], weights[high] - weights[cut]
                left_sum = running[cut]
                if cut - low > high - cut:
                    left_sum = once - sums[cut]
                    for place in range(high - 1, cut, -1):
                        left_sum -= sums[place]
                right_sum = once - left_sum
                left_squares = 0.0
                for place in range(low, cut):
                    left_squares += squares[place]
                left_mean, right_mean = left_sum / left, right_sum / right
                left_impurity = left_squares / left - left_mean * left_mean
                right_impurity = (twice - left_squares) / right - right_mean * right_mean
                gain = (weight / everything) * (
                    impurity - (right / weight * right_impurity) - (left / weight * left_impurity)
                )
                if not exact and abs(gain + EPSILON) <= weight / everything * (doubt + 2.0 * blur / weight):
                    return tree
                if not gain + EPSILON < 0.0:
                    lower, upper = values[stops[first + cut - 1] - 1], values[starts[first + cut]]
                    between = up_to(queries, begin, end, np.float64(lower) / 2.0 + np.float64(upper) / 2.0)
                    own_sum, own_squares = 0.0, 0.0
                    for place in range(cut + 1, high):
                        own_sum += sums[place]
                        own_squares += squares[place]
                    own_sum, own_squares = own_sum + sums[cut], own_squares + squares[cut]
                    note(spans, waiting, (cut, high, depth + 1, between, end))
                    note(facts, waiting, (right_impurity, blur / right, own_sum, own_squares))
                    note(spans, waiting + 1, (low, cut, depth + 1, begin, between))
                    note(facts, waiting + 1, (left_impurity, blur / left, running[cut], left_squares))
                    waiting += 2
                    continue
            for query in range(begin, end):
                own[query] = once / weight
        for query in range(queries.size):
            total[query] += own[query]
        first = ends[tree]
    return len(counts)
