"""Length-prefixed frames on a socket, with a deadline and a cap that is checked before anything is allocated.

The guest's side uses plain reads and writes: they are all the filter leaves it.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Callable
from functools import partial

__all__ = ["LOCKED", "FrameTooLarge", "read_frame", "receive_frame", "send_frame", "write_frame"]

LOCKED = b"locked"  # a guest's first word: the lock-down holds, from here on it is not to be believed

_HEADER = struct.Struct("<Q")
_CHUNK = 1 << 20


class FrameTooLarge(Exception):
    """The peer announced more than it may send."""

    def __init__(self, size: int, cap: int) -> None:
        super().__init__(f"{size} bytes announced, at most {cap} allowed")


def send_frame(peer: socket.socket, payload: bytes, *, deadline: float | None = None) -> None:
    """Send one frame; TimeoutError past the deadline."""
    view = memoryview(_HEADER.pack(len(payload)) + payload if len(payload) < _CHUNK else _HEADER.pack(len(payload)))
    for part in (view,) if len(payload) < _CHUNK else (view, memoryview(payload)):
        while part:
            peer.settimeout(_remaining(deadline))
            part = part[peer.send(part[:_CHUNK]) :]


def receive_frame(peer: socket.socket, *, cap: int, deadline: float | None = None) -> bytes:
    """Receive one frame; EOFError when the peer closes early, TimeoutError past the deadline."""

    def read(most: int) -> bytes:
        peer.settimeout(_remaining(deadline))
        return peer.recv(most)

    (size,) = _HEADER.unpack(_collect(read, _HEADER.size))
    if size > cap:
        raise FrameTooLarge(size, cap)
    return _collect(read, size)


def _collect(read: Callable[[int], bytes], size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = read(min(_CHUNK, size - len(parts)))
        if not part:
            raise EOFError(f"closed after {len(parts)} of {size} bytes")
        parts += part
    return bytes(parts)


def _remaining(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return remaining


def read_frame(descriptor: int) -> bytes:
    """The guest's side of :func:`send_frame`."""
    read = partial(os.read, descriptor)
    (size,) = _HEADER.unpack(_collect(read, _HEADER.size))
    return _collect(read, size)


def write_frame(descriptor: int, payload: bytes) -> None:
    """The guest's side of :func:`receive_frame`."""
    for part in (_HEADER.pack(len(payload)), payload):
        view = memoryview(part)
        while view:
            view = view[os.write(descriptor, view[:_CHUNK]) :]
