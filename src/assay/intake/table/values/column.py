"""A column while it is read: its different texts or values, and where each stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from assay.intake.table.column_reading import Type
from assay.intake.table.values.numbers import Numbers
from assay.intake.table.values.times import Times
from assay.intake.table.values.words import MISSING, says

__all__ = ["Column", "native_column", "text_column"]


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

    def spread(self, values: np.ndarray[Any, Any] | pd.Series[Any]) -> pd.Series[Any]:
        """Values of the levels, put into the rows."""
        series = pd.Series(values)
        if not self.missing:
            return series.take(self.codes).reset_index(drop=True)
        if series.dtype.kind == "i":
            series = series.astype("Int64")
        if series.dtype.kind == "b":
            series = series.astype("boolean")
        return series.reindex(self.codes).reset_index(drop=True)

    def without(self, drop: np.ndarray[Any, Any]) -> None:
        """Treat levels as missing."""
        lookup = np.full(len(self.levels) + 1, -1)
        lookup[:-1][~drop] = np.arange(int((~drop).sum()))
        self.codes = lookup[self.codes]
        self.levels = self.levels[~drop].reset_index(drop=True)

    def texts(self) -> pd.Series[Any]:
        """All rows as texts, with nothing where nothing is there."""
        return pd.Series(self.levels.reindex(self.codes).to_numpy(), dtype="str")


def text_column(name: str, place: int, cells: pd.Series[Any]) -> Column:
    """A column of texts, with those that say that nothing is there left out."""
    codes, levels = pd.factorize(cells)
    column = Column(name, place, pd.Series(levels, dtype="str"), codes)
    missing = column.levels.str.lower().isin(MISSING).to_numpy()
    if missing.any():
        if says(name, "country") and column.levels[~missing].str.fullmatch("[A-Z]{2}").all() and (~missing).sum() > 2:
            missing = missing & (column.levels != "NA").to_numpy()  # Namibia
        if set(column.levels) != {"+", "-"}:
            column.without(missing)
    return column


def native_column(name: str, place: int, series: pd.Series[Any]) -> Column:
    """A column that has a type already; texts are read as those of a file."""
    kind = series.dtype.kind
    if isinstance(series.dtype, pd.CategoricalDtype):
        own = series.cat.categories.dtype
        return native_column(name, place, series.astype(object if series.isna().any() and own.kind in "iub" else own))
    if kind not in "biufM" and not isinstance(series.dtype, pd.DatetimeTZDtype):
        there = series.dropna()
        inferred = pd.api.types.infer_dtype(there, skipna=True)
        if inferred in ("datetime", "datetime64", "date"):
            return native_column(name, place, pd.to_datetime(series, utc=_aware(there)))
        if inferred == "boolean":
            return native_column(name, place, series.astype("boolean"))
        if inferred in ("integer", "floating", "mixed-integer-float", "decimal"):
            numbers = pd.to_numeric(series)
            if numbers.dtype.kind in "iuf":  # whole numbers of more than 64 bits are no numbers of a table's
                return native_column(name, place, numbers)
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
        largest = np.abs(np.asarray(levels, dtype=float)).max(initial=0)
        if kind == "f" and whole and largest < 2**53:
            values = values.astype("Int64")
        column.kind, column.type = "number", "integer" if whole else "float"
        column.numbers = Numbers(np.asarray(levels, dtype=np.int64 if whole and largest < 2**63 else np.float64), whole)
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
