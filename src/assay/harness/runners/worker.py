"""A worker process: receives jobs from the driver, examines, sends results back; ends when the driver does."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
import time
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from assay.core import InfrastructureFailed
from assay.core.notices import show_notices
from assay.harness.execute import BrokenMetric, BrokenProblem, Examiner, Job
from assay.harness.process.cores import claim_core
from assay.harness.process.disk import is_full
from assay.harness.process.memory import OutOfMemory, limit_worker
from assay.harness.process.subject_process import BusyMachine, ServerDied
from assay.harness.store.stored_answer import Finished, StoredAnswer
from assay.sandbox.lockdown.kernel import die_with_parent

__all__ = ["ALIVE", "Broken", "finish_safely", "main"]

ALIVE: Final = "alive"  # sent by a worker every second, to tell a working one from a hanging one
_BEAT: Final = 1.0  # seconds


@dataclass(frozen=True, slots=True)
class Broken:
    """The cell could not be finished through no fault of the subject's."""

    reason: str
    died: bool = False  # a process of ours ended: the subject may have killed it
    final: bool = False  # trying again would not help
    worker_gone: bool = False  # the worker itself, not only the subject's process
    busy: bool = False  # a time-out that may be the fault of other work on the machine
    answer: StoredAnswer | None = None  # what the subject gave before a metric broke


def main(arguments: list[str]) -> None:
    """Serve jobs on the inherited connection until it closes."""
    descriptor, parent, scratch, cores, hidden = arguments
    die_with_parent(int(parent))
    show_notices()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides when to stop
    os.set_inheritable(int(descriptor), False)
    limit_worker()
    own = claim_core() if cores == "own" else None
    unseen = [Path(text) for text in json.loads(hidden)]
    examiner = Examiner(Path(scratch), cores=own.before if own else (), hidden=unseen)
    with Connection(int(descriptor)) as driver:
        turn = threading.Lock()
        threading.Thread(target=_beat, args=(driver, turn), daemon=True).start()
        try:
            while True:
                job = driver.recv()
                assert isinstance(job, Job)
                result = finish_safely(examiner, job)
                with turn:
                    driver.send(result)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return
        finally:
            examiner.close()


def _beat(driver: Connection, turn: threading.Lock) -> None:
    with contextlib.suppress(OSError):  # the driver is gone, which the other thread sees as well
        while True:
            time.sleep(_BEAT)
            with turn:
                driver.send(ALIVE)


def finish_safely(examiner: Examiner, job: Job) -> Finished | Broken:
    """The finished cell, or why it is not finished; nothing is raised."""
    try:
        return examiner.finish(job)
    except BrokenMetric as failure:
        return Broken(str(failure), final=True, answer=None if job.answer else failure.answer)
    except InfrastructureFailed as failure:
        final = isinstance(failure, BrokenProblem | OutOfMemory)
        died, busy = isinstance(failure, ServerDied), isinstance(failure, BusyMachine)
        return Broken(str(failure), died=died, final=final, busy=busy)
    except MemoryError:
        return Broken(str(OutOfMemory(str(job.cell))), final=True)
    except Exception as error:  # noqa: BLE001 - a bug of ours must never be scored against the subject
        if isinstance(error, OSError) and is_full(error):
            return Broken("no space left on the disk: free some, then run again")
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}, line {last.lineno}"
        return Broken(f"{type(error).__name__}: {error} ({place}). This is a bug in Assay: please report it.")
