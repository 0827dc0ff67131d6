"""From plans to records: jobs go to a runner, and every finished cell is stored at once."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from assay.core import AnyTrack, InvalidInput
from assay.core.display import shell_word
from assay.core.files.removal import remove_tree
from assay.harness.driver.agenda import make_agenda, trace_log
from assay.harness.driver.losses import store_floors
from assay.harness.driver.progress import NoProgress, Progress, say_nothing
from assay.harness.driver.result import RunResult
from assay.harness.execute import Job
from assay.harness.identity import solved_again
from assay.harness.metric_facts import MetricFacts
from assay.harness.plan import Cell, Plan
from assay.harness.process.isolation import hidden_places
from assay.harness.runners import LocalRunner, Lost, Runner
from assay.harness.setup.checking import SetupCheck
from assay.harness.store.store import Store
from assay.harness.store.stored_answer import Finished
from assay.harness.until_decided import Deciding
from assay.stats.sequential.decisions import Decisions

__all__ = ["Driver", "Orders"]

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """How plans are to be run; :func:`assay.harness.run` says what each means."""

    solve: bool = True  # without it stored answers are examined, and no subject is called
    workers: int = 1
    runner: Runner | Callable[[Path], Runner] | None = None
    progress: Progress | None = None
    retry_failed: bool = False
    retry_withdrawn: bool = False
    time_limit: float | None = None
    trace: Collection[str] = ()
    keep_going: bool = False
    until_decided: float | None = None
    against: str = ""

    def engine(self, scratch: Path) -> Runner:
        """What runs the jobs; traced cells run on this machine, one after the other."""
        if self.trace:
            return LocalRunner(1, scratch=scratch)
        if callable(self.runner):
            return self.runner(scratch)
        return self.runner or LocalRunner(self.workers, scratch=scratch)


class Driver:
    """Runs plans into a store, once."""

    def __init__(
        self, store: Store, plans: tuple[Plan, ...], out: Path, tracks: Mapping[str, AnyTrack], orders: Orders
    ) -> None:
        self._started = time.monotonic()
        self._store, self._plans, self._out, self._tracks, self._orders = store, plans, out, tracks, orders
        self._watch = orders.progress or NoProgress()
        self._agenda = make_agenda(
            store,
            self._cells,
            solve=orders.solve,
            retry_failed=orders.retry_failed,
            retry_withdrawn=orders.retry_withdrawn,
            traced=orders.trace,
        )
        self._deciding: dict[str, Deciding] = {}
        if orders.until_decided is not None:
            self._deciding = {
                plan.track: Deciding(plan, tracks[plan.track], level=orders.until_decided, against=orders.against)
                for plan in plans
            }
            ordered = [
                cell
                for watcher in self._deciding.values()
                for cell in watcher.ordered(self._agenda.missing)
                if cell.track == watcher.track
            ]
            self._agenda = replace(self._agenda, missing=ordered)
        missing = self._agenda.missing
        self._traces = {cell.record_key: trace_log(out, cell) for cell in missing} if orders.trace else {}
        # what is in quarantine runs traced or not at all
        to_load = [] if orders.trace or not orders.solve else self._agenda.unsolved
        self._check = SetupCheck(plans, to_load, self._agenda.good_answers, tracks)
        self._waiting = {cell.record_key: cell for cell in missing}
        self._recorded = list(self._agenda.records)
        self._lost: list[Lost] = []
        self._solved = self._rescored = self._failed = 0
        self._interrupted = self._out_of_time = False

    @property
    def _cells(self) -> list[Cell]:
        return [cell for plan in self._plans for cell in plan.cells]

    def run(
        self, *, left_out: tuple[MetricFacts, ...] = (), not_run: tuple[str, ...] = (), lost_before: Sequence[Lost] = ()
    ) -> RunResult:
        """Do all that is missing; ``left_out`` and ``not_run`` are passed on to the result.

        ``lost_before`` are cells that an earlier run could not finish: what a failure scores there is computed again.
        """
        scratch = _scratch(self._out)
        hidden = hidden_places([self._out, *(Path(cell.folder) for cell in self._cells)])
        results = self._orders.engine(scratch).map(self._jobs(), hidden=hidden)
        try:
            early = self._load_subjects(results)
            runs, again = self._begin()
            try:
                if not self._interrupted:
                    self._take(chain(early, results))
                if lost := [*lost_before, *self._lost]:
                    store_floors(self._store, lost, scratch)
            except KeyboardInterrupt:
                self._interrupted = True
        finally:
            close = getattr(results, "close", None)
            if close is not None:
                close()
            self._watch.stop()
        return self._result(runs, again, left_out, not_run)

    def _jobs(self) -> Iterator[Job]:
        if self._check.waiting:
            yield from self._check.jobs()
            self._started = time.monotonic()  # loading subjects is not what the limit is for
        limit, answers = self._orders.time_limit, self._agenda.answers
        for cell in self._agenda.missing:
            if self._check.is_broken(cell):
                continue
            if limit is not None and time.monotonic() - self._started > limit:
                self._out_of_time = True
                return
            if self._deciding and not self._deciding[cell.track].is_needed(cell):
                continue
            answer = self._store.answer(cell.answer_key) if cell.answer_key in answers else None
            yield Job(cell=cell, answer=answer, trace=str(self._traces.get(cell.record_key, "")))

    def _load_subjects(self, results: Iterator[Finished | Lost]) -> list[Finished | Lost]:
        """Wait until every subject has been loaded once; gives the cells that were finished before the last was."""
        early: list[Finished | Lost] = []
        try:
            if self._check.waiting:
                say = getattr(self._watch, "status", say_nothing)
                say(f"loading {', '.join(self._check.waiting)}, once each, before the first cell")
            while self._check.waiting and (result := next(results, None)) is not None:
                if not self._check.take(result):
                    early.append(result)
        except KeyboardInterrupt:
            self._interrupted = True
        return early

    def _begin(self) -> tuple[dict[str, int], tuple[str, ...]]:
        """Store the plans without subjects that cannot be run; gives their numbers, and who is solved again and why."""
        self._plans = self._check.settle(self._plans, keep_going=self._orders.keep_going or self._interrupted)
        runs = {plan.track: self._store.add_run(plan) for plan in self._plans}
        self._waiting = {key: cell for key, cell in self._waiting.items() if not self._check.is_broken(cell)}
        for name, watcher in self._deciding.items():
            watcher.drop([subject for track, subject in self._check.broken if track == name])
            for record in self._store.records(runs[name]):
                watcher.take(record)
            for cell in self._cells:
                if cell.track == name and cell.answer_key in self._agenda.withdrawn:
                    watcher.lose(cell)
        again = self._notify_solved_again(runs)
        cells = len(self._cells)
        self._watch.start(cells, cells - len(self._waiting))
        return runs, again

    def _notify_solved_again(self, runs: Mapping[str, int]) -> tuple[str, ...]:
        subjects = {(cell.track, cell.subject.name) for cell in self._agenda.unsolved}
        again = tuple(
            line for plan in self._plans for line in solved_again(self._store, plan, runs[plan.track], subjects)
        )
        notice = getattr(self._watch, "notice", say_nothing)
        for line in again:
            _LOGGER.info(line)
            notice(line)
        return again

    def _take(self, results: Iterable[Finished | Lost]) -> None:
        """Store what comes back, cell by cell."""
        for result in results:
            cell = self._waiting.get(result.cell.record_key if isinstance(result, Lost) else result[0].key)
            if cell is None:  # of a subject that turned out to be one that cannot be run
                continue
            if isinstance(result, Lost):
                self._lost.append(result)
                if self._deciding:
                    self._deciding[result.cell.track].lose(result.cell)
                self._store.commit_loss(result.cell, result.reason, answer=result.answer)
                self._watch.advance(result.cell, "lost")
                continue
            self._store.commit(result)
            record, _ = result
            if self._deciding:
                self._deciding[record.track].take(record)
            is_rescored = record.answer_key in self._agenda.answers
            self._rescored += is_rescored
            self._solved += not is_rescored
            self._failed += record.status == "failed" and not is_rescored
            self._recorded.append(record.key)
            self._watch.advance(cell, record.status)

    def _result(
        self,
        runs: Mapping[str, int],
        again: tuple[str, ...],
        left_out: tuple[MetricFacts, ...],
        not_run: tuple[str, ...],
    ) -> RunResult:
        cells, withdrawn = self._cells, self._agenda.withdrawn
        reused = [cell for cell in cells if cell.record_key not in self._waiting and cell.answer_key not in withdrawn]
        _demand_all(self._store, self._recorded)
        decisions = self._decisions()
        for name, number in runs.items() if self._orders.solve else ():
            self._store.decide(number, decisions.get(name))
        return RunResult(
            out=self._out,
            plans=self._plans,
            runs=runs,
            solved=self._solved,
            rescored=self._rescored,
            reused=len(reused),
            lost=tuple(self._lost),
            interrupted=self._interrupted,
            out_of_time=self._out_of_time,
            traces=tuple(path for path in self._traces.values() if path.exists()),
            withdrawn=sum(cell.answer_key in withdrawn for cell in cells),
            tracks=self._tracks,
            left_out=left_out,
            solved_again=again,
            failed=self._failed,
            failed_before=sum(self._agenda.records.get(cell.record_key) == "failed" for cell in reused),
            not_run=(*not_run, *self._check.broken.values()),
            decisions=decisions,
        )

    def _decisions(self) -> dict[str, Decisions]:
        """What the run decided; nothing when it was interrupted."""
        if self._interrupted or self._out_of_time:
            return {}
        dealt_with = {*self._recorded, *(loss.cell.record_key for loss in self._lost)}
        dealt_with |= {cell.record_key for cell in self._cells if cell.answer_key in self._agenda.withdrawn}
        return {name: watcher.decisions(dealt_with) for name, watcher in self._deciding.items()}


def _demand_all(store: Store, keys: list[str]) -> None:
    """What was written must be found again; a damaged index can hide it."""
    hidden = len(set(keys)) - len(store.record_status(keys))
    if hidden:
        raise InvalidInput(
            f"{store.path}: this store is damaged ({hidden:,} records that were written cannot be found). "
            f"See what is wrong: assay store check {shell_word(store.path.parent)}. Restore it from a copy, or take "
            "another folder."
        )


def _scratch(out: Path) -> Path:
    """A folder for subjects' working folders; what a killed run left there is removed now, under the lock."""
    scratch = out / ".scratch"
    remove_tree(scratch)
    scratch.mkdir(parents=True)
    return scratch
