"""Namespaces: a process and all below it see no process, IPC object, network or writable file but their own.

They are entered once by a server, before it forks anything, and need no root where the system lets users make them.
With its process number 1 ends everything that was started from there, whatever session it went to.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from pathlib import Path
from typing import Final, NoReturn

from assay.sandbox.lockdown.kernel import prctl, syscall

__all__ = ["OWN_USER", "SHARED_MEMORY", "Refused", "enter_namespaces", "refusal"]

_NEW_MOUNTS, _NEW_IPC, _NEW_USER, _NEW_PROCESSES, _NEW_NETWORK = 1 << 17, 1 << 27, 1 << 28, 1 << 29, 1 << 30
_PRIVATE, _BIND, _RECURSIVE = 1 << 18, 1 << 12, 1 << 14
_HARMLESS = 2 | 4 | 8  # no set-user-id, no devices, no programs
_MOUNT_SETATTR: Final = 442  # the same number on every machine
_WORKING_FOLDER, _AT_RECURSIVE, _READ_ONLY = -100, 0x8000, 1
_PR_SET_PDEATHSIG: Final = 1

SHARED_MEMORY: Final = Path("/dev/shm")
OWN_USER: Final = "user"  # the namespace that an ordinary user needs for all others


class Refused(OSError):
    """The system does not let this process have namespaces of its own; the text says what it refused."""


def enter_namespaces(writable: Path, *, network: bool) -> frozenset[str]:
    """Go on as process 1 of new namespaces, in which one folder can be written; gives their names.

    This process stays behind and ends as its child does, and takes it along when it is killed. It must have one thread.
    Whether the system allows all of it is tried by a child first: Refused leaves this process as it was.
    """
    _try_out(writable, network=network)
    names = _unshare(network=network)
    inner = os.fork()
    if inner:
        _stand_by(inner)
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    _close_file_system(writable)
    return names


def refusal(folder: Path) -> str:
    """What the system refuses, asked from a child; empty when nothing."""
    try:
        _try_out(folder, network=False)
    except Refused as reason:
        return str(reason)
    return ""


def _try_out(writable: Path, *, network: bool) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        reason = ""
        try:
            _unshare(network=network)
            inner = os.fork()
            if inner == 0:
                try:
                    _close_file_system(writable)
                except OSError as error:
                    reason = str(error)
                os.write(writing, reason.encode())
                os._exit(0)
            os.waitpid(inner, 0)
        except OSError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        reason = stream.read().decode(errors="replace")
    os.waitpid(child, 0)
    if reason:
        raise Refused(reason)


def _unshare(*, network: bool) -> frozenset[str]:
    flags = {"mount": _NEW_MOUNTS, "ipc": _NEW_IPC, "pid": _NEW_PROCESSES}
    if not network:
        flags["net"] = _NEW_NETWORK
    user, group = os.geteuid(), os.getegid()
    try:
        _call("unshare", sum(flags.values()))
    except PermissionError:  # an ordinary user: the same within a user namespace of its own
        flags[OWN_USER] = _NEW_USER
        _call("unshare", sum(flags.values()))
        with contextlib.suppress(FileNotFoundError):
            Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    return frozenset(flags)


def _close_file_system(writable: Path) -> None:
    """A process table and shared memory of its own, all else read-only but one folder; nothing is seen outside."""
    folder = os.fsencode(writable)
    _call("mount", None, b"/", None, _RECURSIVE | _PRIVATE, None)
    _call("mount", folder, folder, None, _BIND, None)
    _call("mount", b"proc", b"/proc", b"proc", _HARMLESS, None)
    shared = [os.fsencode(SHARED_MEMORY)] if SHARED_MEMORY.is_dir() else []
    for place in shared:
        _call("mount", b"tmpfs", place, b"tmpfs", _HARMLESS, b"mode=1777")
    _set_read_only(b"/", _AT_RECURSIVE, set_bits=_READ_ONLY)
    for place in [folder, *shared]:
        _set_read_only(place, 0, clear_bits=_READ_ONLY)


def _set_read_only(place: bytes, flags: int, *, set_bits: int = 0, clear_bits: int = 0) -> None:
    attributes = (ctypes.c_uint64 * 4)(set_bits, clear_bits, 0, 0)
    syscall("mount_setattr", _MOUNT_SETATTR, _WORKING_FOLDER, place, flags, attributes, ctypes.sizeof(attributes))


def _call(name: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    passed = [ctypes.c_ulong(argument) if isinstance(argument, int) else argument for argument in arguments]
    if getattr(libc, name)(*passed) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def _stand_by(inner: int) -> NoReturn:
    """Keep nothing open, and end as the inner process ends."""
    os.closerange(0, 1 << 16)
    _, status = os.waitpid(inner, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
