"""The subject server: a warm, single-threaded process that forks one fresh process per cell.

It imports the track and what subjects need, so that a subject starts in milliseconds. It never loads a problem: the
task arrives in the forked child, over a socket of its own, and the truth never comes near.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import inspect
import json
import linecache
import os
import pickle
import random
import re
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from assay.core import AnyTrack, AssayError, Budget, InvalidInput, SubjectFailed, get_track
from assay.core.contract.excerpt import excerpt
from assay.core.contract.lookup import what_exists
from assay.core.files.removal import remove_tree
from assay.harness.callables.writing import CAPTURED
from assay.harness.models.guest import ModelSubject
from assay.harness.process.cgroup import join_groups, most_tasks
from assay.harness.process.cores import use_cores
from assay.harness.process.huge_pages import use_huge_pages
from assay.harness.process.isolation import CONFINED, CONTAINER, NONE, SOURCE
from assay.harness.process.observation import FileWatch, loaded_software
from assay.harness.process.process_lifetime import adopt_orphans, end_descendants, end_session, tidy_with_parent
from assay.harness.process.secrets import Mask
from assay.harness.process.usage import reported
from assay.harness.programs.program import ProgramSubject
from assay.harness.subject_ref import build_subject
from assay.sandbox.forking import fork_child, reap, serve
from assay.sandbox.frames import receive_frame, send_frame
from assay.sandbox.lockdown.confine import confine, prepare_confinement
from assay.sandbox.lockdown.kernel import die_with_parent
from assay.sandbox.lockdown.limits import apply_limits, mapped_bytes
from assay.sandbox.lockdown.lockdown import close_others
from assay.sandbox.lockdown.namespaces import OWN_USER, SHARED_MEMORY, Refused, enter_namespaces
from assay.sandbox.trace import allow_tracing, start_tracer

__all__ = ["main"]

MAX_ERROR = 500
_LONGEST_LINE = 60  # of source that a failure shows
_LONGEST_ANSWER = 100  # of a value that is no answer
_MOST_CAUSES = 10
_TASK_CAP = 1 << 40
_TRACERS: dict[int, int] = {}  # traced child -> its tracer
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")


def main(arguments: list[str]) -> None:
    """Serve requests on the inherited socket until its other end closes."""
    descriptor, parent, settings = arguments
    control = socket.socket(fileno=int(descriptor))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    server = _Server(json.loads(settings), int(parent))
    try:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the worker is gone
            serve(control, server.answer)
    finally:
        end_descendants()
    os._exit(0)  # nothing here needs tidying up, and taking so many modules down takes longer than many a cell


class _Server:
    """What this process knows for all its children: where it stands, and what they must not see."""

    def __init__(self, settings: Mapping[str, Any], parent: int) -> None:
        self._hidden = [Path(text) for text in settings["hidden"]]
        self._off = settings["off"]  # what a test leaves out
        self._warmed: set[str] = set()
        self._namespaces: frozenset[str] = frozenset()
        self._spent_before = 0.0
        self._depth = 0
        if settings["level"] == CONFINED and "namespaces" not in self._off:
            die_with_parent(parent)
            with contextlib.suppress(Refused):  # the record says that it continues without
                self._namespaces = enter_namespaces(Path(settings["scratch"]), network=settings["network"])
                self._depth = 1  # below the process that stays outside
        if not self._namespaces:
            adopt_orphans()
            tidy_with_parent(parent)
        if settings["level"] == CONTAINER:
            self._namespaces, self._depth = frozenset({CONTAINER}), 2  # below the container's two processes

    def answer(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        """Fork a child for a cell, or end one and say what it used."""
        if request["verb"] == "reap":
            if "cleanup" in self._off:
                return reap(request["pid"])
            usage = _reap(request["pid"], clear=[SHARED_MEMORY] if self._namespaces else [])
            return {**usage, "cpu_seconds": _spent_by_children() - self._spent_before}  # also of those it left behind
        if request["track"] not in self._warmed:
            self._warm(request["track"])
            self._warmed.add(request["track"])
        request["namespaces"], request["off"] = self._namespaces, self._off
        request["hidden"] = [*self._hidden, *map(Path, request["hidden"])]
        channel, log, *joins = descriptors
        self._spent_before = _spent_by_children()
        pid = fork_child(partial(_run_child, channel, log, joins, request))
        if "trace" in request and (trouble := _trace(pid, Path(request["trace"]))):
            _reap(pid, clear=[])
            return {"error": trouble}
        return {"pid": pid, "depth": self._depth}

    def _warm(self, name: str) -> None:
        """Import what every child of this track would import, and keep it out of the collector's way."""
        for module in get_track(name).preload:
            importlib.import_module(module)
        if "numpy" in sys.modules:
            importlib.import_module("numpy.random")  # every child seeds it; numpy itself loads it when asked
        prepare_confinement(self._hidden)
        loaded_software()  # a child looks at the modules that come later
        gc.collect()
        gc.freeze()
        use_huge_pages()


def _spent_by_children() -> float:
    """Processor seconds of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _reap(pid: int, clear: list[Path]) -> dict[str, float]:
    """End the child and all it started, and clear folders that were its own.

    It stays unreaped until here, so its number cannot mean another process.
    """
    end_session(pid)
    usage = reap(pid)
    if tracer := _TRACERS.pop(pid, None):
        reap(tracer, grace=1.0)  # it writes its last lines
    end_descendants()
    for folder in clear:
        for name in os.listdir(folder):  # noqa: PTH208 - after every cell
            remove_tree(folder / name)
            (folder / name).unlink(missing_ok=True)
    return usage


def _trace(pid: int, log: Path) -> str:
    """Log every system call of a child from before it gets its job, which comes after our reply; why not, if not."""
    tracer, ready = start_tracer(pid, log, fork=fork_child)
    begun = os.read(ready, 1)
    os.close(ready)
    if begun:
        _TRACERS[pid] = tracer
        return ""
    reap(tracer, grace=1.0)
    return f"the subject's process cannot be traced: {log.read_text().strip() if log.exists() else 'no log'}"


def _run_child(channel: int, log: int, joins: list[int], request: dict[str, Any]) -> None:
    """Everything from here on happens in the subject's own process."""
    join_groups(joins)
    use_cores(request["cores"])
    if "trace" in request:
        allow_tracing()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    if "descriptors" not in request["off"]:
        close_others([channel])
    os.chdir(request["scratch"])
    with socket.socket(fileno=channel) as peer:
        header, payload = _solve(peer, request)
        sys.stdout.flush()
        sys.stderr.flush()
        send_frame(peer, json.dumps(header).encode())
        send_frame(peer, payload)


def _solve(peer: socket.socket, request: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
    job = pickle.loads(receive_frame(peer, cap=_TASK_CAP))  # from our own examiner, never from a subject
    task = pickle.loads(receive_frame(peer, cap=_TASK_CAP))
    mask = Mask.of_process(request["passed"])  # here as well: a message is cut to its length before it is sent
    # said before the subject's code runs, so that it cannot claim it
    send_frame(peer, json.dumps(_confine(request)).encode())
    if "trace" in request:
        allow_tracing()  # confinement forbids it; another than the tracer that is there cannot come
    watch = None
    if job["home"] or job["readable"]:
        copied = job["subject"].root if job["home"] else ""
        watch = FileWatch(job["home"], without=request["scratch"], copied=copied, readable=job["readable"])
    header, payload = _answer(job, task, mask, request)
    with contextlib.suppress(Exception):  # the subject may have left anything behind
        header["software"] = loaded_software()
    if watch is not None:
        header["files"] = watch.names()
    return header, payload


def _answer(
    job: Mapping[str, Any], task: object, mask: Mask, request: Mapping[str, Any]
) -> tuple[dict[str, Any], bytes]:
    budget, subject = job["budget"], None
    try:
        if "limits" not in request["off"]:
            _limit(budget, own_user=OWN_USER in request["namespaces"])
        random.seed(budget.seed)
        if numpy := sys.modules.get("numpy"):
            numpy.random.seed(budget.seed % 2**32)
        track = get_track(job["track"])
        subject = build_subject(job["subject"], track)
        if job["load_only"]:
            return {"status": "ok"}, b""
        answer = subject.solve(task, budget)
        payload = answer if isinstance(subject, ProgramSubject | ModelSubject) else _encode(track, answer)
        return {"status": "ok", "usage": reported(getattr(subject, "usage", None))}, payload
    except SubjectFailed as failure:
        header, payload = _failed(mask.hide(failure.kind), mask.hide(_without_places(str(failure), request["scratch"])))
        with contextlib.suppress(Exception):  # a property of the subject may do anything
            header["usage"] = reported(getattr(subject, "usage", None))
        return header, payload
    except MemoryError:
        return _failed("memory", f"needed more than {budget.memory_mb} MB")
    except BaseException as error:  # noqa: BLE001 - whatever the subject raises, also SystemExit, is its answer
        with contextlib.suppress(Exception):  # so that the log is in the order of what happened
            sys.stdout.flush()
        traceback.print_exc()
        described = _describe(error, mask, job["subject"].root, request["scratch"])
        hint = mask.hide(what_exists(error, task))
        header, payload = _failed("exception", f"{described}.{hint}" if hint else described)
        if refused := _refused(error):
            header["refused"] = refused
        return header, payload


def _confine(request: Mapping[str, Any]) -> dict[str, str]:
    """Lock this process down as asked; where that fails, say so instead of running anything."""
    options = request.get("confine")
    if options is None:
        return {"isolation": NONE}
    try:
        applied = confine(
            readable=[_package(get_track(request["track"])), *map(Path, options["readable"])],
            writable=Path(request["scratch"]),
            network=options["network"],
            hidden=request["hidden"],
            namespaces=bool(request["namespaces"]) or "namespaces" in request["off"],
            counted=request["counted"],
            _off=request["off"],
        )
    except (AssayError, OSError, RuntimeError) as error:
        return {"trouble": f"the subject's process cannot be confined: {error}"}
    text = str(applied)
    return {"isolation": text.replace(CONFINED, CONTAINER, 1) if CONTAINER in request["namespaces"] else text}


def _package(track: AnyTrack) -> Path:
    """The folder of a track's code: of its top package, or of the module that it consists of."""
    top = sys.modules[track.load.__module__.partition(".")[0]]
    return Path(inspect.getfile(top)).parent


def _encode(track: AnyTrack, answer: object) -> bytes:
    try:
        encoded: object = track.encode(answer)
    except (InvalidInput, TypeError, ValueError, AttributeError, KeyError) as error:
        raise SubjectFailed("malformed answer", _not_an_answer(track, answer, error)) from error
    if not isinstance(encoded, bytes):
        raise SubjectFailed("malformed answer", f"encoding gave {type(encoded).__name__}, not bytes")
    return encoded


def _not_an_answer(track: AnyTrack, answer: object, error: Exception) -> str:
    """What came back, what is wrong with it, and what the track expects."""
    fault = str(error).removeprefix("answer: ").rstrip(".")
    if not isinstance(error, InvalidInput):
        fault = f"it cannot be encoded ({type(error).__name__}: {fault})"
    came = excerpt(answer, _LONGEST_ANSWER)
    if answer is not None and not isinstance(answer, bool | int | float | str):
        came = f"{'an' if came[0].lower() in 'aeiou' else 'a'} {came}"
    returned = f"solve returned {came}"
    if track.contract is None:
        return f"{returned}: {fault}."
    detail = "" if fault.startswith("must be ") else f": {fault}"  # what it must be is said by the contract
    return f"{returned}{detail}. {track.contract.expected(track.name)}"


def _failed(kind: str, error: str) -> tuple[dict[str, Any], bytes]:
    return {"status": "failed", "kind": kind[:40], "error": error[:MAX_ERROR]}, b""


def _describe(error: BaseException, mask: Mask, root: str, scratch: str) -> str:
    """Type, message and the innermost line of the subject's own, or the innermost where none is.

    Memory addresses and the working folder are left out, so that equal failures give equal records.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if root and frame.filename.startswith(root + os.sep)]
    own = [frame for frame in own if not frame.filename.startswith((sys.prefix, sys.base_prefix))]
    message = mask.hide(_without_places(f"{type(error).__name__}: {error}", scratch))
    place = _place(own[-1] if own else frames[-1]) if frames else ""
    return _ADDRESS.sub("0x…", message[: MAX_ERROR - 100]) + mask.hide(place)


def _place(frame: traceback.FrameSummary) -> str:
    """A line by its number; of a captured value, whose file its user never saw, by its text."""
    if linecache.getline(frame.filename, 1).startswith(CAPTURED):
        text = frame.line or ""
        return f" (line {text if len(text) <= _LONGEST_LINE else text[:_LONGEST_LINE] + '…'!r}, in {frame.name})"
    return f" ({Path(frame.filename).name}, line {frame.lineno}, in {frame.name})"


def _without_places(text: str, scratch: str) -> str:
    """Paths as they are seen from the working folder, or from the copy of the subject's source."""
    for place in (os.path.join(scratch, SOURCE), scratch):  # noqa: PTH118
        text = text.replace(place + os.sep, "").replace(place, ".")
    return text


def _refused(error: BaseException | None) -> str:
    """The file that could not be opened, if that is what failed."""
    for _ in range(_MOST_CAUSES):
        if isinstance(error, PermissionError | FileNotFoundError) and isinstance(error.filename, str):
            return os.path.abspath(error.filename)  # noqa: PTH100
        error = None if error is None else error.__cause__ or error.__context__
    return ""


def _limit(budget: Budget, *, own_user: bool) -> None:
    """Bound the address space to what is mapped now plus the budget: what the subject itself may add.

    The number of tasks can be bounded where they count for a user of their own.
    """
    mapped = 0
    with contextlib.suppress(FileNotFoundError):  # not Linux: the bound then includes the interpreter
        mapped = mapped_bytes()
    limits = {resource.RLIMIT_AS: mapped + budget.memory_mb * (1 << 20), resource.RLIMIT_CORE: 0}
    if own_user:
        limits[resource.RLIMIT_NPROC] = most_tasks(budget)
    apply_limits(limits)
