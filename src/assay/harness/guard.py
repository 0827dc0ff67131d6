"""Keep processes from outliving the run: a dead parent takes its children along."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path

__all__ = ["adopt_orphans", "die_with_parent", "end_descendants"]

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def _prctl(option: int, value: int) -> bool:
    if sys.platform != "linux":
        return False
    return bool(ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) == 0)


def die_with_parent(parent: int) -> None:
    """Be killed by the kernel when the parent dies, however it dies (Linux; elsewhere a closed pipe ends us)."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the call
        os._exit(1)


def adopt_orphans() -> bool:
    """Become the parent of processes that a subject leaves behind, so that they can be found and ended (Linux)."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_descendants() -> None:
    """Kill and reap every child that is left, until there is none."""
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
    listing = Path(f"/proc/self/task/{os.getpid()}/children")
    try:
        return [int(child) for child in listing.read_text().split()]
    except FileNotFoundError:  # not Linux, or a kernel without this file: the process group was killed already
        return []
