"""Times of a table's column as nanoseconds in UTC, piece by piece, in the format that holds for the whole column."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core import InvalidInput
from assay.drift.logs.event_log import Times
from assay.drift.logs.timestamps import Clock
from assay.intake.table.options import TableOptions

__all__ = ["NUMBERED", "TimeColumn"]

NUMBERED = ("epoch-seconds", "epoch-milliseconds", "excel-serial")  # formats that are no texts
Place = Callable[[int], str]
Mask = npt.NDArray[np.bool_]
Ahead = npt.NDArray[np.int32]

_REGULAR = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?"
_ZONE = r"(?:Z|[+-]\d\d:\d\d)$"
_ZONE_AT_END = re.compile(r"(?:(?:UTC|GMT)?[+-]\d\d?(?::?\d\d)?|[A-Z]{3,4})$")
_UTC = ("UTC", "Etc/UTC")
_EXCEL_DAYS = 25_569  # from its first day to 1970
_FARTHEST = 9.2e9  # seconds: what 64 bits of nanoseconds hold


class TimeColumn:
    """The column of times: how they are written, and whether zones are named."""

    def __init__(self, name: str, options: TableOptions, *, time_format: str | None = None) -> None:
        self.name, self.options, self.time_format = name, options, time_format
        self.clock = Clock(options)
        self.styles: tuple[str, ...] = ()

    def read(self, column: pd.Series[Any], place: Place) -> tuple[Times, Ahead]:
        """Nanoseconds since 1970, and by how many seconds local time is ahead; ``place`` names a row of this piece."""
        stamps = self._read(column, place)
        return stamps, self._ahead(column, stamps)

    def _read(self, column: pd.Series[Any], place: Place) -> Times:
        missing = column.isna().to_numpy()
        if isinstance(column.dtype, pd.StringDtype):
            missing = missing | (column.str.strip() == "").to_numpy(dtype=bool, na_value=True)
        if missing.any():
            raise InvalidInput(
                f"{place(int(missing.argmax()))}: the time (column {self.name!r}) is empty. "
                "Fill it in or remove the row."
            )
        if isinstance(column.dtype, pd.DatetimeTZDtype) or pd.api.types.is_datetime64_dtype(column.dtype):
            return self._stamps(column)
        if self.time_format is None:
            return self._iso(column, place)
        if self.time_format in NUMBERED:
            stamps, wrong = self._numbers(column)
        elif self.options.time_format is not None:
            stamps, wrong = self._in_format(column)
        else:
            stamps, wrong = self._grammar(column, place)
        if wrong.any():
            row = int(wrong.argmax())
            raise InvalidInput(
                f"{place(row)}: {str(column.iloc[row])!r} is not a time in the format of column {self.name!r}, "
                f"{self.time_format}. Correct it, or give another format with "
                f"{self.options.remedy('time_format', '%Y-%m-%d %H:%M:%S')}."
            )
        return stamps

    def _numbers(self, column: pd.Series[Any]) -> tuple[Times, Mask]:
        """Seconds or milliseconds since 1970, or days since 1900 as Excel counts them."""
        texts = column.str.strip().str.replace(",", ".") if isinstance(column.dtype, pd.StringDtype) else column
        numbers = pd.to_numeric(texts, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        per_second = {"epoch-seconds": 1.0, "epoch-milliseconds": 1e3}.get(str(self.time_format), 1 / 86_400)
        seconds = numbers / per_second - (_EXCEL_DAYS * 86_400 if self.time_format == "excel-serial" else 0)
        wrong = ~(np.abs(seconds) < _FARTHEST)
        # of Excel's days, which are fractions, whole milliseconds are meant
        digits = 1000 if self.time_format == "excel-serial" else 1_000_000
        parts = np.rint(np.where(wrong, 0, seconds) * digits).astype(np.int64) * (1_000_000 // digits)
        moments = pd.Series(parts.astype("datetime64[us]"))
        if self.time_format == "excel-serial":
            return self._stamps(moments), wrong
        return self._stamps(moments.dt.tz_localize("UTC")), wrong

    def _in_format(self, column: pd.Series[Any]) -> tuple[Times, Mask]:
        """Texts in the format that the user named."""
        time_format = str(self.time_format)
        texts = column.astype("str").str.strip()
        if "%b" in time_format or "%B" in time_format:
            from assay.intake.table.overrides import english_months  # with Arrow, as below

            texts = english_months(texts, full="%B" in time_format)
        aware = "%z" in time_format or "%Z" in time_format
        try:
            parsed = pd.to_datetime(texts, format=time_format, errors="coerce", utc=aware)
        except (ValueError, TypeError, OverflowError) as error:
            raise InvalidInput(
                f"The time format {time_format!r} is not valid ({error}). Write it as %d.%m.%Y %H:%M."
            ) from None
        wrong = parsed.isna().to_numpy()
        return self._stamps(parsed.fillna(pd.Timestamp(0, tz="UTC" if aware else None))), wrong

    def _grammar(self, column: pd.Series[Any], place: Place) -> tuple[Times, Mask]:
        """Texts in the format that was found, in which the order of day and month holds for the whole column."""
        codes, levels = pd.factorize(column.astype("str").str.strip())
        from assay.intake.table.values.times import read_times

        reading = read_times(pd.Series(levels, dtype="str"), order=_order(str(self.time_format)))
        wrong = np.ones(len(levels), dtype=bool)
        if reading is None or reading.values is None or not set(reading.styles) <= set(self.styles or reading.styles):
            return np.zeros(len(column), dtype=np.int64), wrong[codes]
        self.styles = self.styles or reading.styles
        wrong[:] = False
        wrong[list(reading.wrong)] = True
        wrong |= np.isnat(reading.values)
        self._see(reading.zoned[codes], place)
        moments: pd.Series[Any] = pd.Series(np.where(wrong, np.datetime64(0, "us"), reading.values))
        stamps = np.where(reading.zoned, self._stamps(moments.dt.tz_localize("UTC")), self._stamps(moments))
        return stamps[codes], wrong[codes]

    def _iso(self, column: pd.Series[Any], place: Place) -> Times:
        """Regular texts all at once; others one by one, where errors name the row."""
        if isinstance(column.dtype, pd.StringDtype):
            texts = column.str.strip()
            if texts.str.fullmatch(_REGULAR).all():
                aware = texts.str.contains(_ZONE, regex=True).to_numpy(dtype=bool)
                self._see(aware, place)
                try:
                    if aware.all() or not aware.any():
                        stamps = self._stamps(pd.to_datetime(texts, format="ISO8601", utc=bool(aware.all())))
                        return stamps // 1000 * 1000  # whole microseconds, as Python reads them
                except (ValueError, InvalidInput):
                    pass  # a day that does not exist, or a year out of range: refused below with its row
        stamps = np.empty(len(column), dtype=np.int64)
        for row, value in enumerate(column):
            text = value if isinstance(value, str) else _iso(value)
            stamps[row] = self.clock.read(text.strip(), lambda row=row: place(row))[0]  # type: ignore[misc]
        return stamps

    def _see(self, aware: Mask, place: Place) -> None:
        for kind in (True, False):
            if (aware == kind).any():
                first = int((aware == kind).argmax())
                self.clock.see(aware=kind, place=lambda first=first: place(first))  # type: ignore[misc]

    def _ahead(self, column: pd.Series[Any], stamps: Times) -> Ahead:
        """By how many seconds local time is ahead of UTC: in the zone that the user gives, else as the column says."""
        own = column.dtype.tz if isinstance(column.dtype, pd.DatetimeTZDtype) else None
        zone = self.clock.zone if self.options.timezone is not None else own
        if zone is not None:
            local = pd.DatetimeIndex(stamps).tz_localize("UTC").tz_convert(zone).tz_localize(None)
            return ((local.as_unit("ns").asi8 - stamps) // 10**9).astype(np.int32)
        if self.clock.first_aware is None and not str(self.time_format).endswith(("%z", "%Z")):
            return np.zeros(len(stamps), dtype=np.int32)
        from assay.intake.table.values.times import offset_minutes

        ends = column.astype("str").str.strip().str.replace(r"\s?\[[\w/]+\]$", "", regex=True).str[-9:]
        codes, levels = pd.factorize(ends)
        zones = (_ZONE_AT_END.search(level) for level in levels)
        minutes = [offset_minutes(match.group()) if match else 0 for match in zones]
        return 60 * np.array(minutes, dtype=np.int32)[codes]

    def _stamps(self, column: pd.Series[Any]) -> Times:
        """Times as pandas holds them; bare ones are in the user's zone."""
        if not isinstance(column.dtype, pd.DatetimeTZDtype):
            column = self._localized(column)
        years = column.dt.year
        if not 1678 <= int(years.min()) <= int(years.max()) <= 2261:
            raise InvalidInput(f"column {self.name!r}: a time lies outside the years 1678 to 2261. Correct it.")
        bare = column.dt.tz_convert("UTC").dt.tz_localize(None)
        stamps: Times = bare.to_numpy(dtype="datetime64[ns]").astype(np.int64)
        return stamps

    def _localized(self, column: pd.Series[Any]) -> pd.Series[Any]:
        """Bare times with their zone, as Python has it.

        Of a time that a clock set back gives twice, the earlier is meant; one that a clock set forward leaves out has
        the offset from before.
        """
        if self.options.timezone is None or self.options.timezone in _UTC:
            in_utc: pd.Series[Any] = column.dt.tz_localize("UTC")
            return in_utc
        zoned: pd.Series[Any] = column.dt.tz_localize(
            self.clock.zone, ambiguous=np.ones(len(column), dtype=bool), nonexistent="NaT"
        ).dt.tz_convert("UTC")
        for row in np.flatnonzero(zoned.isna()):
            zoned.iloc[int(row)] = pd.Timestamp(column.iloc[int(row)].to_pydatetime().replace(tzinfo=self.clock.zone))
        return zoned


def _order(time_format: str) -> str:
    """The order of day, month and year in a format.

    >>> _order("%d.%m.%Y %H:%M")
    'dmy'
    """
    return "".join(letter.lower() for letter in re.findall("%([dmyY])", time_format))


def _iso(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
