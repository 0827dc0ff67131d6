"""Tables in states that only grow: each is handed over as the rows that it has beyond the one before.

One guest can then be called in every state of its tables without having more in memory than the state it is in: what
comes later is still with the host. The cuts must be what :class:`SharedTable` would have handed over, so only tables
are taken whose types do not depend on which of their rows are there.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from assay.core.arrays import IntArray
from assay.sandbox.transfer import SharedTable

__all__ = ["GrowingTables", "PackedState", "can_grow"]

_PLACE = "assay.place"


@dataclass(frozen=True, slots=True)
class PackedState:
    """One state on its way: the rows to call the function with, and what the tables have gained."""

    rows: int
    message: bytes


def can_grow(frame: pd.DataFrame) -> bool:
    """Whether the table can be sent in pieces: rows numbered from 0, columns of numbers, truth values, times or texts.

    >>> can_grow(pd.DataFrame({"n": [1, 2], "t": ["a", None]})), can_grow(pd.DataFrame({"n": [1, None, "a"]}))
    (True, False)
    """
    index, names = frame.index, frame.columns
    if not isinstance(index, pd.RangeIndex) or (index.start, index.step, index.name) != (0, 1, None):
        return False
    if not len(names) or not names.is_unique or names.name is not None:
        return False
    return all(isinstance(name, str) for name in names) and all(_plain(frame[name]) for name in names)


def _plain(column: pd.Series[Any]) -> bool:
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return dtype.kind in "iufbM"
    if isinstance(dtype, np.dtype):
        return pd.api.types.infer_dtype(column, skipna=True) == "string"
    return isinstance(dtype, pd.StringDtype)


class GrowingTables:
    """Rows to call with, dated tables and the static ones beside them, from which states are made.

    ``order`` names all auxiliary tables as the function will find them; those in ``dated`` grow.
    """

    def __init__(
        self,
        rows: pd.DataFrame,
        dated: Mapping[str, pd.DataFrame],
        *,
        order: Sequence[str],
        static: Mapping[str, SharedTable],
    ) -> None:
        self.columns = rows.iloc[:0]
        self.static = static
        self._rows = _Pieces(rows)
        self._dated = {name: _Pieces(frame) for name, frame in dated.items()}
        self._order = list(order)

    @property
    def about(self) -> dict[str, Any]:
        """What a guest must know before the first state."""
        dated = {name: pieces.about for name, pieces in self._dated.items()}
        return {"rows": self._rows.about, "dated": dated, "order": self._order}

    def pack(self, rows: IntArray, added: Mapping[str, IntArray], *, known_rows: bool = False) -> PackedState:
        """A state: the places of its rows, and of those that each dated table gains; ``known_rows`` are as before."""
        parts = [] if known_rows else [("", self._rows.take(rows))]
        parts += [(name, self._dated[name].take(places)) for name, places in added.items() if len(places)]
        header = json.dumps([[name, len(part)] for name, part in parts]).encode()
        return PackedState(len(rows), b"\n".join([header, b"".join(part for _, part in parts)]))


class _Pieces:
    """A table from which rows can be taken as messages; each row knows its place."""

    def __init__(self, frame: pd.DataFrame) -> None:
        table = pa.Table.from_pandas(frame, preserve_index=False, nthreads=1)
        table = table.replace_schema_metadata(None)  # plain types need none, and reading it takes longest
        table = table.append_column(_PLACE, pa.array(np.arange(len(frame)), pa.int64()))
        batches = table.combine_chunks().to_batches()
        self._whole = batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)
        schema = base64.b64encode(table.schema.serialize().to_pybytes()).decode()
        self.about = {"schema": schema, "kinds": [str(kind) for kind in frame.dtypes]}

    def take(self, places: IntArray) -> bytes:
        piece: bytes = self._whole.take(pa.array(places)).serialize().to_pybytes()
        return piece
