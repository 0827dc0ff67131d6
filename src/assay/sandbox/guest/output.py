"""What a function returned, as one Arrow column: numbers, truth values or text, and nothing that runs code when read.

Numbers stay numbers, whole ones whole; beside text they become text, as a CSV file would hold them. Dates and durations
become text, dictionaries their text. Lists, arrays, frames and other objects are no value of a row.
"""

from __future__ import annotations

import datetime
import decimal
import fractions
import math
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

__all__ = ["MAX_TEXT", "NotAValue", "build_column", "plain_value"]

MAX_TEXT = 10_000
_BIG = 1 << 63
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


class NotAValue(TypeError):
    """A function returned something that cannot stand in one cell."""


def plain_value(value: Any) -> bool | int | float | str | None:
    """One returned value as a plain one; :class:`NotAValue` when it is none.

    >>> plain_value(np.float32(0.5)), plain_value(pd.NaT), plain_value(pd.Timestamp("2024-02-29"))
    (0.5, None, '2024-02-29 00:00:00')
    >>> plain_value([1, 2])
    Traceback (most recent call last):
        ...
    assay.sandbox.guest.output.NotAValue: returned a list; each row needs one number, text or nothing
    """
    kind = type(value)
    if kind is float or kind is bool or value is None:
        return value  # type: ignore[no-any-return]
    if kind is int:
        return value if -_BIG <= value < _BIG else _to_float(value)
    if kind is str:
        return _bounded(value)
    if value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, _DATES):
        return None if value != value else str(value)  # NaT differs from itself
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.floating):
        return float(value)  # item() of a long double is a long double again
    if isinstance(value, np.bool_ | np.integer | np.str_):
        return plain_value(value.item())
    if isinstance(value, bool | int | float | str):  # subclasses, by their own value
        base = next(base for base in (bool, int, float, str) if isinstance(value, base))
        return plain_value(base(value))
    if isinstance(value, decimal.Decimal | fractions.Fraction):
        return _to_float(value)
    if isinstance(value, dict):
        return _bounded(str(value))
    raise NotAValue(f"returned a {kind.__name__}; each row needs one number, text or nothing")


def _to_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _bounded(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise NotAValue(f"returned a text of {len(text)} characters; at most {MAX_TEXT} are kept")
    return text.encode("utf-8", "replace").decode()  # lone surrogates have no place in a column


def build_column(values: list[bool | int | float | str | None]) -> Any:
    """Plain values as an Arrow array of one type.

    >>> build_column([1, None, 2]).type, build_column([1, 0.5]).type, build_column([1, "a"]).to_pylist()
    (DataType(int64), DataType(double), ['1', 'a'])
    """
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        return pa.nulls(len(values))
    if str in kinds:
        return pa.array([_as_text(value) for value in values], pa.string())
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if float in kinds:
        return pa.array([value if value is None else float(value) for value in values], pa.float64())
    return pa.array([value if value is None else int(value) for value in values], pa.int64())


def _as_text(value: bool | int | float | str | None) -> str | None:
    return None if value is None or value != value else str(value)  # a missing number is a missing text
