"""What a track counts of its details has a column beside the score, and the terminal says where it was met first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from assay.cli.shared.story import failure_lines
from assay.core.registry import get_track
from assay.report import Results, leaderboard
from assay.report.tables.counts import counted_details
from assay.report.tables.standings import UNCHECKED, board_columns

DETAILS: Any = {"functions": [{"status": "ok"}, {"status": "exception: KeyError: 'orders'"}, {"status": "not run"}]}


def counting(found: Results) -> Results:
    (entry,) = found.tracks
    track = replace(entry.track, counts=get_track("insight").counts)
    return replace(found, tracks=(replace(entry, track=track),))


def test_functions_that_crashed_have_a_column_and_a_line_with_the_first_place(
    make_results: Callable[..., Results],
) -> None:
    rows = [
        ("iris", "agent", 0, 0.5, 1.0, {"details": {"functions": []}}),
        ("wine", "agent", 0, 0.5, 1.0, {"details": DETAILS}),
        ("moons", "agent", 0, 0.5, 1.0, {"details": DETAILS}),
        ("iris", "other", 0, 0.7, 1.0, {"details": {"functions": "damaged"}}),
    ]
    found = counting(make_results(rows))
    board = leaderboard(found.tracks[0])
    assert [(row.subject, dict(row.counts)) for row in board.rows] == [
        ("other", {"functions crashed": 0, "functions leaking": 0, "functions blocked": 0}),
        ("agent", {"functions crashed": 2, "functions leaking": 0, "functions blocked": 0}),
    ]
    (column,) = [column for column in board_columns(board, narrow=True) if column.title == "functions crashed"]
    assert [column.cell(row) for row in board.rows] == ["0", "2"]
    assert [
        (entry.subject, entry.total, entry.first and entry.first.problem)
        for entry in counted_details(found.tracks[0])
        if entry.title == "functions crashed"
    ] == [
        ("agent", 2, "wine"),
        ("other", 0, None),
    ]
    assert failure_lines(found, width=80)[:2] == ["", "agent: 2 functions crashed. First: wine, seed 0"]


def test_a_track_that_counts_nothing_has_no_such_column(results: Results) -> None:
    board = leaderboard(results.tracks[0])
    assert all(not row.counts for row in board.rows)
    assert counted_details(results.tracks[0]) == ()


def test_answers_that_no_leak_check_has_seen_have_a_column_where_there_are_any(results: Results) -> None:
    board = leaderboard(results.tracks[0])
    checked = replace(board, rows=tuple(replace(row, leaks=1) for row in board.rows))
    assert not {"leaks", UNCHECKED} & {column.title for column in board_columns(checked, narrow=True)}
    partly = replace(board, rows=tuple(replace(row, unchecked=place) for place, row in enumerate(board.rows)))
    (column,) = [column for column in board_columns(partly, narrow=True) if column.title == UNCHECKED]
    assert [column.cell(row) for row in partly.rows] == ["0", "1", "2"]
