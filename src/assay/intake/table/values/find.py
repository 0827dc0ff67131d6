"""What a column of texts holds: booleans, numbers, times or texts, whichever fits every cell."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from assay.core.display import counted, shortened
from assay.intake.table.values.column import Column
from assay.intake.table.values.numbers import Mark, Numbers, are_numbers, read_numbers
from assay.intake.table.values.times import Times, read_times
from assay.intake.table.values.words import BOOLEANS, MISSING_NUMBERS, plain, says

__all__ = ["find_values", "is_plausible", "take_times"]

_EXACT = ("identifier", "case", "code")  # names of columns in which every text counts
_DURATION = re.compile(r"^(\d{1,4}):(\d\d)(?::(\d\d)([.,]\d+)?)?$")
_LONGEST_WORD, _MOST_WORDS = max(map(len, MISSING_NUMBERS)), 5000


def find_values(column: Column, decimal: Mark | None, order: str | None = None) -> None:
    """Find what a column of texts holds, and its values; ``order`` is that of dates which leave theirs open."""
    if column.native:
        return
    if not len(column.levels):
        column.kind, column.why = "empty", "empty throughout"
        return
    if (
        _as_boolean(column)
        or _as_number(column, decimal)
        or _as_duration(column)
        or _as_time(column, order)
        or _apart_from_strays(column, decimal)
    ):
        return
    column.kind, column.type = "text", "text"


def _as_boolean(column: Column) -> bool:
    if len(column.levels) > 12:
        return False
    words = [plain(text) for text in column.levels]
    for yes, no in BOOLEANS:
        if {*words} <= yes | no and {*words} & yes and {*words} & no:
            column.kind, column.type = "boolean", "boolean"
            column.values = column.spread(np.array([word in yes for word in words]))
            column.why = "yes or no: " + ", ".join(map(repr, column.levels[:4]))
            return True
    if {*words} <= {"x", "✓", "✔"} and column.missing:
        column.kind, column.type, column.why = "boolean", "boolean", f"{column.levels[0]!r} or nothing"
        column.values = column.texts().notna()
        return True
    return False


def _as_number(column: Column, decimal: Mark | None) -> bool:
    numbers = (
        column.numbers
        if column.numbers is not None and column.numbers.certain
        else read_numbers(column.levels, decimal)
    )
    if numbers is None:
        missing = _says_missing(column)
        if not missing.any() or missing.all() or column.counts()[missing].sum() > 0.9 * column.rows:
            return False
        numbers = read_numbers(column.levels[~missing].reset_index(drop=True), decimal)
        if numbers is None:
            return False
        column.warnings.append(f"{column.levels[int(missing.argmax())]!r} is read as missing")
        column.without(missing)
    _take_numbers(column, numbers)
    _leave_out_sentinels(column)
    return True


def _take_numbers(column: Column, numbers: Numbers) -> None:
    column.numbers, column.kind = numbers, "number"
    column.type = "integer" if numbers.integer else "float"
    column.values = column.spread(numbers.values)


def _says_missing(column: Column) -> np.ndarray[Any, Any]:
    """Which texts mean a missing value among numbers or times."""
    missing = np.zeros(len(column.levels), dtype=bool)
    short = (column.levels.str.len() <= _LONGEST_WORD) & column.levels.str.contains(r"\D")
    places = np.flatnonzero(short.to_numpy())
    if len(places) <= _MOST_WORDS:  # so many different texts are not words for a missing value
        missing[places] = [plain(text) in MISSING_NUMBERS for text in column.levels.iloc[places]]
    return missing


def _leave_out_sentinels(column: Column) -> None:
    """Numbers such as 999 and -99 that lie far outside of all others stand for a missing value."""
    assert column.numbers is not None
    values = column.numbers.values.astype(float)
    if len(values) < 8:
        return
    drop = np.zeros(len(values), dtype=bool)
    for place in np.flatnonzero(np.isin(np.abs(values), [9, 99, 999, 9999, 99999, 999999, 88, 888, 8888])):
        others = np.delete(values, place)
        low, high = others.min(), others.max()
        if values[place] > 0:
            drop[place] = values[place] >= 99 and values[place] - high > 2 * max(high - low, abs(high), 1.0)
        else:
            drop[place] = low >= 0 or low - values[place] > 2 * max(high - low, 1.0)
    drop &= column.counts() > 1
    if drop.any() and drop.sum() <= 2:
        rows = int(column.counts()[drop].sum())
        sentinels = " and ".join(map(str, column.levels[drop]))
        column.warnings.append(
            f"{sentinels} is far outside the other values and is read as missing ({counted(rows, 'row')})"
        )
        column.numbers.values = column.numbers.values[~drop]
        column.without(drop)
        column.values = column.spread(column.numbers.values)


def _as_time(column: Column, order: str | None) -> bool:
    times = read_times(column.levels)
    if times is not None and times.wrong:
        missing = _says_missing(column)
        if missing.any():
            column.without(missing)
            times = read_times(column.levels)
    if times is not None and times.ambiguous and order in times.orders:
        times = read_times(column.levels, order)
    if times is None or times.wrong or not is_plausible(column, times):
        return False
    take_times(column, times)
    return True


def _as_duration(column: Column) -> bool:
    """Hours, minutes and seconds that are no time of day: by the name, or as they go past the end of a day.

    ``0:05:10`` without a zero in front, and no more than nine hours, is one too unless the name speaks of times.
    """
    if not _DURATION.match(column.levels[0]):
        return False
    parts = column.levels.str.extract(_DURATION.pattern)
    if parts[0].isna().any():
        return False
    first, second, third = (parts[place].fillna("0").astype(int).to_numpy() for place in range(3))
    long = parts[2].notna().to_numpy()
    if (long.any() and not long.all()) or (second > 59).any() or (third > 59).any():
        return False
    past = (first > 24).any()
    bare = long.all() and bool((parts[0].str.len() == 1).all()) and len(column.levels) >= 5
    named = says(column.name, "duration") or says(column.name, "measure")
    if not (named or past or (bare and not says(column.name, "time"))):
        return False
    seconds = first * 3600 + second * 60 + third if long.all() else first * 60 + second
    fraction = parts[3].notna().any()
    numbers = seconds + parts[3].fillna("0").str.replace(",", ".").astype(float).to_numpy() if fraction else seconds
    column.numbers = Numbers(numbers, integer=not fraction)
    column.numbers.unit = "s" if long.all() else "of the smaller part"
    column.kind, column.type = "number", "float" if fraction else "integer"
    column.values = column.spread(column.numbers.values)
    column.warnings.append(f"durations such as {column.levels[0]!r} are read as numbers of their smallest part")
    return True


def is_plausible(column: Column, times: Times) -> bool:
    """Whether texts that can be read as times are meant so."""
    return "compact" not in times.styles or len(column.levels) >= 8 or says(column.name, "time")


def take_times(column: Column, times: Times) -> None:
    """Treat a column as times."""
    column.kind, column.type, column.times = "time", "datetime", times
    column.time_format, column.ambiguous = times.format, times.ambiguous
    if times.zones:
        column.timezone = times.zones[0] if len(times.zones) == 1 and times.zoned.all() else "mixed"
    example = column.levels[0]
    if times.ambiguous:
        reason = "the rows contradict each other" if times.orders == ("contradicting",) else "no row tells"
        column.why = f"times such as {example!r}, day and month not told apart: {reason}"
        return
    column.why = f"times such as {example!r}"
    zoned = bool(times.zoned.all())
    if times.values is None or (times.zoned.any() and not zoned):
        return
    moments = pd.Series(times.values)
    column.values = column.spread(moments.dt.tz_localize("UTC") if zoned else moments)


def _apart_from_strays(column: Column, decimal: Mark | None) -> bool:
    """Numbers in which a few cells hold something else: these are named, and missing among the numbers.

    Where there are more, or where every text counts as in identifiers, the column stays text, with a warning.
    """
    if len(column.levels) < 5:
        return False
    fits, what = are_numbers(column.levels), "numbers"
    counts = column.counts()
    if counts[fits].sum() < 0.8 * column.rows:
        times = read_times(column.levels)
        if times is None:
            return False
        fits, what = np.ones(len(column.levels), dtype=bool), "times"
        fits[list(times.wrong)] = False
    strays = int(counts[~fits].sum())
    if not strays or strays > 0.2 * column.rows:
        return False
    level = int((~fits).argmax())
    where = f"{shortened(column.levels[level], 40)!r} in row {column.first_row(level)}"
    if what == "numbers" and strays <= 0.02 * column.rows and not any(says(column.name, each) for each in _EXACT):
        numbers = read_numbers(column.levels[fits].reset_index(drop=True), decimal)
        if numbers is not None:
            column.warnings.append(f"{where} is not a number: {counted(strays, 'such value')} read as missing")
            column.without(~fits)
            _take_numbers(column, numbers)
            return True
    column.warnings.append(f"most are {what}, but {where} is not: kept as text")
    return False
