"""Times written as numbers: seconds since 1970, Excel's days, years, months, weeks; names and plausibility count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from assay.intake.table.values.column import Column
from assay.intake.table.values.find import is_plausible, take_times
from assay.intake.table.values.numbers import Numbers
from assay.intake.table.values.times import read_times
from assay.intake.table.values.words import MONTHS, plain, says, tokens

__all__ = ["find_coded_times"]

_EPOCHS: Final = {
    "epoch-seconds": 1,
    "epoch-milliseconds": 10**3,
    "epoch-microseconds": 10**6,
    "epoch-nanoseconds": 10**9,
}
_EPOCH_UNITS: Final = frozenset(
    ["ms", "s", "sec", "secs", "seconds", "sekunden", "millis", "milliseconds", "us", "micros", "ns", "nanos"]
)
_UNNAMED = 1_000_000_000
_FIRST, _LAST = 631_152_000, 2_208_988_800  # 1990 to 2039
_PARTS: Final = {
    "year": ("%Y", 1800, 2200), "month": ("%m", 1, 12), "day": ("%d", 1, 31), "hour": ("%H", 0, 23),
    "minute": ("%M", 0, 59), "second": ("%S", 0, 59), "week": ("%V", 1, 53), "quarter": ("quarter", 1, 4),
}  # fmt: skip


def find_coded_times(columns: Sequence[Column], *, header: bool) -> None:
    """Treat columns of numbers as times where their names and values say so."""
    for column in columns:
        if column.kind == "number" and (numbers := column.numbers) is not None:
            (
                _as_epoch(column, numbers, header)
                or _as_part(column, numbers)
                or _as_year_month(column, numbers)
                or _as_compact(column, numbers)
            )
        elif column.kind == "text" and column.distinct <= 40:
            _as_month_name(column)
    dated = any(column.kind == "time" for column in columns)
    for column in columns:
        if column.kind in ("number", "text"):
            _as_compact_clock(column, dated=dated)
    serials = [column for column in columns if column.kind == "number" and _could_be_serial(column)]
    days = [column for column in serials if says(column.name, "time") and not says(column.name, "measure")]
    for column in serials:
        same_day = any(other is not column and _follows(column, other) for other in days)
        if (column in days and (column.distinct > 1 or column.rows == 1)) or same_day:
            _take(column, "excel-serial", np.datetime64("1899-12-30", "us") + _micros(column, 86_400_000_000))
            column.why = f"days as Excel counts them: {column.levels[0]}"


def _micros(column: Column, factor: float) -> Any:
    assert column.numbers is not None
    return np.round(column.numbers.values.astype(float) * factor).astype("timedelta64[us]")


def _take(column: Column, time_format: str, moments: np.ndarray[Any, Any] | None) -> None:
    column.kind, column.time_format = "time", time_format
    if moments is not None:
        column.values = column.spread(moments)


def _as_epoch(column: Column, numbers: Numbers, header: bool) -> bool:
    values = numbers.values.astype(float)
    words = [word for word in tokens(column.name) if word not in _EPOCH_UNITS]
    named = any(says(word, "time") for word in words) and not any(says(word, "measure") for word in words)
    # without names: numbers of ten digits or more that lie within some years of each other
    alike = not header and len(values) >= 5 and bool(values.min() >= _UNNAMED) and values.max() < 1.35 * values.min()
    if not (named or alike) or numbers.unit or (not numbers.integer and not named):
        return False
    for name, factor in _EPOCHS.items():
        if (values >= _FIRST * factor).all() and (values <= _LAST * factor).all():
            _take(column, name, np.datetime64(0, "us") + np.round(values * (1e6 / factor)).astype("timedelta64[us]"))
            column.why = f"{name.removeprefix('epoch-')} since 1970: {column.levels[0]}"
            column.timezone = "UTC"
            assert column.values is not None
            column.values = column.values.dt.tz_localize("UTC")
            return True
    return False


def _could_be_serial(column: Column) -> bool:
    if column.numbers is None or column.numbers.unit or column.numbers.thousands:
        return False
    values = column.numbers.values
    return bool((values >= 20_000).all() and (values < 62_000).all())


def _follows(column: Column, other: Column) -> bool:
    """Whether a column is the day of another with the time of day behind it."""
    if (
        column.numbers is None
        or other.numbers is None
        or column.numbers.integer
        or len(column.codes) != len(other.codes)
    ):
        return False
    both = (column.codes >= 0) & (other.codes >= 0)
    own = np.floor(column.numbers.values[column.codes[both]].astype(float))
    days = np.floor(other.numbers.values[other.codes[both]].astype(float))
    return bool(len(own) and (np.abs(own - days) <= 31).mean() > 0.95)


def _as_part(column: Column, numbers: Numbers) -> bool:
    """A year, month, day or the like in a column of its own."""
    if not numbers.integer or numbers.unit:
        return False
    words = tokens(column.name)
    for part, (code, low, high) in _PARTS.items():
        if not (
            says(words[-1] if words else "", part)
            or (len(words) <= 2 and part == "year" and says(words[0] if words else "", part))
        ):
            continue
        if len(words) > 2 or (len(words) == 2 and not _is_plain_part(words, part)):
            continue
        values = numbers.values
        if (values >= low).all() and (values <= high).all():
            _take(column, code, None)
            column.why = f"a {part} in a column of its own"
            return True
    return False


def _is_plain_part(words: tuple[str, ...], part: str) -> bool:
    """``order month``, ``calendar week``; but not ``charge min`` or ``temp day``."""
    return part in ("year", "month", "week", "quarter") and not any(
        says(word, "measure") for word in words if not says(word, part)
    )


def _as_year_month(column: Column, numbers: Numbers) -> bool:
    """202301 under a name that speaks of months."""
    values = numbers.values
    if not numbers.integer or not any(says(column.name, part) for part in ("month", "time")):
        return False
    years, months = values // 100, values % 100
    if not ((years >= 1900) & (years <= 2100) & (months >= 1) & (months <= 12)).all():
        return False
    moments = (years - 1970).astype("datetime64[Y]").astype("datetime64[M]") + (months - 1).astype("timedelta64[M]")
    _take(column, "%Y%m", moments.astype("datetime64[us]"))
    column.why = f"year and month: {column.levels[0]}"
    return True


def _as_compact(column: Column, numbers: Numbers) -> bool:
    """20230131 and 20230131134500: numbers that are all days of the calendar."""
    lengths = set(column.levels.str.len())
    if not numbers.integer or numbers.thousands or not lengths <= {8, 12, 14} or says(column.name, "measure"):
        return False
    times = read_times(column.levels)
    if times is None or times.wrong or times.styles != ("compact",) or not is_plausible(column, times):
        return False
    take_times(column, times)
    return True


def _as_compact_clock(column: Column, *, dated: bool) -> None:
    """081530 and 0815 under a name that speaks of times, or beside a date where every one of many is a time of day."""
    lengths = set(column.levels.str.len())
    if column.numbers is not None and column.kind == "number" and not column.numbers.integer:
        return
    longest = max(lengths, default=0)
    padded = lengths == {longest} and bool(column.levels.str.startswith("0").any())
    named = (
        any(says(word, "time") for word in tokens(column.name))
        and not says(column.name, "measure")
        and not says(column.name, "duration")
    )
    many = padded and longest == 6 and dated and column.distinct >= 30
    if longest not in (4, 6) or not ((named and (padded or longest == 6) and column.distinct >= 5) or many):
        return
    if not (lengths == {longest} or (column.kind == "number" and lengths <= {longest, longest - 1})):
        return
    if not column.levels.str.zfill(longest).str.fullmatch(r"([01]\d|2[0-3])[0-5]\d([0-5]\d)?").all():
        return
    _take(column, "%H%M%S" if longest == 6 else "%H%M", None)
    column.why = f"times of day such as {column.levels[0]!r}"
    column.type = "datetime"
    column.values = None


def _as_month_name(column: Column) -> None:
    words = [plain(text).strip(".") for text in column.levels]
    if len(words) > 1 and all(word in MONTHS for word in words) and (len(words) > 3 or says(column.name, "month")):
        full = any(MONTHS[word][1] and len(word) > 3 for word in words)
        _take(column, "%B" if full else "%b", None)
        column.why = f"names of months: {column.levels[0]!r}"
