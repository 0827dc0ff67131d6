"""Regression trees that sum targets in scikit-learn's order, so that every split and value agrees to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from assay.insight.fits.forest.kernels.compiled import compiled
from assay.insight.fits.forest.kernels.introsort import ROOM
from assay.insight.fits.forest.kernels.tree_draws import advance, note, send_test_rows, settle_constants
from assay.insight.fits.forest.kernels.tree_order import insert_rows, place_rows, place_singles
from assay.insight.fits.forest.kernels.tree_sums import best_cut, rounding, score_cuts, survey

__all__ = ["regress"]

_EPSILON = np.finfo(np.float64).eps
FEW = 6  # rows of a node that are cheaper to sort than to count


@compiled
def _sort_and_cut(
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
    """Sort the rows as the original does and find the best cut; whether the column varies, the score, the rows left."""
    low, high = column[rows[0]], column[rows[-1]]
    if len(rows) == 2:
        if low == high:
            return False, best, 0
        if low > high:
            rows[0], rows[1] = rows[1], rows[0]
            low, high = high, low
        if values[high] <= values[low] + tolerance:
            return False, best, 0
        left, left_weight = weighted[rows[0]], weights[rows[0]]
        right = total - left
        score = left * left / left_weight + right * right / (total_weight - left_weight)
        return True, max(score, best), int(score > best)
    for row in rows:
        low, high = min(low, column[row]), max(high, column[row])
    if low == high:
        return False, best, 0
    if len(rows) > FEW or not insert_rows(column, rows, keys):
        place_rows(column, rows, keys, room, low, high)
    if values[high] <= values[low] + tolerance:
        return False, best, 0
    score, cut = best_cut(column, values, tolerance, rows, weights, weighted, total_weight, total, best)
    return True, score, cut


@compiled
def _search_in_order(
    codes: npt.NDArray[np.uint32],
    values: npt.NDArray[np.float32],
    tolerance: np.float32,
    turns: npt.NDArray[np.int64],
    rows: npt.NDArray[np.uint32],
    keys: npt.NDArray[np.int64],
    room: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64],
    weighted: npt.NDArray[np.float64],
    total_weight: float,
    total: float,
) -> tuple[int, int, int]:
    """Sort by one column after another as the original does; the best column, its last code left and first right."""
    best, best_column, before, after = -np.inf, -1, 0, 0
    for turn in turns:
        coded = codes[turn[0]]
        place_rows(coded, rows, keys, room, turn[1], turn[2])
        if turn[3]:
            continue
        score, cut = best_cut(coded, values[turn[0]], tolerance, rows, weights, weighted, total_weight, total, best)
        if cut:
            best, best_column = score, turn[0]
            before, after = coded[rows[cut - 1]], coded[rows[cut]]
    return best_column, before, after


@compiled
def _part(column: npt.NDArray[np.uint32], rows: npt.NDArray[np.uint32], last_left: int) -> int:
    """Move the rows up to a code to the front with the original's swaps; how many there are."""
    p, last = 0, len(rows) - 1
    while p < last:
        row = rows[p]
        if column[row] <= last_left:
            p += 1
        else:
            rows[p] = rows[last]
            rows[last] = row
            last -= 1
    count: int = p + (column[rows[p]] <= last_left)
    return count


@compiled
def _impurities(
    rows: npt.NDArray[np.uint32],
    cut: int,
    weights: npt.NDArray[np.float64],
    weighted: npt.NDArray[np.float64],
    squared: npt.NDArray[np.float64],
    total_weight: float,
    total: float,
    total_squares: float,
    impurity: float,
) -> tuple[float, float, float]:
    """Impurities of both sides, and what the cut gains."""
    left, left_weight, left_squares = 0.0, 0.0, 0.0
    if cut <= len(rows) - cut:
        for p in range(cut):
            left += weighted[rows[p]]
            left_weight += weights[rows[p]]
    else:
        left, left_weight = total, total_weight
        for p in range(len(rows) - 1, cut - 1, -1):
            left -= weighted[rows[p]]
            left_weight -= weights[rows[p]]
    for p in range(cut):
        left_squares += squared[rows[p]]
    right, right_weight = total - left, total_weight - left_weight
    mean_left, mean_right = left / left_weight, right / right_weight
    impurity_left = left_squares / left_weight - mean_left * mean_left
    impurity_right = (total_squares - left_squares) / right_weight - mean_right * mean_right
    gain = impurity - right_weight / total_weight * impurity_right - left_weight / total_weight * impurity_left
    return impurity_left, impurity_right, gain


def regress(
    codes: npt.NDArray[np.uint32],
    values: npt.NDArray[np.float32],
    close: npt.NDArray[np.bool_],
    target: npt.NDArray[np.float64],
    exact: bool,
    test: npt.NDArray[np.float32],
    draws: npt.NDArray[np.uint8],
    states: npt.NDArray[np.int64],
    depth_limit: int,
    tolerance: np.float32,
    tied_from: int,
) -> npt.NDArray[np.float64]:
    """Predictions of the test rows, summed over the trees in their order; arguments as for classification trees.

    ``close`` tells of each column whether any of its values lie within the tolerance. ``exact`` says that sums of
    weighted targets and of their squares are exact in any order. Nodes of at least ``tied_from`` rows are expected to
    hold equal values in every column; this decides on speed alone.

    A column without equal values on a node forces the order of the rows, whatever it was, and its sums are those of the
    original. For other columns the sums are taken value by value; when they leave no doubt about the best cut, rows are
    sorted only by the columns that follow the last one that forces their order. Otherwise all sorts are repeated.
    """
    columns, size = codes.shape
    out = np.zeros(test.shape[1])
    distinct = values.shape[1]
    present, sums = np.zeros((distinct >> 6) + 1, dtype=np.uint64), np.zeros(2 * distinct)
    groups, rows, holder, test_rows = (
        np.empty(many, dtype=np.uint32) for many in (size, size, distinct, test.shape[1])
    )
    keys, sort_room = np.empty(size + 1, dtype=np.int64), np.empty(ROOM, dtype=np.int64)
    order, constants = np.empty(columns, dtype=np.int64), np.empty(columns, dtype=np.int64)
    # the columns by which a node's rows are sorted, in turn: column, lowest and highest code, whether it is constant
    sorted_by = np.empty((columns, 4), dtype=np.int64)
    # one entry per node that waits: first and last row, first and last test row, depth, constant columns
    waiting = np.empty((size + 2, 6), dtype=np.int64)
    whole = (present, groups, holder, keys, sort_room, rows, test_rows, order, constants, sorted_by, waiting)
    floating = (sums, *(np.empty(size + 2) for _ in range(9)))
    arguments = (codes, values, close, target, exact, test, draws, states, depth_limit, tolerance, tied_from)
    _grow(*arguments, whole, floating, out)
    return out


@compiled
def _grow(
    codes: npt.NDArray[np.uint32],
    values: npt.NDArray[np.float32],
    close: npt.NDArray[np.bool_],
    target: npt.NDArray[np.float64],
    exact: bool,
    test: npt.NDArray[np.float32],
    draws: npt.NDArray[np.uint8],
    states: npt.NDArray[np.int64],
    depth_limit: int,
    tolerance: np.float32,
    tied_from: int,
    whole: Any,
    floating: Any,
    out: npt.NDArray[np.float64],
) -> None:
    columns, size = codes.shape
    present, groups, holder, keys, room, rows, test_rows, order, constants, sorted_by, waiting = whole
    sums, lefts, left_weights, scores, weights, weighted, squared, node_weights, node_weighted, impurities = floating
    plain = 0 if exact else FEW
    for tree in range(len(states)):
        state = int(states[tree])
        used = 0
        for row in range(size):
            weights[row] = float(draws[tree, row])
            weighted[row] = weights[row] * target[row]
            squared[row] = weighted[row] * target[row]
            if draws[tree, row]:
                rows[used] = row
                used += 1
        for place in range(len(test_rows)):
            test_rows[place] = place
        for place in range(columns):
            order[place] = place
        note(waiting, 0, (0, used, 0, len(test_rows), 0, 0))
        top = 1
        first = True
        while top:
            top -= 1
            start, end, test_start, test_end, depth, inherited = waiting[top]
            impurity = impurities[top]
            if columns == 1 and test_start == test_end:  # of several columns later nodes need the draws
                continue
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
            constant_count = inherited
            if not (depth >= depth_limit or end - start < 2 or impurity <= _EPSILON):
                remaining, added, constant_draws, turns, reset = columns, 0, 0, 0, -1
                directly = end - start <= plain or end - start >= tied_from
                loose, runner_up, loose_column, loose_code, loose_after = -np.inf, -np.inf, -1, 0, 0
                while remaining > constant_count:  # every column is looked at
                    state = advance(state)
                    j = constant_draws + (state & 0x7FFFFFFF) % (remaining - added - constant_draws)
                    if j < inherited:
                        order[constant_draws], order[j] = order[j], order[constant_draws]
                        constant_draws += 1
                        continue
                    j += added
                    column = order[j]
                    coded, named = codes[column], values[column]
                    if directly:
                        varies, score, cut = _sort_and_cut(
                            coded, named, tolerance, node, keys, room, weights, weighted, weight, total, best
                        )
                        if cut:
                            best, best_column = score, column
                            best_code, best_after = coded[node[cut - 1]], coded[node[cut]]
                        if varies:
                            remaining -= 1
                            order[remaining], order[j] = order[j], order[remaining]
                        else:
                            order[j], order[constant_count] = order[constant_count], order[j]
                            added += 1
                            constant_count += 1
                        continue
                    many = survey(coded, node, node_weights, node_weighted, sums, present, groups, lefts, left_weights)
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
                        order[j], order[constant_count] = order[constant_count], order[j]
                        added += 1
                        constant_count += 1
                        continue
                    remaining -= 1
                    order[remaining], order[j] = order[j], order[remaining]
                    score_cuts(lefts, left_weights, many - 1, total, weight, scores)
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
                settle_constants(order, constants, inherited, added)
                certain = True
                if loose_column >= 0 or (turns and best_column < 0):
                    slack = rounding(end - start, weight, largest)
                    if loose - slack > best and loose - slack > runner_up + slack and loose < np.inf:
                        best_column, best_code, best_after = loose_column, loose_code, loose_after
                    else:
                        certain = loose + slack < best
                if not certain:
                    best_column, best_code, best_after = _search_in_order(
                        codes, values, tolerance, sorted_by[:turns], node, keys, room, weights, weighted, weight, total
                    )
                elif not exact:
                    if reset >= 0:
                        coded = codes[sorted_by[reset, 0]]
                        place_singles(coded, node, holder, present, sorted_by[reset, 1], sorted_by[reset, 2])
                    for turn in range(reset + 1, turns):
                        place_rows(codes[sorted_by[turn, 0]], node, keys, room, sorted_by[turn, 1], sorted_by[turn, 2])
            if best_column >= 0:
                cut = _part(codes[best_column], node, best_code)
                impurity_left, impurity_right, gain = _impurities(
                    node, cut, weights, weighted, squared, weight, total, total_squares, impurity
                )
                if (weight / float(size)) * gain + _EPSILON < 0.0:
                    best_column = -1
            if best_column < 0:
                share = total / weight
                for p in range(test_start, test_end):
                    out[test_rows[p]] += share
                continue
            middle = start + cut
            test_middle = test_start + send_test_rows(
                test[best_column],
                test_rows[test_start:test_end],
                values[best_column, best_code],
                values[best_column, best_after],
            )
            note(waiting, top, (middle, end, test_middle, test_end, depth + 1, constant_count))
            note(waiting, top + 1, (start, middle, test_start, test_middle, depth + 1, constant_count))
            impurities[top], impurities[top + 1] = impurity_right, impurity_left
            top += 2
