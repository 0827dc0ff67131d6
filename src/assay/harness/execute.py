"""One cell from start to record: load, solve, decode, examine, score. Runs in the examiner process."""

from __future__ import annotations

import inspect
import pickle
import platform
import re
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from numbers import Real
from pathlib import Path
from typing import Any

from assay.core import (
    AnyProblem,
    AnyTrack,
    InfrastructureFailed,
    InvalidInput,
    Json,
    Metric,
    SubjectFailed,
    plain,
)
from assay.harness.metric_loading import track_with
from assay.harness.plan import Cell
from assay.harness.process.isolation import Isolation
from assay.harness.process.memory import OutOfMemory
from assay.harness.process.observation import loaded_software
from assay.harness.process.subject_process import SubjectServer
from assay.harness.programs.program import read_answer
from assay.harness.store.stored_answer import Finished, StoredAnswer
from assay.harness.subject_ref import ORACLE

__all__ = ["BrokenMetric", "BrokenProblem", "Examiner", "Job", "is_broken_problem", "score"]

PROBLEMS_KEPT = 2
SERVERS_KEPT = 3
NO_TASK = pickle.dumps(None, protocol=5)  # a program finds its task in a folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A cell to finish; with a stored answer it is only examined, and no subject is called."""

    cell: Cell
    answer: StoredAnswer | None = None
    retried: bool = False  # after a time-out on a busy machine; a second one is believed
    trace: str = ""  # a file for the system calls of the subject's process
    load_only: bool = False  # build the subject in its process and ask it nothing: is it set up?


def is_broken_problem(reason: str) -> bool:
    """Whether a cell was lost because its problem cannot be loaded: the input is wrong, not the machine."""
    return re.search(r"problem .* cannot be loaded: ", reason) is not None


class BrokenProblem(InfrastructureFailed):
    """The problem cannot be loaded, or is not the planned one: trying again would not help."""


class BrokenMetric(InfrastructureFailed):
    """A metric raised, or gave no number: the fault of its author, and trying again would not help.

    ``answer`` is what the subject gave: it is kept, and scored once the metric is fixed.
    """

    answer: StoredAnswer | None = None


@dataclass(frozen=True)
class _Loaded:
    problem: AnyProblem

    @cached_property
    def task(self) -> bytes:
        """What a subject process gets; made when one needs it, since precomputed answers need none."""
        return pickle.dumps(self.problem.task, protocol=5)


class Examiner:
    """Finishes cells one after the other; keeps the last problems and a subject server per track and environment.

    Servers are few: each holds the libraries of its track in memory.
    """

    def __init__(self, scratch: Path, *, cores: tuple[int, ...] = (), hidden: Sequence[Path] = ()) -> None:
        """With ``cores`` subjects may use those, instead of the one that this process keeps to.

        ``hidden`` are the problems and results of the run, which confined subjects must not see.
        """
        self._hidden = hidden
        self._scratch = scratch
        self._cores = cores
        self._problems: OrderedDict[tuple[str, str], _Loaded] = OrderedDict()
        self._servers: OrderedDict[tuple[str, Isolation], SubjectServer] = OrderedDict()

    def close(self) -> None:
        """End the subject servers."""
        for server in self._servers.values():
            server.close()
        self._servers.clear()

    def finish(self, job: Job) -> Finished:
        """The record of one cell and its answer; InfrastructureFailed when the cause is not the subject's."""
        cell = job.cell
        if job.load_only and job.answer is None:
            return self._build(cell, retried=job.retried)
        track = _track(cell)
        loaded = self._load(track, cell)
        answer = job.answer or self._solve(track, loaded, job)
        started = time.monotonic()
        try:
            answer, scores, details = _judged(track, loaded.problem, answer, cell)
        except BrokenMetric as failure:
            failure.answer = answer
            raise
        record = cell.record(
            status=answer.status,
            scores=scores,
            details=details,
            error=answer.error,
            error_kind=answer.error_kind,
            isolation=answer.isolation,
            versions=track.versions(),
            seconds=answer.seconds,
            cost={**answer.cost, "examine_seconds": time.monotonic() - started},
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            host=platform.node(),
            software=_software(answer),
        )
        return record, answer

    def _build(self, cell: Cell, *, retried: bool) -> Finished:
        """Whether the subject can be built where it will solve; the record has no scores and is never stored."""
        server = self._server(cell.track, cell.isolation)
        folder = Path(cell.folder)
        answer = server.solve(
            cell.track, cell.subject, NO_TASK, cell.budget, problem=folder, retried=retried, load_only=True
        )
        record = cell.record(
            status=answer.status,
            scores={},
            error=answer.error,
            error_kind=answer.error_kind,
        )
        return record, answer

    def _load(self, track: AnyTrack, cell: Cell) -> _Loaded:
        key = (cell.folder, cell.problem_digest)
        if key in self._problems:
            self._problems.move_to_end(key)
            return self._problems[key]
        try:
            problem = track.load(Path(cell.folder))
        except (InvalidInput, OSError) as error:
            raise BrokenProblem(f"problem {cell.problem!r} cannot be loaded: {error}") from error
        if problem.digest != cell.problem_digest:
            raise BrokenProblem(
                f"problem {cell.problem!r} in {cell.folder} has changed since it was planned: run again."
            )
        loaded = _Loaded(problem)
        self._problems[key] = loaded
        while len(self._problems) > PROBLEMS_KEPT:
            self._problems.popitem(last=False)
        return loaded

    def _server(self, track: str, isolation: Isolation) -> SubjectServer:
        """The server of a track: one that has imported several takes longer to fork, for each of them."""
        key = (track, isolation)
        if key not in self._servers:
            while len(self._servers) >= SERVERS_KEPT:
                self._servers.popitem(last=False)[1].close()
            self._servers[key] = SubjectServer(self._scratch, isolation, cores=self._cores, hidden=self._hidden)
        self._servers.move_to_end(key)
        return self._servers[key]

    def _solve(self, track: AnyTrack, loaded: _Loaded, job: Job) -> StoredAnswer:
        cell = job.cell
        subject = cell.subject
        if subject.runs_code:
            folder = Path(cell.folder)
            program = subject.kind == "command"
            return self._server(cell.track, cell.isolation).solve(
                cell.track,
                subject,
                NO_TASK if program else loaded.task,
                cell.budget,
                problem=folder,
                hand_over=partial(track.hand_over, folder) if program else None,
                retried=job.retried,
                trace=job.trace,
            )
        if subject.kind == "ready":
            return _ready(track, Path(subject.target), cell.problem)
        give: Callable[[AnyProblem], object]
        give = track.oracle if subject.target == ORACLE else track.privileged[subject.target]
        started = time.monotonic()
        payload = track.encode(give(loaded.problem))
        return StoredAnswer(status="ok", payload=payload, isolation="examiner", seconds=time.monotonic() - started)


def _software(answer: StoredAnswer) -> dict[str, str]:
    """The versions here, where the answer was examined, and those that solving it loaded, where they are others."""
    here = loaded_software()
    there = {
        name if name not in here else f"{name} (solving)": version
        for name, version in answer.software.items()
        if here.get(name) != version
    }
    return {**here, **there}


def _ready(track: AnyTrack, folder: Path, problem: str) -> StoredAnswer:
    try:
        payload = read_answer(track, folder, problem)
    except SubjectFailed as failure:
        return StoredAnswer.failed(failure, isolation="ready")
    except InvalidInput as error:
        return StoredAnswer.failed(SubjectFailed("malformed answer", str(error)), isolation="ready")
    return StoredAnswer(status="ok", payload=payload, isolation="ready")


def _judged(
    track: AnyTrack, problem: AnyProblem, answer: StoredAnswer, cell: Cell
) -> tuple[StoredAnswer, Mapping[str, float], Mapping[str, Json]]:
    """The answer, found good or not, with its scores and details; a failed one gets the floors."""
    if answer.payload is not None:
        try:
            with _faults_are_ours(cell):
                scores, details = score(track, _examine(track, problem, answer.payload, cell))
            return answer.as_ok(), scores, details
        except SubjectFailed as failure:
            answer = answer.as_failed(failure)
    return answer, _floors(track, problem), {}


def _examine(track: AnyTrack, problem: AnyProblem, payload: bytes, cell: Cell) -> object:
    """The evidence; SubjectFailed when the answer is malformed."""
    try:
        answer = track.decode(payload)
    except InvalidInput as error:
        raise SubjectFailed("malformed answer", str(error)) from error
    except MemoryError:
        raise SubjectFailed("memory", "not enough memory to read its answer") from None
    own = track.privileged_settings if cell.subject.kind == "privileged" else {}
    evidence: object = track.examine(problem, answer, {**cell.settings, **own})
    return evidence


def _track(cell: Cell) -> AnyTrack:
    try:
        return track_with(cell.track, cell.metrics)
    except InvalidInput as error:  # of the user's metric files: found when it was planned, gone or changed since
        raise BrokenMetric(str(error)) from error


def score(track: AnyTrack, evidence: object) -> tuple[dict[str, float], Mapping[str, Json]]:
    """The scores of all metrics, and the details as plain JSON."""
    scores = {}
    for metric in track.metrics:
        with _faults_of(metric):
            scores[metric.name] = _number(metric, metric.function(evidence))
    details = plain(track.details(evidence))
    if not isinstance(details, Mapping):
        raise TypeError(f"details of track {track.name!r} must be a mapping")
    return scores, details


def _floors(track: AnyTrack, problem: AnyProblem) -> dict[str, float]:
    floors = {}
    for metric in track.metrics:
        with _faults_of(metric):
            floors[metric.name] = metric.floor_for(problem)
    return floors


def _number(metric: Metric[Any], value: object) -> float:
    if isinstance(value, Real) or getattr(value, "ndim", None) == 0:  # numpy's numbers have no dimensions
        return float(value)  # type: ignore[arg-type]
    raise BrokenMetric(
        f"{_own(metric)}: gives {type(value).__name__} instead of a number. Let it return a float, nan where it is "
        "undefined."
    )


@contextmanager
def _faults_of(metric: Metric[Any]) -> Iterator[None]:
    """What a metric from outside raises is reported as its fault; the track's own keep their way."""
    try:
        yield
    except Exception as error:
        if not metric.source or isinstance(error, BrokenMetric):
            raise
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}"
        if frames[-1].filename == __file__:
            place = "a metric is called with the evidence alone"
        elif _is_captured(metric):  # its user has never seen the file that it was written to
            own = [frame for frame in frames if frame.filename == _code(metric).co_filename]
            place = f"at `{(own or frames)[-1].line}`"
        raise BrokenMetric(f"{_own(metric)}: raised {type(error).__name__}: {error} ({place}).") from error


def _own(metric: Metric[Any]) -> str:
    code = _code(metric)
    if code is None:
        return f"metric {metric.name!r}"
    if _is_captured(metric):
        return f"metric {metric.name!r}, function {code.co_name}"
    return f"metric {metric.name!r} of {code.co_filename}"


def _code(metric: Metric[Any]) -> Any:
    return getattr(inspect.unwrap(metric.function), "__code__", None)


def _is_captured(metric: Metric[Any]) -> bool:
    """Whether it was given as a Python value and written into a file of ours."""
    namespace = getattr(inspect.unwrap(metric.function), "__globals__", {})
    return _code(metric) is not None and str(namespace.get("__doc__")).startswith("Captured by Assay")


@contextmanager
def _faults_are_ours(cell: Cell) -> Iterator[None]:
    """Whatever is not said to be the subject's failure is InfrastructureFailed."""
    try:
        yield
    except (SubjectFailed, InfrastructureFailed):
        raise
    except MemoryError:
        raise OutOfMemory(f"examining {cell}") from None
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise InfrastructureFailed(
            f"examining {cell} failed: {type(error).__name__}: {error} ({Path(last.filename).name}, "
            f"line {last.lineno}). The examiner failed, not the subject."
        ) from error
