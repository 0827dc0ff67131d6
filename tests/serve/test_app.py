"""The pages: the same as the offline file, with a page behind every score, and without the truth when it is hidden."""

from __future__ import annotations

import asyncio
import html as html_module
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.serve.conftest import HOSTILE, TOKEN, Reader, Written
from tests.threads import run_async

from assay.core import AnyTrack, InvalidInput, MissingExtra
from assay.report import load, write_archive
from assay.report.page.html import html
from assay.serve import make_app
from assay.serve.folder import ServedFolder


def data_of(page: str) -> dict[str, Any]:
    (block,) = re.findall(r'<script type="application/json" class="data"[^>]*>(.*?)</script>', page, re.DOTALL)
    found: dict[str, Any] = json.loads(block)
    return found


def test_the_page_holds_what_the_offline_file_holds(
    reader: Reader, written: Written, tracks: dict[str, AnyTrack]
) -> None:
    offline = data_of(html(load(written.folder, tracks=tracks)))
    served = data_of(reader.get("results/").text)
    keys = served.pop("keys")
    assert all(offline.pop("packed"))
    assert served == offline
    assert keys[0][0] == [[0, written.key(0)]] or any(written.key(0) in str(row) for row in keys)


def test_one_folder_is_opened_at_once_and_of_several_a_list_is_shown(
    reader: Reader, written: Written, tracks: dict[str, AnyTrack], tmp_path: Path
) -> None:
    reply = reader.get("")
    assert (reply.status, reply.headers["location"]) == (307, "results/")
    export = tmp_path / "old <b>.zip"
    write_archive(load(written.folder, tracks=tracks), export)
    several = Reader(make_app([written.folder, export], token=TOKEN, tracks=tracks))
    text = several.get("").text
    assert 'href="results/"' in text
    assert 'href="old-b-zip/"' in text
    assert "old &lt;b&gt;.zip" in text
    assert data_of(several.get("old-b-zip/").text) == data_of(several.get("results/").text)
    assert several.get(f"old-b-zip/cell/{written.key(0)}").status == 200
    assert several.get("old-b-zip/history").status == 200


def test_a_cell_tells_its_answer_truth_notes_scores_and_output(reader: Reader, written: Written) -> None:
    reply = reader.get(f"results/cell/{written.key(0)}")
    assert reply.status == 200
    for told in (
        "a claim",
        "the secret truth",
        "noted of",
        "Share of right claims",
        "it printed this",
        "0.500",
        "500 ms",
    ):
        assert told in reply.text
    for key in ("0" * 20, written.key(0)[:10], written.key(7), "%" * 20):
        assert reader.get(f"results/cell/{key}").status == 404


def test_hostile_names_are_text_on_every_page(reader: Reader, written: Written) -> None:
    key = written.key(1)
    written.plan("vote", HOSTILE, "third")
    for path in ("results/", f"results/cell/{key}", "results/history"):
        text = reader.get(path).text
        assert "<img" not in text
        assert html_module.escape(HOSTILE) in text.replace("&#34;", "&quot;").replace("&#39;", "&#x27;")


def test_a_hidden_truth_is_not_among_the_bytes(written: Written, tracks: dict[str, AnyTrack]) -> None:
    written.write(4, isolation="examiner", details={"truth": "the secret truth"}, log="secret print")
    open_pages, hidden = (
        Reader(make_app([written.folder], token=TOKEN, tracks=tracks, truth=truth)) for truth in (True, False)
    )
    paths = ["results/", "results/history", *(f"results/cell/{written.key(place)}" for place in (0, 4))]
    told = [b"secret" in open_pages.get(path).body for path in paths]
    assert told == [True, False, True, True]
    for path in paths:
        reply = hidden.get(path)
        assert reply.status == 200
        assert b"secret" not in reply.body
    assert b"a claim" in hidden.get(f"results/cell/{written.key(0)}").body
    assert b"a claim" not in hidden.get(f"results/cell/{written.key(4)}").body  # it was given the truth


def test_a_folder_that_is_not_there_yet_is_waited_for(tmp_path: Path, tracks: dict[str, AnyTrack]) -> None:
    later = Written(tmp_path / "results")
    reader = Reader(make_app([later.folder], token=TOKEN, tracks=tracks))
    page = reader.get("results/")
    assert page.status == 200
    assert "Nothing to show yet" in page.text
    assert not later.folder.exists()
    later.plan("vote")
    later.write(0)
    folder = ServedFolder(later.folder, "results", tracks=tracks)
    assert "vote" in folder.report()


def contents(folder: Path) -> dict[str, bytes]:
    """All files, but for those that SQLite itself keeps beside a store while it is read."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith(("-shm", "-wal"))}


def test_many_readers_share_one_page_and_the_store_is_not_touched(
    reader: Reader, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def make(*given: Any, **other: Any) -> str:
        made.append(1)
        return "page"

    monkeypatch.setattr("assay.serve.folder.html", make)
    before = contents(written.folder)

    async def read() -> list[Any]:
        return await asyncio.gather(*(reader.ask(f"/{TOKEN}/results/") for _ in range(40)))

    replies = run_async(read())
    assert {reply.body for reply in replies} == {b"page"}
    assert made == [1]
    assert contents(written.folder) == before


def test_no_results_and_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match="name a results folder"):
        make_app([], token=TOKEN)
    monkeypatch.setitem(__import__("sys").modules, "starlette.applications", None)
    with pytest.raises(MissingExtra, match="starlette"):
        make_app(["results"], token=TOKEN)
