"""Stores of several machines into one: the same cell may be in several of them if they agree on it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from assay.core import InvalidInput, Record
from assay.harness.plan import Cell, Plan
from assay.harness.store.lock import LOCK_NAME, locked
from assay.harness.store.rows.shared import adopt_subject
from assay.harness.store.schema import STORE_NAME
from assay.harness.store.store import Run, Store
from assay.harness.store.stored_answer import Finished
from assay.harness.store.withdrawing import adopt_withdrawals
from assay.stats.sequential.decisions import Decisions

__all__ = ["merge_stores"]

_AT_ONCE = 200  # cells written in one transaction


def merge_stores(out: Path, sources: Sequence[Path]) -> int:
    """Bring the latest plans of the sources, with their answers and records, into ``out``; how many records were new.

    What is withdrawn in any of them is withdrawn in ``out``. A run that stopped when decided stays one until no cell of
    it is missing; two of them are joined only where one holds all cells of the other. Records of one cell that differ
    in more than times and machines are an error: somebody changed something between the machines, and no rule of ours
    could tell who is right. After an error ``out`` is as it was.
    """
    if not sources:
        raise InvalidInput("nothing to merge: name at least one results folder.")
    for source in sources:
        if source.resolve() == out.resolve():
            raise InvalidInput(f"{source}: a store cannot be merged into itself.")
        with Store(source, read_only=True):  # a clear error before anything is written
            pass
    with _nothing_left_behind(out), locked(out), Store(out, create=True) as target, target.transaction():
        plans, stopped = _plans(target, sources)
        for source in sources:
            with Store(source, read_only=True) as store:
                adopt_withdrawals(target, store)
        withdrawn = target.withdrawn_answers()
        for source in sources:
            _bring_subjects(target, source)
        new = sum(_bring(target, source, withdrawn) for source in sources)
        for plan in plans:
            run = target.add_run(plan)
            target.decide(run, _decisions(target, run, stopped[plan.track], withdrawn))
    return new


@contextmanager
def _nothing_left_behind(out: Path) -> Iterator[None]:
    """After an error, remove the folder and the files that were not there before."""
    missing_folders = [folder for folder in (out, *out.parents) if not folder.exists()]
    files = [out / name for name in (LOCK_NAME, STORE_NAME, f"{STORE_NAME}-wal", f"{STORE_NAME}-shm")]
    new = [path for path in files if not path.exists()]
    try:
        yield
    except BaseException:
        if (out / STORE_NAME) in new:
            for path in new:
                path.unlink(missing_ok=True)
            for folder in missing_folders:
                with suppress(OSError):  # somebody else put something there
                    folder.rmdir()
        raise


def _bring_subjects(target: Store, source: Path) -> None:
    """Copy the parts of subjects; one that read different files there and here is not the same subject."""
    with Store(source, read_only=True) as store, target.transaction() as here:
        for subject in store.subjects():
            if (file := adopt_subject(here, subject)) is not None:
                raise InvalidInput(
                    f"{source}: the subject {subject.name} read another {file} there than in {target.path.parent}; "
                    "their answers cannot be compared in one table. Run one of them again with the other's file."
                )


def _bring(target: Store, source: Path, withdrawn: Collection[str]) -> int:
    new = 0
    with Store(source, read_only=True) as store:
        for latest in store.latest_runs():
            records = store.records(latest.id)
            present = target.record_status([record.key for record in records])
            waiting: list[Finished] = []
            for record in records:
                if record.answer_key in withdrawn:
                    continue
                if record.key in present:
                    _demand_same(record, target, source)
                    continue
                waiting.append((record, store.answer(record.answer_key)))
                if len(waiting) == _AT_ONCE:
                    target.commit(*waiting)
                    waiting = []
                new += 1
            target.commit(*waiting)
            floors = store.floors()
            for cell, reason in store.losses(latest.id):
                target.commit_loss(cell, reason, floors.get(cell.record_key))
    return new


def _demand_same(record: Record, target: Store, source: Path) -> None:
    (stored,) = target.find_records(record.key)
    if stored.content() == record.content():
        return
    ours, theirs = json.loads(stored.content()), json.loads(record.content())
    parts = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
    raise InvalidInput(
        f"{source}: its record of {record.problem} / {record.subject} / seed {record.seed} is not that of "
        f"{target.path.parent} ({', '.join(parts)} differ). Find out which machine is wrong; nothing decides that here."
    )


class _Stopped(NamedTuple):
    """A run that stopped when decided, with the cells of its plan by record key."""

    folder: Path
    created: str
    decisions: Decisions
    cells: Mapping[str, Cell]


def _longest(track: str, runs: Sequence[_Stopped]) -> _Stopped | None:
    """The run whose plan holds all cells of the others, the latest of equal ones; None without any run."""
    longest = max(runs, key=lambda run: (len(run.cells), run.created), default=None)
    for run in runs:
        if longest is not None and not run.cells.keys() <= longest.cells.keys():
            first, second = (other.folder for other in runs if other is run or other is longest)
            raise InvalidInput(
                f"track {track!r} stopped when decided in {first} and in {second}, on other cells: what two runs "
                "decided cannot be shown in one table. Merge them into separate folders, or run the rest of one of "
                "them first: the same command without --until-decided."
            )
    return longest


def _decisions(target: Store, run: int, stopped: _Stopped | None, withdrawn: Collection[str]) -> Decisions | None:
    """The decisions with the cells that no store has; None where another store has all that were not run."""
    if stopped is None:
        return None
    present = {*target.record_status([*stopped.cells]), *(cell.record_key for cell, _ in target.losses(run))}
    missing = sum(key not in present and cell.answer_key not in withdrawn for key, cell in stopped.cells.items())
    if stopped.decisions.not_run and not missing:
        return None
    return replace(stopped.decisions, not_run=missing)


def _plans(target: Store, sources: Sequence[Path]) -> tuple[list[Plan], dict[str, _Stopped | None]]:
    """Per track one plan with the cells of all latest plans that have the same settings, and the run that stopped."""
    by_track: dict[str, tuple[Run, dict[str, Cell]]] = {}
    stopped: dict[str, list[_Stopped]] = {}
    for folder in (target.path.parent, *sources):
        with nullcontext(target) if folder == target.path.parent else Store(folder, read_only=True) as store:
            for latest in store.latest_runs():
                first, cells = by_track.setdefault(latest.track, (latest, {}))
                if dict(first.settings) != dict(latest.settings):
                    raise InvalidInput(
                        f"{folder}: track {latest.track!r} was run with other settings here than in the other stores; "
                        "their scores cannot be compared in one table. Merge them into separate folders."
                    )
                if first.metrics != latest.metrics:
                    raise InvalidInput(
                        f"{folder}: track {latest.track!r} was scored with other metrics here than in others. "
                        "Score all of them alike first: assay rescore DIR --metric METRIC."
                    )
                own = {cell.record_key: cell for cell in store.cells(latest.id)}
                for key, cell in own.items():
                    cells.setdefault(key, cell)
                if latest.decisions is not None:
                    run = _Stopped(folder, latest.created, latest.decisions, own)
                    stopped.setdefault(latest.track, []).append(run)
    plans = [
        Plan(track=track, settings=first.settings, cells=tuple(cells.values()), metrics=first.metrics)
        for track, (first, cells) in sorted(by_track.items())
    ]
    return plans, {track: _longest(track, stopped.get(track, [])) for track in by_track}
