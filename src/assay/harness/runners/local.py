"""The local runner: a few long-lived worker processes, replaced when they die."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import cast

from assay.core.checks import demand_whole
from assay.harness.execute import Job
from assay.harness.process.cores import fills_machine
from assay.harness.runners.dispatch import dispatch
from assay.harness.runners.protocol import Lost
from assay.harness.runners.worker import Broken
from assay.harness.store.stored_answer import Finished
from assay.sandbox.forking import end_process, quiet_environment, start_python

__all__ = ["LocalRunner"]


class _Worker:
    """One worker process and its connection."""

    def __init__(self, scratch: Path, cores: str) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = start_python(
                "assay.harness.runners.worker", theirs, str(scratch), cores, environment=quiet_environment(os.environ)
            )
        self.connection = Connection(ours.detach())

    @property
    def pid(self) -> int:
        return self._process.pid

    def submit(self, job: Job) -> None:
        try:
            self.connection.send(job)
        except OSError:  # it died idle: the connection is at its end, which collect will see
            return

    def collect(self) -> Finished | Broken:
        try:
            result = self.connection.recv()
        except (EOFError, OSError):
            return Broken(f"a worker died ({self.end(patience=1)})", died=True, worker_gone=True)
        return cast("Finished | Broken", result)

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

    def __init__(self, size: int, scratch: Path) -> None:
        self.size = size
        self._scratch = scratch
        self._cores = "own" if fills_machine(size) else "any"

    def spawn(self) -> _Worker:
        return _Worker(self._scratch, self._cores)

    def wait(self, busy: Sequence[_Worker]) -> list[_Worker]:
        ready = wait([worker.connection for worker in busy])
        return [worker for worker in busy if worker.connection in ready]


class LocalRunner:
    """Runs cells on this machine."""

    name = "local"

    def __init__(self, workers: int = 1, *, scratch: Path | None = None) -> None:
        demand_whole(workers, "workers", least=1)
        self._count = workers
        self._scratch = scratch
        self._workers: list[_Worker] = []

    @property
    def worker_pids(self) -> tuple[int, ...]:
        """The process ids of the workers that run now."""
        return tuple(worker.pid for worker in self._workers)

    def map(self, jobs: Iterable[Job], /) -> Iterator[Finished | Lost]:
        """Results as they come; closing the iterator kills the workers."""
        scratch = Path(tempfile.mkdtemp(prefix="run-", dir=self._scratch))
        try:
            yield from dispatch(jobs, _Pool(self._count, scratch), self._workers)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
