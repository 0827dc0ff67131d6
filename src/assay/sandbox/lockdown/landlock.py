"""Landlock: which files this process may read or write, whatever the file permissions say.

What each version of the interface can handle grows with the kernel. We ask for everything the running kernel knows and
grant only what is listed. Version 1 is enough for a guest: what later versions add (truncation by path, TCP, device
control, abstract sockets, signals) is blocked by the seccomp filter as well.

The restriction binds the calling thread and what it starts later, so it is applied while there is one thread.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.sandbox.lockdown.kernel import forbid_new_privileges, syscall

__all__ = ["READ", "READ_EXECUTE", "READ_WRITE", "abi", "handled_files", "open_places", "restrict"]

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every machine
_VERSION_FLAG = 1
_RULE_PATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEVICE = 1 << 14, 1 << 15
_FILE_BITS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many access rights each version knows
_NET_BITS = 0b11  # bind and connect TCP, from version 4
_SCOPE_BITS = 0b11  # abstract sockets and signals, from version 6

READ = _READ_FILE | _READ_DIR
READ_EXECUTE = READ | _EXECUTE
READ_WRITE = (1 << 16) - 1
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE  # what a rule on a plain file may hold


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """The version of the interface that this kernel offers; 0 when there is none."""
    try:
        return syscall("landlock_create_ruleset", _CREATE, None, 0, _VERSION_FLAG)
    except OSError:
        return 0


def handled_files(version: int) -> int:
    """The access rights to files that a version can deny.

    >>> [handled_files(version).bit_count() for version in (1, 2, 3, 4, 5, 7)]
    [13, 14, 15, 15, 16, 16]
    """
    return int((1 << _FILE_BITS.get(version, 16)) - 1)


def _attributes(version: int, *, network: bool) -> tuple[_Ruleset, int]:
    """What to handle, and how many bytes of it this version reads."""
    net = 0 if network or version < 4 else _NET_BITS
    rules = _Ruleset(handled_files(version), net, _SCOPE_BITS if version >= 6 else 0)
    return rules, 8 if version < 4 else 16 if version < 6 else 24


def restrict(grants: Sequence[tuple[Path | int, int]], *, network: bool = False) -> int:
    """Keep this thread to the granted places: pairs of a path, or of a descriptor open on it, and rights.

    A path that does not exist grants nothing. Gives the version applied; OSError when the kernel has no Landlock.
    """
    version = abi()
    if version < 1:
        raise OSError("landlock: this kernel does not offer it")
    rules, size = _attributes(version, network=network)
    ruleset = syscall("landlock_create_ruleset", _CREATE, ctypes.byref(rules), size, 0)
    try:
        for place, rights in grants:
            _grant(ruleset, place, rights & handled_files(version))
        forbid_new_privileges()
        syscall("landlock_restrict_self", _RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)
    return version


def _grant(ruleset: int, place: Path | int, rights: int) -> None:
    if isinstance(place, int):
        return _grant_descriptor(ruleset, place, rights)
    with contextlib.suppress(FileNotFoundError):
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
        try:
            _grant_descriptor(ruleset, descriptor, rights)
        finally:
            os.close(descriptor)
    return None


def _grant_descriptor(ruleset: int, descriptor: int, rights: int) -> None:
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        rights &= _ON_FILES
    rule = _PathRule(rights, descriptor)
    syscall("landlock_add_rule", _ADD, ruleset, _RULE_PATH, ctypes.byref(rule), 0)


def open_places(places: Iterable[Path]) -> list[int]:
    """Descriptors that stand for places in :func:`restrict`; those that do not exist are left out."""
    opened = []
    for place in places:
        with contextlib.suppress(FileNotFoundError, PermissionError):
            opened.append(os.open(place, os.O_PATH | os.O_CLOEXEC))
    return opened
