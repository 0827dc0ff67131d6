"""What a subject was given: read while the folder is what it was, never with the answer that tells the truth."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.core import AnyTrack, Panel, Problem
from assay.harness.store.stored_answer import StoredAnswer
from assay.report import TrackResults
from assay.report.page import task as task_module
from assay.report.page.cell import cell_page, cell_view
from assay.report.page.packing import StoredAnswers, packed_cells
from assay.report.page.task import GONE, OMITTED, TaskReader


def panels(records: object) -> tuple[()]:
    return ()


def given(task: list[str], answer: bytes | None) -> Mapping[str, Any]:
    drawn = Panel("Drawn", "<svg></svg>", "a caption of the task")
    return {"drawn": drawn, "asks <b>": task, "answer seen": "none" if answer is None else answer.decode()}


@pytest.fixture
def track(toy: TrackResults) -> AnyTrack:
    def load(folder: Path) -> Problem[Any, Any]:
        digest = (folder / "problem.json").read_text()
        return Problem(id="iris", digest=digest, task=["which one?"], truth="the secret", tags={}, track="toy")

    return replace(toy.track, panels=f"{__name__}:panels", load=load, decode=lambda payload: payload)


def test_the_task_is_read_from_its_folder_once_while_that_is_what_it_was(
    track: AnyTrack, toy: TrackResults, tmp_path: Path
) -> None:
    record = toy.records[0]
    asked: list[str] = []

    def find(key: str) -> Path:
        asked.append(key)
        return tmp_path

    assert TaskReader(find).read(track, record) == GONE  # not there
    (tmp_path / "problem.json").write_text(record.problem_digest)
    reader = TaskReader(find)
    assert [reader.read(track, record) for _ in range(2)] == [["which one?"]] * 2
    assert asked == [record.key] * 2
    (tmp_path / "problem.json").write_text("changed")
    assert TaskReader(find).read(track, record) == GONE
    assert TaskReader(lambda _: None).read(track, record) == GONE
    assert TaskReader(find).read(toy.track, record) is None  # a track that shows no tasks


def test_an_offline_file_reads_no_more_than_it_may(
    track: AnyTrack, toy: TrackResults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = toy.records[0]
    (tmp_path / "problem.json").write_text(record.problem_digest)
    monkeypatch.setattr(task_module, "MOST_BYTES", len(record.problem_digest))
    assert TaskReader(lambda _: tmp_path, bounded=True).read(track, record) == ["which one?"]
    monkeypatch.setattr(task_module, "MOST_BYTES", len(record.problem_digest) - 1)
    assert TaskReader(lambda _: tmp_path, bounded=True).read(track, record) == OMITTED
    assert TaskReader(lambda _: tmp_path).read(track, record) == ["which one?"]


def test_the_page_shows_the_task_and_hides_the_answer_of_who_was_given_the_truth(
    track: AnyTrack, toy: TrackResults
) -> None:
    results, answer = replace(toy, track=track), StoredAnswer(status="ok", payload=b'"the secret"')
    oracle = replace(toy.records[0], isolation="examiner")

    def page(task: Any, *, truth: bool) -> str:
        return cell_page(cell_view(results, oracle, answer, truth=truth, task=task))

    shown = page(["which one?"], truth=True)
    assert "a caption of the task" in shown
    assert "asks &lt;b&gt;" in shown
    assert shown.count("the secret") == 2  # as the answer, and beside the task
    hidden = page(["which one?"], truth=False)
    assert "which one?" in hidden
    assert "the secret" not in hidden
    assert GONE.replace("'", "&#39;") in page(GONE, truth=True)
    assert "<h3>Task</h3>" not in cell_page(cell_view(toy, oracle, answer))


def test_a_task_that_cannot_be_shown_spoils_nothing_else(track: AnyTrack, toy: TrackResults) -> None:
    broken = replace(toy, track=replace(track, decode=toy.track.decode))
    page = cell_page(cell_view(broken, toy.records[0], StoredAnswer(status="ok", payload=b"{}"), task=["which one?"]))
    assert "The task could not be shown: AssertionError" in page
    assert "<h3>Scores</h3>" in page


def test_in_a_file_equal_tasks_follow_the_cells_and_cost_little(
    track: AnyTrack, toy: TrackResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pack(room: int) -> tuple[list[list[Any]], int]:
        answered = StoredAnswers(None)
        answered.task_room = room
        monkeypatch.setattr(answered, "task", lambda *_: ["which one?"])
        records = [record for record in toy.records if record.problem == "iris"]
        subjects = sorted({record.subject for record in records})
        (text,) = packed_cells(replace(toy, track=track), records, ["iris"], subjects, answered)
        return json.loads(zlib.decompress(base64.b64decode(text))), room - answered.task_room

    cells, spent = pack(10_000)
    pages, tasks = ([cell for cell in cells if cell[2] == kind] for kind in (1, 2))
    assert [cell[:2] for cell in tasks] == [cell[:2] for cell in pages]
    assert all("which one?" in cell[3] for cell in tasks)
    assert all(OMITTED in cell[3] and "which one?" not in cell[3] for cell in pages)
    assert 0 < spent < sum(len(cell[3]) for cell in tasks) / 2
    without, nothing = pack(spent - 1)
    assert (without, nothing) == (pages, 0)
