"""How much memory a worker may take: what one exploding cell needs must not bring the machine down."""

from __future__ import annotations

import contextlib
import os
import resource
from pathlib import Path
from typing import Final

from assay.core import InfrastructureFailed
from assay.sandbox.lockdown.limits import mapped_bytes

__all__ = ["OutOfMemory", "limit_worker", "machine_memory"]

_SHARE: Final = 0.75  # of the machine's memory; what is left keeps the driver alive
_GROUPS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


class OutOfMemory(InfrastructureFailed):
    """A cell needs more memory than a worker may take: trying again on this machine would not help."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} needs more memory than a worker may take on this machine; run it on a larger one")


def machine_memory() -> int:
    """Bytes that this machine, or the container that it is, can offer."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for name in _GROUPS:
        with contextlib.suppress(OSError, ValueError):  # no such group, or "max"
            total = min(total, int(Path(name).read_text()))
    return total


def limit_worker() -> None:
    """Bound this process's address space; only the soft limit, so that subjects below may have one of their own."""
    try:
        bound = mapped_bytes() + int(_SHARE * machine_memory())
    except (OSError, ValueError):  # not Linux: there the limit would not hold anyway
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    for limit in (soft, hard):
        if limit != resource.RLIM_INFINITY:
            bound = min(bound, limit)
    resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
