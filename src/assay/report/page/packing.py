"""The cells inside the offline file: what is behind every dot, compressed, as much as a file to mail can hold."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from assay.core import InvalidInput, Record
from assay.harness.store.store import STORE_NAME, Store
from assay.harness.store.stored_answer import StoredAnswer
from assay.report.page.cell import CellView, cell_part, cell_view
from assay.report.page.environment import environment
from assay.report.page.tree import shortened
from assay.report.tables.leaderboard import REFERENCE
from assay.report.track_records import TrackRecords
from assay.report.wording import shown

__all__ = ["Answered", "packed_cells", "stored_answers"]

Answered: TypeAlias = Callable[[Record], StoredAnswer | None]

WHOLE = 400  # cells of a track that are there in full
BUDGET = 2_500_000  # characters of packed cells in a file, shared by its tracks
ROWS = 40  # of a table in such a cell; a server shows more
BRIEF = 300  # characters of an answer of which there is only the start


@contextmanager
def stored_answers(folder: Path) -> Iterator[Answered]:
    """The answer behind a record, where the folder holds answers."""
    if not (folder / STORE_NAME).is_file():
        yield lambda record: None
        return
    with Store(folder, read_only=True) as store:

        def answered(record: Record) -> StoredAnswer | None:
            try:
                return store.answer(record.answer_key)
            except InvalidInput:  # imported scores come without answers
                return None

        yield answered


def packed_cells(
    results: TrackRecords,
    records: Sequence[Record],
    problems: Sequence[str],
    subjects: Sequence[str],
    answered: Answered,
    *,
    truth: bool = True,
    budget: int = BUDGET,
) -> list[str]:
    """For each problem its cells as compressed JSON: subject, seed, and the cell's page, or the start of the answer.

    Cells in full are those of the first seeds of problems at equal steps; where they would be too many or too large,
    the others have the start of their answer, and where that is too much as well, nothing.
    """
    template = environment().get_template("cell_body.html.j2")
    place = {name: position for position, name in enumerate(subjects)}
    ordered = sorted(records, key=lambda record: (record.problem, record.seed, place.get(record.subject, 0)))
    chosen = _in_full(ordered)
    found = {}
    spent = 0
    for problem, group in groupby(ordered, key=lambda record: record.problem):
        cells: list[list[Any]] = []
        for record in group:
            if record.key in chosen and spent < budget:
                view = _shortened(cell_view(results, record, answered(record), truth=truth))
                cells.append([place[record.subject], record.seed, 1, cell_part(template, view)])
            elif spent < budget:
                cells.append([place[record.subject], record.seed, 0, _start(record, answered(record), truth=truth)])
        packed = _packed(cells) if cells else ""
        if spent + len(packed) > budget:
            cells = [
                [place[record.subject], record.seed, 0, _start(record, answered(record), truth=truth)]
                for record in ordered
                if record.problem == problem
            ]
            packed = _packed(cells) if spent < budget else ""
        spent += len(packed)
        found[problem] = packed
    return [found.get(problem, "") for problem in problems]


def _shortened(view: CellView) -> CellView:
    answer, notes = (None if node is None else shortened(node, ROWS) for node in (view.answer, view.notes))
    return replace(view, answer=answer, notes=notes)


def _in_full(records: Sequence[Record]) -> frozenset[str]:
    """The keys of the cells that are shown in full: all, or those of the first seed of some problems."""
    if len(records) <= WHOLE:
        return frozenset(record.key for record in records)
    by_problem = {problem: list(group) for problem, group in groupby(records, key=lambda record: record.problem)}
    firsts = {
        problem: [record.key for record in group if record.seed == group[0].seed]
        for problem, group in by_problem.items()
    }
    most = max(1, WHOLE // max(map(len, firsts.values())))
    step = max(1, -(-len(firsts) // most))
    return frozenset(key for keys in list(firsts.values())[::step] for key in keys)


def _start(record: Record, stored: StoredAnswer | None, *, truth: bool) -> str:
    if record.status == "failed":
        return shown(f"failed: {record.error or ''}", lines=True)[:BRIEF]
    if stored is None or stored.payload is None or (not truth and record.isolation == REFERENCE):
        return ""
    try:
        text = stored.payload[: 4 * BRIEF].decode("utf-8")
    except UnicodeDecodeError:
        return ""  # bytes that only the track can read
    return shown(text, lines=True)[:BRIEF]


def _packed(cells: list[list[Any]]) -> str:
    plain = json.dumps(cells, ensure_ascii=False, separators=(",", ":")).encode("utf-8", errors="backslashreplace")
    return base64.b64encode(zlib.compress(plain, 9)).decode("ascii")
