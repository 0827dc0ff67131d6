"""System V and POSIX objects, keyrings and locks: what outlives a cell, and what others have made."""

from __future__ import annotations

import ctypes
import fcntl
import os
from multiprocessing import shared_memory
from pathlib import Path

from tests.harness.attacks import means

_CREATE = 0o1666


def shared_memory_left(target: means.Target) -> str | None:
    return f"left shared memory {means.syscall(29, target.key + 1, 4096, _CREATE)}"


def private_shared_memory_left(target: means.Target) -> str | None:
    """Without a key, but with an id that any process can attach."""
    return f"left shared memory {means.syscall(29, 0, 4096, _CREATE)}"


def message_queue_left(target: means.Target) -> str | None:
    return f"left a queue {means.syscall(68, target.key + 2, _CREATE)}"


def semaphores_left(target: means.Target) -> str | None:
    return f"left semaphores {means.syscall(64, target.key + 3, 1, _CREATE)}"


def shared_memory_of_others_read(target: means.Target) -> str | None:
    library = ctypes.CDLL(None)
    library.shmat.restype = ctypes.c_void_p
    address = library.shmat(means.syscall(29, target.planted_key, 0, 0), None, 0o10000)
    if address in (None, 2**64 - 1):
        raise OSError("cannot be attached")
    return means.secret_in(ctypes.string_at(address, 256)) or "attached it"


def message_of_others_taken(target: means.Target) -> str | None:
    """A copy of it, so that it stays."""
    buffer = ctypes.create_string_buffer(256)
    means.syscall(70, means.syscall(68, target.planted_key, 0), buffer, 200, 0, 0o4000 | 0o10000 | 0o40000)
    return means.secret_in(buffer.raw) or "took a message"


def semaphore_of_others_set(target: means.Target) -> str | None:
    return f"set {means.syscall(66, means.syscall(64, target.planted_key, 0, 0), 0, 16, 1)}"


def objects_of_others_listed(target: means.Target) -> str | None:
    """By number, without a key: the kernel's statistics of each."""
    buffer = ctypes.create_string_buffer(256)
    return means.every(
        [
            lambda index=index: f"shmctl: {means.syscall(31, index, 13, buffer)}"  # SHM_STAT
            for index in range(8)
        ]
        + [
            lambda: f"msgctl: {means.syscall(71, 0, 11, buffer)}",
            lambda: f"semctl: {means.syscall(66, 0, 0, 18, buffer)}",
        ]
    )


def posix_memory_left(target: means.Target) -> object:
    """It may have shared memory of its own; from outside nothing of it may be seen."""
    shared_memory.SharedMemory(create=True, size=64, name=f"mark-{target.token}").close()
    return target.answer()


def posix_memory_of_others_read(target: means.Target) -> str | None:
    return means.secret_in(bytes(shared_memory.SharedMemory(name=target.shared).buf or b"")) or "attached it"


def posix_queue_left(target: means.Target) -> str | None:
    return f"left a queue {means.syscall(240, f'mark-{target.token}'.encode(), 0o102, 0o600, None)}"


def posix_semaphore_left(target: means.Target) -> object:
    library = ctypes.CDLL(None, use_errno=True)
    library.sem_open.restype = ctypes.c_void_p
    library.sem_open(f"/mark-{target.token}".encode(), 0o100, 0o600, 1)
    return target.answer()


def session_keyring_named(target: means.Target) -> str | None:
    """A named session is one where siblings could meet."""
    return f"joined a session of keys {means.syscall(250, 1, f'mark-{target.token}'.encode())}"


def keyring_that_lives_on(target: means.Target) -> str | None:
    """The persistent keyring of the user, and a limit of time for the one that is there."""
    return means.every(
        [
            lambda: f"persistent keyring {means.syscall(250, 22, -1, -1)}",
            lambda: f"time-out {means.syscall(250, 15, -4, 0)}",
        ]
    )


def lock_on_a_library(target: means.Target) -> str | None:
    """A lock on a file that all may read, held by a process that outlives the cell; seen from outside."""
    descriptor = os.open(os.__file__, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    means.daemon(lambda: __import__("time").sleep(15), keep=True)
    return None


def note_for_siblings_in_its_source_folder(target: means.Target) -> str | None:
    """Into the copy that it runs from; whether that is still there for the next one is seen from outside."""
    with open(os.path.join(os.path.dirname(os.path.abspath(means.__file__)), f"mark-{target.token}"), "w") as file:
        file.write("marker")
    return None


def notes_of_a_sibling_read(target: means.Target) -> str | None:
    """Another subject runs at the same time, and keeps a secret in its working folder."""
    mine = Path.cwd()
    beside = [mine.parent, mine.parent.parent, Path(target.results, ".scratch")]
    patterns = ("*/notes.txt", "*/*/notes.txt", "*/*/*/notes.txt")
    candidates = [path for top in beside for pattern in patterns for path in top.glob(pattern)]
    candidates += [Path(f"/proc/{pid}/cwd/notes.txt") for pid in range(os.getpid() - 60, os.getpid())]
    return means.every([lambda path=path: means.read(str(path)) for path in candidates])
