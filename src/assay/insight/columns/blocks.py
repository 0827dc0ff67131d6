"""Tables as bytes, safe to read from any source: one uncompressed block of stated kind and size per column."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from assay.core import InvalidInput, Json
from assay.insight.columns.typed_columns import TEXT

__all__ = ["pack", "unpack"]

_MOST_ROWS: Final = 10**9
_MISSING: Final = 2  # in a block of truth values
_PLAIN: Final[dict[str, np.dtype[Any]]] = {
    "int": np.dtype("<i8"),
    "float": np.dtype("<f8"),
    "bool": np.dtype("u1"),
    "flag": np.dtype("u1"),
}
_WORDS: Final = {"i": "int", "f": "float", "b": "bool"}  # by numpy's letter for the kind


def pack(frame: pd.DataFrame) -> tuple[Json, bytes]:
    """What the blocks are (rows, and name, kind and bytes of each column), and the blocks one after the other."""
    blocks = []
    about: list[Json] = []
    for name in frame.columns:
        kind, block = _pack_column(frame[name], str(name))
        blocks.append(block)
        about.append([str(name), kind, len(block)])
    return {"rows": len(frame), "columns": about}, b"".join(blocks)


def unpack(about: object, data: memoryview) -> tuple[pd.DataFrame, memoryview]:
    """The table, and the bytes after its last block; InvalidInput for whatever does not fit."""
    if not isinstance(about, dict) or set(about) != {"rows", "columns"} or not isinstance(about["columns"], list):
        raise InvalidInput("answer: a table must be described by its rows and columns.")
    rows = about["rows"]
    if type(rows) is not int or not 0 <= rows <= _MOST_ROWS:
        raise InvalidInput(f"answer: a table must have from 0 to {_MOST_ROWS} rows, got {str(rows)[:60]}.")
    columns: dict[str, pd.Series[Any]] = {}
    for entry in about["columns"]:
        name, kind, size = _column_entry(entry)
        if name in columns:
            raise InvalidInput(f"answer: column {name!r} occurs twice in a table.")
        if size > len(data):
            raise InvalidInput(f"answer: column {name!r} should have {size} bytes, {len(data)} are left.")
        columns[name] = _unpack_column(kind, data[:size], rows, name)
        data = data[size:]
    frame = pd.DataFrame(columns, index=pd.RangeIndex(rows), columns=pd.Index(list(columns), dtype=TEXT))
    return frame, data


def _column_entry(entry: object) -> tuple[str, str, int]:
    if isinstance(entry, list) and len(entry) == 3:
        name, kind, size = entry
        is_kind = isinstance(kind, str) and (kind in _PLAIN or kind == "text")
        if isinstance(name, str) and name and is_kind and type(size) is int and size >= 0:
            if any("\ud800" <= letter <= "\udfff" for letter in name):
                raise InvalidInput(f"answer: a column's name is not Unicode text: {name[:60]!r}.")
            return name, kind, size
    raise InvalidInput(f"answer: a column must be described by name, kind and bytes, got {str(entry)[:60]}.")


def _pack_column(values: pd.Series[Any], name: str) -> tuple[str, bytes]:
    kind = values.dtype.kind if isinstance(values.dtype, np.dtype) else "T"
    if kind in _WORDS:
        return _WORDS[kind], values.to_numpy().astype(_PLAIN[_WORDS[kind]]).tobytes()
    cells = values.to_numpy(dtype=object)
    if kind == "O" and all(isinstance(cell, bool | float) for cell in cells):
        return "flag", bytes(int(cell) if isinstance(cell, bool) else _MISSING for cell in cells)
    texts = []
    for cell in cells:
        try:
            texts.append(cell.encode() if isinstance(cell, str) else None)
        except UnicodeEncodeError:
            raise InvalidInput(f"answer: column {name!r} holds text that is not Unicode: {cell[:60]!r}.") from None
    lengths = np.array([-1 if text is None else len(text) for text in texts], dtype="<i4")
    return "text", lengths.tobytes() + b"".join(text for text in texts if text is not None)


def _unpack_column(kind: str, block: memoryview, rows: int, name: str) -> pd.Series[Any]:
    if kind == "text":
        return _unpack_texts(block, rows, name)
    dtype = _PLAIN[kind]
    if len(block) != rows * dtype.itemsize:
        raise InvalidInput(f"answer: column {name!r} has {len(block)} bytes for {rows} rows of kind {kind!r}.")
    array: npt.NDArray[Any] = np.frombuffer(block, dtype=dtype)
    if kind in ("int", "float"):
        return pd.Series(array.astype(dtype.newbyteorder("=")))
    limit = 1 if kind == "bool" else _MISSING
    if array.size and array.max() > limit:
        raise InvalidInput(f"answer: column {name!r} holds something that is not True or False.")
    if kind == "bool":
        return pd.Series(array.astype(np.bool_))
    if _MISSING not in array or (array == _MISSING).all():
        raise InvalidInput(f"answer: column {name!r} is of kind 'flag' without a missing or without a present value.")
    return pd.Series([math.nan if flag == _MISSING else bool(flag) for flag in array.tolist()], dtype=object)


def _unpack_texts(block: memoryview, rows: int, name: str) -> pd.Series[Any]:
    if len(block) < 4 * rows:
        raise InvalidInput(f"answer: column {name!r} has {len(block)} bytes for {rows} rows of text.")
    lengths = np.frombuffer(block[: 4 * rows], dtype="<i4").astype(np.int64)
    body = bytes(block[4 * rows :])
    if lengths.size and lengths.min() < -1:
        raise InvalidInput(f"answer: column {name!r} holds a text of negative length.")
    ends = np.cumsum(np.maximum(lengths, 0))
    if (int(ends[-1]) if len(ends) else 0) != len(body):
        raise InvalidInput(f"answer: column {name!r}: the lengths of its texts do not add up to its bytes.")
    if not (lengths >= 0).any():
        raise InvalidInput(f"answer: column {name!r} is of kind 'text' and holds none.")
    cells = np.empty(rows, dtype=object)
    cells[:] = math.nan
    try:
        for row, (length, end) in enumerate(zip(lengths.tolist(), ends.tolist(), strict=True)):
            if length >= 0:
                cells[row] = body[end - length : end].decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"answer: column {name!r} holds text that is not UTF-8 ({error.reason}).") from None
    return pd.Series(cells, dtype=TEXT)
