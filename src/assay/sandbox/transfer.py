"""Tables on their way into the sandbox: written once as Arrow into sealed memory, mapped by every run that needs them.

The memory is sealed before it is shared, so neither side can change it afterwards. A run maps it privately and gets no
descriptor of a table that is not its own: what another run saw cannot be found in its memory.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import mmap
import os
import weakref
from collections.abc import Sequence

import pandas as pd
import pyarrow as pa

from assay.core import InvalidInput

__all__ = ["SharedTable", "load_table", "restore_types"]

_KEY = b"assay.columns"
# the last two of whole numbers beyond 64 bits, and of texts with lone surrogates
_NOT_CONVERTED = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, UnicodeEncodeError)
_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


class SharedTable:
    """A data frame in sealed memory, for any number of runs; freed when the last reference goes."""

    __slots__ = ("__weakref__", "_close", "_digest", "descriptor", "name", "rows", "size")

    def __init__(self, frame: pd.DataFrame, name: str = "rows") -> None:
        self.name = name
        self.rows = len(frame)
        self._digest = ""
        content = _serialise(frame, name)
        self.descriptor = os.memfd_create("table", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self._close = weakref.finalize(self, os.close, self.descriptor)
        self.size = len(content)
        view = memoryview(content)
        while view:
            view = view[os.write(self.descriptor, view) :]
        fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, _SEALS)

    @property
    def digest(self) -> str:
        """Equal for equal tables: values, types, order, index and column names."""
        if not self._digest:
            with mmap.mmap(self.descriptor, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ) as content:
                self._digest = hashlib.sha256(content).hexdigest()
        return self._digest

    def digest_of(self, columns: Sequence[str]) -> str:
        """Equal for tables that are equal in these columns and in the index, whatever else they hold."""
        with mmap.mmap(self.descriptor, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ) as content:
            table = pa.ipc.open_stream(content.read()).read_all()
        about = json.loads(table.schema.metadata[b"pandas"])
        names = [name for name in table.column_names if name in columns or name in map(str, about["index_columns"])]
        kinds = [entry for entry in about["columns"] if entry["field_name"] in names]
        chosen = table.select(names).replace_schema_metadata(None)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, chosen.schema) as writer:
            writer.write_table(chosen)
        facts = json.dumps([about["index_columns"], kinds]).encode()
        return hashlib.sha256(facts + sink.getvalue().to_pybytes()).hexdigest()


def _serialise(frame: pd.DataFrame, name: str) -> memoryview:
    if not isinstance(frame, pd.DataFrame):
        raise InvalidInput(f"sandbox: table {name!r} must be a pandas DataFrame, got {type(frame).__name__}.")
    if not len(frame.columns):
        raise InvalidInput(f"sandbox: table {name!r} has no columns. Give it at least one.")
    if not frame.columns.is_unique:
        doubled = frame.columns[frame.columns.duplicated()][0]
        raise InvalidInput(f"sandbox: table {name!r} has two columns named {doubled!r}. Rename one of them.")
    try:
        table = pa.Table.from_pandas(frame, nthreads=1)
    except _NOT_CONVERTED as error:
        reason = str(error if isinstance(error, UnicodeError) or not error.args else error.args[0]).splitlines()[0]
        places = (place for place in range(frame.shape[1]) if not _converts(frame.iloc[:, [place]]))
        column = next((str(frame.columns[place]) for place in places), "?")
        raise InvalidInput(
            f"sandbox: table {name!r}: column {column!r} cannot be handed over ({reason}). "
            "Give all its values one type, for instance with .astype(str)."
        ) from error
    kinds = json.dumps([str(kind) for kind in frame.dtypes]).encode()
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), _KEY: kinds})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        for batch in table.to_batches() or [_empty_batch(table)]:
            writer.write_batch(batch)
    return memoryview(sink.getvalue())


def _empty_batch(table: pa.Table) -> pa.RecordBatch:
    """A batch without rows, which a stream would leave out and with it the categories of a column."""
    empty = [column.chunk(0) if column.num_chunks else pa.array([], column.type) for column in table.columns]
    return pa.RecordBatch.from_arrays(empty, schema=table.schema)


def _converts(column: pd.DataFrame) -> bool:
    try:
        pa.Table.from_pandas(column, preserve_index=False)
    except _NOT_CONVERTED:
        return False
    return True


def load_table(descriptor: int) -> pd.DataFrame:
    """The data frame in shared memory, with the types it had."""
    content = mmap.mmap(descriptor, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
    table = pa.ipc.open_stream(pa.py_buffer(content)).read_all()
    frame: pd.DataFrame = table.to_pandas(use_threads=False).copy()  # a view would refuse edits in place
    restore_types(frame, json.loads(table.schema.metadata[_KEY]))
    return frame


def restore_types(frame: pd.DataFrame, kinds: Sequence[str]) -> None:
    """Give the columns the types they had before they travelled."""
    for column, current, kind in zip(frame.columns, frame.dtypes.tolist(), kinds, strict=True):
        if str(current) != kind:
            frame[column] = frame[column].astype(kind)  # type: ignore[call-overload]
