"""Functions run over distinct rows only, where it is known what they read.

Rows that are equal in all that a function can read have equal values, so one of them is enough, and what was computed
before need not be computed again. Columns come out as from a run over all rows: where that could depend on other rows,
as the type of a column does, all distinct rows are run together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa

from assay.insight.columns.footprint import Footprint, read_footprint
from assay.sandbox import CLOCK, FunctionResult, FunctionSource, Limits, Sandbox, SharedTable, Tables

__all__ = ["DistinctRows"]

Key: TypeAlias = tuple[Any, ...]

_ABSENT = "absent"


class _Cell(NamedTuple):
    value: Any
    kind: str  # Arrow's name for the type of the column it came in


class DistinctRows:
    """A sandbox that remembers what functions gave for rows, for as long as one examination lasts."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self._cells: dict[tuple[FunctionSource, Key], dict[Key, _Cell]] = {}
        self._unknown: set[FunctionSource] = set()  # their runs showed that they are to be run in full

    def run(
        self,
        functions: Sequence[FunctionSource],
        tables: Tables,
        *,
        limits: Limits,
        clock: datetime = CLOCK,
        seed: int = 0,
        frozen: str = "",
        fresh: bool = False,
    ) -> list[FunctionResult]:
        """The results of :meth:`assay.sandbox.Sandbox.run`; seconds are those that were needed."""
        results: dict[int, FunctionResult] = {}
        if not fresh and isinstance(tables.rows, pd.DataFrame):
            digests = _Digests(tables)
            for place, function in enumerate(functions):
                if (result := self._run_distinct(function, tables, tables.rows, digests, limits)) is not None:
                    results[place] = result
        others = [place for place in range(len(functions)) if place not in results]
        if others:
            sources = [functions[place] for place in others]
            setting: dict[str, Any] = {"limits": limits, "clock": clock, "seed": seed, "frozen": frozen, "fresh": fresh}
            results |= dict(zip(others, self.sandbox.run(sources, tables, **setting), strict=True))
        return [results[place] for place in range(len(functions))]

    def _run_distinct(
        self, function: FunctionSource, tables: Tables, rows: pd.DataFrame, digests: _Digests, limits: Limits
    ) -> FunctionResult | None:
        footprint = read_footprint(function.code, function.name, tuple(map(str, rows.columns)))
        keys = None if footprint is None or function in self._unknown else _keys(rows, footprint)
        if footprint is None or not keys:
            return None
        cells = self._cells.setdefault((function, (_row_kind(rows), *digests.read(footprint))), {})
        first = {key: place for place, key in reversed(list(enumerate(keys)))}
        missing = sorted(first[key] for key in first if key not in cells)
        result: FunctionResult | None = None
        for chosen in (missing, sorted(first.values())):
            if chosen:
                result = self._complete(function, rows, tables, chosen, limits)
                if result is None:
                    return None
                cells |= dict(zip((keys[place] for place in chosen), _values(result), strict=True))
            column = _column([cells[key] for key in keys])
            if column is not None:
                base = result or FunctionResult(name=function.name, status="ok")
                return replace(base, column=column)
        return None

    def _complete(
        self, function: FunctionSource, rows: pd.DataFrame, tables: Tables, chosen: list[int], limits: Limits
    ) -> FunctionResult | None:
        """A run over some rows; None when what it gave cannot stand for others."""
        part = rows if len(chosen) == len(rows) else rows.iloc[chosen]
        (result,) = self.sandbox.run([function], replace(tables, rows=part), limits=limits)
        if result.status == "ok" and not result.rows_failed and not result.attempts:
            return result
        self._unknown.add(function)
        return None


class _Digests:
    """Digests of the tables of one run, as far as functions read them."""

    def __init__(self, tables: Tables) -> None:
        self._tables = {f"/{name}": table for name, table in tables.auxiliary.items()}
        if tables.train is not None:
            self._tables["train"] = tables.train

    def read(self, footprint: Footprint) -> Key:
        """Equal where everything is equal that the function reads beside its row."""
        parts = [name for name in self._tables if name != "train" and footprint.auxiliary]
        digests = [(name, self._shared(name).digest) for name in parts]
        if "train" in self._tables and footprint.train is None:
            digests.append(("train", self._shared("train").digest))
        elif "train" in self._tables and footprint.train:
            digests.append(("train", self._shared("train").digest_of(footprint.train)))
        elif "train" in self._tables:  # its length, which needs no column
            digests.append(("train", str(self._shared("train").rows)))
        return tuple(digests)

    def _shared(self, name: str) -> SharedTable:
        table = self._tables[name]
        if not isinstance(table, SharedTable):
            table = self._tables[name] = SharedTable(table, name.removeprefix("/"))
        return table


def _row_kind(rows: pd.DataFrame) -> str:
    """The type that the values of a row have in common."""
    kinds = {str(kind) for kind in rows.dtypes}
    return kinds.pop() if len(kinds) == 1 else str(rows.iloc[:0].to_numpy().dtype)


def _keys(rows: pd.DataFrame, footprint: Footprint) -> list[Key] | None:
    """For each row what the function reads of it, so that equal keys mean equal values of equal types."""
    parts: list[list[Any]] = []
    for name in footprint.row:
        if name not in rows.columns:
            parts.append([_ABSENT] * len(rows))
            continue
        column = rows[name]
        if pd.api.types.is_float_dtype(column.dtype):  # by their bits: 0.0 and -0.0 are two
            values: list[Any] = column.to_numpy(dtype=np.float64, na_value=np.nan).view(np.int64).tolist()
        else:
            values = column.tolist()
        missing = column.isna().tolist()
        parts.append([(type(value), None if gone else value) for value, gone in zip(values, missing, strict=True)])
    try:
        keys = list(zip(*parts, strict=True)) if parts else [()] * len(rows)
        hash(tuple(keys))
    except TypeError:  # a value that cannot be looked up
        return None
    return keys


def _values(result: FunctionResult) -> list[_Cell]:
    kind = str(result.column.type)
    return [_Cell(value, kind) for value in result.column.to_pylist()]


def _column(pieces: list[_Cell]) -> Any:
    """The column that a run over all these rows would give; None when its type is not certain."""
    kinds = {piece.kind for piece in pieces}
    values = [piece.value for piece in pieces]
    kind = kinds.pop()
    return pa.array(values, kind) if not kinds and _IS_CERTAIN[kind](values) else None


# a column of whole numbers may hold truth values among them, one of numbers whole ones, one of texts anything
_IS_CERTAIN: Mapping[str, Any] = {
    "null": lambda values: True,
    "bool": lambda values: any(value is not None for value in values),
    "int64": lambda values: any(value not in (0, 1, None) for value in values),
    "double": lambda values: any(value is not None and not value.is_integer() for value in values),
    "string": lambda values: any(value is not None and _is_text(value) for value in values),
}


def _is_text(value: str) -> bool:
    """Whether a text cannot have been a number or a truth value."""
    try:
        float(value)
    except ValueError:
        return value not in ("True", "False")
    return False
