"""Every system call of a process and of all it starts, written to a file as it happens: quarantine for a suspect.

Linux only; it needs no package and no privilege, only a process that this user may trace (`ptrace(2)`). The tracer is a
process of its own; when it dies, the kernel kills what it traces. Each line of the log is a JSON object.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from assay.core import InvalidInput
from assay.sandbox.lockdown.kernel import prctl
from assay.sandbox.lockdown.lockdown import close_others
from assay.sandbox.lockdown.syscalls import call_names

__all__ = ["LOG_CAP", "allow_tracing", "start_tracer", "trace"]

LOG_CAP: Final = 256 << 20  # bytes; what comes after is not logged, which the log says
_LONGEST_TEXT: Final = 4096
_PATIENCE: Final = 2.0  # seconds for a process to allow that it is traced
_ALL: Final = 0x40000000  # wait for processes and threads alike
_SEIZE, _INTERRUPT, _LISTEN, _GET_CALL, _EVENT_MESSAGE, _GO_ON = 0x4206, 0x4207, 0x4208, 0x420E, 0x4201, 24
_OPTIONS: Final = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x100000  # calls, fork, vfork, clone, exec; die with the tracer
_EVENTS: Final = {1: "fork", 2: "vfork", 3: "clone", 4: "exec"}
_STOPPED: Final = 128
_CALL_STOP: Final = signal.SIGTRAP | 0x80
_ENTERS, _LEAVES = 1, 2
_INFO: Final = 88  # bytes of struct ptrace_syscall_info
_SET_DUMPABLE, _SET_TRACER = 4, 0x59616D61
# which arguments of calls are addresses of texts; of all others only numbers are logged
_NAMED: Final = {
    "open creat stat lstat access execve chdir mkdir rmdir unlink readlink chmod chown lchown truncate statfs mknod "
    "utime utimes chroot umount2 setxattr lsetxattr getxattr lgetxattr removexattr memfd_create mq_open mq_unlink "
    "acct": (0,),
    "openat openat2 mkdirat mknodat fchownat futimesat newfstatat unlinkat readlinkat fchmodat fchmodat2 faccessat "
    "faccessat2 utimensat execveat statx name_to_handle_at inotify_add_watch open_tree": (1,),
    "rename link symlink mount pivot_root": (0, 1),
    "renameat renameat2 linkat": (1, 3),
    "symlinkat": (0, 2),
}
_TEXTS: Final = {name: places for names, places in _NAMED.items() for name in names.split()}
_ADDRESSES: Final = {"connect": (1, 2), "bind": (1, 2), "sendto": (4, 5)}  # the address and its length


def allow_tracing() -> None:
    """Let other processes of this user trace this one, also where only parents may, and its tracer read its memory."""
    prctl(_SET_DUMPABLE, 1)
    with contextlib.suppress(OSError):  # a kernel without Yama has no such option, and no such limit
        prctl(_SET_TRACER, -1)


def start_tracer(pid: int, log: Path, *, fork: Callable[[Callable[[], object]], int]) -> tuple[int, int]:
    """Start a process that traces ``pid``: its own id, and a descriptor that gives a byte once every call is logged.

    ``fork`` runs a function in a new process. The traced process must wait for that byte before it continues; end of
    file instead says that it cannot be traced, and the log says why.
    """
    if sys.platform != "linux":
        raise InvalidInput("system calls can be logged on Linux only.")
    ours, theirs = os.pipe()

    def work() -> None:
        close_others([theirs])  # the traced process's ends of pipes and sockets must not live on here
        trace(pid, log, ready=theirs)

    tracer = fork(work)
    os.close(theirs)
    return tracer, ours


def trace(pid: int, log: Path, *, ready: int | None = None, cap: int = LOG_CAP) -> None:
    """Trace a process until it and all that it started have ended; a byte goes to ``ready`` when tracing has begun."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        _Tracer(pid, descriptor, cap).run(ready)
    finally:
        os.close(descriptor)


class _Tracer:
    """The loop, the calls that have begun, and the log."""

    def __init__(self, pid: int, log: int, cap: int) -> None:
        self._first = pid
        self._log = log
        self._room = cap
        self._alive = {pid}
        self._begun: dict[int, dict[str, object]] = {}
        self._names = call_names()

    def run(self, ready: int | None) -> None:
        try:
            self._seize()
        except OSError as error:
            self._write(self._first, event="not traced", reason=str(error))
            raise
        while self._alive:
            try:
                pid, status = os.waitpid(-1, _ALL)
            except ChildProcessError:
                return
            self._alive.add(pid)
            if os.WIFSTOPPED(status):
                with contextlib.suppress(ProcessLookupError):  # killed meanwhile: the next event is its end
                    self._stopped(pid, os.WSTOPSIG(status), status >> 16)
            else:
                self._ended(pid, status)
            if ready is not None:
                os.write(ready, b"!")
                os.close(ready)
                ready = None

    def _seize(self) -> None:
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                _ptrace(_SEIZE, self._first, 0, _OPTIONS)
                break
            except PermissionError:  # it may not have allowed it yet
                if time.monotonic() > until or _has_ended(self._first):
                    raise
                time.sleep(0.001)
        _ptrace(_INTERRUPT, self._first)

    def _stopped(self, pid: int, number: int, event: int) -> None:
        deliver = 0
        if number == _CALL_STOP:
            self._call(pid)
        elif event in _EVENTS:
            message = ctypes.c_ulong()
            _ptrace(_EVENT_MESSAGE, pid, 0, ctypes.addressof(message))
            self._write(pid, event=_EVENTS[event], **({} if _EVENTS[event] == "exec" else {"child": message.value}))
        elif event == _STOPPED:
            if number != signal.SIGTRAP:  # stopped by a signal: it stays stopped until a signal continues it
                _ptrace(_LISTEN, pid)
                return
        else:
            self._write(pid, event="signal", signal=_signal_name(number))
            deliver = number
        _ptrace(_GO_ON, pid, 0, deliver)

    def _call(self, pid: int) -> None:
        info = ctypes.create_string_buffer(_INFO)
        _ptrace(_GET_CALL, pid, _INFO, ctypes.addressof(info))
        if info.raw[0] == _ENTERS:
            number, *arguments = struct.unpack_from("=7Q", info.raw, 24)
            name = self._names.get(number, str(number))
            self._begun[pid] = {"call": name, "arguments": arguments, **_texts(pid, name, arguments)}
        elif info.raw[0] == _LEAVES and pid in self._begun:
            (result,) = struct.unpack_from("=q", info.raw, 24)
            error = {"error": _error_name(-result)} if info.raw[32] else {}
            self._write(pid, **self._begun.pop(pid), result=result, **error)

    def _ended(self, pid: int, status: int) -> None:
        self._alive.discard(pid)
        if pid in self._begun:
            self._write(pid, **self._begun.pop(pid), result=None)  # exit_group, or a call that killed it
        if os.WIFSIGNALED(status):
            self._write(pid, event="killed", signal=_signal_name(os.WTERMSIG(status)))
        else:
            self._write(pid, event="exited", code=os.WEXITSTATUS(status))

    def _write(self, pid: int, **entry: object) -> None:
        if self._room <= 0:
            return
        line = json.dumps({"time": round(time.time(), 6), "pid": pid, **entry}).encode() + b"\n"
        self._room -= len(line)
        if self._room <= 0:
            line += json.dumps({"event": "log full", "reason": "what follows is not logged"}).encode() + b"\n"
        os.write(self._log, line)


def _texts(pid: int, name: str, arguments: list[int]) -> dict[str, object]:
    """The paths, or the address of a socket, that a call is about."""
    if name in _ADDRESSES:
        place, length = (arguments[position] for position in _ADDRESSES[name])
        return {"address": _address(_read(pid, place, min(length, 128)))} if place else {}
    paths = [_read(pid, arguments[place], _LONGEST_TEXT).partition(b"\0")[0] for place in _TEXTS.get(name, ())]
    return {"paths": [path.decode(errors="backslashreplace") for path in paths]} if paths else {}


def _read(pid: int, place: int, most: int) -> bytes:
    """Bytes of another process's memory, up to what is there; a text may end just before a page that is not."""
    if not place or not most:
        return b""
    first = min(most, 4096 - place % 4096)
    content = b""
    with contextlib.suppress(OSError, OverflowError):
        descriptor = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            content = os.pread(descriptor, first, place)
            if most > first and b"\0" not in content:
                content += os.pread(descriptor, most - first, place + first)
        finally:
            os.close(descriptor)
    return content


def _address(content: bytes) -> str:
    if len(content) < 2:
        return "unreadable"
    (family,) = struct.unpack_from("=H", content)
    if family == socket.AF_UNIX:
        path = content[2:]
        shown = b"@" + path[1:] if path[:1] == b"\0" else path.partition(b"\0")[0]
        return f"unix {shown.decode(errors='backslashreplace')}"
    if family in (socket.AF_INET, socket.AF_INET6) and len(content) >= (8 if family == socket.AF_INET else 24):
        (port,) = struct.unpack_from("!H", content, 2)
        raw = content[4:8] if family == socket.AF_INET else content[8:24]
        return f"{socket.inet_ntop(family, raw)} port {port}"
    return f"family {family}"


def _has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.restype = ctypes.c_long
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    return libc


def _ptrace(request: int, pid: int, place: int = 0, data: int = 0) -> None:
    if _libc().ptrace(request, pid, place, data) < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"ptrace: {os.strerror(code)}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _error_name(number: int) -> str:
    return errno.errorcode.get(number, str(number))
