"""Many workers and many subjects: each problem is loaded by few workers, and little waits that is large."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assay.core import Budget
from assay.harness.execute import Job
from assay.harness.plan import Cell
from assay.harness.process.isolation import Isolation
from assay.harness.runners.queue import LOOK_AHEAD, JobQueue, problem_of
from assay.harness.store.stored_answer import StoredAnswer
from assay.harness.subject_ref import SubjectRef


def job(problem: int, subject: int) -> Job:
    return Job(
        cell=Cell(
            track="t",
            problem=f"p{problem}",
            problem_digest=f"digest {problem}",
            folder=str(Path("problems") / f"p{problem}"),
            tags={},
            subject=SubjectRef(kind="privileged", name=f"s{subject}", digest="d"),
            budget=Budget(seed=0),
            settings={},
            isolation=Isolation(),
            answer_key=f"{problem}/{subject}",
            record_key=f"{problem}/{subject}",
        )
    )


def loads(workers: int, problems: int, subjects: int, queue: JobQueue) -> float:
    """Workers per problem, when all of them are always busy and finish in turn."""
    had: list[str | None] = [None] * workers
    seen: set[tuple[int, str]] = set()
    count = 0
    while True:
        worker = count % workers
        job = queue.take(had[worker], {last for place, last in enumerate(had) if last and place != worker})
        if job is None:
            break
        had[worker] = problem_of(job)
        seen.add((worker, problem_of(job)))
        count += 1
    assert count == problems * subjects
    return len(seen) / problems


def test_two_hundred_workers_share_hardly_any_problem() -> None:
    jobs = [job(problem, subject) for problem in range(600) for subject in range(50)]
    assert loads(200, 600, 50, JobQueue(jobs, workers=200)) < 2


def test_looking_ahead_for_one_worker_only_would_spread_every_problem() -> None:
    jobs = [job(problem, subject) for problem in range(100) for subject in range(50)]
    assert loads(200, 100, 50, JobQueue(jobs)) > 10


def test_jobs_that_carry_answers_wait_in_small_numbers_however_many_workers_there_are() -> None:
    pulled = 0
    stored = StoredAnswer(status="ok", payload=b"large")

    def source() -> Iterator[Job]:
        nonlocal pulled
        for subject in range(1000):
            pulled += 1
            yield replace(job(0, subject), answer=stored)

    queue = JobQueue(source(), workers=200)
    assert queue.take(None, {problem_of(job(0, 0))}) is not None
    assert pulled == LOOK_AHEAD
