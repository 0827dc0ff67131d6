"""What is reported of very many stored records is what is reported of few in memory."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from assay.core import AnyTrack
from assay.harness.store import blocks, store
from assay.harness.store.stored_records import StoredRecords
from assay.report import (
    Leaderboard,
    Results,
    grouped,
    json_report,
    leaderboard,
    load,
    subject_pairs,
    track_means,
    write_archive,
    write_csv,
    write_html,
    write_markdown,
)
from assay.report import leaderboard as leaderboard_module
from assay.report.tables.cache import CACHE

Write = Callable[[Results, Path], None]


@pytest.fixture
def stored(results: Results, toy_track: AnyTrack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    """The same results, of which nothing is in memory."""
    folder = tmp_path / "stored"
    shutil.copytree(results.folder, folder)
    monkeypatch.setattr(blocks, "BLOCK", 5)
    monkeypatch.setattr(store, "AT_ONCE", -1)
    with store.Store(folder) as opened, opened._transaction() as connection:
        blocks.seal(connection)
    found = load(folder, tracks={"toy": toy_track})
    assert isinstance(found.tracks[0].records, StoredRecords)
    return found


def test_leaderboard_pairs_groups_and_means_have_the_same_digits(results: Results, stored: Results) -> None:
    (mine,), (theirs,) = stored.tracks, results.tracks
    assert repr(leaderboard(mine)) == repr(leaderboard(theirs))
    assert repr(subject_pairs(mine, leaderboard(mine))) == repr(subject_pairs(theirs, leaderboard(theirs)))
    assert repr(grouped(mine, "family")) == repr(grouped(theirs, "family"))
    assert repr(track_means(mine)) == repr(track_means(theirs))
    assert mine.failed == theirs.failed
    assert (mine.pending, mine.losses) == (theirs.pending, theirs.losses)


@pytest.mark.parametrize("write", [write_csv, write_html, write_markdown, write_archive])
def test_files_have_the_same_bytes(results: Results, stored: Results, tmp_path: Path, write: Write) -> None:
    write(results, tmp_path / "few.zip")
    write(stored, tmp_path / "many.zip")
    assert (tmp_path / "many.zip").read_bytes() == (tmp_path / "few.zip").read_bytes()
    assert json.dumps(json_report(stored)) == json.dumps(json_report(results))


def test_the_means_are_those_of_the_leaderboard(results: Results) -> None:
    (entry,) = results.tracks
    board, means = leaderboard(entry), track_means(entry)
    assert [row.subject for row in means.rows] == [row.subject for row in board.rows]
    assert list(means.goals) == [column.name for column in board.columns]
    for row, standing in zip(means.rows, board.rows, strict=True):
        assert row.means == {name: summary.mean.value for name, summary in standing.metrics.items()}
        assert (row.cells, row.failed) == (standing.cells, standing.failed)
    assert list(track_means(entry, metrics=["share"]).goals) == ["share"]


def test_a_leaderboard_is_computed_once_and_then_read(stored: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    (entry,) = stored.tracks
    first = leaderboard(entry)
    calls = []
    original = leaderboard_module.__globals__["_computed"]

    def watched(*given: Any) -> Leaderboard:
        calls.append(given)
        computed: Leaderboard = original(*given)
        return computed

    monkeypatch.setitem(leaderboard_module.__globals__, "_computed", watched)
    assert repr(leaderboard(entry)) == repr(first)
    assert not calls
    assert repr(leaderboard(entry, confidence=0.9)) != repr(first)
    assert len(calls) == 1
    for kept in (stored.folder / CACHE).glob("*.json"):
        kept.write_text('{"track": 1}')  # whatever became of it, it is computed again
    assert repr(leaderboard(entry)) == repr(first)
    assert len(calls) == 2


def test_a_folder_that_cannot_be_written_has_its_leaderboard_all_the_same(stored: Results) -> None:
    (stored.folder / CACHE).write_text("in the way")
    (entry,) = stored.tracks
    assert asdict(leaderboard(entry))["track"] == "toy"


def test_few_records_leave_nothing_behind(results: Results) -> None:
    leaderboard(results.tracks[0])
    assert not (results.folder / CACHE).exists()
