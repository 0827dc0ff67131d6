"""What changed since the run before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.report.conftest import SETTINGS, make_toy_cell, make_toy_record, make_toy_track

from assay.harness import Cell, Plan, Store
from assay.harness.store.stored_answer import StoredAnswer
from assay.report.history.changes import RunChanges, run_changes
from assay.report.history.page import history_page

PROBLEMS = ("iris", "wine", "digits", "moons")


def write_run(folder: Path, cells: Sequence[Cell], shares: Sequence[float], settings: Any = SETTINGS) -> None:
    with Store(folder, create=True) as store:
        store.add_run(Plan(track="toy", settings=settings, cells=tuple(cells)))
        for cell, share in zip(cells, shares, strict=True):
            record = make_toy_record(cell, share, 1.0)
            store.commit((record, StoredAnswer(status="ok", payload=b"{}")))


def changed_subject(cell: Cell) -> Cell:
    """The same cell with a subject of the same name and another content."""
    return replace(
        cell,
        subject=replace(cell.subject, digest="another"),
        answer_key=f"again{cell.answer_key[5:]}",
        record_key=f"again{cell.record_key[5:]}",
    )


@pytest.fixture
def changes(tmp_path: Path) -> tuple[RunChanges, ...]:
    """Two runs: vote is better by 0.1, 0.2 and 0.3 on common problems, knn has the same records, random is new."""
    first = [make_toy_cell(problem, subject, 0) for subject in ("vote", "knn", "gone") for problem in PROBLEMS[:3]]
    write_run(tmp_path, first, [0.5] * 9)
    second = [
        *(changed_subject(cell) for cell in first[:3]),
        *first[3:6],
        *(make_toy_cell(problem, "random", 0) for problem in PROBLEMS),
    ]
    write_run(tmp_path, second, [0.6, 0.7, 0.8, 0.5, 0.5, 0.5, 0.1, 0.1, 0.1, 0.1])
    return run_changes(tmp_path, tracks={"toy": make_toy_track()})


def test_subjects_and_problems_that_came_and_went_are_told(changes: tuple[RunChanges, ...]) -> None:
    newest, oldest = changes
    assert oldest.before is None
    assert newest.before == oldest.run
    assert (newest.subjects_added, newest.subjects_removed) == (("random",), ("gone",))
    assert (newest.problems_added, newest.problems_removed, newest.problems_changed) == (("moons",), (), ())
    assert (newest.finished, newest.planned) == (10, 10)


def test_differences_are_paired_and_have_intervals(changes: tuple[RunChanges, ...]) -> None:
    by_name = {difference.subject: difference for difference in changes[0].differences}
    assert sorted(by_name) == ["knn", "vote"]
    assert by_name["knn"].same
    assert not by_name["knn"].changed
    vote = by_name["vote"]
    assert (vote.same, vote.changed) == (False, True)
    assert vote.pairing is not None
    found = vote.pairing.comparison
    assert found.difference.value == pytest.approx(0.2)
    assert found.difference.low < 0.2 < found.difference.high
    assert (found.wins, found.ties, found.losses, found.problems) == (3, 0, 0, 3)


def test_a_setting_whose_value_is_called_default_is_told_as_it_is(tmp_path: Path) -> None:
    cells = [make_toy_cell(problem, "vote", 0) for problem in PROBLEMS]
    write_run(tmp_path, cells, [0.5] * 4)
    other = {**SETTINGS, "preset": "default", "own": "default"}
    write_run(tmp_path, [changed_subject(cell) for cell in cells], [0.6] * 4, settings=other)
    newest, _ = run_changes(tmp_path, tracks={"toy": make_toy_track()})
    assert newest.settings == {"own": "default (not there before)", "preset": "default (before spec)"}


def test_runs_under_other_settings_say_so_instead_of_a_number(tmp_path: Path) -> None:
    cells = [make_toy_cell(problem, "vote", 0) for problem in PROBLEMS]
    write_run(tmp_path, cells, [0.5] * 4)
    write_run(tmp_path, [changed_subject(cell) for cell in cells], [0.6] * 4, settings={**SETTINGS, "k": 9})
    newest, _ = run_changes(tmp_path, tracks={"toy": make_toy_track()})
    assert newest.settings == {"k": "9 (before 7)"}
    (difference,) = newest.differences
    assert difference.pairing is None
    assert "other settings" in difference.reason
    page = history_page("results", [newest])
    assert "9 (before 7)" in page
    assert "other settings" in page


def test_the_page_words_the_difference(changes: tuple[RunChanges, ...]) -> None:
    page = history_page("<results>", changes)
    assert "&lt;results&gt;" in page
    assert "3 / 0 / 0" in page
    assert "the subject itself is another" in page
    assert "the same records" in page
