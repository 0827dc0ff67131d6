"""Memory beyond the limit, where a limit of the address space of one process does not see it; at most 400 MB."""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
import socket
import time
from pathlib import Path

from tests.harness.attacks import means

_LIMIT = 96  # MB, of these attempts
_AMOUNT = 400
_LONG_ENOUGH = 1.0  # seconds for which it is held
_MB = 1 << 20


def _fill(view: mmap.mmap, amount: int) -> None:
    """Touch every page."""
    for place in range(0, amount * _MB, 4096):
        view[place] = 1


def _claim(what: str) -> str:
    time.sleep(_LONG_ENOUGH)
    return f"held {_AMOUNT} MB of {what} under a limit of {_LIMIT} MB"


@means.limits(memory_mb=_LIMIT)
def plain_memory(target: means.Target) -> str | None:
    block = bytearray(_AMOUNT * _MB)
    return _claim(f"plain memory ({len(block)})")


@means.limits(memory_mb=_LIMIT)
def nameless_file(target: means.Target) -> str | None:
    descriptor = os.memfd_create("hidden")
    chunk = b"x" * _MB
    for _ in range(_AMOUNT):
        os.write(descriptor, chunk)
    return _claim("a memfd")


@means.limits(memory_mb=_LIMIT)
def several_nameless_files_in_children(target: means.Target) -> str | None:
    """Written by children that end; the file lives on."""
    descriptors = [os.memfd_create(f"hidden{number}") for number in range(8)]

    def fill(descriptor: int) -> None:
        chunk = b"x" * _MB
        for _ in range(_AMOUNT // 8):
            os.write(descriptor, chunk)

    for descriptor in descriptors:
        means.in_child(lambda descriptor=descriptor: fill(descriptor))
    if sum(os.fstat(descriptor).st_blocks * 512 for descriptor in descriptors) < _AMOUNT * _MB * 0.9:
        return None
    return _claim("memfds that children wrote")


@means.limits(memory_mb=_LIMIT)
def shared_mapping(target: means.Target) -> str | None:
    view = mmap.mmap(-1, _AMOUNT * _MB)
    _fill(view, _AMOUNT)
    return _claim("a shared mapping")


@means.limits(memory_mb=_LIMIT)
def many_children(target: means.Target) -> str | None:
    """Each of them stays below the limit."""
    children = []
    for _ in range(8):
        child = os.fork()
        if child == 0:
            try:
                block = bytearray(_AMOUNT // 8 * _MB)
                time.sleep(_LONG_ENOUGH + 1)
            except MemoryError:
                os._exit(1)
            os._exit(0 if block else 1)
        children.append(child)
    good = sum(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 for child in children)
    return f"8 children held {_AMOUNT} MB together under a limit of {_LIMIT} MB" if good == 8 else None


@means.limits(memory_mb=_LIMIT)
def daemons(target: means.Target) -> object:
    """As before, but none of them is a child of the subject any more; they leave marks where they may."""

    def hold(number: int) -> None:
        block = bytearray(_AMOUNT // 8 * _MB)
        time.sleep(_LONG_ENOUGH)
        Path(f"held{number}").write_text(str(len(block)))

    for number in range(8):
        means.daemon(lambda number=number: hold(number))
    time.sleep(_LONG_ENOUGH + 1)
    if len(list(Path().glob("held*"))) == 8:
        raise RuntimeError(f"BREACH: 8 daemons held {_AMOUNT} MB together under a limit of {_LIMIT} MB")
    return target.answer()


@means.limits(memory_mb=_LIMIT)
def pipes_and_sockets(target: means.Target) -> str | None:
    """Buffers of the kernel belong to nobody."""
    total, sockets = 0, []
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    chunk = b"x" * 65_536
    try:
        while total < _AMOUNT * _MB:
            one, other = socket.socketpair()
            sockets += [one, other]
            for number in (one, other):
                number.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
                number.setblocking(False)
                try:
                    while total < _AMOUNT * _MB:
                        total += number.send(chunk)
                except BlockingIOError:
                    pass
    except OSError:
        pass
    time.sleep(0.5)
    return f"held {total >> 20} MB in sockets" if total > 2 * _LIMIT * _MB else None


@means.limits(memory_mb=_LIMIT)
def file_system_in_memory(target: means.Target) -> str | None:
    places = ("/dev/shm", "/run", "/run/lock", "/tmp")

    def fill(place: str) -> str:
        path = target.mark(place)
        with open(path, "wb") as file:
            for _ in range(_AMOUNT):
                file.write(b"x" * _MB)
        os.unlink(path)
        return _claim(place)

    return means.every([lambda place=place: fill(place) for place in places])


@means.limits(memory_mb=_LIMIT)
def limits_raised_first(target: means.Target) -> str | None:
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_RSS):
        try:
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (OSError, ValueError):
            continue
    block = bytearray(_AMOUNT * _MB)
    return _claim(f"plain memory ({len(block)})")


@means.limits(memory_mb=_LIMIT)
def program_that_starts_anew(target: means.Target) -> str | None:
    """Another program, with none of the limits that only a library keeps."""
    import subprocess
    import sys

    code = f"import time; b = bytearray({_AMOUNT} << 20); time.sleep({_LONG_ENOUGH}); print('held', len(b))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=5, check=False)
    return f"a child held {_AMOUNT} MB" if b"held" in process.stdout else None


@means.limits(memory_mb=_LIMIT)
def huge_pages(target: means.Target) -> str | None:
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    address = library.mmap(None, ctypes.c_size_t(_AMOUNT * _MB), 3, 0x40021, -1, 0)  # MAP_HUGETLB, shared
    if address == 2**64 - 1:
        raise OSError(ctypes.get_errno(), "mmap")
    ctypes.memset(address, 1, _AMOUNT * _MB)
    return _claim("huge pages")


@means.limits(memory_mb=_LIMIT)
def file_mapped_from_its_folder(target: means.Target) -> str | None:
    """Disk, not memory: allowed as long as the kernel can write it back, so only the locked kind counts."""
    with open("mapped", "wb+") as file:
        file.truncate(_AMOUNT * _MB)
        view = mmap.mmap(file.fileno(), _AMOUNT * _MB)
        if ctypes.CDLL(None, use_errno=True).mlockall(3):
            return None
        _fill(view, _AMOUNT)
    return _claim("a locked mapping")
