"""The same lock-down for whole processes: a subject that is a program of its own, trusted with more than a function.

It may start threads and processes. It reads the interpreter, the system's libraries and the folders it is given, writes
one folder, and has no network unless that is allowed. What it starts inherits all of it; none of it can be undone.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from assay.core import InvalidInput
from assay.sandbox.lockdown import landlock, seccomp
from assay.sandbox.lockdown.kernel import count_threads, forbid_tracing
from assay.sandbox.lockdown.lockdown import TooManyThreads, drop_capabilities, library_folders, missing_layers
from assay.sandbox.lockdown.syscalls import MACHINES, Machine

__all__ = ["Confinement", "confine", "prepare_confinement", "require_confinement"]

_SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /opt /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/localtime"
_SYSTEM += " /etc/alternatives /etc/fonts /etc/locale.alias /etc/mime.types"
_KERNEL = "/proc/self /proc/cpuinfo /proc/meminfo /proc/stat /proc/version /sys/devices/system/cpu /sys/fs/cgroup"
_DEVICES = "/dev/null /dev/zero /dev/full /dev/random /dev/urandom"
_NAMES = "/etc/resolv.conf /etc/hosts /etc/nsswitch.conf /etc/host.conf /etc/services /etc/ssl /etc/ca-certificates"

_Grant = tuple[Path | int, int]


class Confinement(NamedTuple):
    """What was applied, for the record; ``str`` gives the short form."""

    landlock_abi: int
    network: bool

    def __str__(self) -> str:
        return "confined, network allowed" if self.network else "confined"


def require_confinement() -> None:
    """Refuse where processes cannot be confined; said before one is started."""
    if missing := missing_layers():
        raise InvalidInput(f"confinement needs {'; '.join(missing)}. Without it a subject's isolation is 'none'.")


def prepare_confinement() -> None:
    """Work out now what every confinement needs, so that the processes forked from here find it done."""
    if not missing_layers():
        for network in (False, True):
            _common(network)


def confine(*, readable: Sequence[Path] = (), writable: Path | None = None, network: bool = False) -> Confinement:
    """Confine this process, which was forked for it and has one thread, and all it will start.

    Relative paths are taken from the working folder. A given folder that does not exist is an error: a subject must not
    fail later for want of it.
    """
    machine, grants, program = _common(network)
    for place in [*readable, *([] if writable is None else [writable])]:
        if not place.exists():
            raise InvalidInput(f"confinement: {str(place)!r} does not exist. Give existing folders.")
    if writable is not None and not writable.is_dir():
        raise InvalidInput(f"confinement: {str(writable)!r} is to be written to and must be a folder.")
    if (threads := count_threads()) != 1:
        raise TooManyThreads(f"confinement needs a process with one thread, this one has {threads}")
    drop_capabilities(machine)
    forbid_tracing()
    own: list[_Grant] = [(place.resolve(), landlock.READ_EXECUTE) for place in readable]
    if writable is not None:
        own.append((writable.resolve(), landlock.READ_WRITE))
    version = landlock.restrict([*grants, *own], network=network)
    seccomp.install(machine, program)
    return Confinement(version, network)


@cache
def _common(network: bool) -> tuple[Machine, tuple[_Grant, ...], bytes]:
    """What confinements share: this machine's numbers, what every program may read, and the filter of its calls."""
    require_confinement()
    machine = MACHINES[platform.machine()]
    rules = seccomp.process_rules(network=network)
    return machine, _grants(network), seccomp.assemble(machine, rules, default=seccomp.ALLOW)


def _grants(network: bool) -> tuple[_Grant, ...]:
    """What every program needs: the system's and the interpreter's files, this package, harmless devices."""
    ours = [Path(sys.prefix), Path(sys.base_prefix), Path(__file__).parents[2], *library_folders()]
    system = [Path(name) for name in [*_SYSTEM.split(), *_KERNEL.split(), *(_NAMES.split() if network else [])]]
    devices = [(Path(name), landlock.READ_WRITE) for name in _DEVICES.split()]
    return (*((place, landlock.READ_EXECUTE) for place in [*ours, *system]), *devices)
