"""Regression trees that sum targets in scikit-learn's order, so that every split and value agrees to the last bit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.insight.forest.compiled import compiled
from assay.insight.forest.introsort import introsort
from assay.insight.forest.tree_draws import advance, lowest_bit, settle_constants

__all__ = ["regress"]

_EPSILON = np.finfo(np.float64).eps
_ONE = np.uint64(1)
_ROW = (1 << 32) - 1
_FEW = 10


@compiled
def _place_rows(
    column: npt.NDArray[np.uint32],
    rows: npt.NDArray[np.uint32],
    keys: npt.NDArray[np.int64],
    room: npt.NDArray[np.int64],
    low: int,
    high: int,
) -> None:
    """Order the node's rows by the column as the original does; all codes lie between ``low`` and ``high``."""
    size = len(rows)
    for p in range(size):
        keys[p] = (np.int64(column[rows[p]]) << 32) | rows[p]
    introsort(keys, size, low, high, room)
    for p in range(size):
        rows[p] = keys[p] & _ROW


@compiled
def _place_singles(
    column: npt.NDArray[np.uint32],
    rows: npt.NDArray[np.uint32],
    holder: npt.NDArray[np.uint32],
    present: npt.NDArray[np.uint64],
    low: int,
    high: int,
) -> None:
    """Order the node's rows by a column that holds no value twice: there is only one such order."""
    for row in rows:
        code = column[row]
        holder[code] = row
        present[code >> 6] |= _ONE << np.uint64(code & 63)
    p = 0
    for word in range(low >> 6, (high >> 6) + 1):
        bits = present[word]
        present[word] = 0
        while bits:
            alone = bits & (~bits + _ONE)
            bits ^= alone
            rows[p] = holder[(word << 6) + lowest_bit(alone)]
            p += 1


@compiled
def _survey(
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
def _score_cuts(
    lefts: npt.NDArray[np.float64],
    left_weights: npt.NDArray[np.float64],
    cuts: int,
    total: float,
    weight: float,
    scores: npt.NDArray[np.float64],
) -> None:
    for g in range(cuts):
        right = total - lefts[g]
        scores[g] = lefts[g] * lefts[g] / left_weights[g] + right * right / (weight - left_weights[g])


@compiled
def _best_cut(
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
    cut, done = 0, 0
    left_weight, left = 0.0, 0.0
    code = column[rows[0]]
    for p in range(1, size):
        previous = code
        code = column[rows[p]]
        if code == previous or values[code] <= values[previous] + tolerance:
            continue
        if p - done <= size - p:
            for q in range(done, p):
                left += weighted[rows[q]]
                left_weight += weights[rows[q]]
        else:  # fewer rows follow than lie between: the original starts again from the end
            left, left_weight = total, total_weight
            for q in range(size - 1, p - 1, -1):
                left -= weighted[rows[q]]
                left_weight -= weights[rows[q]]
        done = p
        right = total - left
        score = left * left / left_weight + right * right / (total_weight - left_weight)
        if score > best:
            best, cut = score, p
    return best, cut


@compiled
def _insert(column: npt.NDArray[np.uint32], rows: npt.NDArray[np.uint32], keys: npt.NDArray[np.int64]) -> bool:
    """Sort few rows by insertion unless two are equal: without equals every sort leaves the same order."""
    size = len(rows)
    for p in range(size):
        key = (np.int64(column[rows[p]]) << 32) | rows[p]
        q = p
        while q > 0 and keys[q - 1] > key:
            keys[q] = keys[q - 1]
            q -= 1
        keys[q] = key
    for p in range(1, size):
        if keys[p - 1] >> 32 == keys[p] >> 32:
            return False
    for p in range(size):
        rows[p] = keys[p] & _ROW
    return True


@compiled
def _look_at_few(
    column: npt.NDArray[np.uint32],
    values: npt.NDArray[np.float32],
    tolerance: np.float32,
    rows: npt.NDArray[np.uint32],
    keys: npt.NDArray[np.int64],
    room: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64],
    weighted: npt.NDArray[np.float64],
    total_weight: float,
    total: float,
    best: float,
) -> tuple[bool, float, int]:
    """Sort few rows by the column and find its best cut; whether the column varies, the score, the rows on the left."""
    low, high = column[rows[0]], column[rows[0]]
    for row in rows:
        low, high = min(low, column[row]), max(high, column[row])
    if low == high:
        return False, best, 0
    if len(rows) > _FEW or not _insert(column, rows, keys):
        _place_rows(column, rows, keys, room, low, high)
    if values[high] <= values[low] + tolerance:
        return False, best, 0
    score, cut = _best_cut(column, values, tolerance, rows, weights, weighted, total_weight, total, best)
    return True, score, cut


@compiled
def regress(
    codes: npt.NDArray[np.uint32],
    values: npt.NDArray[np.float32],
    close: npt.NDArray[np.bool_],
    target: npt.NDArray[np.float64],
    exact: bool,
    test: npt.NDArray[np.float32],
    draws: npt.NDArray[np.uint8],
    states: npt.NDArray[np.uint32],
    depth_limit: int,
    tolerance: np.float32,
    tied_from: int,
) -> npt.NDArray[np.float64]:
    """Predictions of the test rows, summed over the trees in their order; arguments as for classification trees.

    ``close`` tells of each column whether any of its values lie within the tolerance. ``exact`` says that sums of
    weighted targets and of their squares are exact in any order.
    """
    columns, size = codes.shape
    out = np.zeros(test.shape[1])
    present = np.zeros((values.shape[1] >> 6) + 1, dtype=np.uint64)
    sums = np.zeros(2 * values.shape[1])
    groups, holder = np.empty(size, dtype=np.uint32), np.empty(values.shape[1], dtype=np.uint32)
    lefts, left_weights, scores = np.empty(size), np.empty(size), np.empty(size)
    keys = np.empty(size + 1, dtype=np.int64)
    room = np.empty((128, 5), dtype=np.int64)
    weights, weighted, squared = np.empty(size), np.empty(size), np.empty(size)
    node_weights, node_weighted = np.empty(size), np.empty(size)
    rows = np.empty(size, dtype=np.uint32)
    test_rows = np.empty(test.shape[1], dtype=np.uint32)
    order, known = np.empty(columns, dtype=np.int64), np.empty(columns, dtype=np.int64)
    # the columns by which a node's rows are sorted, in turn: column, lowest and highest code, whether it is constant
    sorted_by = np.empty((columns, 4), dtype=np.int64)
    # one entry per node that waits: first and last row, first and last test row, depth, constant columns
    waiting = np.empty((size + 2, 6), dtype=np.int64)
    impurities = np.empty(size + 2)

    plain = 0 if exact else _FEW
    for tree in range(len(states)):
        state = np.int64(states[tree])
        used = 0
        for row in range(size):
            weights[row] = float(draws[tree, row])
            weighted[row] = weights[row] * target[row]
            squared[row] = weighted[row] * target[row]
            if draws[tree, row]:
                rows[used] = row
                used += 1
        for row in range(len(test_rows)):
            test_rows[row] = row
        for column in range(columns):
            order[column] = column
        waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, used, 0, len(test_rows)
        waiting[0, 4], waiting[0, 5] = 0, 0
        top = 1
        first = True
        while top:
            top -= 1
            start, end, test_start, test_end = waiting[top, 0], waiting[top, 1], waiting[top, 2], waiting[top, 3]
            depth, inherited, impurity = waiting[top, 4], waiting[top, 5], impurities[top]
            node = rows[start:end]
            total, total_squares, weight, largest = 0.0, 0.0, 0.0, 0.0
            for p in range(len(node)):
                row = node[p]
                node_weights[p], node_weighted[p] = weights[row], weighted[row]
                total += weighted[row]
                total_squares += squared[row]
                weight += weights[row]
                largest = max(largest, abs(target[row]))
            if first:
                impurity = total_squares / weight - (total / weight) * (total / weight)
                first = False
            best, best_column, best_code, best_after = -np.inf, -1, 0, 0
            constants = inherited
            if not (depth >= depth_limit or end - start < 2 or impurity <= _EPSILON):
                remaining, found, drawn, turns, reset = columns, 0, 0, 0, -1
                few = end - start <= plain or end - start >= tied_from
                loose, runner_up, loose_column, loose_code, loose_after = -np.inf, -np.inf, -1, 0, 0
                while remaining > constants:  # every column is looked at
                    state = advance(state)
                    j = drawn + (state & 0x7FFFFFFF) % (remaining - found - drawn)
                    if j < inherited:
                        order[drawn], order[j] = order[j], order[drawn]
                        drawn += 1
                        continue
                    j += found
                    column = order[j]
                    coded, named = codes[column], values[column]
                    if few:
                        varies, score, cut = _look_at_few(
                            coded, named, tolerance, node, keys, room, weights, weighted, weight, total, best
                        )
                        if cut:
                            best, best_column = score, column
                            best_code, best_after = coded[node[cut - 1]], coded[node[cut]]
                        if varies:
                            remaining -= 1
                            order[remaining], order[j] = order[j], order[remaining]
                        else:
                            order[j], order[constants] = order[constants], order[j]
                            found += 1
                            constants += 1
                        continue
                    many = _survey(coded, node, node_weights, node_weighted, sums, present, groups, lefts, left_weights)
                    single = many == len(node)
                    low, high = groups[0], groups[many - 1]
                    constant = many == 1 or (close[column] and named[high] <= named[low] + tolerance)
                    if many > 1:
                        if single:
                            reset = turns
                        sorted_by[turns, 0], sorted_by[turns, 1], sorted_by[turns, 2] = column, low, high
                        sorted_by[turns, 3] = constant
                        turns += 1
                    if constant:
                        order[j], order[constants] = order[constants], order[j]
                        found += 1
                        constants += 1
                        continue
                    remaining -= 1
                    order[remaining], order[j] = order[j], order[remaining]
                    _score_cuts(lefts, left_weights, many - 1, total, weight, scores)
                    if close[column]:
                        single = False
                        for g in range(many - 1):
                            if named[groups[g + 1]] <= named[groups[g]] + tolerance:
                                scores[g] = -np.inf
                    if single or exact:
                        for g in range(many - 1):
                            if scores[g] > best:
                                best, best_column = scores[g], column
                                best_code, best_after = groups[g], groups[g + 1]
                    else:
                        for g in range(many - 1):
                            if not scores[g] <= runner_up:
                                if scores[g] > loose:
                                    runner_up, loose, loose_column = loose, scores[g], column
                                    loose_code, loose_after = groups[g], groups[g + 1]
                                else:
                                    runner_up = scores[g]
                settle_constants(order, known, inherited, found)
                if loose_column >= 0 or (turns and best_column < 0):
                    rows_here = float(end - start)
                    slack = 8.0 * (rows_here + 4.0) * _EPSILON * weight * largest
                    slack = 8.0 * largest * slack + 4.0 * slack * slack + 16.0 * _EPSILON * weight * largest * largest
                    slack += 1e-290
                    if loose + slack < best:
                        pass
                    elif loose - slack > best and loose - slack > runner_up + slack and loose < np.inf:
                        best_column, best_code, best_after = loose_column, loose_code, loose_after
                    else:
                        reset = -2
                if reset == -2:
                    best, best_column = -np.inf, -1
                    for turn in range(turns):
                        column = sorted_by[turn, 0]
                        coded, named = codes[column], values[column]
                        _place_rows(coded, node, keys, room, sorted_by[turn, 1], sorted_by[turn, 2])
                        if sorted_by[turn, 3]:
                            continue
                        score, cut = _best_cut(
                            coded, named, tolerance, node, weights, weighted, weight, total, best
                        )  # fmt: skip
                        if cut:
                            best, best_column = score, column
                            best_code, best_after = coded[node[cut - 1]], coded[node[cut]]
                elif not exact:
                    if reset >= 0:
                        coded = codes[sorted_by[reset, 0]]
                        _place_singles(coded, node, holder, present, sorted_by[reset, 1], sorted_by[reset, 2])
                    for turn in range(reset + 1, turns):
                        _place_rows(codes[sorted_by[turn, 0]], node, keys, room, sorted_by[turn, 1], sorted_by[turn, 2])
            if best_column >= 0:
                split = codes[best_column]
                p, last = start, end - 1
                while p < last:
                    row = rows[p]
                    if split[row] <= best_code:
                        p += 1
                    else:
                        rows[p] = rows[last]
                        rows[last] = row
                        last -= 1
                best_cut = p - start + (split[rows[p]] <= best_code)
                left, left_weight, left_squares = 0.0, 0.0, 0.0
                if best_cut <= end - start - best_cut:
                    for p in range(best_cut):
                        left += weighted[node[p]]
                        left_weight += weights[node[p]]
                else:
                    left, left_weight = total, weight
                    for p in range(end - start - 1, best_cut - 1, -1):
                        left -= weighted[node[p]]
                        left_weight -= weights[node[p]]
                for p in range(best_cut):
                    left_squares += squared[node[p]]
                right, right_weight = total - left, weight - left_weight
                mean_left, mean_right = left / left_weight, right / right_weight
                impurity_left = left_squares / left_weight - mean_left * mean_left
                impurity_right = (total_squares - left_squares) / right_weight - mean_right * mean_right
                gain = impurity - right_weight / weight * impurity_right - left_weight / weight * impurity_left
                if (weight / float(size)) * gain + _EPSILON < 0.0:
                    best_column = -1
            if best_column < 0:
                share = total / weight
                for p in range(test_start, test_end):
                    out[test_rows[p]] += share
                continue
            middle = start + best_cut
            threshold = float(values[best_column, best_code]) / 2.0 + float(values[best_column, best_after]) / 2.0
            test_middle = test_start
            seen = test[best_column]
            for p in range(test_start, test_end):
                row = test_rows[p]
                test_rows[p] = test_rows[test_middle]
                test_rows[test_middle] = row
                test_middle += seen[row] <= threshold
            waiting[top, 0], waiting[top, 1], waiting[top, 2], waiting[top, 3] = middle, end, test_middle, test_end
            waiting[top, 4], waiting[top, 5], impurities[top] = depth + 1, constants, impurity_right
            top += 1
            waiting[top, 0], waiting[top, 1], waiting[top, 2], waiting[top, 3] = start, middle, test_start, test_middle
            waiting[top, 4], waiting[top, 5], impurities[top] = depth + 1, constants, impurity_left
            top += 1
    return out
