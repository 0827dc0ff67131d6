"""The inputs of the transformer, checked: rows, tables, and when each row of a table became known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from assay.core import InvalidInput
from assay.core.errors import suggest
from assay.insight.columns.available import undeclared_dates
from assay.insight.problem.task import InsightTask
from assay.insight.problem.times import TableTime, as_times

__all__ = ["Inputs", "as_csv_holds", "demand_columns", "read_inputs"]

_NUMBERS = {"integer", "floating", "mixed-integer-float", "integer-na", "decimal"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Inputs:
    """Rows and tables as a CSV file would hold them, with declared times."""

    rows: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    time: str | None
    table_times: dict[str, TableTime]

    def task(self, rows: pd.DataFrame, target: str, kind: Any) -> InsightTask:
        """The task of explaining a target, without test rows."""
        return InsightTask(
            name="fit", description="", domain="", target_column=target, problem_type=kind, train=rows,
            test=self.rows.iloc[:0], tables=self.tables, time_column=self.time, table_times=self.table_times,
        )  # fmt: skip


def read_inputs(rows: Any, tables: Any, time: str | None, table_times: Mapping[str, str | None] | None) -> Inputs:
    """Everything checked: names of tables and columns, and a time wherever one is needed."""
    frame = as_csv_holds(rows, "X")
    if tables is not None and not isinstance(tables, Mapping):
        raise InvalidInput(
            f"tables must be a dict of DataFrames by name, got {type(tables).__name__}: tables={{'orders': orders}}."
        )
    frames = {str(name): as_csv_holds(table, f"table {str(name)!r}") for name, table in (tables or {}).items()}
    declared = dict(table_times or {})
    for name, column in declared.items():
        if name not in frames:
            raise InvalidInput(f"table_times: {name!r} is not among the tables. {suggest(str(name), list(frames))}")
        if column is not None and time is None:
            raise InvalidInput(
                f"table_times gives the times of table {name!r}, but time is None. "
                "Give time=..., the column of X with the time of each prediction."
            )
    inputs = Inputs(
        rows=frame,
        tables=frames,
        time=time,
        table_times={
            name: TableTime(time_column=declared.get(name), static=declared.get(name) is None) for name in frames
        },
    )
    _demand_declared(inputs, declared)
    _demand_times(inputs)
    return inputs


def as_csv_holds(table: Any, what: str) -> pd.DataFrame:
    """A table whose cells are numbers, truth values and texts; dates are texts, rows are numbered from 0."""
    frame = table.to_pandas() if not isinstance(table, pd.DataFrame) and hasattr(table, "to_pandas") else table
    if not isinstance(frame, pd.DataFrame):
        raise InvalidInput(
            f"{what} must be a DataFrame, whose columns have names, got {type(table).__name__}. "
            "Wrap an array: pd.DataFrame(array, columns=[...])."
        )
    names = [*frame.columns]
    odd = [name for name in names if not isinstance(name, str)] or [n for n in names if names.count(n) > 1]
    if odd:
        raise InvalidInput(f"{what}: column names must be different texts, got {odd[0]!r}. Rename the columns.")
    return pd.DataFrame({name: _plain(frame[name]) for name in names}, index=frame.index).reset_index(drop=True)


def _plain(values: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers, truth values or texts; what is missing is nan."""
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "bif":
        return values
    cells = values.astype(object)
    kind = pd.api.types.infer_dtype(cells, skipna=True)
    if kind in _NUMBERS:
        missing = values.isna()
        for whole in (np.int64, np.uint64) if kind == "integer" and not missing.any() else ():
            if cells.between(np.iinfo(whole).min, np.iinfo(whole).max).all():
                return cells.astype(whole)
        return cells.where(~missing, np.nan).astype(np.float64)
    if kind == "boolean":
        return cells.astype(bool) if values.notna().all() else cells.where(values.notna(), np.nan)
    return cells.map(str, na_action="ignore").where(values.notna(), np.nan)


def demand_columns(frame: pd.DataFrame, expected: Mapping[str, None], what: str, *, extra: bool) -> None:
    """The columns that fit saw are there; others are allowed with ``extra`` only."""
    for name in expected:
        if name not in frame.columns:
            raise InvalidInput(
                f"{what} lacks the column {name!r}, which fit saw. {suggest(name, list(frame.columns))} "
                "Add it, with missing values where it is not known."
            )
    unseen = [name for name in frame.columns if name not in expected]
    if unseen and not extra:
        listed = ", ".join(map(repr, unseen[:3]))
        raise InvalidInput(f"{what} has columns that fit did not see: {listed}. Leave them out, or fit again.")


def _demand_declared(inputs: Inputs, declared: Mapping[str, str | None]) -> None:
    """For each table with dates, one column is declared as its time, or the table as known at all times."""
    if inputs.time is not None and inputs.time not in inputs.rows.columns:
        raise InvalidInput(
            f"time: X has no column {inputs.time!r}. {suggest(inputs.time, list(inputs.rows.columns))} "
            "Name the column with the time of each prediction."
        )
    for name, time in inputs.table_times.items():
        if time.time_column is not None and time.time_column not in inputs.tables[name].columns:
            known = list(inputs.tables[name].columns)
            raise InvalidInput(
                f"table_times: table {name!r} has no column {time.time_column!r}. {suggest(time.time_column, known)}"
            )
    undeclared = {name: table for name, table in inputs.tables.items() if name not in declared}
    open_task = replace(inputs, tables=undeclared, time=None, table_times={}).task(inputs.rows, "", "binary")
    for name, dates in undeclared_dates(open_task).items():
        timed = "" if inputs.time is not None else "time=..., the column of X with the time of each prediction, and "
        raise InvalidInput(
            f"table {name!r} holds dates ({', '.join(dates)}), and nothing says when its rows became known. Give "
            f"{timed}table_times={{{name!r}: {dates[0]!r}}}; or table_times={{{name!r}: None}} if all of its rows are "
            "known whenever a prediction is made."
        )


def _demand_times(inputs: Inputs) -> None:
    """Every row has a time of prediction, and all times are dates or all are numbers."""
    if inputs.time is None:
        return
    times = as_times(inputs.rows[inputs.time], what=f"X, column {inputs.time!r}")
    if times.isna().any():
        row = int(times.isna().to_numpy().argmax())
        raise InvalidInput(
            f"X, column {inputs.time!r}: row {row + 1} has no time of prediction. Fill it in, or leave the row out."
        )
    for name, declared in inputs.table_times.items():
        if declared.time_column is not None:
            column = inputs.tables[name][declared.time_column]
            others = as_times(column, what=f"table {name!r}, column {declared.time_column!r}")
            if others.notna().any() and len(times) and (others.dtype.kind == "f") != (times.dtype.kind == "f"):
                raise InvalidInput(
                    f"table {name!r}, column {declared.time_column!r}: its times and those of X, column "
                    f"{inputs.time!r}, must all be dates or all be numbers."
                )
