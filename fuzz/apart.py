"""Attacks in a process of their own: one that dies or stands still is a finding, and the next input follows."""

from __future__ import annotations

import mmap
import os
import pickle
import select
import signal
import struct
import time
import traceback
from collections.abc import Callable, Generator, Iterator

from fuzz.engine import Finding, bounded_memory, broken_input, try_one
from fuzz.targets import Target

__all__ = ["Board", "attack_apart", "child_findings"]

STILL = 90.0  # seconds without a new input after which a process is ended
_HEAD = struct.Struct("<qqd")  # number, size, processor seconds
_ROOM = 4 << 20  # bytes of an input that are remembered
_FRAME = struct.Struct("<q")


class Board:
    """Memory that both processes see: which input is being read, and its bytes."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _HEAD.size + _ROOM)
        self.write(-1, b"")

    def write(self, number: int, data: bytes) -> None:
        """This input comes now."""
        start = data[:_ROOM]
        self._memory[: _HEAD.size] = _HEAD.pack(number, len(start), time.process_time())
        self._memory[_HEAD.size : _HEAD.size + len(start)] = start

    def read(self) -> tuple[int, bytes, float]:
        """The latest input."""
        number, size, seconds = _HEAD.unpack(self._memory[: _HEAD.size])
        return number, self._memory[_HEAD.size : _HEAD.size + size], seconds


def attack_apart(target: Target, inputs: int, seed: int) -> Iterator[Finding]:
    """As ``attack``, with a process between the reader and us."""
    first = 0
    while first < inputs:
        board = Board()
        start = first

        def work(report: Callable[[Finding], None], board: Board = board, start: int = start) -> None:
            with bounded_memory():
                for number in range(start, inputs):
                    board.write(number, b"")  # should the breaking itself fail
                    data = broken_input(target, seed, number)
                    board.write(number, data)
                    finding = try_one(target, data)
                    if finding is not None:
                        report(finding)

        died = yield from child_findings(target.name, work, board)
        first = board.read()[0] + 1 if died else inputs


def child_findings(
    name: str, work: Callable[[Callable[[Finding], None]], None], board: Board
) -> Generator[Finding, None, bool]:
    """Run the work in a fork of this process and pass on what it reports; returns whether it came to a bad end."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        code = 1
        try:
            work(lambda finding: _send(writing, finding))
            code = 0
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(code)
    os.close(writing)
    still = False
    try:
        while True:
            before = board.read()[0]
            ready, _, _ = select.select([reading], [], [], STILL)
            if ready:
                finding = _receive(reading)
                if finding is None:
                    break
                yield finding
            elif board.read()[0] == before:
                still = True
                os.kill(child, signal.SIGKILL)
                break
    finally:
        os.close(reading)
        _, status = os.waitpid(child, 0)
    if status:
        ending = f"stood still for {STILL:g} s" if still else f"died (status {os.waitstatus_to_exitcode(status)})"
        yield Finding(name, board.read()[1], f"the process {ending}", ending)
    return bool(status)


def _send(pipe: int, finding: Finding) -> None:
    body = pickle.dumps(tuple(finding))
    view = memoryview(_FRAME.pack(len(body)) + body)
    while view:
        view = view[os.write(pipe, view) :]


def _receive(pipe: int) -> Finding | None:
    """What our own process sent; None at the end."""
    head = _exactly(pipe, _FRAME.size)
    if head is None:
        return None
    body = _exactly(pipe, _FRAME.unpack(head)[0])
    return None if body is None else Finding(*pickle.loads(body))


def _exactly(pipe: int, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        piece = os.read(pipe, size - len(parts))
        if not piece:
            return None
        parts += piece
    return bytes(parts)
