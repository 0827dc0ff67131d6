"""A runner that finishes one cell after the other in the process of the driver."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from assay.harness import Finished, Lost
from assay.harness.execute import Examiner, Job
from assay.harness.runners.worker import Broken, finish_safely

__all__ = ["OneByOne", "make_one_by_one"]


class OneByOne:
    """No worker processes; the subject's own process is the only one."""

    name = "one-by-one"

    def __init__(self, scratch: Path | None = None) -> None:
        self._scratch = scratch

    def map(self, jobs: Iterable[Job], /, *, hidden: Sequence[Path] = ()) -> Iterator[Finished | Lost]:
        """A result per job, in the order of the jobs."""
        with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
            examiner = Examiner(Path(folder), hidden=hidden)
            try:
                for job in jobs:
                    result = finish_safely(examiner, job)
                    yield Lost(job.cell, result.reason, result.answer) if isinstance(result, Broken) else result
            finally:
                examiner.close()


def make_one_by_one(workers: int | None, /, *, address: str | None = None, scratch: Path | None = None) -> OneByOne:
    """What ``--runner one-by-one`` means."""
    return OneByOne(scratch)
