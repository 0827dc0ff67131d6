"""The same lock-down for whole processes: a subject that is a program of its own, trusted with more than a function.

It may start threads and processes. It reads the interpreter, the system's libraries and the folders it is given, writes
one folder, and has no network unless that is allowed. What it starts inherits all of it; none of it can be undone.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from assay.core import InvalidInput
from assay.sandbox.lockdown import landlock, seccomp
from assay.sandbox.lockdown.kernel import count_threads
from assay.sandbox.lockdown.landlock import abi
from assay.sandbox.lockdown.lockdown import TooManyThreads, drop_capabilities, library_folders, missing_layers
from assay.sandbox.lockdown.namespaces import SHARED_MEMORY
from assay.sandbox.lockdown.syscalls import MACHINES

__all__ = [
    "NAME_FILES",
    "Confinement",
    "common_grants",
    "confine",
    "prepare_confinement",
    "require_confinement",
    "without_hidden",
]

_SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /opt /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/localtime"
_SYSTEM += " /etc/alternatives /etc/fonts /etc/locale.alias /etc/mime.types"
_KERNEL = "/proc/self /proc/cpuinfo /proc/meminfo /proc/stat /proc/version /sys/devices/system/cpu /sys/fs/cgroup"
_DEVICES = "/dev/null /dev/zero /dev/full /dev/random /dev/urandom"
NAME_FILES = "/etc/resolv.conf /etc/hosts /etc/nsswitch.conf /etc/host.conf /etc/services /etc/ssl /etc/ca-certificates"

_Grant = tuple[Path | int, int]


class Confinement(NamedTuple):
    """What was applied, for the record; ``str`` gives the short form, which names what is less than usual."""

    landlock_abi: int
    network: bool
    namespaces: bool = True
    counted: bool = True

    def __str__(self) -> str:
        remarks = {
            "network allowed": self.network,
            "without namespaces": not self.namespaces,
            "memory sampled": not self.counted,
        }
        return ", ".join(["confined", *(remark for remark, holds in remarks.items() if holds)])


def require_confinement() -> None:
    """Refuse where processes cannot be confined; said before one is started."""
    if missing := missing_layers():
        raise InvalidInput(f"confinement needs {'; '.join(missing)}. Without it a subject's isolation is 'none'.")


def prepare_confinement(hidden: Sequence[Path] = ()) -> None:
    """Work out now what every confinement needs, so that the processes forked from here find it done."""
    if not missing_layers():
        for network in (False, True):
            common_grants(network, tuple(hidden))


def confine(
    *,
    readable: Sequence[Path] = (),
    writable: Path | None = None,
    network: bool = False,
    hidden: Sequence[Path] = (),
    namespaces: bool = False,
    counted: bool = False,
    _off: Collection[str] = (),
) -> Confinement:
    """Confine this process, which was forked for it and has one thread, and all it will start.

    Relative paths are taken from the working folder. A given folder that does not exist is an error: a subject must not
    fail later because it is missing. Of all that is readable, the system's and the interpreter's folders included, the
    ``hidden`` places are left out. ``namespaces`` says that this process has its own and can write one folder only,
    ``counted`` that the system counts all memory that it takes.
    """
    require_confinement()
    machine = MACHINES[platform.machine()]
    for place in [*readable, *([] if writable is None else [writable])]:
        if not place.exists():
            raise InvalidInput(f"confinement: {str(place)!r} does not exist. Give existing folders.")
    if writable is not None and not writable.is_dir():
        raise InvalidInput(f"confinement: {str(writable)!r} is to be written to and must be a folder.")
    if (threads := count_threads()) != 1:
        raise TooManyThreads(f"confinement needs a process with one thread, this one has {threads}")
    if "capabilities" not in _off:
        drop_capabilities(machine)
    places = [part for place in readable for part in without_hidden(place.resolve(), hidden)]
    own: list[_Grant] = [(place, landlock.READ_EXECUTE) for place in places]
    if writable is not None:
        own.append((writable.resolve(), landlock.READ_WRITE))
    if namespaces and counted:  # shared memory of its own, for semaphores and arrays
        own.append((SHARED_MEMORY, landlock.READ_WRITE))
    grants = [*common_grants(network, tuple(hidden)), *own]
    version = abi() if "landlock" in _off else landlock.restrict(grants, network=network)
    if "seccomp" not in _off:
        seccomp.install(machine, _program(network, namespaces, counted))
    return Confinement(version, network, namespaces, counted)


@cache
def _program(network: bool, read_only: bool, counted: bool) -> bytes:
    rules = seccomp.process_rules(network=network, read_only=read_only, counted=counted)
    return seccomp.assemble(MACHINES[platform.machine()], rules, default=seccomp.ALLOW)


@cache
def common_grants(network: bool, hidden: tuple[Path, ...] = ()) -> tuple[_Grant, ...]:
    """What every program needs: the system's and the interpreter's files, this package, harmless devices."""
    ours = [Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parents[2], *library_folders()]
    system = [Path(name) for name in [*_SYSTEM.split(), *(NAME_FILES.split() if network else [])]]
    shown = [part for place in [*ours, *system] for part in without_hidden(place, hidden)]
    fixed = [(Path(name), landlock.READ_EXECUTE) for name in _KERNEL.split()]
    devices = [(Path(name), landlock.READ_WRITE) for name in _DEVICES.split()]
    return (*((place, landlock.READ_EXECUTE) for place in shown), *fixed, *devices)


def without_hidden(place: Path, hidden: Sequence[Path]) -> list[Path]:
    """The place, or what lies in it beside the hidden ones; a link is left out there, wherever it may lead."""
    shown = place.resolve()
    within = [path for path in hidden if path.is_relative_to(shown)]
    if not within:
        return [place]
    if shown in within:
        return []
    try:
        entries = sorted(shown.iterdir())
    except OSError:
        return []
    return [part for entry in entries if not entry.is_symlink() for part in without_hidden(entry, within)]
