"""Prediction times of rows, times from which other tables' rows are known, and columns that are known too late."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from assay.core import InvalidInput
from assay.core.errors import suggest
from assay.insight.problem.times import TableTime, as_times
from assay.insight.problem.user_problem.material import Material
from assay.intake.moment import parse_moment
from assay.intake.table.reading import TableReading, ambiguous_error

__all__ = ["FIXED", "Moments", "find_moments"]

FIXED = "prediction_time"  # the column that is added when all rows are predicted at one time
_BORN = re.compile(r"birth|\bdob\b|born", re.IGNORECASE)  # no time at which a row became known
_STATIC = ("none", "static")


class Moments(NamedTuple):
    """The column of prediction times, its times in UTC, the time columns of the other tables, and warnings."""

    column: str | None
    times: pd.Series[Any] | None  # naive, in UTC, or numbers
    tables: dict[str, TableTime]
    fixed: datetime | None
    notes: tuple[str, ...]
    words: dict[str, str]


def find_moments(material: Material, readings: Mapping[str, TableReading]) -> Moments:
    """The times that the user declares, checked against the tables; others from how the columns were read."""
    assert material.main is not None
    main = readings[material.main]
    column, fixed = _prediction_time(material, main)
    if column is None and fixed is None:
        return _without_times(material, readings)
    rows = len(main.frame)
    times = _column_times(material, material.main, main, column) if column else pd.Series([_naive(fixed)] * rows)
    if times.isna().any():
        row = int(times.isna().to_numpy().argmax()) + 1
        raise InvalidInput(f"{main.source}: row {row} has no prediction time in {column!r}. Fill it or remove the row.")
    tables: dict[str, TableTime] = {}
    words: dict[str, str] = {}
    notes: list[str] = []
    since = {name: _table_time(material, name, read) for name, read in readings.items() if name != material.main}
    _demand_comparable(material, readings, column, since)
    for name, time_column in since.items():
        reading = readings[name]
        tables[f"{name}.csv"] = TableTime(time_column=time_column) if time_column else TableTime(static=True)
        words[name] = f"rows are known from {time_column!r} on" if time_column else "does not change with time"
        if time_column:
            row_times = _column_times(material, name, reading, time_column)
            if (row_times.dtype.kind == "M") != (times.dtype.kind == "M"):
                raise InvalidInput(
                    f"{reading.source}: {time_column!r} and the prediction time must both hold dates or both numbers."
                )
            missing, late = int(row_times.isna().sum()), int((row_times > times.max()).sum())
            if missing:
                notes.append(
                    f"{name}: {missing} of {len(row_times)} rows have no {time_column!r}; they are never known"
                )
            if late == len(row_times):
                raise InvalidInput(
                    f"{reading.source}: every row of {name!r} is later ({time_column!r} from "
                    f"{_shown(row_times.min())}) than the last prediction time, {_shown(times.max())}, so none could "
                    "ever be used. Give an earlier "
                    f"{material.remedy('table_times', 'COLUMN', role=name)}, or a later prediction time."
                )
    _demand_before_target(material, main, times)
    notes += _note_late_columns(material, main, column, times)
    return Moments(column or FIXED, times, tables, fixed, tuple(notes), words)


def _demand_comparable(
    material: Material, readings: Mapping[str, TableReading], column: str | None, since: Mapping[str, str | None]
) -> None:
    """Refuse times with a zone beside times without one, until the user says what the bare ones mean."""
    assert material.main is not None
    compared = [(material.main, column), (material.main, material.target_time), *since.items()]
    zoned: dict[bool, str] = {}
    for name, each in compared:
        reading = readings[name]
        if each not in reading.frame.columns:
            continue
        dtype, where = reading.frame[each].dtype, f"column {each!r} of {reading.source}"
        if dtype.kind == "M":
            zoned.setdefault(getattr(dtype, "tz", None) is not None, where)
        elif reading[str(each)].timezone == "mixed":  # within the column, which is left as texts
            zoned |= {True: f"a part of {where}", False: "the rest"}
    if len(zoned) == 2:
        raise InvalidInput(
            f"Times with and without a time zone are mixed: {zoned[True]} has one, {zoned[False]} none. "
            f"Say what the bare ones mean, for example {material.remedy('timezone', 'Europe/Berlin')}."
        )


def _prediction_time(material: Material, main: TableReading) -> tuple[str | None, datetime | None]:
    if material.time is None:
        return None, None
    columns = [column.name for column in main.columns]
    if material.time in columns:
        if material.time == material.target:
            raise InvalidInput(f"{material.remedy('time', material.target)}: this is the target; name another column.")
        return str(material.time), None
    fixed = parse_moment(material.time, material.options, place=material.remedy("time", str(material.time)))
    if fixed is None:
        raise InvalidInput(
            f"{material.remedy('time', str(material.time))}: neither a column of {material.main!r} nor a date such as "
            f"2023-06-30. {suggest(str(material.time), columns)}"
        )
    if FIXED in columns:
        raise InvalidInput(
            f"{main.source}: has a column {FIXED!r} of its own: {material.remedy('time', FIXED)}, or rename it."
        )
    return None, fixed


def _without_times(material: Material, readings: Mapping[str, TableReading]) -> Moments:
    assert material.main is not None
    if material.table_times or material.target_time:
        name, column = next(iter(material.table_times.items()), (material.main, material.target_time))
        raise InvalidInput(
            f"{name}: {column!r} says when something is known, but not when rows are predicted: "
            f"{material.remedy('time', 'COLUMN')}, a column of {material.main!r}, or one date."
        )
    notes = []
    dated = {name: _time_columns(reading) for name, reading in readings.items()}
    if any(dated.values()):
        listed = "; ".join(f"{name}: {', '.join(map(repr, columns))}" for name, columns in dated.items() if columns)
        notes.append(
            f"no prediction time is declared, so that every row of every table counts as known ({listed}). "
            f"To declare one: {material.remedy('time', (dated[material.main] or ['2023-06-30'])[0])}"
        )
    words = {name: "does not change with time" for name in readings if name != material.main}
    return Moments(None, None, {}, None, tuple(notes), words)


def _time_columns(reading: TableReading) -> list[str]:
    return [column.name for column in reading.columns if column.role == "time" and not _BORN.search(column.name)]


def _table_time(material: Material, name: str, reading: TableReading) -> str | None:
    """The column that says when a row of a table became known: the given one, or the only one there is."""
    candidates = _time_columns(reading)
    if name in material.table_times:
        declared = material.table_times[name]
        if declared is None or declared.lower() in _STATIC:
            return None
        names = [column.name for column in reading.columns]
        if declared not in names:
            raise InvalidInput(
                f"{material.remedy('table_times', declared, role=name)}: no such column. {suggest(declared, names)}"
            )
        return declared
    if len(candidates) > 1:
        raise InvalidInput(
            f"{reading.source}: has {len(candidates)} columns of times ({', '.join(candidates)}). Say since when a row "
            f"is known: {material.remedy('table_times', candidates[0], role=name)}, or "
            f"{material.remedy('table_times', 'none', role=name)} if it always was."
        )
    return candidates[0] if candidates else None


def _column_times(material: Material, name: str, reading: TableReading, column: str) -> pd.Series[Any]:
    """A column as naive times in UTC, or as numbers."""
    read = reading[column]
    if read.ambiguous:
        raise ambiguous_error(read, str(reading.frame[column].dropna().iloc[0]), material.options, reading.source)
    values = reading.frame[column]
    if read.type not in ("datetime", "integer", "float"):
        present = values.dropna()
        shown = str(present.iloc[0]) if len(present) else "nothing"
        times = _time_columns(reading)
        hint = f" Columns of times: {', '.join(times)}." if times else ""
        raise InvalidInput(
            f"{reading.source}: column {column!r} of {name!r} holds no times (the first value is {shown!r}).{hint} "
            f"If these are times, say how they are written: {material.remedy('time_format', '%d.%m.%Y')}."
        )
    times_read = as_times(values, what=f"{reading.source}, column {column!r}")
    return times_read.dt.tz_convert(None) if times_read.dtype.kind == "M" else times_read


def _demand_before_target(material: Material, main: TableReading, times: pd.Series[Any]) -> None:
    """Every row is predicted before its target is known, if the user says when that is."""
    if material.target_time is None:
        return
    names = [column.name for column in main.columns]
    if material.target_time in names:
        assert material.main is not None
        target_times = _column_times(material, material.main, main, str(material.target_time))
    else:
        option = material.remedy("target_time", str(material.target_time))
        moment = parse_moment(material.target_time, material.options, place=option)
        if moment is None:
            raise InvalidInput(
                f"{option}: neither a column of {material.main!r} nor a "
                f"date such as 2023-06-30. {suggest(str(material.target_time), names)}"
            )
        target_times = pd.Series([_naive(moment)] * len(times))
    if (target_times.dtype.kind == "M") != (times.dtype.kind == "M"):
        raise InvalidInput(
            f"{main.source}: the time at which the target is known ({material.target_time!s}) and the prediction time "
            f"must both be dates or both numbers: {material.remedy('target_time', 'COLUMN')}."
        )
    wrong = (times.to_numpy() >= target_times.to_numpy()) & target_times.notna().to_numpy()
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidInput(
            f"{main.source}: {int(wrong.sum())} of {len(times)} rows are predicted when their target is known already; "
            f"the first is row {row + 1}: predicted at {_shown(times.iloc[row])}, known at "
            f"{_shown(target_times.iloc[row])}. Give an earlier prediction time: {material.remedy('time', 'COLUMN')}."
        )


def _note_late_columns(material: Material, main: TableReading, column: str | None, times: pd.Series[Any]) -> list[str]:
    """Columns of the main table with times after the prediction, which may reveal what was not known then."""
    notes = []
    for name in _time_columns(main):
        if name in (column, material.target_time) or times.dtype.kind != "M" or main[name].type != "datetime":
            continue
        dates = as_times(main.frame[name], what=name)
        late = int((dates.dt.tz_convert(None).to_numpy() > times.to_numpy()).sum())
        if late:
            notes.append(
                f"{name!r} lies after the prediction time in {late} of {len(times)} rows: it may tell what was not "
                f"known then. To leave it out: {material.remedy('ignore', name)}"
            )
    return notes


def _naive(stamp: datetime | None) -> pd.Timestamp:
    assert stamp is not None
    return pd.Timestamp(stamp.replace(tzinfo=None))


def _shown(value: Any) -> str:
    if isinstance(value, float | int | np.number):
        return f"{value:g}"
    return f"{value:%Y-%m-%d %H:%M}".removesuffix(" 00:00")
