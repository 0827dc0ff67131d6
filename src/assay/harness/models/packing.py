"""What a model in its own process says, as bytes: facts in JSON, then arrays as they lie in memory. Never pickle."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput

__all__ = ["Arrays", "pack", "unpack"]

Arrays = Mapping[str, npt.NDArray[Any]]

_LENGTH: Final = struct.Struct("<Q")
_KINDS: Final = {"f": "<f8", "i": "<i8", "u": "<i8", "b": "|b1"}


def pack(facts: Mapping[str, object], arrays: Arrays) -> bytes:
    """Facts and arrays of numbers, truth values or texts; texts are written as numbers of different ones.

    >>> unpack(pack({"type": "Tree"}, {"predict": np.array(["a", "b", "a"])}))
    ({'type': 'Tree'}, {'predict': array(['a', 'b', 'a'], dtype='<U1')})
    """
    entries, parts = [], []
    for name, values in arrays.items():
        entry: dict[str, object] = {"name": name, "shape": list(values.shape)}
        if values.dtype.kind not in _KINDS:
            texts, values = np.unique(values.astype(np.str_), return_inverse=True)
            entry["texts"] = texts.tolist()
        entry["dtype"] = _KINDS[values.dtype.kind]
        entries.append(entry)
        parts.append(np.ascontiguousarray(values, dtype=entry["dtype"]).tobytes())  # type: ignore[call-overload]
    header = json.dumps({"facts": facts, "arrays": entries}).encode()
    return b"".join([_LENGTH.pack(len(header)), header, *parts])


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """What :func:`pack` wrote, from untrusted bytes; whatever is wrong with them is an InvalidInput."""
    try:
        (length,) = _LENGTH.unpack_from(data)
        place = _LENGTH.size + length
        header = json.loads(data[_LENGTH.size : place])
        facts, entries = header["facts"], header["arrays"]
        if not isinstance(facts, dict):
            raise TypeError
        arrays = {}
        for entry in entries:
            shape = tuple(entry["shape"])
            if entry["dtype"] not in _KINDS.values() or not all(type(size) is int and size >= 0 for size in shape):
                raise ValueError
            kind = np.dtype(entry["dtype"])
            size = math.prod(shape) * kind.itemsize
            if len(shape) > 2 or place + size > len(data):
                raise ValueError
            values = np.frombuffer(data[place : place + size], dtype=kind).reshape(shape)
            if "texts" in entry:
                if kind.kind != "i" or (values < 0).any():
                    raise ValueError
                texts = np.array([str(text) for text in entry["texts"]], dtype=np.str_)
                values = texts[values]
            arrays[str(entry["name"])] = values
            place += size
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, struct.error, MemoryError):
        raise InvalidInput("its process gave an unreadable reply") from None
    return facts, arrays
