"""Stand-ins that cost nothing, so that what remains is the harness: tiny problems, instant answers, idle workers."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path

import numpy as np

from assay.core import Record, Status, get_track
from assay.harness import Cell, Finished, RunSpec, StoredAnswer
from assay.harness.execute import Job
from assay.harness.runners.worker import Broken

__all__ = ["IdlePool", "Instant", "finished", "tiny_problems", "tiny_run"]

PAYLOAD = 400  # bytes of an answer
DETAILS = 12  # numbers in a record's details
_COST = {"cpu_seconds": 0.01, "examine_seconds": 0.001}


def tiny_problems(folder: Path, count: int) -> Path:
    """So many problems of the parity track, two small files each."""
    for number in range(count):
        target = folder / f"numbers-{number:06d}"
        (target / "truth").mkdir(parents=True)
        numbers = [number + step for step in range(4)]
        content = {"id": target.name, "track": "parity", "tags": {"family": f"f{number % 7}"}, "numbers": numbers}
        (target / "problem.json").write_text(json.dumps(content))
        (target / "truth" / "even.json").write_text(json.dumps([value % 2 == 0 for value in numbers]))
    return folder


def tiny_run(problems: Path, *, subjects: int = 1, seeds: int = 1) -> RunSpec:
    """All tiny problems by so many subjects, which differ in their divisor."""
    names = tuple(f"divide(divisor={2 + number})" for number in range(subjects))
    return RunSpec(track="parity", subjects=names, problems=(str(problems),), seeds=tuple(range(seeds)))


def finished(
    cell: Cell,
    rng: np.random.Generator,
    *,
    failed: bool = False,
    payload: int = PAYLOAD,
    details: int = DETAILS,
    seconds: float = 0.01,
    cost: Mapping[str, float] = _COST,
) -> Finished:
    """A finished cell as large as real ones: bytes that cannot be compressed, scores of all metrics, some details."""
    track = get_track(cell.track)
    status: Status = "failed" if failed else "ok"
    answer = StoredAnswer(
        status=status, payload=rng.bytes(payload), isolation="confined", seconds=seconds, cost={"cpu_seconds": 0.01}
    )
    record = Record(
        key=cell.record_key,
        answer_key=cell.answer_key,
        track=cell.track,
        problem=cell.problem,
        problem_digest=cell.problem_digest,
        subject=cell.subject.name,
        subject_digest=cell.subject.digest,
        seed=cell.budget.seed,
        status=status,
        scores={metric.name: float(value) for metric, value in zip(track.metrics, rng.random(99), strict=False)},
        details={f"finding {number}": float(value) for number, value in enumerate(rng.random(details))},
        error="no answer" if failed else None,
        error_kind="crash" if failed else None,
        isolation="confined",
        tags=cell.tags,
        settings=cell.settings,
        versions=track.versions(),
        budget=cell.budget.to_json(),
        seconds=seconds,
        cost=cost,
        created="2026-01-02T03:04:05+00:00",
        host="nowhere",
    )
    return record, answer


class Instant:
    """A runner without workers: every cell is finished when it is asked for."""

    name = "instant"

    def map(self, jobs: Iterable[Job], /, *, hidden: object = ()) -> Iterator[Finished]:
        """One result per job, in order."""
        rng = np.random.default_rng(0)
        for job in jobs:
            yield finished(job.cell, rng)


class _Idle:
    """A forked process that answers every job at once; the driver's side is that of a real worker."""

    def __init__(self, loaded: set[tuple[int, str]]) -> None:
        self._loaded = loaded
        ours, theirs = socket.socketpair()
        self._pid = os.fork()
        if not self._pid:
            ours.close()
            _serve(Connection(theirs.detach()))
        theirs.close()
        self.connection = Connection(ours.detach())

    def submit(self, job: Job) -> None:
        self._loaded.add((self._pid, job.cell.problem))
        self.connection.send(job)

    def collect(self) -> Finished | Broken:
        result: Finished = self.connection.recv()
        return result

    def shutdown(self) -> None:
        """Nothing has to end."""

    def end(self, *, patience: float) -> None:
        self.connection.close()
        os.kill(self._pid, signal.SIGKILL)  # processes forked later hold its pipe too, so it would not see the end
        os.waitpid(self._pid, 0)


def _serve(driver: Connection) -> None:
    rng = np.random.default_rng(0)
    try:
        while True:
            driver.send(finished(driver.recv().cell, rng))
    except (EOFError, OSError):
        os._exit(0)


class IdlePool:
    """So many idle workers, and which problems each of them would have had to load."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._loaded: set[tuple[int, str]] = set()

    def loads(self) -> int:
        """How many pairs of worker and problem there were."""
        return len(self._loaded)

    def spawn(self) -> _Idle:
        return _Idle(self._loaded)

    def wait(self, busy: Sequence[_Idle]) -> list[_Idle]:
        ready = wait([worker.connection for worker in busy])
        return [worker for worker in busy if worker.connection in ready]
