"""Columns of an answer: whole numbers, numbers, truth values or texts, whatever pandas type they arrive in."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from assay.core import InvalidInput, Json

__all__ = ["TEXT", "as_column", "as_frame", "shown_cell"]

# what pandas itself makes of texts: `str` since pandas 3, `object` before
TEXT = pd.Series(["text"]).dtype

_INT64 = np.iinfo(np.int64)


def as_frame(frame: object, *, what: str) -> pd.DataFrame:
    """A copy with plain columns, rows counted from 0; InvalidInput for what cannot be a table of an answer.

    >>> as_frame(pd.DataFrame({"n": [1, 2], "t": ["a", None]}), what="train").dtypes["n"]
    dtype('int64')
    """
    if not isinstance(frame, pd.DataFrame):
        raise InvalidInput(f"{what}: must be a pandas DataFrame, got {type(frame).__name__}.")
    names = list(frame.columns)
    for name in names:
        if not isinstance(name, str) or not name:
            raise InvalidInput(f"{what}: column names must be texts, got {name!r}.")
        if names.count(name) > 1:
            raise InvalidInput(f"{what}: column {name!r} is there {names.count(name)} times; names must differ.")
    columns = {name: as_column(frame[name], what=f"{what}, column {name!r}") for name in names}
    return pd.DataFrame(columns, index=pd.RangeIndex(len(frame)), columns=pd.Index(names, dtype=TEXT))


def as_column(values: pd.Series[Any], *, what: str) -> pd.Series[Any]:
    """The values as int64, float64, bool, or texts with missing ones; truth values with missing ones stay objects.

    Numbers of mixed kinds become float64, dates and other mixtures become texts. Lists, mappings and the like are
    refused: a cell holds one value.
    """
    dtype = values.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        array = values.to_numpy()
        if array.dtype.kind == "b":
            return pd.Series(array.copy())
        whole = array.dtype.kind in "iu" and (not len(array) or array.max() <= _INT64.max)
        return pd.Series(array.astype(np.int64 if whole else np.float64))
    if isinstance(dtype, pd.StringDtype):
        return _texts(values.to_numpy(dtype=object, na_value=np.nan))
    cells = np.asarray(values.astype(object), dtype=object)
    missing = np.fromiter((_is_missing(cell, what) for cell in cells), dtype=np.bool_, count=len(cells))
    kinds = {_kind(cell) for cell in cells[~missing]}
    if not kinds:
        return pd.Series(np.full(len(cells), np.nan))
    if kinds == {"truth"}:
        if not missing.any():
            return pd.Series(cells.astype(np.bool_))
        flags = [math.nan if gone else bool(cell) for cell, gone in zip(cells, missing, strict=True)]
        return pd.Series(flags, dtype=object)
    if kinds <= {"whole", "number"}:
        return _numbers(cells, missing, whole=kinds == {"whole"})
    return _texts([math.nan if gone else str(cell) for cell, gone in zip(cells, missing, strict=True)])


def _numbers(cells: Any, missing: Any, *, whole: bool) -> pd.Series[Any]:
    if whole and not missing.any() and all(_INT64.min <= cell <= _INT64.max for cell in cells):
        return pd.Series(np.array([int(cell) for cell in cells], dtype=np.int64))
    return pd.Series([math.nan if gone else _float(cell) for cell, gone in zip(cells, missing, strict=True)])


def _float(cell: Any) -> float:
    try:
        return float(cell)
    except OverflowError:  # a whole number beyond all floats
        return math.inf if cell > 0 else -math.inf


def _texts(cells: Iterable[object]) -> pd.Series[Any]:
    array = np.empty(len(listed := list(cells)), dtype=object)
    array[:] = listed
    if all(isinstance(cell, float) for cell in listed):  # nothing but missing ones
        return pd.Series(array.astype(np.float64))
    return pd.Series(array, dtype=TEXT)


def _is_missing(cell: Any, what: str) -> bool:
    if isinstance(cell, list | tuple | dict | set | frozenset | np.ndarray | pd.Series | pd.DataFrame | bytes):
        raise InvalidInput(
            f"{what}: holds a {type(cell).__name__}. A cell must be one number, truth value or text: "
            "make a column of each part."
        )
    return cell.is_nan() if isinstance(cell, Decimal) else bool(pd.api.types.is_scalar(cell) and pd.isna(cell))


def _kind(cell: object) -> str:
    if isinstance(cell, bool | np.bool_):
        return "truth"
    if isinstance(cell, int | np.integer):
        return "whole"
    return "number" if isinstance(cell, Real | Decimal) else "text"


def shown_cell(value: Any) -> Json:
    """One value as a record holds it: nothing for a missing one, the first 200 characters of a text."""
    if pd.isna(value):
        return None
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, float) and not math.isfinite(plain):
        return str(plain)
    return plain if isinstance(plain, bool | int | float) else str(plain)[:200]
