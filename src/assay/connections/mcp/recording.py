"""Answers of an agent as records: a folder of precomputed answers that grows, run into the store after each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assay.api.running import run_specs
from assay.core import AnyTrack, Record, SubjectFailed
from assay.harness import RunSpec
from assay.harness.plan import Cell, make_plan, prepare
from assay.harness.programs.program import read_answer
from assay.harness.store.lock import locked
from assay.harness.store.store import Store
from assay.harness.store.stored_answer import Finished, StoredAnswer

__all__ = ["record_answers"]


def record_answers(spec: RunSpec, out: Path) -> tuple[Record, ...]:
    """The records of a folder of precomputed answers, the one subject of this spec, as ``assay run`` writes them.

    One more answer makes the folder another subject. What is known of the answers that stayed as they were is kept
    under the new keys, so that each answer is examined once.
    """
    plan = prepare(spec)
    with locked(out), Store(out, create=True) as store:
        cells = make_plan(plan, out=out).cells
        store.commit(*_unchanged(store, plan.track, cells))
    return tuple(run_specs([spec], out=out, workers=1, progress=False).records)


def _unchanged(store: Store, track: AnyTrack, cells: tuple[Cell, ...]) -> Iterator[Finished]:
    """Records of the subject's latest run whose answers the folder still holds, with the keys of these cells."""
    latest = next((run for run in store.latest_runs() if run.track == track.name), None)
    if latest is None:
        return
    earlier = {(record.problem_digest, record.subject): record for record in store.records(latest.id)}
    there = store.record_status([cell.record_key for cell in cells])
    for cell in cells:
        record = earlier.get((cell.problem_digest, cell.subject.name))
        if record is None or cell.record_key in there or not _judged_alike(record, cell, track):
            continue
        answer = store.answer(record.answer_key)
        if record.isolation == "ready" and _holds(track, cell, answer):
            digest = cell.subject.digest
            yield replace(record, key=cell.record_key, answer_key=cell.answer_key, subject_digest=digest), answer


def _judged_alike(record: Record, cell: Cell, track: AnyTrack) -> bool:
    return (
        record.settings == cell.settings
        and record.versions == track.versions()
        and record.budget == cell.budget.to_json()
        and not cell.metrics
    )


def _holds(track: AnyTrack, cell: Cell, answer: StoredAnswer) -> bool:
    """Whether the folder holds this answer still, or lacks it still."""
    try:
        return read_answer(track, Path(cell.subject.target), cell.problem) == answer.payload
    except SubjectFailed as failure:
        return answer.payload is None and (answer.error_kind, answer.error) == (failure.kind, str(failure))
