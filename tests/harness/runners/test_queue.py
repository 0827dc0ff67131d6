from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from assay.core import Budget
from assay.harness.execute import Job
from assay.harness.plan import Cell
from assay.harness.process.isolation import Isolation
from assay.harness.runners.queue import LOOK_AHEAD, JobQueue, problem_of
from assay.harness.subject_ref import SubjectRef


def job(problem: str, number: int = 0) -> Job:
    return Job(
        cell=Cell(
            track="t",
            problem=problem,
            problem_digest=f"digest of {problem}",
            folder=str(Path("problems") / problem),
            tags={},
            subject=SubjectRef(kind="privileged", name=f"s{number}", digest="d"),
            budget=Budget(seed=0),
            settings={},
            isolation=Isolation(),
            answer_key=f"{problem}{number}",
            record_key=f"{problem}{number}",
        )
    )


def key(problem: str) -> str:
    return problem_of(job(problem))


def drain(queue: JobQueue, last: str | None, others: set[str]) -> list[str]:
    order = []
    while (current := queue.take(last, others)) is not None:
        order.append(current.cell.record_key)
    return order


def test_one_worker_gets_all_jobs_in_their_order() -> None:
    jobs = [job(problem, number) for problem in "ab" for number in range(3)]
    queue, order = JobQueue(jobs), []
    last: str | None = None
    while (current := queue.take(last, set())) is not None:
        order.append(current)
        last = problem_of(current)
    assert order == jobs


def test_a_second_worker_starts_with_the_next_problem_and_each_keeps_its_own() -> None:
    queue = JobQueue([job(problem, number) for problem in "ab" for number in range(2)])
    first = queue.take(None, set())
    second = queue.take(None, {key("a")})
    assert first is not None
    assert second is not None
    assert (first.cell.problem, second.cell.problem) == ("a", "b")
    third, fourth = queue.take(key("a"), {key("b")}), queue.take(key("b"), {key("a")})
    assert third is not None
    assert fourth is not None
    assert (third.cell.problem, fourth.cell.problem) == ("a", "b")
    assert queue.take(key("a"), {key("b")}) is None


def test_no_worker_waits_when_only_the_problems_of_others_are_left() -> None:
    queue = JobQueue([job("a", number) for number in range(5)])
    assert queue.take(None, set()) is not None
    assert drain(queue, key("b"), {key("a")}) == ["a1", "a2", "a3", "a4"]


def test_only_so_many_jobs_are_looked_at_ahead() -> None:
    pulled = 0

    def source() -> Iterator[Job]:
        nonlocal pulled
        for number in range(1000):
            pulled += 1
            yield job("a", number)

    queue = JobQueue(source())
    first = queue.take(None, {key("a")})
    assert first is not None
    assert pulled == LOOK_AHEAD
    assert len(drain(queue, None, {key("a")})) == 999


def test_nothing_is_lost_or_given_twice_whatever_the_workers_do() -> None:
    chance = random.Random(3)
    jobs = [job(problem, number) for problem in "abcdefg" for number in range(30)]
    queue, order = JobQueue(jobs), []
    had: list[str | None] = [None, None, None]
    while True:
        worker = chance.randrange(3)
        current = queue.take(had[worker], {last for last in had if last is not None} - {had[worker]})
        if current is None:
            break
        had[worker] = problem_of(current)
        order.append(current.cell.record_key)
    assert sorted(order) == sorted(entry.cell.record_key for entry in jobs)
