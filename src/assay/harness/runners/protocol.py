"""What every engine must offer: jobs in, finished cells out as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assay.harness.execute import Job
from assay.harness.plan import Cell
from assay.harness.store.stored_answer import Finished, StoredAnswer

__all__ = ["Lost", "Runner"]


@dataclass(frozen=True, slots=True)
class Lost:
    """A cell that could not be finished although it was retried; it is never scored."""

    cell: Cell
    reason: str
    answer: StoredAnswer | None = None  # where the subject gave one, and only scoring it failed


class Runner(Protocol):
    """Runs jobs, in any order, on processes of its own."""

    @property
    def name(self) -> str:
        """As on the command line."""

    def map(self, jobs: Iterable[Job], /, *, hidden: Sequence[Path] = ()) -> Iterator[Finished | Lost]:
        """One result per job; confined subjects do not see what is hidden.

        Closing the iterator ends all processes that it started.
        """
