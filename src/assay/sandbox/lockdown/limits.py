"""Resource limits of a guest: what it may use even where everything else is allowed."""

from __future__ import annotations

import math
import os
import resource

__all__ = ["apply_limits", "mapped_bytes", "resource_limits"]

_MEGABYTE = 1 << 20
_OPEN_FILES = 64


def mapped_bytes() -> int:
    """How much address space this process has mapped now."""
    descriptor = os.open("/proc/self/statm", os.O_RDONLY)  # plain calls: on the way into every guest
    try:
        return int(os.read(descriptor, 100).split()[0]) * resource.getpagesize()
    finally:
        os.close(descriptor)


def resource_limits(*, seconds: float, memory_mb: float, mapped: int) -> dict[int, int]:
    """The limits of a process that has ``mapped`` bytes now and may add ``memory_mb``.

    Processor seconds lie above the wall clock's, which the host keeps: they matter only if the host itself is stopped.

    >>> limits = resource_limits(seconds=1.5, memory_mb=2, mapped=1000)
    >>> limits[resource.RLIMIT_AS], limits[resource.RLIMIT_CPU], limits[resource.RLIMIT_FSIZE]
    (2098152, 4, 0)
    """
    return {
        resource.RLIMIT_AS: mapped + int(memory_mb * _MEGABYTE),
        resource.RLIMIT_CPU: math.ceil(seconds) + 2,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_MEMLOCK: 0,
    }


def apply_limits(limits: dict[int, int]) -> None:
    """Set soft and hard limits alike; one that is lower already stays."""
    for name, value in limits.items():
        _, hard = resource.getrlimit(name)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (bound, bound))
