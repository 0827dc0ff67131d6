"""Who watches a run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Protocol

from assay.harness.plan import Cell

__all__ = ["NoProgress", "Progress", "reporting", "say_nothing"]


class Progress(Protocol):
    """Who watches a run.

    An optional method ``notice(line)`` gets which subjects are solved again, and why, before the start. An optional
    ``status(line)`` gets what is being done before the first cell: what is loaded, read, planned.
    """

    def start(self, total: int, done: int) -> None:
        """There are so many cells, and so many of them are in the store already."""

    def advance(self, cell: Cell, status: str) -> None:
        """One more cell is finished: ``ok``, ``failed`` or ``lost``."""

    def stop(self) -> None:
        """The run has ended, one way or the other."""


class NoProgress:
    """Watches silently."""

    def start(self, total: int, done: int) -> None:
        """Nothing to show."""

    def advance(self, cell: Cell, status: str) -> None:
        """Nothing to show."""

    def stop(self) -> None:
        """Nothing to show."""


@contextlib.contextmanager
def reporting(progress: Progress | None) -> Iterator[Callable[[str], None]]:
    """The function that reports what is being done before the first cell; an error removes the line."""
    try:
        yield getattr(progress, "status", say_nothing)
    except BaseException:
        if progress is not None:
            progress.stop()
        raise


def say_nothing(line: str) -> None:
    """In place of a method that a watcher does not have."""
