"""What was available when a row was predicted: auxiliary tables cut to the rows that are not later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core.arrays import IntArray
from assay.insight.problem.task import InsightTask
from assay.insight.problem.times import as_times

__all__ = ["Availability", "Moment", "undeclared_dates"]

_LOOKED_AT = 200  # values per column that decide whether it holds dates


class Moment(NamedTuple):
    """Rows that see the same auxiliary rows: their positions, and the latest time that all of them know."""

    rows: npt.NDArray[np.int64]
    time: Any


class Availability:
    """The times of a task's rows and tables. An auxiliary row is available when its time is not later than the row's.

    An auxiliary row without a time is never available, since it may be later than any other.
    """

    def __init__(self, task: InsightTask, part: pd.DataFrame) -> None:
        self.declared = task.time_column is not None
        self._tables = task.tables
        self._times: dict[str, npt.NDArray[Any]] = {}
        self.times: npt.NDArray[Any] = np.zeros(len(part))
        if task.time_column is None:
            return
        times = [as_times(part[task.time_column], what=f"column {task.time_column!r}")]
        dated = [(name, each.time_column) for name, each in task.table_times.items() if each.time_column is not None]
        times += [as_times(task.tables[name][column], what=f"{name}, column {column!r}") for name, column in dated]
        self.times, *others = _plain(times)
        self._times = dict(zip((name for name, _ in dated), others, strict=True))

    @property
    def dated(self) -> tuple[str, ...]:
        """The tables whose rows have times."""
        return tuple(self._times)

    def table_times(self, name: str) -> npt.NDArray[Any]:
        """The times of a dated table's rows; missing ones compare as later than everything."""
        return self._times[name]

    def moments(self) -> Iterator[Moment]:
        """Rows grouped by what they can see, earliest first; one group when nothing is dated."""
        rows = np.arange(len(self.times))
        if not self._times or not len(rows):
            yield Moment(rows, None)
            return
        signature = np.column_stack(
            [np.searchsorted(np.sort(t), self.times, side="right") for t in self._times.values()]
        )
        _, group = np.unique(signature, axis=0, return_inverse=True)
        group = group.reshape(-1)
        for number in range(int(group.max()) + 1):
            members = np.flatnonzero(group == number)
            yield Moment(members, self.times[members].max())

    def added(self, since: Any, until: Any) -> dict[str, IntArray]:
        """The places of the rows of dated tables that became available between two times; None is before all."""
        return {
            name: np.flatnonzero((times <= until) if since is None else (times <= until) & (times > since))
            for name, times in self._times.items()
        }

    def cut(self, time: Any) -> dict[str, pd.DataFrame]:
        """All tables, the dated ones without rows later than a time; None cuts nothing."""
        if time is None:
            return dict(self._tables.items())
        return {
            name: frame[self._times[name] <= time] if name in self._times else frame
            for name, frame in self._tables.items()
        }


def _plain(times: Sequence[pd.Series[Any]]) -> list[npt.NDArray[Any]]:
    """Times as numbers that compare as they do, missing ones last.

    Dates are nanoseconds; where one lies beyond their reach, as 9999-12-31 does, all are microseconds.
    """
    try:
        return [_numbers(column, "ns") for column in times]
    except pd.errors.OutOfBoundsDatetime:
        return [_numbers(column, "us") for column in times]


def _numbers(times: pd.Series[Any], unit: Literal["ns", "us"]) -> npt.NDArray[Any]:
    if times.dtype.kind == "f":
        return np.asarray(times.fillna(np.inf))
    return np.where(times.isna(), np.iinfo(np.int64).max, times.dt.as_unit(unit).astype(np.int64))


def undeclared_dates(task: InsightTask) -> Mapping[str, tuple[str, ...]]:
    """Columns that look like dates, by table, of tables about which nothing is declared: they are taken as static."""
    dates_by_table: dict[str, tuple[str, ...]] = {}
    for name, frame in task.tables.items():
        declared = task.table_times.get(name)
        if task.time_column is not None and declared is not None:
            continue
        dates = tuple(str(column) for column in frame.columns if _looks_dated(frame[column]))
        if dates:
            dates_by_table[name] = dates
    return dates_by_table


def _looks_dated(column: pd.Series[Any]) -> bool:
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return True
    if pd.api.types.is_numeric_dtype(column.dtype):
        return False
    values = column.dropna().head(_LOOKED_AT).astype(str)
    shaped = values.str.match(r"^\d{4}-\d{2}-\d{2}")
    return bool(len(values)) and bool(shaped.all())
