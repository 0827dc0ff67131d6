"""Watches a subject while it works, and closes its connection when it exceeds a limit."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Protocol

from assay.core import Budget, SubjectFailed
from assay.core.display import counted
from assay.harness.process.cgroup import most_tasks
from assay.harness.process.process_tree import (
    descendants,
    machine_busy_seconds,
    private_memory,
    queue_memory,
    real_memory,
    tree_use,
    waited_seconds,
)

__all__ = ["CellWatch", "Guard", "UseGuard"]

_POLL: Final = 0.05  # seconds
_SPARE: Final = 32 << 20  # bytes beside the budget, for what the system holds on behalf of a process
_KEPT_WAITING: Final = 0.2  # of the time that has passed
_BUSY_WITH_OTHERS: Final = 0.2  # of all processors, over that time


class Guard(Protocol):
    """Knows one bound."""

    def look(self) -> SubjectFailed | None:
        """What the subject has overstepped, if anything."""


class CellWatch(threading.Thread):
    """Asks its guards at short intervals; cells shorter than one interval are not checked.

    A subject that its guards cannot check is stopped too: ``trouble`` says why they could not.
    """

    def __init__(self, guards: Sequence[Guard], line: socket.socket) -> None:
        super().__init__(daemon=True)
        self._guards = guards
        self._line = line
        self._over = threading.Event()
        self._failure: SubjectFailed | None = None
        self.trouble: Exception | None = None
        self.start()

    def run(self) -> None:
        """Look until the subject has answered, or must be stopped."""
        while not self._over.wait(_POLL):
            try:
                self._failure = next((failure for guard in self._guards if (failure := guard.look())), None)
            except Exception as error:  # noqa: BLE001 - without its guards a subject is not bounded
                self.trouble = error
            if self._failure is not None or self.trouble is not None:
                with suppress(OSError):
                    self._line.shutdown(socket.SHUT_RDWR)
                return

    def stop(self) -> SubjectFailed | None:
        """The subject has answered, or never will: what it was stopped for, if it was."""
        self._over.set()
        self.join()
        return self._failure


class UseGuard:
    """Bounds what all processes of a subject hold and use together.

    ``server`` is the process below which they run, one subject at a time. Memory is left to the control group where the
    subject is ``counted`` in one; ``memory`` is its bound, in bytes, and ``tasks`` that
    of processes and threads.
    """

    def __init__(self, server: int, budget: Budget, *, counted: bool) -> None:
        self._server = server
        self._budget = budget
        self._counted = counted
        self.tasks = most_tasks(budget)
        self._shared = private_memory(server)  # its pages are a subject's, too, until it changes them
        self.memory = self._shared + _SPARE + (budget.memory_mb << 20)
        self._before = tree_use([server]).cpu_seconds
        self._started: float | None = None
        self._busy_before = 0.0

    def look(self) -> SubjectFailed | None:
        """Memory, processor time and number of tasks; the first look also begins the watch over the machine."""
        if self._started is None:
            self._started, self._busy_before = time.monotonic(), machine_busy_seconds()
        processes = descendants(self._server)
        use = tree_use(processes)
        budget = self._budget
        if budget.cpu_seconds is not None and self._seconds(use.cpu_seconds) > budget.cpu_seconds:
            return SubjectFailed("timeout", f"no answer within {budget.cpu_seconds:g} s of processor time")
        if use.tasks > self.tasks:
            return SubjectFailed("processes", f"started more than {self.tasks} processes and threads")
        if not self._counted:
            queues = queue_memory(processes)
            together = use.memory + queues > self.memory and real_memory([self._server, *processes]) + queues
            if together > self.memory:
                return SubjectFailed(
                    "memory", f"needed more than {budget.memory_mb} MB, in {counted(len(processes), 'process')}"
                )
        return None

    def delay_by_others(self) -> float | None:
        """Seconds that the subject waited for a processor because of other work; None if that was not much.

        A subject cannot make itself look kept waiting: what its own processes use is no other work.
        """
        processes = descendants(self._server)
        if self._started is None or not processes:
            return None
        passed = time.monotonic() - self._started
        own = self._seconds(tree_use(processes).cpu_seconds)
        others = machine_busy_seconds() - self._busy_before - own
        waited = waited_seconds(processes[0])
        much = waited > _KEPT_WAITING * passed and others > _BUSY_WITH_OTHERS * passed * (os.cpu_count() or 1)
        return waited if much else None

    def _seconds(self, alive: float) -> float:
        """With those that have ended meanwhile, for which the server waited."""
        return alive + tree_use([self._server]).cpu_seconds - self._before
