"""Whether the rows of an enriched table are in the order of the problem's table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core import InvalidInput

__all__ = ["demand_aligned", "differs"]

_NEAR = 1e-9  # relative: numbers may have been written with fewer digits


def demand_aligned(enriched: pd.DataFrame, own: pd.DataFrame, *, path: Path, of: str) -> None:
    """As many rows as the problem's table, and equal values in every column that both have."""
    if len(enriched) != len(own):
        raise InvalidInput(
            f"{path}: has {len(enriched)} rows, {of} has {len(own)}; give one row for each, in its order."
        )
    first: tuple[int, str] | None = None
    for name in own.columns:
        if name in enriched.columns:
            unequal = differs(enriched[name], own[name])
            if unequal.any() and (first is None or int(unequal.argmax()) < first[0]):
                first = (int(unequal.argmax()), name)
    if first is not None:
        row, name = first
        raise InvalidInput(
            f"{path}: row {row + 1} is not that of {of}: column {name!r} holds {enriched[name].iloc[row]!r} instead of "
            f"{own[name].iloc[row]!r}. Give the rows in the order of {of}, base columns unchanged."
        )


def differs(a: pd.Series[Any], b: pd.Series[Any]) -> npt.NDArray[np.bool_]:
    """Where two columns hold different values; last digits of numbers and the way dates are written do not count."""
    if a.equals(b):
        return np.zeros(len(a), dtype=np.bool_)
    if pd.api.types.is_numeric_dtype(a.dtype) and pd.api.types.is_numeric_dtype(b.dtype):
        x, y = a.to_numpy(dtype=np.float64), b.to_numpy(dtype=np.float64)
        near: npt.NDArray[np.bool_] = np.isclose(x, y, rtol=_NEAR, atol=0.0, equal_nan=True)
        return np.logical_not(near)
    one_missing = (a.isna() != b.isna()).to_numpy()
    both = (a.notna() & b.notna()).to_numpy()
    x, y = a.astype(object).to_numpy(), b.astype(object).to_numpy()
    unequal = np.zeros(len(a), dtype=np.bool_)
    unequal[both] = [str(left) != str(right) for left, right in zip(x[both], y[both], strict=True)]
    if unequal.any():
        unequal[unequal] = _differ_as_dates(x[unequal], y[unequal])
    return np.asarray(one_missing | unequal, dtype=np.bool_)


def _differ_as_dates(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Unequal texts may be the same moment, written with and without the time of day."""
    left, right = (
        pd.to_datetime([str(cell) for cell in cells], format="ISO8601", utc=True, errors="coerce") for cells in (x, y)
    )
    return np.asarray(left != right, dtype=np.bool_)  # what is no date differs from everything
