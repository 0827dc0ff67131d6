"""Inside a guest: tables that grow from state to state, each state built as if it were the first."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from assay.sandbox.guest.call import CallPlan
from assay.sandbox.guest.rows import RowSource
from assay.sandbox.guest.tables import LoadedTables
from assay.sandbox.transfer import restore_types

__all__ = ["GrownTables"]


class GrownTables:
    """What was handed over so far; ``fresh`` makes tables of it that a function may do with as it likes."""

    def __init__(self, about: Mapping[str, Any], loaded: LoadedTables) -> None:
        self._loaded = loaded
        self._rows = _Grown(about["rows"])
        self._dated = {name: _Grown(table) for name, table in about["dated"].items()}
        self._order = about["order"]

    @property
    def columns(self) -> Mapping[str, int]:
        """The places of the columns of a row."""
        return self._loaded.rows.positions

    def receive(self, message: bytes) -> None:
        """Take in what a state adds."""
        header, _, body = message.partition(b"\n")
        rest = memoryview(body)
        for name, size in json.loads(header):
            if name:
                self._dated[name].add(rest[:size])
            else:
                self._rows.replace(rest[:size])
            rest = rest[size:]

    def fresh(self, plan: CallPlan) -> LoadedTables:
        """The tables of this state; nothing that is done to them outlasts it."""
        frame = self._rows.frame
        train = (
            self._loaded.train if not plan.needs("train") or self._loaded.train is None else self._loaded.train.copy()
        )
        tables: dict[str, pd.DataFrame] = {}
        if plan.needs("auxiliary"):
            for name in self._order:
                grown = self._dated.get(name)
                tables[name] = (self._loaded.auxiliary[name] if grown is None else grown.frame).copy()
        return LoadedTables(frame, RowSource(frame), train, tables)


class _Grown:
    """One table: the rows it has by now, in their order."""

    def __init__(self, about: Mapping[str, Any]) -> None:
        self._schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(about["schema"])))
        self._kinds = about["kinds"]
        self._table = self._schema.empty_table()
        self._frame: pd.DataFrame | None = None
        self._called = False

    def _read(self, message: memoryview) -> pa.Table:
        batch = pa.ipc.read_record_batch(pa.py_buffer(message), self._schema)
        return pa.Table.from_batches([batch])

    def replace(self, message: memoryview) -> None:
        """Other rows, in the order given."""
        self._table, self._frame, self._called = self._read(message), None, True

    def add(self, message: memoryview) -> None:
        """Further rows, each at its place."""
        new = self._read(message)
        table = pa.concat_tables([self._table, new])
        places = table.column(table.num_columns - 1).to_numpy()
        if self._table.num_rows and (np.diff(places[self._table.num_rows - 1 :]) < 0).any():
            table = table.take(pa.array(np.argsort(places, kind="stable")))
        self._table, self._frame = table.combine_chunks(), None

    @property
    def frame(self) -> pd.DataFrame:
        """As a data frame, as :func:`load_table` gives it; to be copied for callers that may write into it."""
        if self._frame is None:
            last = self._table.num_columns - 1
            places = self._table.column(last).to_numpy()
            self._frame = self._table.remove_column(last).to_pandas(use_threads=False)
            restore_types(self._frame, self._kinds)
            self._frame.index = self._index(places)
        return self._frame

    def _index(self, places: Any) -> pd.Index[Any]:
        numbers = pd.RangeIndex(int(places.max()) + 1 if len(places) else 0)
        if self._called:
            return numbers.take(places)
        if len(places) == len(numbers):
            return numbers
        mask = np.zeros(len(numbers), dtype=np.bool_)
        mask[places] = True
        return numbers[mask]
