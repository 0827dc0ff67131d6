"""Types of arrays, and how far their columns spread. Imports numpy: what starts without it may not import this."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["AnyArray", "BoolArray", "FloatArray", "IntArray", "column_spreads"]

AnyArray: TypeAlias = npt.NDArray[Any]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]


def column_spreads(table: FloatArray) -> FloatArray:
    """The standard deviation of each column; 0 for one that does not vary, whose mean may be rounded.

    >>> column_spreads(np.array([[0.1, 1.0], [0.1, 3.0], [0.1, 5.0]])).round(3).tolist()
    [0.0, 1.633]
    """
    spreads: FloatArray = np.where(table.min(axis=0) < table.max(axis=0), table.std(axis=0), 0.0)
    return spreads
