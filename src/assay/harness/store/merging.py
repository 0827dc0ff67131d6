"""Stores of several machines into one: the same cell may be in several of them if they agree on it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from assay.core import InvalidInput, Record
from assay.harness.plan import Cell, Plan
from assay.harness.store.lock import LOCK_NAME, locked
from assay.harness.store.rows.shared import adopt_subject
from assay.harness.store.schema import STORE_NAME
from assay.harness.store.store import Run, Store
from assay.harness.store.stored_answer import Finished
from assay.harness.store.withdrawing import adopt_withdrawals

__all__ = ["merge_stores"]

_AT_ONCE = 200  # cells written in one transaction


def merge_stores(out: Path, sources: Sequence[Path]) -> int:
    """Bring the latest plans of the sources, with their answers and records, into ``out``; how many records were new.

    What is withdrawn in any of them is withdrawn in ``out``. Records of one cell that differ in more than times and
    machines are an error: somebody changed something between the machines, and no rule of ours could tell who is right.
    After an error ``out`` is as it was.
    """
    if not sources:
        raise InvalidInput("nothing to merge: name at least one results folder.")
    for source in sources:
        if source.resolve() == out.resolve():
            raise InvalidInput(f"{source}: a store cannot be merged into itself.")
        with Store(source, read_only=True):  # a clear error before anything is written
            pass
    with _nothing_left_behind(out), locked(out), Store(out, create=True) as target, target.transaction():
        plans = _plans(target, sources)
        for source in sources:
            with Store(source, read_only=True) as store:
                adopt_withdrawals(target, store)
        withdrawn = target.withdrawn_answers()
        for source in sources:
            _bring_subjects(target, source)
        new = sum(_bring(target, source, withdrawn) for source in sources)
        for plan in plans:
            target.add_run(plan)
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
    """What subjects are made of; one that read another file there than here is not the same subject."""
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
                if not target.record_status([cell.record_key]):
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


def _plans(target: Store, sources: Sequence[Path]) -> list[Plan]:
    """Per track one plan with the cells of all latest plans that have the same settings."""
    by_track: dict[str, tuple[Run, dict[str, Cell]]] = {}
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
                for cell in store.cells(latest.id):
                    cells.setdefault(cell.record_key, cell)
    return [
        Plan(track=track, settings=first.settings, cells=tuple(cells.values()), metrics=first.metrics)
        for track, (first, cells) in sorted(by_track.items())
    ]
