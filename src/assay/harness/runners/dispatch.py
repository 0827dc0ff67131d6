"""How jobs meet workers, whatever a worker is: one job at a time each, faults tried again, and blame only when sure."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from assay.core import SubjectFailed
from assay.harness.execute import Job
from assay.harness.process.process_lifetime import ignoring_interrupts
from assay.harness.runners.protocol import Lost
from assay.harness.runners.queue import JobQueue, problem_of
from assay.harness.runners.worker import Broken
from assay.harness.store.stored_answer import Finished, StoredAnswer

__all__ = ["ATTEMPTS", "Pool", "Worker", "dispatch"]

ATTEMPTS = 5


class Worker(Protocol):
    """One worker."""

    def submit(self, job: Job) -> None:
        """Start it on a job; a worker that has died meanwhile says so at the next :meth:`collect`."""

    def collect(self) -> Finished | Broken:
        """The result of its job, which is there; ``Broken`` with ``died`` when the worker is gone."""

    def shutdown(self) -> None:
        """Tell it, while it is idle, to end by itself."""

    def end(self, *, patience: float) -> object:
        """End it, at the latest after so many seconds."""


WorkerT = TypeVar("WorkerT", bound=Worker)


class Pool(Protocol[WorkerT]):
    """Where workers come from."""

    @property
    def size(self) -> int:
        """How many may work at once."""

    def spawn(self) -> WorkerT:
        """Another worker."""

    def wait(self, busy: Sequence[WorkerT]) -> Sequence[WorkerT]:
        """Those whose result, or end, is there; at least one."""


class _Workers(list[WorkerT]):
    """The workers that are there, with the job of each and the problem it still has in memory."""

    def __init__(self, pool: Pool[WorkerT]) -> None:
        super().__init__()
        self.pool = pool
        self.jobs: dict[int, Job] = {}
        self.problems: dict[int, str] = {}

    def busy(self) -> list[WorkerT]:
        return [worker for worker in self if id(worker) in self.jobs]

    def idle(self) -> WorkerT | None:
        return next((worker for worker in self if id(worker) not in self.jobs), None)

    def assign(self, job: Job) -> None:
        worker = self.idle()
        if worker is None:
            worker = self.pool.spawn()
            self.append(worker)
        self.jobs[id(worker)], self.problems[id(worker)] = job, problem_of(job)
        worker.submit(job)

    def collect(self, worker: WorkerT) -> tuple[Job, Finished | Broken]:
        job = self.jobs.pop(id(worker))
        result = worker.collect()
        if isinstance(result, Broken) and result.worker_gone:
            self.remove(worker)
            self.problems.pop(id(worker))
        return job, result

    def next_job(self, queue: JobQueue) -> Job | None:
        idle = self.idle()
        last = None if idle is None else self.problems.get(id(idle))
        return queue.take(last, {self.problems[id(worker)] for worker in self.busy()})

    def close(self) -> None:
        for worker in self:
            if id(worker) not in self.jobs:
                worker.shutdown()  # all of them before the first is waited for
        for worker in self:
            # an idle one leaves at once and tidies up; one in the middle of a cell is killed
            worker.end(patience=0 if id(worker) in self.jobs else 2)
        self.clear()


def dispatch(
    jobs: Iterable[Job], pool: Pool[WorkerT], running: list[WorkerT] | None = None
) -> Iterator[Finished | Lost]:
    """Results as they come; closing the iterator ends the workers.

    A cell whose worker dies is tried again while nothing else runs; the subject is blamed only when that happens twice,
    because whatever else may have killed the worker is then unlikely.
    """
    workers: _Workers[WorkerT] = _Workers(pool)
    queue = JobQueue(jobs, workers=pool.size)
    again: deque[Job] = deque()  # cells that broke once; each of them runs while nothing else does
    attempts: Counter[str] = Counter()
    deaths_alone: Counter[str] = Counter()
    exhausted = False
    results: list[Finished | Lost] = []  # returned once all workers are busy again, so that none waits for the store
    try:
        while True:
            while not exhausted and len(workers.busy()) < pool.size:
                job = workers.next_job(queue)
                if job is None:
                    exhausted = True
                    break
                workers.assign(job)
            if not workers.busy() and again:
                workers.assign(again.popleft())
            busy = workers.busy()
            if running is not None:
                running[:] = workers
            yield from results
            results = []
            if not busy:
                return
            alone = len(busy) == 1 and exhausted
            for worker in pool.wait(busy):
                job, result = workers.collect(worker)
                key = job.cell.record_key
                attempts[key] += 1
                if not isinstance(result, Broken):
                    del attempts[key]  # of millions of finished cells nothing is kept
                    results.append(result)
                    continue
                deaths_alone[key] += result.died and alone
                if result.final or attempts[key] >= ATTEMPTS:
                    tried = "" if attempts[key] == 1 else f" (tried {attempts[key]} times)"
                    results.append(Lost(job.cell, result.reason + tried, result.answer))
                elif deaths_alone[key] > 1 and job.answer is None:
                    blame = SubjectFailed("crashed", f"crashed its process twice while running alone ({result.reason})")
                    again.append(Job(cell=job.cell, answer=StoredAnswer.failed(blame)))
                else:
                    again.append(replace(job, retried=True) if result.busy else job)
    finally:
        with ignoring_interrupts():
            workers.close()
        if running is not None:
            running.clear()
