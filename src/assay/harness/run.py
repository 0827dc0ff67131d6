"""Run plans into a results folder: only what is missing is done, and every finished cell is committed at once."""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeAlias

from assay.core import AnyTrack, InfrastructureFailed, InvalidInput, Record, SubjectFailed, UnknownName, get_track
from assay.core.files.folders import user_path
from assay.core.files.near import near_path
from assay.core.files.removal import remove_tree
from assay.harness.execute import Job
from assay.harness.identity import identified, solved_again
from assay.harness.metric_facts import IMPORTED, MetricFacts, facts_of, is_member
from assay.harness.metric_loading import resolve_metrics
from assay.harness.metric_ref import MetricRef, demand_metric_apart, resolve_metric
from assay.harness.plan import Cell, Plan, Prepared, make_plan, prepare, record_key
from assay.harness.process.isolation import hidden_places
from assay.harness.runners import LocalRunner, Lost, Runner
from assay.harness.runners.schedule import longest_first
from assay.harness.setup.checking import SetupCheck
from assay.harness.spec import RunSpec
from assay.harness.store.lock import locked
from assay.harness.store.store import Run, Store
from assay.harness.store.stored_answer import Finished, StoredAnswer
from assay.harness.until_decided import Deciding, demand_level
from assay.stats.sequential.decisions import Decisions

__all__ = ["NoProgress", "Progress", "RunResult", "rescore", "run"]


_LOGGER = logging.getLogger(__name__)
TRACES = "traces"  # a folder in the results folder


class Progress(Protocol):
    """Who watches a run.

    One that also has a method ``notice(line)`` is told which subjects are solved again, and why, before the start. One
    that has ``status(line)`` is told what is being done before the first cell: what is loaded, read, planned.
    """

    def start(self, total: int, done: int) -> None:
        """There are so many cells, and so many of them are in the store already."""

    def advance(self, cell: Cell, status: str) -> None:
        """One more cell is finished: ``ok``, ``failed`` or ``lost``."""

    def stop(self) -> None:
        """The run has ended, one way or the other."""


class NoProgress:
    """Watches silently."""

    def start(self, total: int, done: int) -> None:
        """Nothing to show."""

    def advance(self, cell: Cell, status: str) -> None:
        """Nothing to show."""

    def stop(self) -> None:
        """Nothing to show."""


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """What a run did, and the records of its plans."""

    out: Path
    plans: tuple[Plan, ...]
    runs: Mapping[str, int]  # of each track the number of its plan in the store
    solved: int  # subjects called, also where they failed
    rescored: int  # stored answers examined again
    reused: int  # records that were there already
    lost: tuple[Lost, ...]
    interrupted: bool
    out_of_time: bool = False  # the time limit ended it; the same command continues
    traces: tuple[Path, ...] = ()  # logs of the system calls of subjects that were traced
    withdrawn: int = 0  # cells whose answers are withdrawn: neither solved nor scored
    tracks: Mapping[str, AnyTrack] = field(default_factory=dict)  # with the metrics of this run
    left_out: tuple[MetricFacts, ...] = ()  # metrics from outside that a rescoring was not given again
    solved_again: tuple[str, ...] = ()  # subjects that had answered here before and are others now: a line with the why
    failed: int = 0  # of the subjects called, those that failed
    failed_before: int = 0  # of the records that were there already
    not_run: tuple[str, ...] = ()  # subjects that cannot be run and were left out: a line with the why
    decisions: Mapping[str, Decisions] = field(default_factory=dict)  # by track, of a run that stopped when decided

    @property
    def cells(self) -> int:
        """How many cells the plans have."""
        return sum(len(plan.cells) for plan in self.plans)

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The records of the plans, read from the store when they are first asked for; of very many load a report."""
        with Store(self.out, read_only=True) as store:
            return tuple(record for track in sorted(self.runs) for record in store.records(self.runs[track]))


def run(
    specs: RunSpec | Sequence[RunSpec],
    *,
    out: str | Path,
    workers: int = 1,
    runner: Runner | Callable[[Path], Runner] | None = None,
    progress: Progress | None = None,
    retry_failed: bool = False,
    retry_withdrawn: bool = False,
    time_limit: float | None = None,
    trace: Collection[str] = (),
    check: Callable[[Sequence[Prepared]], None] | None = None,
    keep_going: bool = False,
    until_decided: float | None = None,
    against: str = "",
) -> RunResult:
    """Plan, solve, examine, store. A second run of the same plan calls no subject.

    Subjects that cannot be run - a file that cannot be loaded, a program that cannot be started, a folder without an
    answer to any problem - are an error before the first cell; with ``keep_going`` they are left out. Cells whose
    records are withdrawn are left alone, unless ``retry_withdrawn`` asks to run them again.

    ``runner`` may be a function of the folder in which its workers may write. After ``time_limit`` seconds no further
    cell is begun; those under way are finished and kept. ``trace`` names subjects to run in quarantine: their cells
    alone are run, one after the other and also where they have records, with every system call in a log. ``check`` may
    refuse the run once its names are resolved, before anything is written. ``until_decided`` is a level: problems are
    taken in an order of their own, and a subject is called no more once it is told apart from all others, or from the
    one ``against`` which they were to be compared.
    """
    if time_limit is not None and not time_limit > 0:
        raise InvalidInput(f"the time limit must be above 0 seconds, got {time_limit!r}.")
    if until_decided is not None:
        demand_level(until_decided)
    out = user_path(out)
    specs = [specs] if isinstance(specs, RunSpec) else specs
    with _telling(progress) as say:
        # wrong input must leave nothing behind
        prepared = [prepare(spec, keep_going=keep_going, say=say) for spec in specs]
    tracks = {entry.track.name: entry.track for entry in prepared}
    known = {subject.name for entry in prepared for subject in entry.subjects if subject.runs_code}
    for name in trace:
        if name not in known:
            raise UnknownName("subject with a process to trace", name, sorted(known))
    if check is not None:
        check(prepared)
    with locked(out), Store(out, create=True) as store:
        with _telling(progress) as say:
            say("preparing: planning every cell; built-in problems are written first")
            plans = tuple(make_plan(identified(entry, store), out=out) for entry in prepared)
        return _finish(
            store,
            plans,
            out,
            workers,
            runner,
            progress,
            retry_failed=retry_failed,
            retry_withdrawn=retry_withdrawn,
            solve=True,
            time_limit=time_limit,
            trace=frozenset(trace),
            tracks=tracks,
            keep_going=keep_going,
            until_decided=until_decided,
            against=against,
            not_run=tuple(line for entry in prepared for line in entry.left_out),
        )


def rescore(
    out: Path,
    *,
    metrics: Sequence[str] = (),
    folder: Path | None = None,
    workers: int = 1,
    runner: Runner | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Examine the stored answers of the latest plans with today's metrics; no subject is called.

    ``metrics`` are further ones, as in a :class:`RunSpec`; relative paths start at ``folder``. Those of families that
    the plans have are kept; code from outside must be named again, since a results folder never says what to import.
    """
    if not out.is_dir():
        raise InvalidInput(f"{out}: results folder not found.{near_path(out)}")
    with Store(out):  # a clear error before anything is written
        pass
    with locked(out), Store(out) as store:
        plans, tracks, left_out = [], {}, []
        latest_runs = store.latest_runs()
        chosen = _metrics_by_track(latest_runs, metrics, folder)
        for latest in latest_runs:
            refs, track = chosen[latest.track]
            for ref in refs:
                demand_metric_apart(ref, [out.resolve()])
            cells = tuple(_current(cell, track, refs) for cell in store.cells(latest.id))
            for cell, reason in store.losses(latest.id):
                store.commit_loss(_current(cell, track, refs), reason)  # lost under its new key, too
            facts = facts_of(refs, track)
            unnamed = [old for old in latest.metrics if old.name not in {new.name for new in facts}]
            facts += tuple(old for old in unnamed if old.aggregate)  # tables say how to get them
            left_out += [old for old in unnamed if not old.aggregate]
            plans.append(Plan(track=latest.track, settings=latest.settings, cells=cells, metrics=facts))
            tracks[latest.track] = track
        result = _finish(
            store,
            tuple(plans),
            out,
            workers,
            runner,
            progress,
            retry_failed=False,
            solve=False,
            tracks=tracks,
            left_out=tuple(left_out),
        )
        for latest in latest_runs:  # a run that stopped early stays one, whatever its records are scored with
            store.decide(result.runs[latest.track], latest.decisions)
        return result


_Chosen: TypeAlias = tuple[tuple[MetricRef, ...], AnyTrack]


def _metrics_by_track(latest_runs: Sequence[Run], metrics: Sequence[str], folder: Path | None) -> dict[str, _Chosen]:
    """Of each track the metrics beside its own; with several tracks a metric goes to those that understand its name."""
    chosen: dict[str, _Chosen] = {}
    understood: set[str] = set()
    errors: dict[str, InvalidInput] = {}
    for latest in latest_runs:
        if latest.track.endswith(IMPORTED):
            raise InvalidInput(f"track {latest.track!r}: imported scores have no answers to score again.")
        track = get_track(latest.track)
        kept = [facts.name for facts in latest.metrics if not facts.aggregate and is_member(track, facts)]
        texts = []
        for text in metrics:
            try:
                resolve_metric(text, track, folder=folder)
            except InvalidInput as error:
                errors[text] = error
            else:
                understood.add(text)
                texts.append(text)
        chosen[latest.track] = resolve_metrics([*kept, *texts], track, folder=folder)
    for text in metrics:
        if text not in understood and text in errors:
            raise errors[text]
    return chosen


def _current(cell: Cell, track: AnyTrack, refs: tuple[MetricRef, ...]) -> Cell:
    key = record_key(cell.answer_key, track.versions(), cell.settings, track.sources())
    return replace(cell, record_key=key, metrics=refs)


def _finish(
    store: Store,
    plans: tuple[Plan, ...],
    out: Path,
    workers: int,
    runner: Runner | Callable[[Path], Runner] | None,
    progress: Progress | None,
    *,
    retry_failed: bool,
    retry_withdrawn: bool = False,
    solve: bool,
    time_limit: float | None = None,
    trace: Collection[str] = (),
    tracks: Mapping[str, AnyTrack] | None = None,
    left_out: tuple[MetricFacts, ...] = (),
    keep_going: bool = False,
    until_decided: float | None = None,
    against: str = "",
    not_run: tuple[str, ...] = (),
) -> RunResult:
    started = time.monotonic()
    watch = progress or NoProgress()
    cells = [cell for plan in plans for cell in plan.cells]
    store.demand_found([cell.record_key for cell in cells])
    withdrawn = store.withdrawn_answers()
    records = store.record_status([cell.record_key for cell in cells])
    answers = store.answer_status([cell.answer_key for cell in cells])
    if retry_failed:
        records = {key: status for key, status in records.items() if status != "failed"}
        answers = {key: status for key, status in answers.items() if status != "failed"}
    if withdrawn and retry_withdrawn:
        to_run = {cell.record_key for cell in cells if cell.answer_key in withdrawn}
        records = {key: status for key, status in records.items() if key not in to_run}
        answers = {key: status for key, status in answers.items() if key not in withdrawn}
        withdrawn = set()
    missing = [
        cell
        for cell in cells
        if cell.record_key not in records and cell.answer_key not in withdrawn and (solve or cell.answer_key in answers)
    ]
    if trace:
        missing = [cell for cell in cells if cell.subject.name in trace]
        answers = {}
        workers, runner = 1, None  # on this machine, one after the other
    missing = longest_first(missing, store.times())
    deciding: dict[str, Deciding] = {}
    if until_decided is not None and tracks is not None:
        deciding = {p.track: Deciding(p, tracks[p.track], level=until_decided, against=against) for p in plans}
        missing = [
            cell for watcher in deciding.values() for cell in watcher.ordered(missing) if cell.track == watcher.track
        ]
    traces = {cell.record_key: _trace_log(out, cell) for cell in missing} if trace else {}
    unsolved = [cell for cell in missing if cell.answer_key not in answers]
    # what is in quarantine runs traced or not at all
    good = {key for key, status in answers.items() if status == "ok"}
    check = SetupCheck(plans, [] if trace or not solve else unsolved, good, tracks or {})
    waiting = {cell.record_key: cell for cell in missing}
    written = list(records)
    solved = rescored = failed = 0
    lost: list[Lost] = []
    interrupted = False
    scratch = _scratch(out)
    engine = runner(scratch) if callable(runner) else runner or LocalRunner(workers, scratch=scratch)

    out_of_time = False

    def jobs() -> Iterator[Job]:
        nonlocal out_of_time, started
        if check.waiting:
            yield from check.jobs()
            started = time.monotonic()  # loading subjects is not what the limit is for
        for cell in missing:
            if check.is_broken(cell):
                continue
            if time_limit is not None and time.monotonic() - started > time_limit:
                out_of_time = True
                return
            if deciding and not deciding[cell.track].wanted(cell):
                continue
            answer = store.answer(cell.answer_key) if cell.answer_key in answers else None
            yield Job(cell=cell, answer=answer, trace=str(traces.get(cell.record_key, "")))

    hidden = hidden_places([out, *(Path(cell.folder) for cell in cells)])
    results = engine.map(jobs(), hidden=hidden)
    early: list[Finished | Lost] = []  # cells that were finished before the last subject was loaded
    try:
        try:
            if check.waiting:
                say = getattr(watch, "status", _say_nothing)
                say(f"loading {', '.join(check.waiting)}, once each, before the first cell")
            while check.waiting and (result := next(results, None)) is not None:
                if not check.take(result):
                    early.append(result)
        except KeyboardInterrupt:
            interrupted = True
        plans = check.settle(plans, keep_going=keep_going or interrupted)
        runs = {plan.track: store.add_run(plan) for plan in plans}
        cells = [cell for plan in plans for cell in plan.cells]
        waiting = {key: cell for key, cell in waiting.items() if not check.is_broken(cell)}
        for name, watcher in deciding.items():
            watcher.drop([subject for track, subject in check.broken if track == name])
            for record in store.records(runs[name]):
                watcher.take(record)
        again = _say_again(store, plans, runs, unsolved, watch)
        watch.start(len(cells), len(cells) - len(waiting))
        try:
            for result in () if interrupted else chain(early, results):
                cell = waiting.get(result.cell.record_key if isinstance(result, Lost) else result[0].key)
                if cell is None:  # of a subject that turned out to be one that cannot be run
                    continue
                if isinstance(result, Lost):
                    lost.append(result)
                    store.commit_loss(result.cell, result.reason, answer=result.answer)
                    watch.advance(result.cell, "lost")
                    continue
                store.commit(result)
                record, _ = result
                if deciding:
                    deciding[record.track].take(record)
                rescored += record.answer_key in answers
                solved += record.answer_key not in answers
                failed += record.status == "failed" and record.answer_key not in answers
                written.append(record.key)
                watch.advance(cell, record.status)
            if lost:
                _store_floors(store, lost, scratch)
        except KeyboardInterrupt:
            interrupted = True
    finally:
        close = getattr(results, "close", None)
        if close is not None:
            close()
        watch.stop()
    held_back = sum(cell.answer_key in withdrawn for cell in cells)
    reused = [cell for cell in cells if cell.record_key not in waiting and cell.answer_key not in withdrawn]
    _demand_all(store, written)
    dealt_with = {*written, *(loss.cell.record_key for loss in lost)}
    dealt_with |= {cell.record_key for cell in cells if cell.answer_key in withdrawn}
    decisions = {} if interrupted or out_of_time else {n: own.decisions(dealt_with) for n, own in deciding.items()}
    for name, number in runs.items() if solve else ():
        store.decide(number, decisions.get(name))
    return RunResult(
        out=out,
        plans=plans,
        runs=runs,
        solved=solved,
        rescored=rescored,
        reused=len(reused),
        lost=tuple(lost),
        interrupted=interrupted,
        out_of_time=out_of_time,
        traces=tuple(path for path in traces.values() if path.exists()),
        withdrawn=held_back,
        tracks=tracks or {},
        left_out=left_out,
        solved_again=again,
        failed=failed,
        failed_before=sum(records.get(cell.record_key) == "failed" for cell in reused),
        not_run=(*not_run, *check.broken.values()),
        decisions=decisions,
    )


@contextlib.contextmanager
def _telling(progress: Progress | None) -> Iterator[Callable[[str], None]]:
    """What tells a watcher what is being done before the first cell; an error takes the line away."""
    try:
        yield getattr(progress, "status", _say_nothing)
    except BaseException:
        if progress is not None:
            progress.stop()
        raise


def _say_nothing(line: str) -> None:
    """Where nobody watches."""


def _say_again(
    store: Store, plans: Sequence[Plan], runs: Mapping[str, int], unsolved: Sequence[Cell], watch: Progress
) -> tuple[str, ...]:
    """Tell which subjects are solved again, and why."""
    subjects = {(cell.track, cell.subject.name) for cell in unsolved}
    again = tuple(line for plan in plans for line in solved_again(store, plan, runs[plan.track], subjects))
    notice = getattr(watch, "notice", _say_nothing)
    for line in again:
        _LOGGER.info(line)
        notice(line)
    return again


def _trace_log(out: Path, cell: Cell) -> Path:
    """Where the system calls of a cell are logged; the folder is the user's own, since a log may hold secrets."""
    folder = out.resolve() / TRACES
    folder.mkdir(mode=0o700, exist_ok=True)
    name = f"{cell.track}-{cell.problem}-{cell.subject.name}-{cell.budget.seed}"
    return folder / f"{re.sub(r'[^A-Za-z0-9_.=-]+', '-', name)[:120]}-{cell.record_key[:8]}.jsonl"


def _store_floors(store: Store, lost: Sequence[Lost], scratch: Path) -> None:
    """Store with lost cells what a failure scores there: reports count that, and have no problems to ask.

    A worker finds it, as for a subject that failed: loading the problem may be what broke. Where it cannot be found,
    reports have other sources.
    """
    failed = StoredAnswer.failed(SubjectFailed("lost", "the cell could not be finished"))
    by_problem: dict[tuple[str, str], list[Lost]] = {}
    for loss in lost:
        by_problem.setdefault((loss.cell.track, loss.cell.problem_digest), []).append(loss)
    jobs = (Job(cell=losses[0].cell, answer=failed) for losses in by_problem.values())
    with contextlib.suppress(OSError, InfrastructureFailed):
        for result in LocalRunner(1, scratch=scratch).map(jobs):
            if not isinstance(result, Lost):
                record, _ = result
                for loss in by_problem[record.track, record.problem_digest]:
                    store.commit_loss(loss.cell, loss.reason, record.scores)


def _demand_all(store: Store, written: list[str]) -> None:
    """What was written must be found again; a damaged index can hide it."""
    hidden = len(set(written)) - len(store.record_status(written))
    if hidden:
        raise InvalidInput(
            f"{store.path}: this store is damaged ({hidden:,} records that were written cannot be found). "
            f"See what is wrong: assay store check {store.path.parent}. Restore it from a copy, or take another folder."
        )


def _scratch(out: Path) -> Path:
    """A folder for subjects' working folders; what a killed run left there is removed now, under the lock."""
    scratch = out / ".scratch"
    remove_tree(scratch)
    scratch.mkdir(parents=True)
    return scratch
