"""Classification trees grown on rank-coded columns; test rows are sorted into the leaves while a tree grows.

All sums are sums of whole numbers, exact in any order: rows may be counted per value instead of being sorted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from assay.insight.fits.forest.kernels.compiled import compiled
from assay.insight.fits.forest.kernels.tree_draws import advance, lowest_bit, note, send_test_rows, settle_constants

__all__ = ["classify"]

_EPSILON = np.finfo(np.float64).eps
_HALF = (1 << 32) - 1
_ONE = np.uint64(1)


@compiled
def _gini(counts: npt.NDArray[np.int64], weight: float) -> float:
    squares = 0.0
    for count in counts:
        squares += float(count) * float(count)
    return 1.0 - squares / (weight * weight)


@compiled
def _two_class_cut(
    column: npt.NDArray[np.uint32],
    values: npt.NDArray[np.float32],
    tolerance: np.float32,
    rows: npt.NDArray[np.uint32],
    packed: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    histogram: npt.NDArray[np.int64],
    present: npt.NDArray[np.uint64],
    best: float,
    left_counts: npt.NDArray[np.int64],
) -> tuple[bool, float, int, int]:
    """Whether the column varies on the node, and its first cut that beats ``best``: score, last code left, first right.

    ``packed`` holds a row's weight in the low half and its weight in class 1 in the high half.
    """
    low, high = column[rows[0]], column[rows[0]]
    for row in rows:
        code = column[row]
        histogram[code] += packed[row]
        present[code >> 6] |= _ONE << np.uint64(code & 63)
        low, high = min(low, code), max(high, code)
    if low == high or values[high] <= values[low] + tolerance:
        for word in range(low >> 6, (high >> 6) + 1):
            present[word] = 0
        histogram[low : high + 1] = 0
        return False, best, -1, -1
    total_1 = float(counts[1])
    total = float(counts[0]) + total_1
    passed, previous, cut, after = 0, -1, -1, -1
    for word in range(low >> 6, (high >> 6) + 1):
        bits = present[word]
        present[word] = 0
        while bits:
            alone = bits & (~bits + _ONE)
            bits ^= alone
            code = (word << 6) + lowest_bit(alone)
            if passed and values[code] > values[previous] + tolerance:
                left, left_1 = float(passed & _HALF), float(passed >> 32)
                right, right_1 = total - left, total_1 - left_1
                left_0, right_0 = left - left_1, right - right_1
                gini_left = 1.0 - (left_0 * left_0 + left_1 * left_1) / (left * left)
                gini_right = 1.0 - (right_0 * right_0 + right_1 * right_1) / (right * right)
                score = -right * gini_right - left * gini_left
                if score > best:
                    best, cut, after = score, previous, code
                    left_counts[0], left_counts[1] = (passed & _HALF) - (passed >> 32), passed >> 32
            passed += histogram[code]
            histogram[code] = 0
            previous = code
    return True, best, cut, after


@compiled
def _many_class_cut(
    column: npt.NDArray[np.uint32],
    values: npt.NDArray[np.float32],
    tolerance: np.float32,
    rows: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.uint8],
    labels: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    histogram: npt.NDArray[np.int64],
    present: npt.NDArray[np.uint64],
    passed: npt.NDArray[np.int64],
    best: float,
    left_counts: npt.NDArray[np.int64],
) -> tuple[bool, float, int, int]:
    """As for two classes, with one counter per value and class."""
    classes = len(counts)
    low, high = column[rows[0]], column[rows[0]]
    total = 0
    for row in rows:
        code = column[row]
        histogram[code * classes + labels[row]] += weights[row]
        total += weights[row]
        present[code >> 6] |= _ONE << np.uint64(code & 63)
        low, high = min(low, code), max(high, code)
    if low == high or values[high] <= values[low] + tolerance:
        for word in range(low >> 6, (high >> 6) + 1):
            present[word] = 0
        histogram[low * classes : (high + 1) * classes] = 0
        return False, best, -1, -1
    passed[:] = 0
    left, previous, cut, after = 0, -1, -1, -1
    for word in range(low >> 6, (high >> 6) + 1):
        bits = present[word]
        present[word] = 0
        while bits:
            alone = bits & (~bits + _ONE)
            bits ^= alone
            code = (word << 6) + lowest_bit(alone)
            if left and values[code] > values[previous] + tolerance:
                squares_left, squares_right = 0.0, 0.0
                for label in range(classes):
                    count_left = float(passed[label])
                    count_right = float(counts[label] - passed[label])
                    squares_left += count_left * count_left
                    squares_right += count_right * count_right
                weight_left, weight_right = float(left), float(total - left)
                gini_left = 1.0 - squares_left / (weight_left * weight_left)
                gini_right = 1.0 - squares_right / (weight_right * weight_right)
                score = -weight_right * gini_right - weight_left * gini_left
                if score > best:
                    best, cut, after = score, previous, code
                    for label in range(classes):
                        left_counts[label] = passed[label]
            for label in range(classes):
                count = histogram[code * classes + label]
                passed[label] += count
                left += count
                histogram[code * classes + label] = 0
            previous = code
    return True, best, cut, after


def classify(
    codes: npt.NDArray[np.uint32],
    values: npt.NDArray[np.float32],
    labels: npt.NDArray[np.int64],
    classes: int,
    test: npt.NDArray[np.float32],
    draws: npt.NDArray[np.uint8],
    states: npt.NDArray[np.int64],
    tried: int,
    depth_limit: int,
    tolerance: np.float32,
) -> npt.NDArray[np.float64]:
    """Class probabilities of the test rows, summed over the trees in their order.

    ``codes`` [columns, rows] are ranks among the column's distinct training ``values`` [columns, largest number of
    distinct values]; ``test`` is [columns, rows]; ``draws`` [trees, rows] says how often a tree drew a row.
    """
    columns, size = codes.shape
    out = np.zeros((test.shape[1], classes))
    two = classes == 2
    histogram = np.zeros(values.shape[1] * (1 if two else classes), dtype=np.int64)
    present = np.zeros((values.shape[1] >> 6) + 1, dtype=np.uint64)
    rows, test_rows = np.empty(size, dtype=np.uint32), np.empty(test.shape[1], dtype=np.uint32)
    order, constants, passed, left_counts = (
        np.zeros(many, dtype=np.int64) for many in (columns, columns, classes, classes)
    )
    # one entry per node that waits: first and last row, first and last test row, depth, constant columns
    waiting, node_counts = (np.empty((size + 2, many), dtype=np.int64) for many in (6, classes))
    impurities, packed = np.empty(size + 2), np.zeros(size, dtype=np.int64)
    room = (histogram, present, rows, test_rows, order, constants, passed, left_counts, waiting, node_counts, packed)
    _grow(codes, values, labels, classes, test, draws, states, tried, depth_limit, tolerance, room, impurities, out)
    return out


@compiled
def _grow(
    codes: npt.NDArray[np.uint32],
    values: npt.NDArray[np.float32],
    labels: npt.NDArray[np.int64],
    classes: int,
    test: npt.NDArray[np.float32],
    draws: npt.NDArray[np.uint8],
    states: npt.NDArray[np.int64],
    tried: int,
    depth_limit: int,
    tolerance: np.float32,
    room: Any,
    impurities: npt.NDArray[np.float64],
    out: npt.NDArray[np.float64],
) -> None:
    columns, size = codes.shape
    two = classes == 2
    histogram, present, rows, test_rows, order, constants, passed, left_counts, waiting, node_counts, packed = room
    for tree in range(len(states)):
        weights = draws[tree]
        state = int(states[tree])
        used = 0
        node_counts[0] = 0
        for row in range(size):
            if weights[row]:
                rows[used] = row
                used += 1
                node_counts[0, labels[row]] += weights[row]
                packed[row] = weights[row] + ((np.int64(weights[row]) << 32) if labels[row] == 1 else 0)
        for place in range(len(test_rows)):
            test_rows[place] = place
        for place in range(columns):
            order[place] = place
        note(waiting, 0, (0, used, 0, len(test_rows), 0, 0))
        impurities[0] = _gini(node_counts[0], float(size))
        top = 1
        while top:
            top -= 1
            start, end, test_start, test_end, depth, inherited = waiting[top]
            impurity = impurities[top]
            counts = node_counts[top]
            best, best_column, best_cut, best_after, total = -np.inf, -1, -1, -1, inherited
            if depth < depth_limit and end - start >= 2 and impurity > _EPSILON:
                remaining, visited, added, constant_draws = columns, 0, 0, 0
                while remaining > total and (visited < tried or visited <= added + constant_draws):
                    visited += 1
                    state = advance(state)
                    j = constant_draws + (state & 0x7FFFFFFF) % (remaining - added - constant_draws)
                    if j < inherited:
                        order[constant_draws], order[j] = order[j], order[constant_draws]
                        constant_draws += 1
                        continue
                    j += added
                    column = order[j]
                    if two:
                        varies, score, cut, after = _two_class_cut(
                            codes[column], values[column], tolerance, rows[start:end], packed, counts,
                            histogram, present, best, left_counts,
                        )  # fmt: skip
                    else:
                        varies, score, cut, after = _many_class_cut(
                            codes[column], values[column], tolerance, rows[start:end], weights, labels, counts,
                            histogram, present, passed, best, left_counts,
                        )  # fmt: skip
                    if not varies:
                        order[j], order[total] = order[total], order[j]
                        added += 1
                        total += 1
                        continue
                    remaining -= 1
                    order[remaining], order[j] = order[j], order[remaining]
                    if cut >= 0:
                        best, best_column, best_cut, best_after = score, column, cut, after
                settle_constants(order, constants, inherited, added)
            weight = 0.0
            for label in range(classes):
                weight += counts[label]
            if best_column >= 0:
                weight_left = 0.0
                for label in range(classes):
                    weight_left += left_counts[label]
                    node_counts[top + 1, label] = left_counts[label]
                    counts[label] -= left_counts[label]
                weight_right = weight - weight_left
                impurity_left, impurity_right = _gini(left_counts, weight_left), _gini(counts, weight_right)
                gain = impurity - weight_right / weight * impurity_right - weight_left / weight * impurity_left
                if (weight / float(size)) * gain + _EPSILON < 0.0:
                    best_column = -1
                    for label in range(classes):
                        counts[label] += left_counts[label]
            if best_column < 0:
                for label in range(classes):
                    if counts[label]:
                        share = counts[label] / weight
                        for p in range(test_start, test_end):
                            out[test_rows[p], label] += share
                continue
            middle = start
            split = codes[best_column]
            for p in range(start, end):
                row = rows[p]
                rows[p] = rows[middle]
                rows[middle] = row
                middle += split[row] <= best_cut
            test_middle = test_start + send_test_rows(
                test[best_column],
                test_rows[test_start:test_end],
                values[best_column, best_cut],
                values[best_column, best_after],
            )
            note(waiting, top, (middle, end, test_middle, test_end, depth + 1, total))
            note(waiting, top + 1, (start, middle, test_start, test_middle, depth + 1, total))
            impurities[top], impurities[top + 1] = impurity_right, impurity_left
            top += 2
