"""What the user says about a table, checked and applied; it overrides detection."""

from __future__ import annotations

import re
from calendar import month_abbr, month_name
from collections.abc import Collection, Sequence
from typing import Any, get_args
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from assay.core import InvalidInput
from assay.core.display import shortened
from assay.core.errors import suggest
from assay.intake.table.column_reading import Role
from assay.intake.table.options import TableOptions
from assay.intake.table.values.column import Column
from assay.intake.table.values.find import take_times
from assay.intake.table.values.times import Times, read_times
from assay.intake.table.values.words import MONTHS, plain

__all__ = ["apply_time_format", "apply_timezone", "check_options", "named_columns", "take_as_time"]

_CODED = {  # times as numbers: the day that they count from, and microseconds in each; epochs begin in UTC
    "epoch-seconds": ("1970-01-01", 1e6),
    "epoch-milliseconds": ("1970-01-01", 1e3),
    "excel-serial": ("1899-12-30", 86_400e6),
}
_EPOCHS = {"epoch-seconds": (1e8, 5e9), "epoch-milliseconds": (1e11, 5e12)}  # where they surely lie


def check_options(options: TableOptions, roles: Collection[str]) -> None:
    """Refuse what can be seen to be wrong before any file is read."""
    known = {*get_args(Role), *roles}
    for role in options.columns:
        if role not in known:
            shown = options.remedy("columns", "NAME", role="label")
            name = options.columns[role]
            if name in known:
                turned = options.remedy("columns", role, role=name)
                raise InvalidInput(f"No role named {role!r}: the role stands first. Did you mean {turned}?")
            raise InvalidInput(f"No role named {role!r}, as in {shown}. {suggest(role, known)}")
    if options.timezone is not None:
        find_zone(options)
    if options.time_format is not None and "%" not in options.time_format and options.time_format not in _CODED:
        shown = options.remedy("time_format", "%d.%m.%Y %H:%M")
        raise InvalidInput(
            f"The time format {options.time_format!r} names no part of a time. Write it as {shown}, or give one of "
            f"{', '.join(_CODED)}."
        )


def find_zone(options: TableOptions) -> ZoneInfo:
    """The time zone of bare times."""
    name = options.timezone or "UTC"
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError, RecursionError):
        shown = options.remedy("timezone", "Europe/Berlin")
        raise InvalidInput(f"The time zone {name!r} is not known. Give an IANA name such as {shown}.") from None


def find_column(name: str, columns: Sequence[Column], what: str, option: str) -> Column:
    """The column of this name."""
    for column in columns:
        if column.name == name:
            return column
    listed = [column.name for column in columns]
    sign = next((sign for sign in (",", ";", "\t", "|") if len(listed) == 1 and name in listed[0].split(sign)), None)
    if sign is not None:
        raise InvalidInput(
            f"{what}: {option}: the table has one column only, {listed[0]!r}. Its cells seem to be separated by "
            f"{sign!r}: say so, or leave the separator to be found."
        )
    raise InvalidInput(f"{what}: {option}: there is no column {name!r}. {suggest(name, listed)}")


def named_columns(columns: Sequence[Column], options: TableOptions, what: str) -> dict[str, Column]:
    """The columns that the user names, by role; none may have two roles or be ignored."""
    named: dict[str, Column] = {}
    for role, name in options.columns.items():
        column = find_column(name, columns, what, options.remedy("columns", name, role=role))
        if name in options.ignore:
            raise InvalidInput(
                f"{what}: the column {name!r} is named as {role} and ignored as well. Leave one of them out."
            )
        twice = [other for other, entry in named.items() if entry is column]
        if twice:
            raise InvalidInput(f"{what}: the column {name!r} cannot be {twice[0]} and {role} at once. Name another.")
        named[role] = column
    for name in options.ignore:
        find_column(name, columns, what, options.remedy("ignore", name))
    return named


def apply_time_format(columns: Sequence[Column], chosen: Column | None, options: TableOptions, what: str) -> None:
    """Read times as the user says they are written: in the column that is named, or in all that it fits."""
    pattern = options.time_format
    if pattern is None:
        return
    if chosen is not None:
        _demand_fit(chosen, pattern, options, what)
        return
    able = [column for column in columns if not column.native and column.kind in ("time", "text", "number")]
    fitting = []
    for column in able:
        if (
            (column.kind == "time" or pattern not in _CODED)
            and column.rows
            and (column.kind != "number" or len(column.levels) > 7)
        ):
            times, wrong = _read(column, pattern)
            if times is not None and wrong is None:
                fitting.append(column)
                _take(column, times, pattern)
    if not fitting:
        nearest = next((column for column in able if column.kind == "time"), None) or next(iter(able), None)
        if nearest is None:
            raise InvalidInput(
                f"{what}: no column holds times as texts; leave {options.remedy('time_format', pattern)} out."
            )
        _demand_fit(nearest, pattern, options, what)


def _demand_fit(column: Column, pattern: str, options: TableOptions, what: str) -> None:
    if column.native and column.kind == "time":
        return
    times, wrong = _read(column, pattern)
    if times is None or wrong is not None:
        level = wrong or 0
        value = column.levels[level] if len(column.levels) else ""
        detected = read_times(column.levels) if len(column.levels) else None
        hint = f" It looks like {detected.format}." if detected is not None and not detected.ambiguous else ""
        raise InvalidInput(
            f"{what}: column {column.name!r}: {shortened(value, 40)!r} in row {column.first_row(level)} is not written "
            f"as {options.remedy('time_format', pattern)} says.{hint}"
        )
    _take(column, times, pattern)


def _read(column: Column, pattern: str) -> tuple[Times | None, int | None]:
    """The times of the levels, and the first level that is none."""
    zoned = np.zeros(len(column.levels), dtype=bool)
    if pattern in _CODED:
        numbers = pd.to_numeric(column.levels.str.replace(",", "."), errors="coerce").to_numpy(dtype=float)
        start, factor = _CODED[pattern]
        wrong = np.flatnonzero(~np.isfinite(numbers) | (np.abs(numbers * factor) > 2**62))
        if len(wrong):
            return None, int(wrong[0])
        moments = np.datetime64(start, "us") + np.round(numbers * factor).astype("timedelta64[us]")
        is_epoch = pattern in _EPOCHS
        return Times(moments, pattern, ~zoned if is_epoch else zoned, ("UTC",) if is_epoch else ()), None
    texts = column.levels
    if "%b" in pattern or "%B" in pattern:
        texts = english_months(texts, full="%B" in pattern)
    try:
        read = pd.to_datetime(texts, format=pattern, errors="coerce", utc="%z" in pattern or "%Z" in pattern)
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidInput(f"The time format {pattern!r} is not valid ({error}). Write it as %d.%m.%Y %H:%M.") from None
    if read.dt.tz is not None:
        zoned[:] = True
        read = read.dt.tz_convert("UTC").dt.tz_localize(None)
    wrong = np.flatnonzero(read.isna().to_numpy())
    if len(wrong):
        return None, int(wrong[0])
    return Times(read.to_numpy(dtype="datetime64[us]"), pattern, zoned, ("given",) if zoned.any() else ()), None


def english_months(texts: pd.Series[Any], *, full: bool) -> pd.Series[Any]:
    """Texts with the names of months in English, as ``strptime`` reads them."""

    def english(match: re.Match[str]) -> str:
        number, _ = MONTHS.get(plain(match[0]), (0, False))
        return match[0] if not number else month_name[number] if full else month_abbr[number]

    return texts.str.replace(r"[A-Za-zÀ-ž]{3,}", english, regex=True)


def _take(column: Column, times: Times, pattern: str) -> None:
    zone = column.timezone or "mixed" if times.zones == ("given",) else next(iter(times.zones), None)
    take_times(column, times)
    column.time_format, column.timezone, column.ambiguous = pattern, zone, False
    column.why = f"times written as {pattern}, as given"


def take_as_time(column: Column, options: TableOptions, what: str) -> None:
    """A column that the user names as the time must be one."""
    if column.kind == "time" or options.time_format is not None:
        return
    if column.numbers is not None and len(column.levels):
        values = column.numbers.values
        for coded, (low, high) in _EPOCHS.items():
            if (values >= low).all() and (values <= high).all():
                times, _ = _read(column, coded)
                if times is not None:
                    _take(column, times, coded)
                    return
    times = read_times(column.levels) if len(column.levels) else None
    level = times.wrong[0] if times is not None and times.wrong else 0
    value = column.levels[level] if len(column.levels) else ""
    shown = options.remedy("time_format", "%d.%m.%Y %H:%M")
    raise InvalidInput(
        f"{what}: the time column {column.name!r} has {shortened(value, 40)!r} in row {column.first_row(level)}, "
        f"which is not a known time format. Say how it is written, for example {shown}, or name another column."
    )


def apply_timezone(columns: Sequence[Column], options: TableOptions) -> None:
    """Times without a zone are local times of the zone that the user names; those with one stay as they are."""
    zone = find_zone(options) if options.timezone is not None else None
    for column in columns:
        if column.kind != "time" or column.ambiguous:
            continue
        times = column.times
        both = times is not None and times.values is not None and times.zoned.any() and not times.zoned.all()
        mixed = times if both else None
        if mixed is not None and zone is None:
            first = column.levels[int((~mixed.zoned).argmax())]
            column.warnings.append(
                f"times with and without a zone are mixed, {first!r} has none: kept as text; say what they mean, "
                f"for example {options.remedy('timezone', 'Europe/Berlin')}"
            )
        elif mixed is not None and zone is not None:
            moments = pd.Series(mixed.values)
            bare = pd.Series(~mixed.zoned)
            local = _localized(moments[bare], zone).dt.tz_localize(None)
            moments[bare] = local.astype(moments.dtype)
            column.values = column.spread(moments.dt.tz_localize("UTC"))
        elif (
            zone is not None
            and column.values is not None
            and column.values.dtype.kind == "M"
            and getattr(column.values.dtype, "tz", None) is None
        ):
            column.values = _localized(column.values, zone)
            column.timezone = options.timezone


def _localized(moments: pd.Series[Any], zone: ZoneInfo) -> pd.Series[Any]:
    # a clock set back gives one time twice: the earlier is meant, as Python has it
    local = moments.dt.tz_localize(zone, ambiguous=np.ones(len(moments), dtype=bool), nonexistent="shift_forward")
    moments_in_utc: pd.Series[Any] = local.dt.tz_convert("UTC")
    return moments_in_utc
