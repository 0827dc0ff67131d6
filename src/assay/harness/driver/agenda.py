"""What a run has to do: the cells of its plans that lack a record, and what the store has of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.harness.plan import Cell
from assay.harness.runners.schedule import longest_first
from assay.harness.store.store import Store

__all__ = ["Agenda", "make_agenda", "trace_log"]

TRACES = "traces"  # a folder in the results folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Agenda:
    """The cells to work on, in order, and what is known of all cells before the start."""

    missing: Sequence[Cell]
    records: Mapping[str, str]  # status by record key, of records that count
    answers: Mapping[
        str, str
    ]  # status by answer key, of stored answers: they are examined, and their subjects not called
    withdrawn: Collection[str]  # keys of answers that are left alone

    @property
    def unsolved(self) -> list[Cell]:
        """The cells whose subject has to be called."""
        return [cell for cell in self.missing if cell.answer_key not in self.answers]

    @property
    def good_answers(self) -> set[str]:
        """The keys of stored answers that did not fail."""
        return {key for key, status in self.answers.items() if status == "ok"}


def make_agenda(
    store: Store,
    cells: Sequence[Cell],
    *,
    solve: bool,
    retry_failed: bool = False,
    retry_withdrawn: bool = False,
    traced: Collection[str] = (),
) -> Agenda:
    """What the store lacks of these cells, the longest first; without ``solve`` only where it has the answers.

    Cells of ``traced`` subjects are all run again, and no others.
    """
    store.demand_records([cell.record_key for cell in cells])
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
    if traced:
        missing = [cell for cell in cells if cell.subject.name in traced]
        answers = {}
    return Agenda(missing=longest_first(missing, store.times()), records=records, answers=answers, withdrawn=withdrawn)


def trace_log(out: Path, cell: Cell) -> Path:
    """Where the system calls of a cell are logged; the folder is the user's own, since a log may hold secrets."""
    folder = out.resolve() / TRACES
    folder.mkdir(mode=0o700, exist_ok=True)
    name = f"{cell.track}-{cell.problem}-{cell.subject.name}-{cell.budget.seed}"
    return folder / f"{re.sub(r'[^A-Za-z0-9_.=-]+', '-', name)[:120]}-{cell.record_key[:8]}.jsonl"
