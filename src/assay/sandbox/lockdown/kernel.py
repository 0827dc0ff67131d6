"""Calls into the kernel that Python has no function for; every failure is an OSError that names the call."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from functools import cache

__all__ = ["count_threads", "die_with_parent", "forbid_new_privileges", "forbid_tracing", "prctl", "syscall"]

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def syscall(name: str, number: int, *arguments: object) -> int:
    """Make a system call by its number; OSError with the call's name when it fails."""
    libc = _libc()
    libc.syscall.restype = ctypes.c_long
    passed = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    result = int(libc.syscall(ctypes.c_long(number), *passed))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def prctl(option: int, *arguments: int) -> None:
    """Set one property of this process."""
    padded = [*arguments, 0, 0, 0, 0][:4]
    if _libc().prctl(ctypes.c_int(option), *(ctypes.c_ulong(argument) for argument in padded)) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"prctl({option}): {os.strerror(code)}")


def die_with_parent(parent: int, number: signal.Signals = signal.SIGKILL) -> None:
    """Get this signal from the kernel when the parent dies, however it dies (elsewhere a closed socket ends us)."""
    if sys.platform == "linux":
        prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:  # it died before the call
        os._exit(1)


def forbid_new_privileges() -> None:
    """No program started from here gains rights; Landlock and seccomp ask for it. Cannot be undone."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def forbid_tracing() -> None:
    """Processes of the same user may not trace this one or read its memory, and it leaves no core file."""
    prctl(_PR_SET_DUMPABLE, 0)


def count_threads() -> int:
    """How many threads this process has."""
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - on the way into every guest
