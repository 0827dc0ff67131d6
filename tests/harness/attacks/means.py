"""What hostile subjects share; a copy of this file lies beside each of them.

An attempt is a function of a :class:`Target`. It returns a text when it achieved what is forbidden, and raises or
returns None when it was held. One that is annotated to return an object hands that in as its answer, and its errors
reach the harness as they are.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

__all__ = ["replace"]  # for the last lines of every subject

# the attackers know the shape of the secrets that were planted, not the secrets
SECRET = re.compile(rb"PLANTED-[0-9a-f]{32}")
PLANTED_KEY = b"assay-planted"  # description of a key in the user's keyring

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long


@dataclass(frozen=True, kw_only=True)
class Target:
    """What the range made for this battle, by path, process id and port; nothing else may be touched."""

    token: str  # part of the name of everything that an attempt leaves
    key: int  # first of 100 System V keys for what attempts make
    home: str  # a folder of the user with:
    secret: str  # a private file
    plain: str  # a file that may be read by everyone
    fifo: str  # a FIFO at which the accomplice listens
    problem: str
    truth: str
    results: str
    store: str
    sibling: str  # folder of another subject
    driver: int  # the process that runs it all
    victim: int  # a process of the same user that sleeps
    stream: str  # sockets of the accomplice: paths, names and ports
    datagram: str
    abstract: str
    port: int
    planted_key: int  # System V key of a shared memory, a queue and semaphores that hold secrets
    shared: str  # name of POSIX shared memory that holds a secret
    task: Any = None
    budget: Any = None

    def mark(self, *parts: str) -> str:
        """A path outside that would betray whoever managed to write it."""
        return str(Path(*parts or (self.home,)) / f"mark-{self.token}-{os.getpid()}-{time.monotonic_ns()}")

    def answer(self, score: float = 0.5) -> Any:
        """An answer that is well formed and no good."""
        import numpy as np

        from assay.cases import CasesAnswer

        return CasesAnswer(scores=np.full(len(self.task.probabilities), score))


Attempt = Callable[[Target], Any]


def limits(**values: float) -> Callable[[Attempt], Attempt]:
    """Limits of an attempt (``seconds``, ``memory_mb``), what its record must show at least (``spent``, ``cpu``).

    One with ``alone`` has a run of its own, since it has been seen to hang a run.
    """

    def keep(attempt: Attempt) -> Attempt:
        attempt.__dict__.update(limits=values)
        return attempt

    return keep


def attack(attempt: Attempt, target: Target) -> Any:
    """Try, and say how it went."""
    if attempt.__annotations__["return"] == "object":
        return attempt(target)
    try:
        outcome = attempt(target)
    except (OSError, ValueError, ImportError, AttributeError, LookupError, TypeError) as error:
        raise RuntimeError(f"held: {type(error).__name__}: {error}"[:300]) from None
    if isinstance(outcome, str):
        raise RuntimeError(f"BREACH: {outcome}"[:300])
    raise RuntimeError("held")


def secret_in(data: bytes | str) -> str | None:
    """The planted secret in data, if it is there."""
    match = SECRET.search(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data)
    return f"read {match.group().decode()}" if match else None


def read(path: str | int, size: int = 1 << 16) -> str | None:
    """Read a file that is forbidden: one byte is too much."""
    descriptor = os.open(path, os.O_RDONLY) if isinstance(path, str) else path
    data = os.read(descriptor, size)
    return f"read {len(data)} bytes of {path}: {data[:60]!r}" if data else None


def shell(command: str, seconds: float = 2.0) -> bytes:
    """What a shell prints."""
    import subprocess

    return subprocess.run(["/bin/sh", "-c", command], capture_output=True, timeout=seconds, check=False).stdout


def syscall(number: int, *arguments: Any) -> int:
    """A call of the kernel by its number on x86-64; an OSError where it is refused."""
    values = [ctypes.c_long(entry) if isinstance(entry, int) else entry for entry in arguments]
    ctypes.set_errno(0)
    result = int(_LIBC.syscall(ctypes.c_long(number), *values))
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def every(attempts: Iterator[str | None] | list[Callable[[], str | None]]) -> str | None:
    """The first of several that succeeds; where none does the last error is raised."""
    last: Exception | None = None
    for attempt in attempts:
        try:
            outcome = attempt() if callable(attempt) else attempt
        except (OSError, ValueError) as error:
            last = error
        else:
            if outcome is not None:
                return outcome
    if last is not None:
        raise last
    return None


def in_child(action: Callable[[], object], seconds: float = 2.0) -> str | None:
    """Let a child do it, and give the text that it sends back, if any."""
    mine, other = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            outcome = action()
            if isinstance(outcome, str):
                os.write(other, outcome.encode())
        except BaseException:
            os._exit(1)
        os._exit(0)
    os.close(other)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if os.waitpid(child, os.WNOHANG)[0]:
            data = os.read(mine, 4096)
            return data.decode() or None
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def daemon(action: Callable[[], object], *, keep: bool = False) -> None:
    """Do it in a process that left its parent, session and group; at most 20 seconds."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    if not keep:
        os.closerange(0, 1024)
    signal.alarm(20)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGCONT):
        signal.signal(number, signal.SIG_IGN)
    try:
        action()
    finally:
        os._exit(0)


def processes() -> list[int]:
    """All that the file system of processes shows."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def ancestors() -> list[int]:
    """The parent, its parent, and so on."""
    ancestors, current = [], os.getppid()
    while current > 1:
        ancestors.append(current)
        try:
            current = int(Path(f"/proc/{current}/stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            break
    return ancestors


def of_the_run(target: Target) -> list[int]:
    """The processes of the run itself: victim, driver, and what lies between it and this process."""
    between = [pid for pid in ancestors() if pid >= target.driver]
    return list(dict.fromkeys([target.driver, target.victim, *between]))


def exchange(channel: socket.socket, target: Target) -> str:
    """Send the accomplice a marker, and take what it gives."""
    channel.settimeout(1.0)
    channel.send(f"marker {target.token}".encode())
    try:
        return secret_in(channel.recv(4096)) or "the accomplice answered"
    except OSError:
        return "sent a message to the accomplice"


def descriptors() -> list[int]:
    """Those that are open in this process."""
    entries = []
    for number in range(256):
        try:
            os.fstat(number)
        except OSError:
            continue
        entries.append(number)
    return entries
