"""A core for each worker of a run that fills the machine.

A worker, its subject server and the subject take turns of a few milliseconds. The system then moves them about, piles
them up on one core and leaves another idle for a moment, time and again. Workers and servers that stay where they are
avoid that; subjects are let go to every core.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Collection
from typing import NamedTuple

__all__ = ["OwnCore", "claim_core", "fills_machine", "use_cores"]


class OwnCore(NamedTuple):
    """The core that this process keeps to for as long as it lives, and those it could use before."""

    core: int
    before: tuple[int, ...]
    claim: socket.socket


def fills_machine(workers: int) -> bool:
    """Whether so many workers take every core that this process may use; with fewer, the system finds room itself."""
    return hasattr(os, "sched_getaffinity") and workers == len(os.sched_getaffinity(0))


def claim_core() -> OwnCore | None:
    """Keep this process, and what it starts, to a core that no other worker claims; None when there is none left.

    A claim is the name of a socket: the system frees it when its holder ends, however that ends.
    """
    before = tuple(sorted(os.sched_getaffinity(0)))
    for core in before:
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0assay-core-{core}")
            os.sched_setaffinity(0, {core})
        except OSError:  # another run's worker is there, or the core is not ours any more
            claim.close()
            continue
        return OwnCore(core, before, claim)
    return None


def use_cores(cores: Collection[int]) -> None:
    """Let this process use these cores again; with none given, nothing changes."""
    if cores:
        os.sched_setaffinity(0, cores)
