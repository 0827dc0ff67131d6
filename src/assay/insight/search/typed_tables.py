"""Tables as the search sees them: what each column holds, and the columns of other tables within reach."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core.arrays import FloatArray
from assay.insight.search.kernels import KERNELS

__all__ = ["SELF", "Column", "Kind", "Ref", "Stack", "TableData", "TypedTable", "kind_of", "read_typed", "words_of"]

Kind: TypeAlias = Literal["number", "date", "category", "list", "key", "text", "nothing"]

SELF = ""  # the name of the primary table
MOST_LEVELS = 40
_LOOKED_AT = 400
_DATE = re.compile(r"^\s*(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}/\d{1,2}/\d{4}|\d{4}/\d{1,2}/\d{1,2})")
_MEASURE = re.compile(r"^\s*[-+$€£]?\d[\d,]*(\.\d+)?\s*[A-Za-z%€$£/]{0,6}\s*$")
_KEY_NAME = re.compile(r"(^|_|\b)(id|key|code|uuid|number|no|num|zip|zipcode|phone)$", re.IGNORECASE)
_SPELLED = frozenset({"true", "false", "yes", "no", "y", "n", "t", "f"})


def words_of(name: str) -> str:
    """A column's or file's name as words.

    >>> words_of("customerOrders_table.csv")
    'customer orders'
    """
    stem = re.sub(r"\.csv$", "", name)
    stem = re.sub(r"[_\s]*table$", "", stem)
    stem = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", stem)
    return re.sub(r"[\W_]+", " ", stem).strip().lower() or "rows"


@dataclass(frozen=True, slots=True)
class Ref:
    """A column seen from a table: its own, or that of another table where its key is found; no name, no column."""

    column: str
    key: Ref | None = None
    table: str = ""
    other: str = ""

    @property
    def words(self) -> str:
        """Its name in words."""
        if not self.column:
            return "table"
        return words_of(self.column) if self.key is None else f"{words_of(self.column)} of {words_of(self.table)}"

    def in_table(self) -> str:
        """As an expression over the whole table ``t``."""
        if not self.column:  # one key for all rows
            return "pd.Series(np.zeros(len(t)))"
        if self.key is None:
            return f"t[{self.column!r}]"
        keys = self.key.in_table()
        return f"joined(kept, aux_dataframes, {keys}, {self.table!r}, {self.other!r}, {self.column!r})"

    def in_row(self) -> str:
        """As an expression over one row."""
        if not self.column:
            return "0"
        if self.key is None:
            return f"row[{self.column!r}]"
        lookup = f"look_up(kept, aux_dataframes, {self.table!r}, {self.other!r}, {self.column!r})"
        return f"{lookup}.get(key_of({self.key.in_row()}))"

    @property
    def own(self) -> str:
        """The column of the table itself that the value comes from."""
        return self.column if self.key is None else self.key.own

    @property
    def hops(self) -> int:
        """The number of look-ups on the way."""
        return 0 if self.key is None else 1 + self.key.hops


@dataclass(frozen=True, slots=True)
class Column:
    """A column within reach and what it holds; ``levels`` are the values of a category, most frequent first."""

    ref: Ref
    kind: Kind
    distinct: int = 0
    whole: bool = False
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stack:
    """Two tables as one: their names, the columns that both have, and the date of either."""

    first: str  # SELF, or an auxiliary table
    second: str
    columns: tuple[str, ...]
    dates: tuple[str, ...] = ()

    def code(self, first: str) -> str:
        """The rows of both."""
        return f"stacked({first}, aux_dataframes[{self.second!r}], {[*self.columns]!r}, {self.dates!r})"


@dataclass(slots=True)
class TypedTable:
    """One table: its name (SELF for the primary table), its rows, its columns within reach."""

    name: str
    frame: pd.DataFrame
    columns: list[Column] = field(default_factory=list)
    clock: Ref | None = None  # when its rows happened
    stack: Stack | None = None  # where it is two tables as one

    @property
    def words(self) -> str:
        """Its name in words."""
        return "rows" if self.name == SELF else words_of(self.name)

    def of(self, *kinds: Kind) -> list[Column]:
        """The columns of some kinds."""
        return [column for column in self.columns if column.kind in kinds]


class TableData:
    """The tables, and values of expressions over them, each computed once."""

    def __init__(self, primary: pd.DataFrame, tables: Mapping[str, pd.DataFrame]) -> None:
        self.frames: dict[str, pd.DataFrame] = {SELF: primary, **tables}
        self._names: dict[str, Any] = {**KERNELS, "np": np, "pd": pd, "kept": {}, "aux_dataframes": self.frames}
        self._values: dict[tuple[str, str], Any] = {}

    def values(self, table: str, code: str) -> Any:
        """The value of an expression over a table, computed with the kernels that feature functions use."""
        if (table, code) not in self._values:
            names = {**self._names, "t": self.frames[table]}
            self._values[table, code] = eval(code, names)
        return self._values[table, code]

    def numbers(self, table: str, ref: Ref) -> FloatArray:
        """A column as numbers."""
        return np.asarray(self.values(table, f"numbers_of({ref.in_table()})"), dtype=np.float64)

    def days(self, table: str, ref: Ref) -> FloatArray:
        """A column as days."""
        return np.asarray(self.values(table, f"days_of({ref.in_table()})"), dtype=np.float64)

    def keys(self, table: str, ref: Ref) -> npt.NDArray[Any]:
        """A column as keys."""
        return np.asarray(self.values(table, f"keys_of({ref.in_table()})"))

    def key_set(self, table: str, ref: Ref) -> frozenset[str]:
        """The different keys of a column."""
        return frozenset(self.values(table, f"frozenset(keys_of({ref.in_table()})) - {{None}}"))


def kind_of(values: pd.Series[Any], name: str) -> Kind:
    """What a column holds.

    >>> kind_of(pd.Series(["2024-01-31", None]), "day"), kind_of(pd.Series([7, 8]), "order_id")
    ('date', 'key')
    """
    present = values.dropna()
    if not len(present):
        return "nothing"
    dtype = values.dtype
    if pd.api.types.is_bool_dtype(dtype):
        return "number"
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "date"
    if pd.api.types.is_numeric_dtype(dtype):
        numbers = present.to_numpy(dtype=np.float64)
        return "key" if _all_whole(numbers[np.isfinite(numbers)]) and _KEY_NAME.search(name) else "number"
    texts = present.head(_LOOKED_AT).astype(str)
    if texts.str.match(_DATE).mean() > 0.9:
        return "date"
    if texts.str.strip().str.startswith("[").mean() > 0.9:
        return "list"
    if set(texts.str.lower().str.strip()) <= _SPELLED or texts.str.match(_MEASURE).mean() > 0.95:
        return "key" if _KEY_NAME.search(name) else "number"
    distinct = int(present.astype(str).nunique())
    if distinct <= MOST_LEVELS:
        return "category"
    if _KEY_NAME.search(name) or distinct < 0.5 * len(present):
        return "key"
    spaced = texts.str.strip().str.count(" ").mean()
    return "text" if spaced > 2 else "key"


def read_typed(name: str, frame: pd.DataFrame, *, data: TableData) -> TypedTable:
    """A table with its own columns."""
    table = TypedTable(name, frame)
    for column in frame.columns:
        if list(frame.columns).count(column) == 1:  # which of two a name means is not certain
            kind = kind_of(frame[column], str(column))
            table.columns.append(describe(data, name, Ref(str(column)), kind))
    dates = table.of("date")
    if dates:
        # the date with most distinct values is when things happened; birthdays come last
        dates.sort(key=lambda c: (bool(re.search("birth|dob", c.ref.column, re.IGNORECASE)), -c.distinct))
        named = [c for c in dates if c.ref.column.lower() in ("date", "timestamp", "datetime", "time")]
        table.clock = (named or dates)[0].ref
    return table


def describe(data: TableData, table: str, ref: Ref, kind: Kind) -> Column:
    """A column within reach, with what a category can be."""
    if kind in ("category", "key", "date"):
        keys = pd.Series(data.keys(table, ref)).dropna()
        counts = keys.value_counts()
        levels = tuple(counts.index[:MOST_LEVELS]) if kind == "category" else ()
        return Column(ref, kind, distinct=len(counts), levels=levels)
    if kind == "number":
        numbers = data.numbers(table, ref)
        numbers = numbers[np.isfinite(numbers)]
        return Column(ref, kind, distinct=len(np.unique(numbers)), whole=_all_whole(numbers))
    return Column(ref, kind)


def _all_whole(numbers: FloatArray) -> bool:
    return bool(len(numbers)) and bool((numbers == np.floor(numbers)).all())
