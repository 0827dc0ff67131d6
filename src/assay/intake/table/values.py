"""Columns of texts as columns of values: booleans, numbers, times or texts, whichever fits every cell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.display import counted, shortened
from assay.intake.table.numbers import Mark, Numbers, read_numbers
from assay.intake.table.reading import Type
from assay.intake.table.separators import kind_of
from assay.intake.table.times import Times, read_times
from assay.intake.table.words import BOOLEANS, MISSING, MISSING_NUMBERS, plain, says

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Column", "find_values", "native_column", "text_column"]


@dataclass(slots=True)
class Column:
    """A column while it is read: its different texts, where each stands, and what they were found to be."""

    name: str
    place: int
    levels: pd.Series[Any]  # the different texts, in the order of their first rows
    codes: np.ndarray[Any, Any]  # of each row the place in levels, -1 where nothing is there
    kind: str = "text"  # empty, boolean, number, time or text
    type: Type = "text"
    values: pd.Series[Any] | None = None  # of all rows, where they are more than texts
    numbers: Numbers | None = None
    times: Times | None = None
    time_format: str | None = None
    timezone: str | None = None
    ambiguous: bool = False
    native: bool = False  # it came with its type
    why: str = ""
    warnings: list[str] = field(default_factory=list)
    role: str = ""

    @property
    def rows(self) -> int:
        """How many rows have a value."""
        return int((self.codes >= 0).sum())

    @property
    def missing(self) -> int:
        """How many rows have none."""
        return int((self.codes < 0).sum())

    @property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(self.levels)

    @property
    def share(self) -> float:
        """Different values per row: 1 where each stands once."""
        return self.distinct / self.rows if self.rows else 0.0

    def counts(self) -> np.ndarray[Any, Any]:
        """How often each level stands."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))

    def first_row(self, level: int) -> int:
        """The first row of a level, counted from 1."""
        return int(np.argmax(self.codes == level)) + 1

    def spread(self, values: np.ndarray[Any, Any]) -> pd.Series[Any]:
        """Values of the levels, put into the rows."""
        import pandas as pd

        series = pd.Series(values)
        if not self.missing:
            return series.take(self.codes).reset_index(drop=True)
        if series.dtype.kind == "i":
            series = series.astype("Int64")
        if series.dtype.kind == "b":
            series = series.astype("boolean")
        return series.reindex(self.codes).reset_index(drop=True)

    def without(self, drop: np.ndarray[Any, Any]) -> None:
        """Take levels for missing."""
        lookup = np.full(len(self.levels) + 1, -1)
        lookup[:-1][~drop] = np.arange(int((~drop).sum()))
        self.codes = lookup[self.codes]
        self.levels = self.levels[~drop].reset_index(drop=True)

    def texts(self) -> pd.Series[Any]:
        """All rows as texts, with nothing where nothing is there."""
        import pandas as pd

        return pd.Series(self.levels.reindex(self.codes).to_numpy(), dtype="str")


def text_column(name: str, place: int, cells: pd.Series[Any]) -> Column:
    """A column of texts, with those that say that nothing is there left out."""
    import pandas as pd

    codes, levels = pd.factorize(cells)
    column = Column(name, place, pd.Series(levels, dtype="str"), codes)
    said = column.levels.str.lower().isin(MISSING).to_numpy()
    if said.any():
        if says(name, "country") and column.levels[~said].str.fullmatch("[A-Z]{2}").all() and (~said).sum() > 2:
            said = said & (column.levels != "NA").to_numpy()  # Namibia
        column.without(said)
    return column


def native_column(name: str, place: int, series: pd.Series[Any]) -> Column:
    """A column that has a type already; texts are read as those of a file."""
    import pandas as pd

    kind = series.dtype.kind
    if isinstance(series.dtype, pd.CategoricalDtype):
        return native_column(name, place, series.astype(series.cat.categories.dtype))
    if kind not in "biufM" and not isinstance(series.dtype, pd.DatetimeTZDtype):
        there = series.dropna()
        inferred = pd.api.types.infer_dtype(there, skipna=True)
        if inferred in ("datetime", "datetime64", "date"):
            return native_column(name, place, pd.to_datetime(series, utc=_aware(there)))
        if inferred == "boolean":
            return native_column(name, place, series.astype("boolean"))
        if inferred in ("integer", "floating", "mixed-integer-float", "decimal"):
            return native_column(name, place, pd.to_numeric(series))
        texts = series.where(series.notna(), "").map(lambda value: value if isinstance(value, str) else str(value))
        return text_column(name, place, texts.astype("str").str.strip())
    codes, levels = pd.factorize(series)
    column = Column(name, place, pd.Series(levels).map(str).astype("str"), codes, native=True)
    values = series.reset_index(drop=True)
    if kind == "b":
        column.kind, column.type, column.why = "boolean", "boolean", "true or false"
    elif kind in "iuf":
        whole = kind in "iu" or (
            kind == "f" and column.missing > 0 and bool((np.mod(levels, 1) == 0).all()) and len(levels) > 0
        )
        if kind == "f" and whole:
            values = values.astype("Int64") if np.abs(np.asarray(levels, dtype=float)).max() < 2**53 else values
        column.kind, column.type = "number", "integer" if whole else "float"
        column.numbers = Numbers(np.asarray(levels, dtype=np.int64 if whole else np.float64), whole)
        if not len(levels):
            column.kind = "empty"
    else:
        column.kind, column.type, column.time_format, column.why = "time", "datetime", "native timestamp", "timestamps"
        zone = getattr(series.dtype, "tz", None)
        if zone is not None:
            column.timezone = str(zone)
            values = values.dt.tz_convert("UTC")
    column.values = values
    return column


def _aware(values: pd.Series[Any]) -> bool:
    return any(getattr(value, "tzinfo", None) is not None for value in values)


def find_values(column: Column, decimal: Mark | None) -> None:
    """Find what a column of texts holds, and its values."""
    if column.native:
        return
    if not len(column.levels):
        column.kind, column.why = "empty", "empty throughout"
        return
    if _as_boolean(column) or _as_number(column, decimal) or _as_time(column):
        return
    column.kind, column.type = "text", "text"
    _warn_of_strays(column)


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
    numbers = read_numbers(column.levels, decimal)
    if numbers is None:
        said = column.levels.map(plain).isin(MISSING_NUMBERS).to_numpy()
        if not said.any() or said.all() or column.counts()[said].sum() > 0.9 * column.rows:
            return False
        numbers = read_numbers(column.levels[~said].reset_index(drop=True), decimal)
        if numbers is None:
            return False
        column.warnings.append(f"{column.levels[int(said.argmax())]!r} is read as missing")
        column.without(said)
    column.numbers, column.kind = numbers, "number"
    column.type = "integer" if numbers.integer else "float"
    column.values = column.spread(numbers.values)
    _leave_out_sentinels(column)
    return True


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
        width = max(high - low, abs(high), 1.0)
        value = values[place]
        repeated = column.counts()[place] > 1
        if value < 0 and low >= 0 and repeated and (value <= -9):
            drop[place] = True
        elif value > 0 and repeated and value - high > 2 * width and value >= 99:
            drop[place] = True
        elif value < 0 and repeated and low - value > 2 * max(high - low, 1.0):
            drop[place] = True
    if drop.any() and drop.sum() <= 2:
        rows = int(column.counts()[drop].sum())
        told = " and ".join(map(str, column.levels[drop]))
        column.warnings.append(f"{told} lies far outside of the others and is read as missing ({counted(rows, 'row')})")
        column.numbers.values = column.numbers.values[~drop]
        column.without(drop)
        column.values = column.spread(column.numbers.values)


def _as_time(column: Column) -> bool:
    times = read_times(column.levels)
    if times is not None and times.wrong:
        said = column.levels.map(plain).isin(MISSING_NUMBERS).to_numpy()
        if said.any():
            column.without(said)
            times = read_times(column.levels)
    if times is None or (times.wrong and not times.ambiguous):
        return False
    if times.wrong:
        return False
    if times.styles == ("clock",) and _as_duration(column):
        return True
    if not is_plausible(column, times):
        return False
    take_times(column, times)
    return True


def _as_duration(column: Column) -> bool:
    """Hours and minutes that are no time of day: by the name, or because they go past the end of a day."""
    parts = column.levels.str.extract(r"^(\d+):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?$")
    if parts[0].isna().any() or not (says(column.name, "duration") or says(column.name, "measure")):
        return False
    first, second, third = (parts[place].fillna("0").astype(int).to_numpy() for place in range(3))
    long = parts[2].notna().to_numpy()
    if long.any() and not long.all():
        return False
    column.numbers = Numbers(first * 3600 + second * 60 + third if long.all() else first * 60 + second, integer=True)
    column.numbers.unit = "s" if long.all() else "of the smaller part"
    column.kind, column.type, column.values = "number", "integer", column.spread(column.numbers.values)
    column.warnings.append(f"durations such as {column.levels[0]!r} are read as numbers of their smallest part")
    return True


def is_plausible(column: Column, times: Times) -> bool:
    """Whether texts that can be read as times are meant so."""
    if "compact" in times.styles:
        return len(column.levels) >= 8 or says(column.name, "time")
    return True


def take_times(column: Column, times: Times) -> None:
    """Take a column for times."""
    import pandas as pd

    column.kind, column.type, column.times = "time", "datetime", times
    column.time_format, column.ambiguous = times.format, times.ambiguous
    if times.zones:
        column.timezone = times.zones[0] if len(times.zones) == 1 and times.zoned.all() else "mixed"
    example = column.levels[0]
    if times.ambiguous:
        told = "the rows contradict each other" if times.orders == ("contradicting",) else "no row tells"
        column.why = f"times such as {example!r}, day and month not told apart: {told}"
        return
    column.why = f"times such as {example!r}"
    if times.values is None:
        return
    if times.zoned.all():
        moments = pd.Series(times.values).dt.tz_localize("UTC")
    elif times.zoned.any():
        return
    else:
        moments = pd.Series(times.values)
    column.values = moments.reindex(column.codes).reset_index(drop=True)


def _warn_of_strays(column: Column) -> None:
    """Say it where a few cells alone keep a column from being numbers or times."""
    if len(column.levels) < 5:
        return
    counts = column.counts()
    sample = column.levels[:500]
    fits = np.array([kind_of(text) == "number" for text in sample])
    what = "numbers"
    if fits.mean() < 0.8:
        times = read_times(column.levels)
        if times is None:
            return
        fits, what = np.ones(len(column.levels), dtype=bool), "times"
        fits[list(times.wrong)] = False
    share = counts[: len(fits)][fits].sum() / max(counts[: len(fits)].sum(), 1)
    if 0.8 <= share < 1:
        level = int((~fits).argmax())
        column.warnings.append(
            f"most are {what}, but {shortened(column.levels[level], 40)!r} in row {column.first_row(level)} is not: kept as text"
        )
