"""The local runner: a few long-lived worker processes, replaced when they die."""

from __future__ import annotations

import json
import os
import signal
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Final, NamedTuple

from assay.core.checks import demand_whole
from assay.core.files.removal import remove_tree
from assay.harness.execute import Job
from assay.harness.process.cores import fills_machine
from assay.harness.runners.dispatch import dispatch
from assay.harness.runners.protocol import Lost
from assay.harness.runners.worker import ALIVE, Broken
from assay.harness.store.stored_answer import Finished
from assay.sandbox.forking import end_process, quiet_environment, start_python

__all__ = ["LocalRunner", "Patience"]

_LOOK: Final = 5.0  # seconds


class Patience(NamedTuple):
    """Seconds after which a worker is given up and its cell tried again."""

    silence: float = 300.0  # without a sign of life
    longest: float = 7200.0  # with one cell, beside the subject's own time


class _Worker:
    """One worker process and its connection."""

    def __init__(self, scratch: Path, cores: str, hidden: str) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = start_python(
                "assay.harness.runners.worker",
                theirs,
                *(str(scratch), cores, hidden),
                environment=quiet_environment(os.environ),
            )
        self.connection = Connection(ours.detach())
        self._last_sign = self._began = time.monotonic()
        self._allowed = 0.0
        self._result: Finished | Broken | None = None

    @property
    def pid(self) -> int:
        return self._process.pid

    def submit(self, job: Job) -> None:
        self._began, self._allowed = time.monotonic(), job.cell.budget.seconds
        try:
            self.connection.send(job)
        except OSError:  # it died idle: the connection is at its end, which collect will see
            return

    def listen(self) -> bool:
        """Receive a message; whether it is the result of the job or the end of the worker."""
        self._last_sign = time.monotonic()
        try:
            message = self.connection.recv()
        except (EOFError, OSError):
            message = Broken(f"a worker died ({self.end(patience=1)})", died=True, worker_gone=True)
        if message == ALIVE:
            return False
        self._result = message
        return True

    def overdue(self, silence: float, longest: float) -> bool:
        """Whether it has not responded for so long, or been at its job for so long, that it is given up."""
        now = time.monotonic()
        longest += self._allowed
        if now - self._last_sign <= silence and now - self._began <= longest:
            return False
        what = (
            f"did not respond for {silence:g} s" if now - self._last_sign > silence else f"took more than {longest:g} s"
        )
        self.end(patience=0)
        self._result = Broken(f"a worker {what} and was stopped", died=True, worker_gone=True)
        return True

    def collect(self) -> Finished | Broken:
        result, self._result = self._result, None
        assert result is not None
        return result

    def shutdown(self) -> None:
        """Close the connection, upon which it ends by itself."""
        self.connection.close()

    def end(self, *, patience: float) -> str:
        """Wait until it has ended by itself, and kill it if it does not. Says how it ended."""
        self.shutdown()
        code = end_process(self._process, patience=patience)
        if code is None:
            code = -signal.SIGKILL
        return f"signal {-code}" if code < 0 else f"exit status {code}"


class _Pool:
    """Worker processes of this machine, all with one folder for what their subjects write."""

    def __init__(self, size: int, scratch: Path, hidden: Sequence[Path], patience: Patience) -> None:
        self.size = size
        self._patience = patience
        self._hidden = json.dumps([str(place) for place in hidden])
        self._scratch = scratch
        self._cores = "own" if fills_machine(size) else "any"

    def spawn(self) -> _Worker:
        return _Worker(self._scratch, self._cores, self._hidden)

    def wait(self, busy: Sequence[_Worker]) -> list[_Worker]:
        while True:
            ready = wait([worker.connection for worker in busy], timeout=min(_LOOK, self._patience.silence))
            finished = [worker for worker in busy if worker.connection in ready and worker.listen()]
            finished += [worker for worker in busy if worker not in finished and worker.overdue(*self._patience)]
            if finished:
                return finished


class LocalRunner:
    """Runs cells on this machine."""

    name = "local"

    def __init__(self, workers: int = 1, *, scratch: Path | None = None, patience: Patience | None = None) -> None:
        demand_whole(workers, "workers", least=1)
        self._patience = patience or Patience()
        self._count = workers
        self._scratch = scratch
        self._workers: list[_Worker] = []

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """The process ids of the workers that run now."""
        return tuple(worker.pid for worker in self._workers)

    def map(self, jobs: Iterable[Job], /, *, hidden: Sequence[Path] = ()) -> Iterator[Finished | Lost]:
        """Results as they come; closing the iterator kills the workers."""
        scratch = Path(tempfile.mkdtemp(prefix="run-", dir=self._scratch))
        try:
            yield from dispatch(jobs, _Pool(self._count, scratch, hidden, self._patience), self._workers)
        finally:
            remove_tree(scratch)
