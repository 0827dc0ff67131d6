"""Forests on any number of columns, equal to scikit-learn's to the last bit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.insight.fits.forest.exact_sums import sums_are_exact
from assay.insight.fits.forest.randomness import bootstrap
from assay.insight.fits.forest.settings import ForestSettings, Task

__all__ = ["predict_many_columns"]


class _Ranked(NamedTuple):
    """Training columns as ranks among their distinct values."""

    codes: npt.NDArray[np.uint32]  # [columns, rows]
    values: npt.NDArray[np.float32]  # [columns, largest number of distinct values]


def _rank(train: npt.NDArray[np.float64]) -> _Ranked:
    columns = np.ascontiguousarray(train.T, dtype=np.float32)
    codes = np.empty(columns.shape, dtype=np.uint32)
    distinct = []
    for column, values in enumerate(columns):
        unique, codes[column] = np.unique(values, return_inverse=True)
        distinct.append(unique)
    table = np.full((len(columns), max(map(len, distinct))), np.inf, dtype=np.float32)
    for column, unique in enumerate(distinct):
        table[column, : len(unique)] = unique
    return _Ranked(codes, table)


def _has_close_values(values: npt.NDArray[np.float32], tolerance: np.float32) -> npt.NDArray[np.bool_]:
    lower, upper = values[:, :-1], values[:, 1:]
    close: npt.NDArray[np.bool_] = np.any((upper <= lower + tolerance) & np.isfinite(upper), axis=1)
    return close


def _surely_tied(codes: npt.NDArray[np.uint32]) -> int:
    """From how many rows on a node most likely has equal values in every column; this decides on speed alone."""
    rows = codes.shape[1]
    collision = min(float(np.square(np.bincount(column) / rows).sum()) - 1.0 / rows for column in codes)
    return rows + 1 if collision <= 0.0 else int(np.sqrt(4.0 / collision)) + 1


def predict_many_columns(
    train: npt.NDArray[np.float64],
    target: npt.NDArray[np.float64] | npt.NDArray[np.int64],
    test: npt.NDArray[np.float64],
    *,
    task: Task,
    classes: int,
    settings: ForestSettings,
) -> npt.NDArray[np.float64]:
    """Values of the test rows (regression) or their probability of each class (classification).

    ``train`` and ``test`` are [rows, columns], finite as float32; a class is a whole number below ``classes``. The
    order of the columns matters, as it does to scikit-learn.
    """
    rows, columns = train.shape
    draws = bootstrap(rows, settings.trees, settings.seed)
    states = draws.states.astype(np.int64)
    ranked = _rank(train)
    queries = np.ascontiguousarray(test.T, dtype=np.float32)
    depth, tolerance = settings.depth_limit, np.float32(settings.tolerance)
    if task == "classification":
        from assay.insight.fits.forest.kernels.tree_classifier import classify

        labels = np.ascontiguousarray(target, dtype=np.int64)
        tried = max(1, int(np.sqrt(columns)))
        total = classify(*ranked, labels, classes, queries, draws.counts, states, tried, depth, tolerance)
    else:
        from assay.insight.fits.forest.kernels.tree_regressor import regress

        values = np.ascontiguousarray(target, dtype=np.float64)
        close = _has_close_values(ranked.values, tolerance)
        exact = sums_are_exact(values, finest=11)
        tied_from = rows + 1 if exact else _surely_tied(ranked.codes)
        total = regress(*ranked, close, values, exact, queries, draws.counts, states, depth, tolerance, tied_from)
    return total / settings.trees
