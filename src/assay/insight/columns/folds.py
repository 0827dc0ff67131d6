"""An out-of-fold training table: it hides labels, not rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["FOLDS", "fold_numbers", "hide_labels", "out_of_fold"]

FOLDS = 5


def fold_numbers(rows: int, *, seed: int) -> npt.NDArray[np.int64]:
    """The fold of each row, drawn by the seed; sizes differ by at most one.

    >>> sorted(np.bincount(fold_numbers(12, seed=42)).tolist())
    [2, 2, 2, 3, 3]
    """
    numbers = np.empty(rows, dtype=np.int64)
    numbers[np.random.default_rng(seed).permutation(rows)] = np.arange(rows) % FOLDS
    return numbers


def hide_labels(train: pd.DataFrame, target: str, hidden: npt.NDArray[np.bool_]) -> pd.DataFrame:
    """The table with the labels of some rows missing; every row stays, and so does every other column.

    >>> table = pd.DataFrame({"x": [1, 2], "y": [0, 1]})
    >>> hide_labels(table, "y", np.array([True, False]))["y"].tolist()
    [nan, 1.0]
    """
    labels: pd.Series[Any] = train[target]
    plain = isinstance(labels.dtype, np.dtype) and labels.dtype.kind in "iuf"
    nullable = labels.astype("float64") if plain else labels.astype(object)
    return train.assign(**{target: nullable.mask(hidden)})


def out_of_fold(train: pd.DataFrame, target: str, numbers: npt.NDArray[np.int64], fold: int) -> pd.DataFrame:
    """The training table as the rows of one fold may see it."""
    return hide_labels(train, target, numbers == fold)
