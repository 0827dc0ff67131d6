"""Prepared columns, kept by content: the same column asked for twenty targets is sorted once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock
from typing import Generic, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from assay.insight.fits.forest.one_column import prepare
from assay.insight.fits.forest.one_column_growth import prepare_growth
from assay.insight.fits.forest.settings import ForestSettings

__all__ = ["CLOSED_FORMS", "GROWN_COLUMNS", "ColumnCache", "Sized"]

Column: TypeAlias = npt.NDArray[np.float64] | npt.NDArray[np.float32]
Single: TypeAlias = npt.NDArray[np.float32]


class Sized(Protocol):
    """Something that knows how much memory it holds."""

    @property
    def nbytes(self) -> int:
        """Memory held."""
        ...


SizedT = TypeVar("SizedT", bound=Sized)


class ColumnCache(Generic[SizedT]):
    """The most recently used columns, up to a number of bytes; safe to share between threads.

    A column that alone exceeds the limit is prepared again each time.
    """

    def __init__(self, prepare: Callable[[Single, Single, ForestSettings], SizedT], *, limit: int) -> None:
        self.limit = limit
        self._prepare = prepare
        self._columns: OrderedDict[tuple[bytes, ForestSettings], SizedT] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._columns)

    def get(self, train: Column, test: Column, settings: ForestSettings) -> SizedT:
        """The column as prepared before, or prepared now and kept if it fits."""
        single, queries = (np.ascontiguousarray(values, dtype=np.float32) for values in (train, test))
        digest = blake2b(single.size.to_bytes(8, "little"), digest_size=16)
        digest.update(single.data)
        digest.update(queries.data)
        key = (digest.digest(), settings)
        with self._lock:
            stored = self._columns.get(key)
            if stored is not None:
                self._columns.move_to_end(key)
                return stored
        column = self._prepare(single, queries, settings)
        with self._lock:
            if key not in self._columns and column.nbytes <= self.limit:
                self._columns[key] = column
                self._bytes += column.nbytes
            while self._bytes > self.limit:
                self._bytes -= self._columns.popitem(last=False)[1].nbytes
        return column

    def clear(self) -> None:
        """Forget every column."""
        with self._lock:
            self._columns.clear()
            self._bytes = 0


CLOSED_FORMS = ColumnCache(prepare, limit=64 * 2**20)
GROWN_COLUMNS = ColumnCache(prepare_growth, limit=64 * 2**20)
