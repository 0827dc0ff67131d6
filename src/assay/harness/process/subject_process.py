"""The examiner's side of a subject process: hand over the task, wait within the budget, take bytes back."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.core import Budget, InfrastructureFailed, InvalidInput, SubjectFailed
from assay.core.files.removal import remove_tree
from assay.harness.process.cgroup import ControlGroup
from assay.harness.process.container import INNER_PARENT, container_command
from assay.harness.process.disk import DiskGuard
from assay.harness.process.isolation import (
    CONTAINER,
    NONE,
    SOURCE,
    Isolation,
    copied_source,
    import_folders,
    readable_hint,
)
from assay.harness.process.observation import observed_files, relayed_software
from assay.harness.process.process_lifetime import end_session
from assay.harness.process.process_tree import descendants
from assay.harness.process.secrets import Mask
from assay.harness.process.usage import relayed
from assay.harness.process.watch import CellWatch, UseGuard
from assay.harness.programs.program import TASK, copy_program
from assay.harness.sources import is_installed
from assay.harness.store.stored_answer import StoredAnswer
from assay.harness.subject_ref import SubjectRef
from assay.sandbox.forking import Peer, PeerDied, end_process, quiet_environment, start_python
from assay.sandbox.frames import FrameTooLarge, receive_frame, send_frame

__all__ = ["BusyMachine", "ServerDied", "SubjectServer"]

ANSWER_CAP = 256 << 20
HEADER_CAP = 1 << 20
LOG_KEPT = 4000
_TRACE = "trace.jsonl"
_PATIENCE = 2.0  # seconds for a server to end by itself
_GRANTED = 3.0  # seconds after which even a switched-off clock strikes

_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH")


class ServerDied(InfrastructureFailed):
    """The subject server ended in the middle of a request."""


class BusyMachine(InfrastructureFailed):
    """A time-out that may be the fault of other work on this machine."""

    def __init__(self, subject: str, budget: Budget, waited: float) -> None:
        super().__init__(
            f"{subject!r} gave no answer within {budget.seconds:g} s while other work kept it waiting for a processor "
            f"for {waited:.1f} s"
        )


@dataclass(slots=True)
class _Reply:
    status: str = ""
    header: Mapping[str, Any] = field(default_factory=dict)
    payload: bytes = b""
    trouble: SubjectFailed | None = None
    timed_out: bool = False
    isolation: str = NONE


class SubjectServer:
    """A warm server that starts one fresh process per cell; started at the first use, ended by :meth:`close`."""

    def __init__(
        self,
        scratch: Path,
        isolation: Isolation | None = None,
        *,
        cores: tuple[int, ...] = (),
        hidden: Sequence[Path] = (),
        _off: Sequence[str] = (),
    ) -> None:
        """``hidden`` are places that a confined subject must not see, wherever they lie.

        ``_off`` names mechanisms that are left out although it is claimed that they hold: the tests' way to see that
        each of them matters.
        """
        self._off = _off
        self._depth = 0  # how far below the process that was started here the one is that forks subjects
        self._cores = cores
        self._hidden = hidden
        self._isolation = isolation or Isolation()
        self._mask = Mask.of_process(self._isolation.environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._control: Peer | None = None
        self._group = None if self._isolation.level == NONE else ControlGroup.make()
        self._scratch = Path(tempfile.mkdtemp(dir=scratch)).resolve()  # subjects start elsewhere

    def close(self) -> None:
        """End the server and everything below it."""
        self._stop()
        if self._group is not None:
            self._group.close()
        remove_tree(self._scratch)

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
        problem: Path,
        hand_over: Callable[[Path], None] | None = None,
        retried: bool = False,
        trace: str = "",
        load_only: bool = False,
    ) -> StoredAnswer:
        """Run one subject on one task, given as a pickled object that we made; failures are answers too.

        ``problem`` is the folder that stays out of the subject's sight; ``hand_over`` writes the task into a folder. A
        time-out while the machine was busy with other work raises BusyMachine unless this is its second try. With
        ``trace`` every system call is logged to that file. With ``load_only`` the subject is built and asked nothing.
        """
        ours, theirs = socket.socketpair()
        log_read, log_write = os.pipe()
        printed = _LogTail(log_read, LOG_KEPT + self._mask.longest)
        scratch = Path(tempfile.mkdtemp(dir=self._scratch))
        joins = [] if self._group is None or "cgroup" in self._off else self._group.open_joins()
        try:
            try:
                if hand_over is not None:
                    _place(hand_over, subject, scratch)
                request = self._request(track, scratch, problem)
                if trace:
                    request["trace"] = str(self._scratch / _TRACE)
                home, root = self._watched(subject), subject.root
                if self._isolation.level != NONE:
                    subject = copied_source(subject, scratch / SOURCE, self._isolation.readable)
                spawned = self._ask(request, [theirs.fileno(), log_write, *joins])
            finally:
                theirs.close()
                for descriptor in (log_write, *joins):
                    os.close(descriptor)
            pid, self._depth = int(spawned["pid"]), int(spawned["depth"])
            use = UseGuard(self.process_id, budget, counted=self._group is not None)
            killed = self._bound(use)
            disk = DiskGuard(scratch)
            watch = CellWatch([] if "watch" in self._off else [disk, use], ours)
            started = time.monotonic()
            try:
                visible = {"home": home, "readable": self._isolation.readable}
                job = {"track": track, "subject": subject, "budget": budget, "load_only": load_only, **visible}
                reply = self._exchange(ours, job, task, budget)
            finally:
                seconds = time.monotonic() - started
                overstepped = watch.stop()
            waited = use.delay_by_others() if reply.timed_out else None
            try:
                usage = self._ask({"verb": "reap", "pid": pid})
            except ServerDied:
                if not self._depth:  # else all of it died with the server, and the number is one of its namespace
                    end_session(pid)
                raise
            if watch.trouble is not None:
                raise InfrastructureFailed(f"{subject.name!r} cannot be watched: {watch.trouble!r}") from watch.trouble
            if trace and (self._scratch / _TRACE).exists():
                shutil.move(self._scratch / _TRACE, trace)
            log = self._mask.hide(printed.text())[-LOG_KEPT:]
            if waited is not None and not retried:
                raise BusyMachine(subject.name, budget, waited)
            failure = overstepped or _failure(reply, usage, budget, waited, counted=self._group is not None)
            if failure is not None and self._group is not None and self._group.killed() > killed:
                failure = SubjectFailed("memory", f"needed more than {budget.memory_mb} MB")
            failure = disk.judge(failure)
            if failure is not None and "refused" in reply.header and self._isolation.level != NONE:
                unseen = [*self._hidden, problem.resolve()]
                hint = readable_hint(reply.header["refused"], scratch, root, self._isolation.readable, unseen)
                failure = SubjectFailed(failure.kind, f"{failure}{hint}")
            failure = self._masked(failure, reply.payload)
        finally:
            ours.close()
            remove_tree(scratch)
        cost = {
            "cpu_seconds": usage["cpu_seconds"],
            "peak_memory_mb": usage["peak_memory_mb"],
            **{self._mask.hide(name): value for name, value in relayed(reply.header.get("usage")).items()},
        }
        software = relayed_software(reply.header.get("software"))
        answer = StoredAnswer(
            status="ok",
            payload=reply.payload,
            isolation=reply.isolation + (", traced" if trace else ""),
            seconds=seconds,
            cost=cost,
            log=log,
            software={self._mask.hide(name): self._mask.hide(text) for name, text in software.items()},
            files=observed_files(reply.header.get("files"), home, self._isolation.readable),
        )
        return answer if failure is None else replace(answer, payload=None).as_failed(failure)

    def _request(self, track: str, scratch: Path, problem: Path) -> dict[str, object]:
        isolation = self._isolation
        unseen = any(problem.resolve().is_relative_to(place) for place in self._hidden)
        request: dict[str, object] = {
            "verb": "spawn",
            "track": track,
            "scratch": str(scratch),
            "passed": isolation.environment,
            "cores": self._cores,
            "hidden": [] if unseen else [str(problem.resolve())],
            "counted": self._group is not None,
        }
        if isolation.level != NONE:
            readable = [*isolation.readable, *map(str, import_folders())]
            request["confine"] = {"network": isolation.network, "readable": readable}
        return request

    @property
    def process_id(self) -> int:
        """Of the process that forks subjects: the one started here or, in namespaces, one below it; 0 before."""
        if self._process is None:
            return 0
        return [self._process.pid, *descendants(self._process.pid)][self._depth]

    def _bound(self, use: UseGuard) -> int:
        """Limit the group's memory for this cell; the number of its processes ended before because memory ran out."""
        if self._group is None:
            return 0
        self._group.bound(use.memory, use.tasks)
        return self._group.killed()

    def _masked(self, failure: SubjectFailed | None, payload: bytes) -> SubjectFailed | None:
        """The failure without what subjects must not tell; an answer that tells it is one."""
        if failure is not None:
            return SubjectFailed(self._mask.hide(failure.kind), self._mask.hide(str(failure)))
        if name := self._mask.variable_in(payload):
            return SubjectFailed("secret in answer", f"the answer holds the value of the variable {name}: not kept")
        return None

    def _watched(self, subject: SubjectRef) -> str:
        """The folder of the subject's own files, where its process may read others than those that it is given."""
        alone = self._isolation.level != NONE and not self._isolation.readable  # it sees a copy of its source only
        own = subject.kind in ("file", "module") and not is_installed(Path(subject.root))
        return subject.root if own and not alone else ""

    def _exchange(self, peer: socket.socket, job: Mapping[str, object], task: bytes, budget: Budget) -> _Reply:
        deadline = time.monotonic() + budget.seconds + (_GRANTED if "clock" in self._off else 0)
        reply = _Reply()
        try:
            send_frame(peer, pickle.dumps(job, protocol=5), deadline=deadline)
            send_frame(peer, task, deadline=deadline)
            applied = json.loads(receive_frame(peer, cap=HEADER_CAP, deadline=deadline))  # before the subject's code
            if "trouble" in applied:
                raise InfrastructureFailed(str(applied["trouble"]))
            reply.isolation = str(applied["isolation"])
            header = json.loads(receive_frame(peer, cap=HEADER_CAP, deadline=deadline))
            payload = receive_frame(peer, cap=ANSWER_CAP, deadline=deadline)
            reply.status, reply.header, reply.payload = str(header["status"]), header, payload
        except TimeoutError:
            reply.timed_out = True
        except FrameTooLarge as error:
            reply.trouble = SubjectFailed("malformed answer", f"the answer is too large: {error}")
        except (ValueError, KeyError, TypeError, RecursionError):
            reply.trouble = SubjectFailed("malformed answer", "the reply does not follow the protocol")
        except (EOFError, OSError):
            reply.status = "died"
        return reply

    def _container(self) -> dict[str, Any]:
        """What runs the server, if the level asks for a container."""
        isolation = self._isolation
        if isolation.level != CONTAINER:
            return {}
        packages = [Path(name) for name in sys.path if Path(name).is_dir()]
        readable = [*map(Path, isolation.readable), *import_folders(), *packages]
        command = container_command(
            scratch=self._scratch, readable=readable, hidden=self._hidden, network=isolation.network
        )
        return {"prefix": command, "parent": INNER_PARENT}

    def _ask(self, request: Mapping[str, object], descriptors: Sequence[int] = ()) -> dict[str, float]:
        if self._control is None:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)  # a request arrives whole
            isolation = self._isolation
            settings = {
                "level": isolation.level,
                "network": isolation.network,
                "scratch": str(self._scratch),
                "hidden": [] if "hidden" in self._off else [str(place) for place in self._hidden],
                "off": list(self._off),
            }
            passed = os.environ if "environment" in self._off else (*_PASSED_ON, *isolation.environment)
            environment = quiet_environment(passed)
            with theirs:
                self._process = start_python(
                    "assay.harness.process.subject_server",
                    theirs,
                    json.dumps(settings),
                    environment=environment,
                    **self._container(),
                )
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


def _failure(
    reply: _Reply, usage: Mapping[str, float], budget: Budget, waited: float | None, *, counted: bool
) -> SubjectFailed | None:
    if reply.trouble is not None:
        return reply.trouble
    if reply.timed_out:
        busy = "" if waited is None else f"; other work kept it waiting for {waited:.1f} s, also when tried again"
        return SubjectFailed("timeout", f"no answer within {budget.seconds:g} s{busy}")
    if reply.status == "ok":
        return None
    if reply.status == "failed":
        return SubjectFailed(str(reply.header.get("kind", "exception")), str(reply.header.get("error", "")))
    if usage["signal"]:
        name = signal.Signals(int(usage["signal"])).name
        unsure = name == "SIGABRT" or (name == "SIGKILL" and not counted)
        hint = f", possibly out of memory (limit {budget.memory_mb} MB)" if unsure else ""
        return SubjectFailed("crashed", f"crashed ({name}){hint}")
    return SubjectFailed("crashed", f"ended without an answer (exit status {int(usage['code'])})")


class _LogTail(threading.Thread):
    """Reads what the subject prints, so that it never blocks on a full pipe, and keeps the end of it."""

    def __init__(self, descriptor: int, most: int) -> None:
        super().__init__(daemon=True)
        self._descriptor = descriptor
        self._most = most
        self._tail = b""
        self.start()

    def run(self) -> None:
        try:
            while part := os.read(self._descriptor, 1 << 16):
                self._tail = (self._tail + part)[-self._most :]
        finally:
            os.close(self._descriptor)

    def text(self) -> str:
        self.join(timeout=1)
        return self._tail.decode("utf-8", errors="replace")
