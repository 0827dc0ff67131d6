"""Very many records of a plan: only those in use are read, and statistics work on their columns."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from assay.core import InvalidInput, Record
from assay.harness.store.blocks import Columns
from assay.harness.store.opening import reading
from assay.harness.store.rows.shared import Mappings
from assay.harness.store.schema import Altered, checksum

__all__ = ["StoredRecords"]

_CHUNK = 500  # records read at a time


class StoredRecords(Sequence[Record]):
    """The records of a plan as they were when the store was opened, in the plan's order unless arranged otherwise."""

    def __init__(self, path: Path, columns: Columns) -> None:
        self._path = path
        self._ids = columns.ids
        self.table = columns.table  # the columns of all of them, in their order

    def arranged(self, rows: NDArray[np.int64]) -> StoredRecords:
        """The records of these rows of the table, in this order."""
        return StoredRecords(self._path, Columns(ids=self._ids[rows], table=self.table.take(rows)))

    @property
    def folder(self) -> Path:
        """The results folder that has them."""
        return self._path.parent

    @property
    def digest(self) -> str:
        """Tells one set of stored records from any other: no number of a store is ever given twice."""
        total = hashlib.sha256(self._ids.tobytes())
        total.update("".join(self.table.key(row) for row in (0, len(self) - 1) if len(self)).encode())
        return total.hexdigest()

    def __len__(self) -> int:
        return self._ids.size

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Record, ...]: ...

    def __getitem__(self, place: int | slice) -> Record | tuple[Record, ...]:
        if isinstance(place, slice):
            return tuple(self._read(self._ids[place]))
        (record,) = self._read(self._ids[[place]])
        return record

    def __iter__(self) -> Iterator[Record]:
        return self._read(self._ids)

    def _read(self, ids: NDArray[np.int64]) -> Iterator[Record]:
        with reading(self._path) as connection:
            mappings = Mappings(connection)
            for start in range(0, ids.size, _CHUNK):
                chunk = ids[start : start + _CHUNK].tolist()
                marks = ",".join("?" * len(chunk))
                rows = {
                    number: row
                    for number, *row in connection.execute(
                        f"SELECT id, key, answer_key, body, checksum FROM records WHERE id IN ({marks})", chunk
                    )
                }
                for number in chunk:
                    if number not in rows:
                        raise InvalidInput(f"{self._path}: a record was replaced while it was read. Retry.")
                    key, answer, body, expected = rows[number]
                    if checksum(key, answer, body) != expected:
                        raise Altered(f"record {key[:12]}: checksum mismatch")
                    yield mappings.record(body)
