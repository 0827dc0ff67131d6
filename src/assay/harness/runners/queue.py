"""Which cell a worker gets next: it stays with its problem, whose loaded data and finished work it still has."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Collection, Iterable

from assay.harness.execute import Job

__all__ = ["JobQueue"]

LOOK_AHEAD = 64  # jobs for each worker that may wait for the worker of their problem


class JobQueue:
    """Jobs in their order, except that a worker first gets those of the problem it had last.

    No worker waits: when all that is left belongs to problems of others, it helps with those. With many workers many
    problems are open at once, or each of them would be loaded by all; jobs that carry a stored answer, which may be
    large, wait in small numbers only.
    """

    def __init__(self, jobs: Iterable[Job], *, workers: int = 1) -> None:
        self._source = iter(jobs)
        self._most = LOOK_AHEAD * workers
        self._waiting: OrderedDict[str, deque[Job]] = OrderedDict()
        self._count = 0
        self._answers = 0

    def take(self, last: str | None, others: Collection[str]) -> Job | None:
        """The next job for a worker that had problem ``last``, while others are busy with theirs; None at the end."""
        if last is not None and last in self._waiting:
            return self._pop(last)
        while self._count < self._most and self._answers < LOOK_AHEAD:
            job = next(self._source, None)
            if job is None:
                break
            if problem_of(job) == last or problem_of(job) not in others:
                return job
            self._waiting.setdefault(problem_of(job), deque()).append(job)
            self._count += 1
            self._answers += job.answer is not None
        free = next((problem for problem in self._waiting if problem not in others), None)
        longest = max(self._waiting, key=lambda problem: len(self._waiting[problem]), default=None)
        chosen = free if free is not None else longest
        return None if chosen is None else self._pop(chosen)

    def _pop(self, problem: str) -> Job:
        jobs = self._waiting[problem]
        job = jobs.popleft()
        self._count -= 1
        self._answers -= job.answer is not None
        if not jobs:
            del self._waiting[problem]
        return job


def problem_of(job: Job) -> str:
    """What makes two cells share loaded data."""
    return f"{job.cell.folder}\n{job.cell.problem_digest}"
