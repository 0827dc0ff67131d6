"""What a failure would score in cells that could not be finished."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from assay.core import InfrastructureFailed, SubjectFailed
from assay.harness.execute import Job
from assay.harness.runners import LocalRunner, Lost
from assay.harness.store.store import Store
from assay.harness.store.stored_answer import StoredAnswer

__all__ = ["store_floors"]


def store_floors(store: Store, lost: Sequence[Lost], scratch: Path) -> None:
    """Store with lost cells what a failure scores there: reports count that, and have no problems to ask.

    A worker finds it, as for a subject that failed: loading the problem may be what broke. Where it cannot be found,
    reports have other sources.
    """
    failed = StoredAnswer.failed(SubjectFailed("lost", "the cell could not be finished"))
    by_problem: dict[tuple[str, str], list[Lost]] = {}
    for loss in lost:
        by_problem.setdefault((loss.cell.track, loss.cell.problem_digest), []).append(loss)
    jobs = (Job(cell=losses[0].cell, answer=failed) for losses in by_problem.values())
    with contextlib.suppress(OSError, InfrastructureFailed):
        for result in LocalRunner(1, scratch=scratch).map(jobs):
            if not isinstance(result, Lost):
                record, _ = result
                for loss in by_problem[record.track, record.problem_digest]:
                    store.commit_loss(loss.cell, loss.reason, record.scores)
