"""How jobs meet workers, whatever a worker is: one job at a time each, faults tried again, and blame only when sure."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from assay.core import SubjectFailed
from assay.harness.execute import Job
from assay.harness.process.process_lifetime import unhurried
from assay.harness.runners.protocol import Lost, Outcome
from assay.harness.runners.queue import JobQueue, problem_of
from assay.harness.runners.worker import Broken
from assay.harness.store.stored_answer import Finished, StoredAnswer

__all__ = ["ATTEMPTS", "Crew", "Hand", "dispatch"]

ATTEMPTS = 5


class Hand(Protocol):
    """One worker."""

    def give(self, job: Job) -> None:
        """Start it on a job; a worker that has died meanwhile says so at the next :meth:`collect`."""

    def collect(self) -> Finished | Broken:
        """The result of its job, which is there; ``Broken`` with ``died`` when the worker is gone."""

    def leave(self) -> None:
        """Tell it, while it is idle, to end by itself."""

    def end(self, *, patience: float) -> object:
        """End it, at the latest after so many seconds."""


HandT = TypeVar("HandT", bound=Hand)


class Crew(Protocol[HandT]):
    """Where workers come from."""

    @property
    def size(self) -> int:
        """How many may work at once."""

    def hire(self) -> HandT:
        """Another worker."""

    def wait(self, busy: Sequence[HandT]) -> Sequence[HandT]:
        """Those whose result, or end, is there; at least one."""


class _Staff(list[HandT]):
    """The workers that are there, with the job of each and the problem it still has in memory."""

    def __init__(self, crew: Crew[HandT]) -> None:
        super().__init__()
        self.crew = crew
        self.jobs: dict[int, Job] = {}
        self.problems: dict[int, str] = {}

    def busy(self) -> list[HandT]:
        return [hand for hand in self if id(hand) in self.jobs]

    def idle(self) -> HandT | None:
        return next((hand for hand in self if id(hand) not in self.jobs), None)

    def assign(self, job: Job) -> None:
        hand = self.idle()
        if hand is None:
            hand = self.crew.hire()
            self.append(hand)
        self.jobs[id(hand)], self.problems[id(hand)] = job, problem_of(job)
        hand.give(job)

    def collect(self, hand: HandT) -> tuple[Job, Finished | Broken]:
        job = self.jobs.pop(id(hand))
        result = hand.collect()
        if isinstance(result, Broken) and result.worker_gone:
            self.remove(hand)
            self.problems.pop(id(hand))
        return job, result

    def next_job(self, queue: JobQueue) -> Job | None:
        idle = self.idle()
        last = None if idle is None else self.problems.get(id(idle))
        return queue.take(last, {self.problems[id(hand)] for hand in self.busy()})

    def close(self) -> None:
        for hand in self:
            if id(hand) not in self.jobs:
                hand.leave()  # all of them before the first is waited for
        for hand in self:
            # an idle one leaves at once and tidies up; one in the middle of a cell is killed
            hand.end(patience=0 if id(hand) in self.jobs else 2)
        self.clear()


def dispatch(jobs: Iterable[Job], crew: Crew[HandT], staff_of: list[HandT] | None = None) -> Iterator[Outcome]:
    """Outcomes as they finish; closing the iterator ends the workers.

    A cell whose worker dies is tried again while nothing else runs; the subject is blamed only when that happens twice,
    because whatever else may have killed the worker is then unlikely.
    """
    staff: _Staff[HandT] = _Staff(crew)
    queue = JobQueue(jobs, workers=crew.size)
    again: deque[Job] = deque()  # cells that broke once; each of them runs while nothing else does
    attempts: Counter[str] = Counter()
    deaths_alone: Counter[str] = Counter()
    exhausted = False
    outcomes: list[Outcome] = []  # told once all hands are busy again: nobody waits for the store
    try:
        while True:
            while not exhausted and len(staff.busy()) < crew.size:
                job = staff.next_job(queue)
                if job is None:
                    exhausted = True
                    break
                staff.assign(job)
            if not staff.busy() and again:
                staff.assign(again.popleft())
            busy = staff.busy()
            if staff_of is not None:
                staff_of[:] = staff
            yield from outcomes
            outcomes = []
            if not busy:
                return
            alone = len(busy) == 1 and exhausted
            for hand in crew.wait(busy):
                job, result = staff.collect(hand)
                key = job.cell.record_key
                attempts[key] += 1
                if isinstance(result, Finished):
                    del attempts[key]  # of millions of finished cells nothing is kept
                    outcomes.append(Outcome(job.cell, result))
                    continue
                deaths_alone[key] += result.died and alone
                if result.final or attempts[key] >= ATTEMPTS:
                    tried = "" if attempts[key] == 1 else f" (tried {attempts[key]} times)"
                    outcomes.append(Outcome(job.cell, Lost(job.cell, result.reason + tried)))
                elif deaths_alone[key] > 1 and job.answer is None:
                    blame = SubjectFailed(
                        "crashed", f"ended the process that ran it twice while alone ({result.reason})"
                    )
                    again.append(Job(cell=job.cell, answer=StoredAnswer.failed(blame)))
                else:
                    again.append(job)
    finally:
        with unhurried():
            staff.close()
        if staff_of is not None:
            staff_of.clear()
