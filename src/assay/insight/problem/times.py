"""Declared times: when a row is predicted, when an auxiliary row became known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from assay.core import InvalidInput
from assay.core.errors import suggest

__all__ = ["TableTime", "as_times", "check_times", "read_times"]

_KEYS = ("static", "time_column")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTime:
    """What a problem declares of one auxiliary table: the column with its rows' times, or that it does not change."""

    time_column: str | None = None
    static: bool = False


def as_times(values: pd.Series[Any], *, what: str) -> pd.Series[Any]:
    """ISO 8601 dates as UTC times (those without an offset count as UTC), or numbers as float64; missing stay missing.

    >>> as_times(pd.Series(["2024-03-01", "2024-03-01 12:30:00"]), what="orders.csv").dt.hour.tolist()
    [0, 12]
    >>> as_times(pd.Series([3, 5]), what="orders.csv").tolist()
    [3.0, 5.0]
    """
    if pd.api.types.is_bool_dtype(values.dtype):
        raise InvalidInput(f"{what}: holds truth values; times are ISO 8601 dates or numbers.")
    if pd.api.types.is_numeric_dtype(values.dtype):
        return values.astype("float64")
    texts = values.astype(object)
    times = pd.Series(pd.to_datetime(texts, format="ISO8601", utc=True, errors="coerce"), index=values.index)
    wrong = times.isna() & values.notna()
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        raise InvalidInput(
            f"{what}: row {row + 1} holds {str(texts.iloc[row])[:60]!r}, which is not a time. "
            "Write ISO 8601 dates (2024-03-31, 2024-03-31 12:00:00) or numbers."
        )
    return times


def read_times(content: Mapping[str, object], path: Path) -> tuple[str | None, dict[str, TableTime]]:
    """The keys ``time_column`` and ``tables`` of a manifest, their types checked."""
    column = content.get("time_column")
    if column is not None and (not isinstance(column, str) or not column):
        raise InvalidInput(f"{path}: 'time_column' must name a column, got {column!r}.")
    declared = content.get("tables", {})
    if declared is None:
        declared = {}
    if not isinstance(declared, dict):
        raise InvalidInput(f"{path}: 'tables' must map file names to their times, got {type(declared).__name__}.")
    return column, {name: _table_time(entry, f"{path}: 'tables', {name!r}") for name, entry in declared.items()}


def _table_time(entry: object, where: str) -> TableTime:
    expected = '{"time_column": "NAME"} or {"static": true}'
    if not isinstance(entry, dict):
        raise InvalidInput(f"{where}: must be {expected}, got {entry!r}.")
    for key in entry:
        if key not in _KEYS:
            raise InvalidInput(f"{where}: unknown key {key!r}. {suggest(key, _KEYS)}")
    column, static = entry.get("time_column"), entry.get("static", False)
    if (column is not None and (not isinstance(column, str) or not column)) or not isinstance(static, bool):
        raise InvalidInput(f"{where}: must be {expected}, got {entry!r}.")
    if (column is None) == (not static):
        raise InvalidInput(f"{where}: must say either {expected}, got {entry!r}.")
    return TableTime(time_column=column, static=static)


def check_times(
    time_column: str | None,
    table_times: Mapping[str, TableTime],
    *,
    train: pd.DataFrame,
    test: pd.DataFrame,
    tables: Mapping[str, pd.DataFrame],
    where: str,
) -> None:
    """Declared columns are there and hold times, of one kind everywhere; every primary row has one."""
    for name, declared in table_times.items():
        if name not in tables:
            raise InvalidInput(
                f"{where}: 'tables' declares {name!r}, which is not there. {suggest(name, list(tables))}"
            )
        if declared.time_column is not None and time_column is None:
            raise InvalidInput(
                f"{where}: {name!r} has a time column but the problem has none. Add 'time_column', the column of "
                "train.csv and test.csv that holds the time of prediction."
            )
    if time_column is None:
        return
    kinds: dict[str, str] = {}
    for name, frame in (("train.csv", train), ("test.csv", test)):
        times = _times(frame, time_column, f"{where}, {name}")
        if times.isna().any():
            row = int(times.isna().to_numpy().argmax())
            raise InvalidInput(f"{where}, {name}, column {time_column!r}: row {row + 1} has no time of prediction.")
        kinds[name] = times.dtype.kind
    for name, declared in table_times.items():
        if declared.time_column is not None:
            times = _times(tables[name], declared.time_column, f"{where}, {name}")
            if times.notna().any():
                kinds[name] = times.dtype.kind
    for name, kind in kinds.items():
        if kind != kinds["train.csv"]:
            raise InvalidInput(f"{where}, {name}: its times and those of train.csv must all be dates or all numbers.")


def _times(frame: pd.DataFrame, column: str, where: str) -> pd.Series[Any]:
    if column not in frame.columns:
        raise InvalidInput(f"{where}: time column {column!r} is not there. {suggest(column, list(frame.columns))}")
    return as_times(frame[column], what=f"{where}, column {column!r}")
