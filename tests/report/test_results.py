from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.core import AnyTrack, InvalidInput, UnknownName, registry
from assay.harness import Plan, Store
from assay.report import Results, TrackResults, load


def test_the_latest_run_is_loaded_with_what_is_missing(toy: TrackResults, toy_rows: list[Any]) -> None:
    assert toy.planned == 30
    assert len(toy.records) == len(toy_rows) == 27
    assert toy.pending == 3
    assert [(cell.problem, cell.subject.name, reason) for cell, reason in toy.losses] == [
        ("circles", "vote", "worker died: no space left")
    ]
    assert toy.headline == "share"
    assert [(record.problem, record.subject, record.seed) for record in toy.failed] == [("wine", "vote", 1)]
    assert [(record.problem, record.subject, record.seed) for record in toy.records] == [row[:3] for row in toy_rows]


def test_a_later_plan_replaces_an_earlier_one(make_results: Callable[..., Results], toy_track: AnyTrack) -> None:
    first = make_results([("iris", "vote", 0, 0.5, 1.0, {}), ("wine", "vote", 0, 0.25, 1.0, {})])
    with Store(first.folder) as store:
        (run,) = store.latest_runs()
        cells = store.cells(run.id)
        store.add_run(Plan(track="toy", settings={"k": 5}, cells=cells[1:]))
    (later,) = load(first.folder, tracks={"toy": toy_track}).tracks
    assert later.planned == 1
    assert [record.problem for record in later.records] == ["wine"]
    assert later.run.settings == {"k": 5}


def test_tracks_are_found_among_the_installed_ones(
    results: Results, toy_track: AnyTrack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "toy_module", SimpleNamespace(TRACK=toy_track))
    entry = EntryPoint(name="toy", value="toy_module:TRACK", group=registry.GROUP)
    monkeypatch.setattr(registry, "_entries", lambda: {"toy": entry})
    registry.get_track.cache_clear()
    try:
        assert load(results.folder).tracks[0].track is toy_track
    finally:
        registry.get_track.cache_clear()


def test_a_track_that_is_not_installed_is_named(results: Results) -> None:
    with pytest.raises(UnknownName, match="No track named 'toy'"):
        load(results.folder)


def test_asking_for_a_track_without_results_names_those_with(results: Results) -> None:
    with pytest.raises(UnknownName, match=r"No track in .* named 'toyy'. Did you mean 'toy'\?"):
        results.track("toyy")


def test_an_empty_store_and_a_missing_one_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no store here"):
        load(tmp_path)
    Store(tmp_path, create=True).close()
    with pytest.raises(InvalidInput, match="nothing was run here yet. Run something first: assay run"):
        load(tmp_path)


def test_loading_writes_nothing(results: Results, toy_track: AnyTrack, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def watch(database: str, **options: Any) -> sqlite3.Connection:
        opened.append(database)
        return connect(database, **options)

    monkeypatch.setattr(sqlite3, "connect", watch)
    load(results.folder, tracks={"toy": toy_track})
    assert len(opened) == 1
    assert opened[0].endswith("?mode=ro")


def test_what_is_no_results_folder_is_told_from_one(
    results: Results, toy_track: AnyTrack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracks = {"toy": toy_track}
    assert load(results.folder / "assay.sqlite", tracks=tracks).folder == results.folder
    table = results.export(tmp_path / "table.csv")
    with pytest.raises(InvalidInput, match=r"table.csv: an exported table. Give the results folder"):
        load(table)
    shutil.copytree(results.folder, tmp_path / "main")
    with pytest.raises(InvalidInput, match=r"mian: results folder not found. Did you mean '.*main'\?"):
        load(tmp_path / "mian")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load("~/main", tracks=tracks).folder == tmp_path / "main"
    assert results.export("~/r.md") == tmp_path / "r.md"
    assert results.to_html("~/r.html") == tmp_path / "r.html"
    assert (tmp_path / "r.md").is_file()
