"""Tables of numbers and categories as they come: data frames, arrays of objects, lists of lists; read by position."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import LARGEST, FloatArray, as_matrix, column_names, demand_exact, listed
from assay.core import InvalidInput

__all__ = ["Encoding", "Table", "fit_encoding", "read_table"]

ObjectArray: TypeAlias = npt.NDArray[np.object_]

_UNSEEN = -1.0  # no training category has this code


class Table(NamedTuple):
    """A table as numbers [n, d], nan where missing, and the raw values of the columns that hold categories.

    A column of booleans is in both: as 0 and 1 among the numbers, and among the categories.
    """

    numbers: FloatArray
    categories: Mapping[int, ObjectArray]

    def raw(self, column: int) -> ObjectArray:
        """A column as plain values, None where missing: its categories, or else its numbers."""
        raw = self.categories.get(column)
        return _as_objects(self.numbers[:, column]) if raw is None else raw


def read_table(values: Any, *, what: str, categorical: Collection[int] = ()) -> Table:
    """Numbers and categories of a table; ``categorical`` are numeric columns that mean categories nevertheless.

    Texts, booleans and pandas categories are categories. Objects are judged by what they are: a column of numbers is
    numeric, one of texts is categorical, one of both is an error.

    >>> table = read_table([["a", 1.5], [None, 2]], what="X")
    >>> table.numbers[:, 1].tolist(), table.categories[0].tolist()
    ([1.5, 2.0], ['a', None])
    """
    columns = _columns(values, what=what)
    if columns is None:
        numbers = as_matrix(values, what=what, missing=True)
        _demand_columns(categorical, numbers.shape[1])
        return Table(numbers, {column: _as_objects(numbers[:, column]) for column in categorical})
    names = column_names(values) or tuple(str(column) for column in range(len(columns)))
    read = [_read_column(column, what=f"{what}: column {name!r}") for name, column in zip(names, columns, strict=True)]
    numbers = np.column_stack([numbers for numbers, _ in read])
    categories = {position: raw for position, (_, raw) in enumerate(read) if raw is not None}
    _demand_columns(categorical, len(columns))
    for position in categorical:
        categories.setdefault(position, _as_objects(numbers[:, position]))
    for position in range(len(columns)):
        if position not in categories:  # whatever is a number must be fit for comparing
            _demand_comparable(numbers[:, position], what=f"{what}: column {names[position]!r}")
    return Table(np.ascontiguousarray(numbers), categories)


def _demand_columns(positions: Collection[int], features: int) -> None:
    for position in positions:
        if not 0 <= position < features:
            raise InvalidInput(f"categorical: there is no column {position}; columns are 0 to {features - 1}.")


def _columns(values: Any, *, what: str) -> list[Any] | None:
    """The columns of a table that may hold more than numbers; None when it plainly holds numbers only."""
    if hasattr(values, "toarray"):
        return None  # sparse: refused with the remedy by who reads numbers
    if hasattr(values, "dtypes") and hasattr(values, "columns"):
        if not len(values.columns) or all(getattr(dtype, "kind", "O") in "iuf" for dtype in values.dtypes):
            return None
        return [values.iloc[:, position] for position in range(len(values.columns))]
    try:
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
        if array.dtype.kind in "USO" and not isinstance(values, np.ndarray):
            array = np.array(values, dtype=object)  # numpy would have turned the numbers beside texts into texts
    except ValueError:
        raise InvalidInput(f"{what}: rows differ in length; every row needs the same features.") from None
    if array.dtype.kind not in "bUSOT" or np.ma.isMaskedArray(values) or array.ndim != 2 or not array.shape[1]:
        return None
    return list(array.T)


def _read_column(column: Any, *, what: str) -> tuple[FloatArray, ObjectArray | None]:
    """A column as numbers, and as raw values when it holds categories."""
    dtype = column.dtype
    kind = getattr(dtype, "kind", "O")
    if kind in "mM" or type(dtype).__name__ in ("PeriodDtype", "DatetimeTZDtype"):
        raise _dates(what)
    if kind in "iuf" and hasattr(column, "to_numpy"):
        if kind in "iu" and len(column):
            demand_exact(column.min(), column.max(), what=what)
        return column.to_numpy(dtype=np.float64, na_value=np.nan), None
    if kind == "S":
        raise InvalidInput(f"{what} holds bytes. Decode them to texts.")
    raw = _as_objects(column)
    if type(dtype).__name__ == "CategoricalDtype":
        _kind_of(raw, what=what)
        return np.full(len(raw), np.nan), raw
    content = _kind_of(raw, what=what)
    if content == "text":
        return np.full(len(raw), np.nan), raw
    try:
        numbers = np.array([np.nan if entry is None else float(entry) for entry in raw], dtype=np.float64)
    except OverflowError:  # fractions, too, can be huge
        raise InvalidInput(f"{what} holds a number too large for float64. Rescale the column.") from None
    return numbers, raw if content == "flag" else None


def _as_objects(column: Any) -> ObjectArray:
    """Plain Python values, None where missing."""
    if hasattr(column, "to_numpy"):
        column = column.to_numpy(dtype=object)
    objects = np.empty(len(column), dtype=object)
    objects[:] = [None if _is_missing(entry) else entry for entry in column.tolist()]
    return objects


def _is_missing(entry: Any) -> bool:
    if entry is None or type(entry).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(entry, float | np.floating) and bool(np.isnan(entry))


def _kind_of(raw: ObjectArray, *, what: str) -> str:
    """What the present values of a column are: "number", "flag" or "text"; all missing is "number"."""
    first: dict[str, Any] = {}
    for position, entry in enumerate(raw.tolist()):
        if entry is None:
            continue
        if isinstance(entry, str):
            first.setdefault("text", entry)
        elif isinstance(entry, bool | np.bool_):
            first.setdefault("flag", entry)
        elif isinstance(entry, datetime.date | datetime.time | datetime.timedelta | np.datetime64 | np.timedelta64):
            raise _dates(what)
        elif isinstance(entry, int | np.integer):
            first.setdefault("number", entry)
            demand_exact(entry, entry, what=what)
        elif isinstance(entry, Real):
            first.setdefault("number", entry)
        else:
            kind = type(entry).__name__
            raise InvalidInput(f"{what}, row {position}: a {kind} is neither a number nor a text. Encode or drop it.")
    if "text" in first and len(first) > 1:
        other = first.get("number", first.get("flag"))
        raise InvalidInput(f"{what} mixes texts and numbers ({first['text']!r} and {other!r}). Make them one type.")
    return "text" if "text" in first else "flag" if set(first) == {"flag"} else "number"


def _demand_comparable(column: FloatArray, *, what: str) -> None:
    bad = np.flatnonzero(np.abs(column) >= LARGEST)
    if len(bad):
        value = column[bad[0]]
        remedy = "Fill or remove what is infinite." if np.isinf(value) else "Rescale the column."
        raise InvalidInput(f"{what}, row {bad[0]} is {value}. {remedy}")


def _dates(what: str) -> InvalidInput:
    return InvalidInput(f"{what} holds dates or times. Turn it into numbers, such as days since a fixed date.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """The categories of the categorical columns; a category's place in its list is its code."""

    categories: Mapping[int, tuple[Any, ...]] = field(default_factory=dict)

    def encode(self, table: Table, *, names: Sequence[str], what: str) -> FloatArray:
        """The table with categories as codes, nan where missing; a category unseen in training has the code -1."""
        unknown = sorted(set(table.categories) - set(self.categories))
        for column in unknown:
            if any(isinstance(entry, str) for entry in table.categories[column]):
                raise InvalidInput(
                    f"{what}: column {names[column]!r} holds texts, in training it held numbers. Convert it to numbers."
                )
        if not self.categories:
            return table.numbers
        encoded = table.numbers.copy()
        for column, categories in self.categories.items():
            raw = table.raw(column)
            self._demand_kind(raw, categories, what=f"{what}: column {names[column]!r}")
            codes = {category: float(code) for code, category in enumerate(categories)}
            encoded[:, column] = [np.nan if entry is None else codes.get(entry, _UNSEEN) for entry in raw.tolist()]
        return encoded

    def extended(self, table: Table) -> Encoding:
        """With the categories of more rows behind those known, so that the known codes stay."""
        categories = {}
        for column, earlier in self.categories.items():
            new = (_plain(entry) for entry in table.raw(column).tolist() if entry is not None)
            merged = dict.fromkeys([*earlier, *new])
            categories[column] = tuple(merged)
        return Encoding(categories=categories)

    @staticmethod
    def _demand_kind(raw: ObjectArray, categories: tuple[Any, ...], *, what: str) -> None:
        first = next((entry for entry in raw.tolist() if entry is not None), None)
        if first is not None and categories and isinstance(first, str) != isinstance(categories[0], str):
            raise InvalidInput(
                f"{what}: {first!r} is compared with the training categories {listed(categories, most=5)}, text with "
                "number. Convert it to the type of training."
            )

    def raw(self, table: Table) -> npt.NDArray[Any]:
        """The values as people know them: the numbers, or objects where there are categories (None where missing)."""
        if not self.categories:
            return table.numbers
        features = table.numbers.shape[1]
        rows = np.empty((len(table.numbers), features), dtype=object)
        for column in range(features):
            is_category = column in self.categories
            rows[:, column] = table.raw(column) if is_category else _as_objects(table.numbers[:, column])
        return rows

    def decode(self, encoded: FloatArray) -> Table:
        """The table that training categories as codes came from."""
        categories = {}
        for column, own in self.categories.items():
            raw = np.empty(len(encoded), dtype=object)
            raw[:] = [None if np.isnan(code) else own[int(code)] for code in encoded[:, column].tolist()]
            categories[column] = raw
        return Table(encoded, categories)


def fit_encoding(table: Table) -> Encoding:
    """The categories of a training table, in the order in which they first appear.

    >>> fit_encoding(read_table([["b"], ["a"], ["b"]], what="X")).categories
    {0: ('b', 'a')}
    """
    present = {column: dict.fromkeys(raw.tolist()) for column, raw in sorted(table.categories.items())}
    return Encoding(
        categories={
            column: tuple(_plain(entry) for entry in distinct if entry is not None)
            for column, distinct in present.items()
        }
    )


def _plain(entry: Any) -> Any:
    return entry.item() if isinstance(entry, np.generic) else entry
