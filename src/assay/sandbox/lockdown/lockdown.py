"""Lock this process down, once and for good, before a line of untrusted code runs.

The order matters. Limits come first, while they may still be set. Capabilities go, so that root is nobody special.
Then tracing is forbidden, then Landlock closes the file system, then the seccomp filter closes everything else, itself
included. All of it happens in a freshly forked child: it has one thread, and an earlier thread would escape Landlock.
"""

from __future__ import annotations

import ctypes
import os
import platform
import site
import sys
import sysconfig
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from assay.core import InvalidInput
from assay.sandbox.lockdown import landlock, seccomp
from assay.sandbox.lockdown.kernel import count_threads, forbid_new_privileges, forbid_tracing, syscall
from assay.sandbox.lockdown.limits import apply_limits, mapped_bytes, resource_limits
from assay.sandbox.lockdown.syscalls import MACHINES, Machine

__all__ = [
    "LAYERS",
    "LEVELS",
    "SINGLE_THREAD",
    "TooManyThreads",
    "drop_capabilities",
    "layers_of",
    "library_folders",
    "library_places",
    "lock_down",
    "missing_layers",
    "prepare",
    "require",
]

LEVELS: Final = ("strong", "weak")
LAYERS: Final = ("environment", "descriptors", "limits", "capabilities", "tracing", "landlock", "seccomp", "clock")
_WEAK: Final = ("environment", "descriptors", "limits", "tracing", "clock")

# a numerical library that is loaded late ends the process when it may not start its threads
SINGLE_THREAD: Final = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
_CAPABILITY_VERSION = 0x2008_0522
_ZONES = "/usr/share/zoneinfo"


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


_CapabilitySets = ctypes.c_uint32 * 6  # effective, permitted and inheritable, twice 32 bits each


class TooManyThreads(RuntimeError):
    """Lock-down was asked for in a process that already has several threads: the others would escape it."""


def layers_of(level: str) -> tuple[str, ...]:
    """The layers of a level."""
    return LAYERS if level == "strong" else _WEAK


def missing_layers() -> list[str]:
    """What this machine lacks for ``strong``, each with its reason; empty when nothing is missing."""
    missing = []
    machine = platform.machine()
    if sys.platform != "linux":
        return [f"Linux (this is {sys.platform})"]
    if machine not in MACHINES:
        missing.append(f"a seccomp filter for {machine} (there is one for x86_64)")
    elif not MACHINES[machine].verified:
        missing.append(f"a verified seccomp filter for {machine} (its table has not been run there yet)")
    if not Path("/proc/sys/kernel/seccomp").is_dir():
        missing.append("seccomp (the kernel was built without it)")
    if landlock.abi() < 1:
        missing.append("Landlock (Linux 5.13 or later, with landlock among its security modules)")
    return missing


def require(level: str) -> None:
    """Refuse a level that this machine cannot keep; nothing degrades silently."""
    if level not in LEVELS:
        raise InvalidInput(f"sandbox: no level {level!r}. Known: {', '.join(LEVELS)}.")
    if level == "strong" and (missing := missing_layers()):
        raise InvalidInput(
            f"sandbox: level 'strong' needs {'; '.join(missing)}. To run untrusted code with resource limits and a "
            "clock only, able to read files and use the network, choose level='weak' explicitly; it is recorded."
        )


def library_folders() -> list[Path]:
    """Where the interpreter and installed packages are: all that a guest may read."""
    paths = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    paths |= {path for path in sys.path if Path(path).name in ("site-packages", "dist-packages", "lib-dynload")}
    paths |= {site.getusersitepackages()} if site.ENABLE_USER_SITE else set()
    return sorted(Path(path).resolve() for path in [*paths, _ZONES] if Path(path).is_dir())


@cache
def library_places() -> tuple[str, ...]:
    """The same as texts, also under the names by which the interpreter knows them; found out before forking."""
    named = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")} | {_ZONES}
    return tuple(sorted({*map(str, library_folders()), *named}))


def drop_capabilities(machine: Machine) -> None:
    """Give up every capability, so that even root is bound by file permissions and limits."""
    header, nothing = _CapabilityHeader(_CAPABILITY_VERSION, 0), _CapabilitySets()
    syscall("capset", machine.numbers["capset"], ctypes.byref(header), ctypes.byref(nothing))


def lock_down(
    layers: Collection[str],
    *,
    keep: int,
    readable: Sequence[int],
    seconds: float,
    memory_mb: float,
    mapped: int | None = None,
) -> None:
    """Apply the layers to this process; OSError or :class:`TooManyThreads` when one cannot be applied.

    The descriptor ``keep`` stays open beside the standard three; those in ``readable`` stand for folders to grant. The
    clock is the host's to keep. ``mapped``, its mapped address space, is given for a child that was just forked, and
    so has one thread, by a parent whose own confinement keeps the child from reading /proc.
    """
    if mapped is None and (threads := count_threads()) != 1:
        raise TooManyThreads(f"lock-down needs a process with one thread, this one has {threads}")
    if "environment" in layers:
        os.environ.clear()
        os.environ.update(SINGLE_THREAD)
    if "descriptors" in layers:
        close_others([keep, *readable])
    machine = MACHINES.get(platform.machine())
    if "limits" in layers:
        apply_limits(resource_limits(seconds=seconds, memory_mb=memory_mb, mapped=mapped or mapped_bytes()))
    if "capabilities" in layers and machine is not None:
        drop_capabilities(machine)
    forbid_new_privileges()
    if "tracing" in layers:
        forbid_tracing()
    if "landlock" in layers:
        landlock.restrict([(place, landlock.READ) for place in readable])
    for place in readable:
        os.close(place)
    if "seccomp" in layers:
        if machine is None:
            raise OSError(f"seccomp: no table for {platform.machine()}")
        seccomp.install(machine, seccomp.guest_program(machine, os.getpid()))


def close_others(keep: Sequence[int]) -> None:
    """Close every descriptor but the standard three and those given."""
    bounds = sorted({2, *keep})
    for low, high in zip(bounds, [*bounds[1:], 1 << 16], strict=True):
        os.closerange(low + 1, high)


def prepare() -> None:
    """Do once, before forking, what every lock-down would do again: it makes them faster and changes nothing."""
    machine = MACHINES.get(platform.machine())
    if machine is not None:
        seccomp.guest_program(machine, os.getpid())
    landlock.abi()
    library_places()
