"""The examiner's side of a subject process: hand over the task, wait within the budget, take bytes back."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.core import Budget, InfrastructureFailed, InvalidInput, SubjectFailed
from assay.harness.process.disk import DiskWatch
from assay.harness.process.isolation import CONFINED, NONE, Isolation, copied_source, import_folders
from assay.harness.process.process_lifetime import end_session
from assay.harness.process.secrets import Mask
from assay.harness.process.usage import relayed
from assay.harness.program import TASK, copy_program
from assay.harness.store.stored_answer import StoredAnswer
from assay.harness.subject_ref import SubjectRef
from assay.sandbox.forking import Peer, PeerDied, end_process, quiet_environment, start_python
from assay.sandbox.frames import FrameTooLarge, receive_frame, send_frame

__all__ = ["ServerDied", "SubjectServer"]

ANSWER_CAP = 256 << 20
HEADER_CAP = 1 << 20
LOG_KEPT = 4000
_PATIENCE = 2.0  # seconds for a server to end by itself

_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH")


class ServerDied(InfrastructureFailed):
    """The subject server ended in the middle of a request."""


@dataclass(slots=True)
class _Reply:
    status: str = ""
    header: Mapping[str, Any] = field(default_factory=dict)
    payload: bytes = b""
    trouble: SubjectFailed | None = None
    isolation: str = NONE


class SubjectServer:
    """A warm server that starts one fresh process per cell; started at the first use, ended by :meth:`close`."""

    def __init__(self, scratch: Path, environment: tuple[str, ...] = (), *, cores: tuple[int, ...] = ()) -> None:
        self._cores = cores
        self._environment = environment
        self._mask = Mask.of_process(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._control: Peer | None = None
        self._scratch = Path(tempfile.mkdtemp(dir=scratch)).resolve()  # subjects start elsewhere

    def close(self) -> None:
        """End the server and everything below it."""
        self._stop()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _stop(self) -> str:
        """End the server process; the next request starts another. Says how it ended."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is None:
            return "no answer"
        code = end_process(self._process, patience=_PATIENCE)  # it ends what is below it
        self._process = None
        return "no answer" if code is None else f"exit status {code}"

    def solve(
        self,
        track: str,
        subject: SubjectRef,
        task: bytes,
        budget: Budget,
        *,
        isolation: Isolation,
        problem: Path,
        hand_over: Callable[[Path], None] | None = None,
        trace: str = "",
    ) -> StoredAnswer:
        """Run one subject on one task, given as a pickled object that we made; failures are answers too.

        ``problem`` is the folder that stays out of the subject's sight; ``hand_over`` writes the task into a folder.
        With ``trace`` every system call is logged to that file.
        """
        ours, theirs = socket.socketpair()
        log_read, log_write = os.pipe()
        printed = _LogTail(log_read, LOG_KEPT + self._mask.longest)
        scratch = Path(tempfile.mkdtemp(dir=self._scratch))
        try:
            try:
                request: dict[str, object] = {"verb": "spawn", "track": track, "scratch": str(scratch)}
                request["passed"], request["cores"] = self._environment, self._cores
                if trace:
                    request["trace"] = trace
                if hand_over is not None:
                    _place(hand_over, subject, scratch)
                if isolation.level == CONFINED:
                    subject = copied_source(subject, scratch / "source")
                    readable = [*isolation.readable, *map(str, import_folders(problem.resolve()))]
                    request["confine"] = {"network": isolation.network, "readable": readable}
                pid = int(self._ask(request, [theirs.fileno(), log_write])["pid"])
            finally:
                theirs.close()
                os.close(log_write)
            watch = DiskWatch(scratch, ours)
            started = time.monotonic()
            try:
                reply = self._exchange(ours, track, subject, task, budget)
            finally:
                seconds = time.monotonic() - started
                watch.stop()
            try:
                usage = self._ask({"verb": "reap", "pid": pid})
            except ServerDied:
                end_session(pid)
                raise
            log = self._mask.hide(printed.text())[-LOG_KEPT:]
            failure = self._masked(watch.judge(_failure(reply, usage, budget)), reply.payload)
        finally:
            ours.close()
            shutil.rmtree(scratch, ignore_errors=True)
        cost = {
            "cpu_seconds": usage["cpu_seconds"],
            "peak_memory_mb": usage["peak_memory_mb"],
            **{self._mask.hide(name): value for name, value in relayed(reply.header.get("usage")).items()},
        }
        answer = StoredAnswer(
            status="ok",
            payload=reply.payload,
            isolation=reply.isolation + (", traced" if trace else ""),
            seconds=seconds,
            cost=cost,
            log=log,
        )
        return answer if failure is None else replace(answer, payload=None).as_failed(failure)

    def _masked(self, failure: SubjectFailed | None, payload: bytes) -> SubjectFailed | None:
        """The failure without what subjects must not tell; an answer that tells it is one."""
        if failure is not None:
            return SubjectFailed(self._mask.hide(failure.kind), self._mask.hide(str(failure)))
        if name := self._mask.found_in(payload):
            return SubjectFailed("secret in answer", f"the answer holds the value of the variable {name}: not kept")
        return None

    def _exchange(self, peer: socket.socket, track: str, subject: SubjectRef, task: bytes, budget: Budget) -> _Reply:
        deadline = time.monotonic() + budget.seconds
        reply = _Reply()
        try:
            head = pickle.dumps({"track": track, "subject": subject, "budget": budget}, protocol=5)
            send_frame(peer, head, deadline=deadline)
            send_frame(peer, task, deadline=deadline)
            applied = json.loads(receive_frame(peer, cap=HEADER_CAP, deadline=deadline))  # before the subject's code
            if "trouble" in applied:
                raise InfrastructureFailed(str(applied["trouble"]))
            reply.isolation = str(applied["isolation"])
            header = json.loads(receive_frame(peer, cap=HEADER_CAP, deadline=deadline))
            payload = receive_frame(peer, cap=ANSWER_CAP, deadline=deadline)
            reply.status, reply.header, reply.payload = str(header["status"]), header, payload
        except TimeoutError:
            reply.trouble = SubjectFailed("timeout", f"no answer within {budget.seconds:g} s")
        except FrameTooLarge as error:
            reply.trouble = SubjectFailed("malformed answer", f"the answer is too large: {error}")
        except (ValueError, KeyError, TypeError, RecursionError):
            reply.trouble = SubjectFailed("malformed answer", "the reply does not follow the protocol")
        except (EOFError, OSError):
            reply.status = "died"
        return reply

    def _ask(self, request: Mapping[str, object], descriptors: Sequence[int] = ()) -> dict[str, float]:
        if self._control is None:
            ours, theirs = socket.socketpair()
            environment = quiet_environment((*_PASSED_ON, *self._environment))
            with theirs:
                self._process = start_python("assay.harness.process.subject_server", theirs, environment=environment)
            self._control = Peer(ours, "the subject server", seconds=None)
        try:
            return self._control.ask(request, descriptors)
        except PeerDied as error:
            raise ServerDied(f"the subject server died ({self._stop()})") from error


def _place(hand_over: Callable[[Path], None], subject: SubjectRef, scratch: Path) -> None:
    """The task's and the program's files into the subject's folder; trouble with that is not the subject's."""
    try:
        hand_over(scratch / TASK)
        copy_program(subject.program(), scratch)
    except (InvalidInput, OSError) as error:
        raise InfrastructureFailed(f"the task of {subject.name!r} cannot be handed over: {error}") from error


def _failure(reply: _Reply, usage: Mapping[str, float], budget: Budget) -> SubjectFailed | None:
    if reply.trouble is not None:
        return reply.trouble
    if reply.status == "ok":
        return None
    if reply.status == "failed":
        return SubjectFailed(str(reply.header.get("kind", "exception")), str(reply.header.get("error", "")))
    if usage["signal"]:
        name = signal.Signals(int(usage["signal"])).name
        hint = f", perhaps for want of memory ({budget.memory_mb} MB)" if name in ("SIGKILL", "SIGABRT") else ""
        return SubjectFailed("crashed", f"crashed ({name}){hint}")
    return SubjectFailed("crashed", f"ended without an answer (exit status {int(usage['code'])})")


class _LogTail(threading.Thread):
    """Reads what the subject prints, so that it never blocks on a full pipe, and keeps the end of it."""

    def __init__(self, descriptor: int, most: int) -> None:
        super().__init__(daemon=True)
        self._descriptor = descriptor
        self._most = most
        self._kept = b""
        self.start()

    def run(self) -> None:
        try:
            while part := os.read(self._descriptor, 1 << 16):
                self._kept = (self._kept + part)[-self._most :]
        finally:
            os.close(self._descriptor)

    def text(self) -> str:
        self.join(timeout=1)
        return self._kept.decode("utf-8", errors="replace")
