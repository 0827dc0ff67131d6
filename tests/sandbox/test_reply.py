from __future__ import annotations

import json
import os
import socket
import struct
import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.sandbox.frames import FrameTooLarge, read_frame, receive_frame, send_frame, write_frame
from assay.sandbox.reply import HEADER_CAP, MalformedReply, Reply, receive_reply

GOOD: dict[str, Any] = {"status": "ok", "rows_failed": 0, "type": "int64", "length": 2, "sizes": [-1, 16]}
TWO = struct.pack("<2q", 7, 8)


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def receive(header: object, payload: bytes = TWO, rows: int = 2, cap: int = 1000) -> Reply:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        write_frame(theirs.fileno(), header if isinstance(header, bytes) else json.dumps(header).encode())
        write_frame(theirs.fileno(), payload)
        return receive_reply(ours, rows=rows, cap=cap, deadline=time.monotonic() + 5)


def test_a_good_reply_gives_its_column() -> None:
    assert receive(GOOD).column.to_pylist() == [7, 8]


@pytest.mark.parametrize("values", [[True, None], [1, 2], [0.5, None], ["a", "bé"], [None, None]])
def test_columns_survive_the_way(values: list[Any]) -> None:
    array = pa.array(values)
    buffers = [None if buffer is None else buffer.to_pybytes() for buffer in array.buffers()]
    header = {**GOOD, "type": str(array.type), "sizes": [-1 if buffer is None else len(buffer) for buffer in buffers]}
    assert receive(header, b"".join(buffer or b"" for buffer in buffers)).column.to_pylist() == values


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"status": "perfect"}, "no known status"),
        ({"status": None}, "no known status"),
        ({"rows_failed": 3}, "failed rows is impossible"),
        ({"rows_failed": -1}, "failed rows is impossible"),
        ({"rows_failed": True}, "failed rows is impossible"),
        ({"type": "decimal128(3, 2)"}, "type is none of"),
        ({"type": ["int64"]}, "type is none of"),
        ({"length": 3}, "not one value for each of the 2 rows"),
        ({"length": 2.0}, "not one value for each"),
        ({"sizes": [16]}, "not described"),
        ({"sizes": [-1, "16"]}, "not described"),
        ({"sizes": [-1, 8]}, "not as long as announced"),
        ({"sizes": [-5, 21]}, "not as long as announced"),
        ({"sizes": [16, -1]}, "values are too few"),
        ({"sizes": [16, 0]}, "values are too few"),
        ({"sizes": [0, 16]}, "mask is too short"),
        ({"type": "string", "sizes": [-1, 12, 4]}, "not valid"),
    ],
)
def test_a_forged_header_is_refused_with_its_reason(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(MalformedReply, match=reason):
        receive({**GOOD, **change})


@pytest.mark.parametrize("raw", [b"", b"\x80\x04K*.", b"[" * 60000, b"[]", b"3", b"null", b'{"status": NaN}'])
def test_what_is_no_header_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedReply):
        receive(raw)


def test_offsets_that_point_outside_and_broken_text_are_refused() -> None:
    text = {**GOOD, "type": "string"}
    with pytest.raises(MalformedReply, match="not valid"):
        receive({**text, "sizes": [-1, 12, 2]}, struct.pack("<3i", 0, 1 << 30, 2) + b"ab")
    with pytest.raises(MalformedReply, match="not valid"):
        receive({**text, "sizes": [-1, 12, 2]}, struct.pack("<3i", 0, 1, 2) + b"\xff\xfe")


def test_a_guests_words_are_bounded_and_safe_to_print() -> None:
    reply = receive({"status": "exception", "message": "\x1b[2Jline\nnext\x07" + "A" * 5000})
    assert reply.message.startswith(" [2Jline next A")
    assert len(reply.message) == 500
    assert receive({"status": "exception", "message": {"not": "text"}}).message == ""


def test_sizes_are_checked_before_anything_is_allocated(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    theirs.sendall(struct.pack("<Q", 1 << 62))
    with pytest.raises(FrameTooLarge, match="4611686018427387904 bytes announced, at most 65536"):
        receive_reply(ours, rows=1, cap=10, deadline=time.monotonic() + 5)
    assert HEADER_CAP == 65536
    with pytest.raises(FrameTooLarge):
        receive(GOOD, bytes(2000))


def test_a_slow_or_silent_peer_meets_the_deadline(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    theirs.sendall(b"\x05")
    with pytest.raises(TimeoutError):
        receive_frame(ours, cap=10, deadline=time.monotonic() + 0.05)
    with pytest.raises(TimeoutError):
        send_frame(ours, bytes(1 << 24), deadline=time.monotonic() + 0.05)


def test_a_peer_that_ends_early_is_noticed(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = pair
    theirs.sendall(struct.pack("<Q", 5) + b"ab")
    theirs.close()
    with pytest.raises(EOFError, match="closed after 2 of 5 bytes"):
        receive_frame(ours, cap=10, deadline=time.monotonic() + 5)


@given(st.binary(max_size=3000))
def test_frames_of_any_content_arrive(payload: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        send_frame(ours, payload, deadline=time.monotonic() + 5)
        assert read_frame(theirs.fileno()) == payload
        write_frame(theirs.fileno(), payload)
        assert receive_frame(ours, cap=3000, deadline=time.monotonic() + 5) == payload


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_no_bytes_whatever_do_more_than_be_refused(header: bytes, payload: bytes) -> None:
    with pytest.raises(MalformedReply):
        receive(header, payload)


def test_a_closed_pipe_ends_a_read() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    with pytest.raises(EOFError), os.fdopen(reading, "rb") as pipe:
        read_frame(pipe.fileno())
