"""Keep processes from outliving the run: a dead parent takes its children along."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

from assay.sandbox.lockdown.kernel import die_with_parent, prctl

__all__ = [
    "adopt_orphans",
    "end_descendants",
    "end_session",
    "ignoring_interrupts",
    "keeping_handlers",
    "tidy_with_parent",
]

_STOPPING = (signal.SIGINT, signal.SIGTERM)

_PR_SET_CHILD_SUBREAPER = 36


def tidy_with_parent(parent: int) -> None:
    """As :func:`die_with_parent`, but first end all that was started from here, whatever session it went to."""

    def tidy(number: int, frame: FrameType | None) -> NoReturn:
        end_descendants()
        os._exit(1)

    signal.signal(signal.SIGTERM, tidy)
    die_with_parent(parent, signal.SIGTERM)


def end_session(leader: int) -> None:
    """Kill the rest of a subject's own session when its parent is gone and cannot reap it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


@contextlib.contextmanager
def ignoring_interrupts() -> Iterator[None]:
    """Ignore a second Ctrl-C while a run is being ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextlib.contextmanager
def keeping_handlers() -> Iterator[None]:
    """Ctrl-C and SIGTERM mean afterwards what they meant before, whatever a library makes of them."""
    before = {number: signal.getsignal(number) for number in _STOPPING}
    yield
    if threading.current_thread() is threading.main_thread():
        for number, handler in before.items():
            if callable(handler):
                signal.signal(number, handler)


def adopt_orphans() -> None:
    """Become the parent of processes that a subject leaves behind, so that they can be found and ended (Linux)."""
    if sys.platform == "linux":
        prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_descendants() -> None:
    """Kill and reap every child that is left, until there is none."""
    if os.getpid() == 1:  # in a namespace of our own everything else is below us, and can be ended in one go
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    while children := _children():
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    listing = Path("/proc/thread-self/children")
    try:
        return [int(child) for child in listing.read_text().split()]
    except FileNotFoundError:  # not Linux, or a kernel without this file: the process group was killed already
        return []
