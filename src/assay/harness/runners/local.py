"""The local runner: a few long-lived worker processes, replaced when they die."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path

from assay.core import InvalidInput, SubjectFailed
from assay.harness.answer import Finished, StoredAnswer
from assay.harness.execute import Job
from assay.harness.runners.protocol import Lost, Outcome
from assay.harness.runners.queue import JobQueue, problem_of
from assay.harness.subject_process import python_main, quiet_environment
from assay.harness.worker import Broken

__all__ = ["LocalRunner"]

ATTEMPTS = 5


class _Worker:
    """One worker process and its connection."""

    def __init__(self, scratch: Path) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [
                    *python_main("assay.harness.worker"),
                    *(str(theirs.fileno()), str(os.getpid()), str(scratch)),
                ],
                pass_fds=[theirs.fileno()],
                env=quiet_environment(tuple(os.environ)),
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.connection = Connection(ours.detach())
        self.job: Job | None = None
        self.problem: str | None = None  # of its last job: what it still has in memory

    @property
    def pid(self) -> int:
        return self._process.pid

    def give(self, job: Job) -> None:
        self.job, self.problem = job, problem_of(job)
        self.connection.send(job)

    def end(self, *, patience: float) -> str:
        """Close the connection, upon which it ends by itself; kill it if it does not. Says how it ended."""
        self.connection.close()
        try:
            code = self._process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit status {code}"


class LocalRunner:
    """Runs cells on this machine. A cell whose worker dies is tried again while nothing else runs; the subject is
    blamed only when that happens twice, because whatever else may have killed the worker is then unlikely.
    """

    name = "local"

    def __init__(self, workers: int = 1, *, scratch: Path | None = None) -> None:
        if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
            raise InvalidInput(f"workers must be a whole number of at least 1, got {workers!r}.")
        self._count = workers
        self._scratch = scratch
        self._workers: list[_Worker] = []

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """The process ids of the workers that run now."""
        return tuple(worker.pid for worker in self._workers)

    def map(self, jobs: Iterable[Job], /) -> Iterator[Outcome]:
        """Outcomes as they finish; closing the iterator kills the workers."""
        scratch = Path(tempfile.mkdtemp(prefix="run-", dir=self._scratch))
        queue = JobQueue(jobs)
        again: deque[Job] = deque()  # cells that broke once; each of them runs while nothing else does
        attempts: Counter[str] = Counter()
        deaths_alone: Counter[str] = Counter()
        exhausted = False
        try:
            while True:
                busy = [worker for worker in self._workers if worker.job is not None]
                while not exhausted and len(busy) < self._count:
                    last = next((entry.problem for entry in self._workers if entry.job is None), None)
                    job = queue.take(last, {entry.problem for entry in busy if entry.problem is not None})
                    if job is None:
                        exhausted = True
                        break
                    busy.append(self._assign(job, scratch))
                if not busy and again:
                    busy.append(self._assign(again.popleft(), scratch))
                if not busy:
                    return
                alone = len(busy) == 1 and exhausted
                for connection in wait([worker.connection for worker in busy]):
                    worker = next(entry for entry in busy if entry.connection is connection)
                    job = worker.job
                    assert job is not None
                    key = job.cell.record_key
                    attempts[key] += 1
                    result = self._collect(worker)
                    if isinstance(result, Finished):
                        yield Outcome(job.cell, result)
                        continue
                    deaths_alone[key] += result.died and alone
                    if result.final or attempts[key] >= ATTEMPTS:
                        tried = "" if attempts[key] == 1 else f" (tried {attempts[key]} times)"
                        yield Outcome(job.cell, Lost(job.cell, result.reason + tried))
                    elif deaths_alone[key] > 1 and job.answer is None:
                        blame = SubjectFailed(
                            "crashed", f"ended the process that ran it twice while alone ({result.reason})"
                        )
                        again.append(Job(cell=job.cell, answer=StoredAnswer.failed(blame)))
                    else:
                        again.append(job)
        finally:
            for worker in self._workers:
                # an idle one leaves at once and tidies up; one in the middle of a cell is killed
                worker.end(patience=2 if worker.job is None else 0)
            self._workers.clear()
            shutil.rmtree(scratch, ignore_errors=True)

    def _assign(self, job: Job, scratch: Path) -> _Worker:
        worker = next((entry for entry in self._workers if entry.job is None), None)
        if worker is None:
            worker = _Worker(scratch)
            self._workers.append(worker)
        try:
            worker.give(job)
        except OSError:  # it died idle: the connection is at its end, which _collect will see
            worker.job = job
        return worker

    def _collect(self, worker: _Worker) -> Finished | Broken:
        """The worker's result; a dead worker is taken off the list."""
        try:
            result = worker.connection.recv()
        except (EOFError, OSError):
            self._workers.remove(worker)
            return Broken(f"a worker died ({worker.end(patience=1)})", died=True)
        worker.job = None
        assert isinstance(result, Finished | Broken)
        return result
