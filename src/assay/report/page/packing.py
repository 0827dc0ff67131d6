"""The cells inside the offline file, compressed, and limited so that the file can be sent by mail."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from assay.core import AnyTrack, InvalidInput, Record
from assay.harness.store.store import STORE_NAME, Store
from assay.harness.store.stored_answer import StoredAnswer
from assay.report.page.cell import CellView, cell_part, cell_view
from assay.report.page.environment import environment
from assay.report.page.task import OMITTED, TaskReader
from assay.report.page.tree import shortened
from assay.report.tables.leaderboard import REFERENCE
from assay.report.track_records import TrackRecords
from assay.report.wording import shown

__all__ = ["TASKS", "StoredAnswers", "packed_cells", "stored_answers"]

WHOLE = 400  # cells of a track that are there in full
BUDGET = 2_500_000  # characters of packed cells in a file, shared by its tracks
ROWS = 40  # of a table in such a cell; a server shows more
TASKS = 150_000  # characters of packed tasks in a file, on top
SHARE = 16  # a track takes no more than that part of its own budget on top
TASK_SECTION = '<section class="given">'  # in the template of a cell
BRIEF = 300  # characters of an answer that is not there in full


class StoredAnswers:
    """Answers and tasks of records, as far as a store holds them."""

    def __init__(self, store: Store | None) -> None:
        self.task_room = TASKS
        self._store = store
        self._tasks = TaskReader(lambda key: None if store is None else store.problem_folder(key), bounded=True)

    def __call__(self, record: Record) -> StoredAnswer | None:
        """The answer, where there is one."""
        if self._store is None:
            return None
        try:
            return self._store.answer(record.answer_key)
        except InvalidInput:  # imported scores come without answers
            return None

    def task(self, track: AnyTrack, record: Record) -> Any:
        """What a subject saw, or a sentence in its place."""
        return self._tasks.read(track, record)


@contextmanager
def stored_answers(folder: Path) -> Iterator[StoredAnswers]:
    """The answers in a results folder; none for a folder without a store."""
    if not (folder / STORE_NAME).is_file():
        yield StoredAnswers(None)
        return
    with Store(folder, read_only=True) as store:
        yield StoredAnswers(store)


def packed_cells(
    results: TrackRecords,
    records: Sequence[Record],
    problems: Sequence[str],
    subjects: Sequence[str],
    answers: StoredAnswers,
    *,
    truth: bool = True,
    budget: int = BUDGET,
) -> list[str]:
    """For each problem its cells as compressed JSON: subject, seed, and the cell's page, or the start of the answer.

    Cells in full are those of the first seeds of problems at equal steps; where they would be too many or too large,
    the others have the start of their answer, and where that is too much as well, nothing. Tasks follow the
    cells of their problem, where equal ones cost little, while there is room for them.
    """
    template = environment().get_template("cell_body.html.j2")
    place = {name: position for position, name in enumerate(subjects)}
    ordered = sorted(records, key=lambda record: (record.problem, record.seed, place.get(record.subject, 0)))
    chosen = _in_full(ordered)
    task_room = min(answers.task_room, budget // SHARE)
    by_problem = {}
    spent = 0

    def start(record: Record) -> list[Any]:
        return [place[record.subject], record.seed, 0, _start(record, answers(record), truth=truth)]

    def whole(record: Record) -> str:
        task = answers.task(results.track, record)
        return cell_part(template, _shortened(cell_view(results, record, answers(record), truth=truth, task=task)))

    for problem, entries in groupby(ordered, key=lambda record: record.problem):
        if spent >= budget:
            break
        group, cells, tasks = list(entries), [], []
        for record in group:
            if record.key not in chosen:
                cells.append(start(record))
                continue
            page, task = _task_apart(whole(record))
            cells.append([place[record.subject], record.seed, 1, page])
            tasks += [[place[record.subject], record.seed, 2, task]] if task else []
        packed = _packed(cells)
        if spent + len(packed) > budget:
            packed = _packed([start(record) for record in group])
        elif tasks and (more := len(_packed(cells + tasks)) - len(packed)) <= task_room:
            packed, task_room = _packed(cells + tasks), task_room - more
            answers.task_room -= more
            spent -= more  # answers never make way for tasks
        spent += len(packed)
        by_problem[problem] = packed
    return [by_problem.get(problem, "") for problem in problems]


def _task_apart(page: str) -> tuple[str, str]:
    """The page of a cell with a sentence in place of its task, and the task, where it has one."""
    before, opening, rest = page.partition(TASK_SECTION)
    task, closing, after = rest.partition("</section>")
    if not opening or "<details>" not in task:
        return page, ""
    return f"{before}{opening}<h3>Task</h3><p>{OMITTED}</p>{closing}{after}", task


def _shortened(view: CellView) -> CellView:
    answer, notes = (None if node is None else shortened(node, ROWS) for node in (view.answer, view.notes))
    task = view.task
    if task is not None and task.facts is not None:
        task = task._replace(facts=shortened(task.facts, ROWS))
    return replace(view, answer=answer, notes=notes, task=task)


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
