"""Read what a guest answered, believing nothing: sizes before allocation, types from a list, every value validated.

A column travels as the raw buffers of one Arrow array. There is no schema to parse, no compression that could unfold to
gigabytes and no dictionary or extension type; what the buffers hold is checked in full before anybody uses it.
"""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from assay.sandbox.contract import Status
from assay.sandbox.frames import receive_frame

__all__ = ["HEADER_CAP", "MalformedReply", "Reply", "receive_reply"]

HEADER_CAP = 1 << 16
_MAX_MESSAGE = 500
_MOST_ATTEMPTS = 8
_TYPES = {"bool": pa.bool_(), "int64": pa.int64(), "double": pa.float64(), "string": pa.string(), "null": pa.null()}


class MalformedReply(Exception):
    """The reply does not follow the protocol."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A checked reply."""

    status: Status
    message: str
    rows_failed: int = 0
    column: Any = None
    attempts: tuple[str, ...] = ()


def receive_reply(peer: socket.socket, *, rows: int, cap: int, deadline: float) -> Reply:
    """Receive and check one reply; :class:`MalformedReply`, EOFError, TimeoutError or FrameTooLarge when it is none."""
    raw = receive_frame(peer, cap=HEADER_CAP, deadline=deadline)
    payload = receive_frame(peer, cap=cap, deadline=deadline)
    try:
        header = json.loads(raw)
    except (ValueError, RecursionError):
        raise MalformedReply("the header is not JSON") from None
    if not isinstance(header, dict):
        raise MalformedReply("the header is not a mapping")
    status, message = header.get("status"), clean_text(header.get("message"))
    attempts = _attempts(header.get("attempts"))
    if status in ("exception", "invalid output", "memory"):
        return Reply(status, message, attempts=attempts)
    if status != "ok":
        raise MalformedReply("the header has no known status")
    failed = header.get("rows_failed")
    if type(failed) is not int or not 0 <= failed <= rows:
        raise MalformedReply("the number of failed rows is impossible")
    return Reply("ok", message, failed, _column(header, payload, rows), attempts)


def _attempts(entries: object) -> tuple[str, ...]:
    return tuple(clean_text(each) for each in entries[:_MOST_ATTEMPTS]) if isinstance(entries, list) else ()


def clean_text(text: object) -> str:
    """A guest's words in a form that is safe to print: bounded, on one line, no control characters."""
    start = text[: 2 * _MAX_MESSAGE] if isinstance(text, str) else ""
    return "".join(letter if letter.isprintable() else " " for letter in start)[:_MAX_MESSAGE]


def _column(header: dict[str, Any], payload: bytes, rows: int) -> Any:
    name, length, sizes = header.get("type"), header.get("length"), header.get("sizes")
    if not isinstance(name, str) or (kind := _TYPES.get(name)) is None:
        raise MalformedReply("the column's type is none of " + ", ".join(_TYPES))
    if type(length) is not int or length != rows:
        raise MalformedReply(f"the column has not one value for each of the {rows} rows")
    needed = 1 if name == "null" else 3 if name == "string" else 2
    if not isinstance(sizes, list) or len(sizes) != needed or not all(type(size) is int for size in sizes):
        raise MalformedReply("the column's buffers are not described")
    if sum(max(size, 0) for size in sizes) != len(payload) or any(size < -1 for size in sizes):
        raise MalformedReply("the column's buffers are not as long as announced")
    buffers, start = [], 0
    for size in sizes:
        buffers.append(None if size < 0 else pa.py_buffer(payload[start : start + size]))
        start += max(size, 0)
    least = {"bool": (rows + 7) // 8, "int64": 8 * rows, "double": 8 * rows, "string": 4 * (rows + 1), "null": 0}[name]
    bitmap = buffers[0]
    if rows and needed > 1 and (buffers[1] is None or buffers[1].size < least):
        raise MalformedReply("the column's values are too few")
    if bitmap is not None and bitmap.size < (rows + 7) // 8:
        raise MalformedReply("the column's mask is too short")
    try:
        column = pa.Array.from_buffers(kind, rows, buffers)
        column.validate(full=True)
    except (pa.ArrowException, ValueError) as error:
        raise MalformedReply(f"the column is not valid: {clean_text(str(error))[:100]}") from None
    return column
