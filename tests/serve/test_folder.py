"""Editions: readers hear of changes, slowly enough while a run goes on, and of the last one soon."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.serve.conftest import TOKEN, Reader, Reply, Written
from tests.serve.test_app import data_of

from assay.core import AnyTrack
from assay.harness import Store
from assay.harness.store import store as store_module
from assay.harness.store.schema import STORE_NAME
from assay.harness.store.stored_answer import StoredAnswer
from assay.report import load
from assay.report.page.html import html
from assay.report.tables.cache import CACHE
from assay.serve import app
from assay.serve.folder import LULL, QUIET, REST, SHORTEST_REST, ServedFolder


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_change_makes_an_edition_after_a_rest_or_when_it_is_quiet(
    written: Written, tracks: dict[str, AnyTrack]
) -> None:
    clock = Clock()
    folder = ServedFolder(written.folder, "results", tracks=tracks, clock=clock, work=Clock())
    first = folder.report()
    assert folder.edition() == 1
    written.write(4)
    assert folder.edition() == 1  # the page was made just now
    assert folder.report() == first
    clock.now += SHORTEST_REST
    assert folder.edition() == 2
    assert data_of(folder.report())["cells"] != data_of(first)["cells"]
    assert folder.edition() == 2
    folder._rest_until = clock.now + 1000  # a page that takes long to make
    written.write(5)
    assert folder.edition() == 2
    clock.now += max(QUIET, LULL * SHORTEST_REST)
    assert folder.edition() == 3  # nothing has come since: the run may be over


def test_a_run_of_slow_cells_does_not_pay_for_a_page_per_cell(
    written: Written, tracks: dict[str, AnyTrack], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, work, cells = Clock(), Clock(), [0]

    def page(*_: object, **__: object) -> str:
        work.now += 0.2  # seconds of processor time
        return "page"

    monkeypatch.setattr("assay.serve.folder.html", page)
    folder = ServedFolder(written.folder, "results", tracks=tracks, clock=clock, work=work)
    monkeypatch.setattr(folder, "_look", lambda: str(cells[0]))
    started, before = clock.now, work.now
    for _ in range(100):
        cells[0] += 1
        for _ in range(6):  # a cell every three seconds, a look every half second
            clock.now += 0.5
            folder.edition()
            folder.report()
    assert work.now - before <= (clock.now - started) / REST + 2 * 0.2
    seen = folder.edition()
    clock.now += 20  # the run is over
    assert folder.edition() == seen + 1


def test_a_run_is_followed_to_its_end_which_is_the_offline_report(
    written: Written, tracks: dict[str, AnyTrack], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "LOOK", 0.01)
    monkeypatch.setattr("assay.serve.folder.SHORTEST_REST", 0.0)
    monkeypatch.setattr("assay.serve.folder.REST", 0)
    reader = Reader(app.make_app([written.folder], token=TOKEN, tracks=tracks))
    waiting = [4, 5, 6, 7]

    def heard(reply: Reply) -> bool:
        if reply.text.count("data:") > 4 - len(waiting):  # each news is answered with a further record
            if not waiting:
                return True
            written.write(waiting.pop(0), share=0.9)
        return False

    stream = reader.get("results/events", until=heard)
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.text == "".join(f"data: {edition}\n\n" for edition in (1, 2, 3, 4, 5))
    served = data_of(reader.get("results/").text)
    del served["keys"]
    offline = data_of(html(load(written.folder, tracks=tracks)))
    assert all(offline.pop("packed"))  # what the server has pages for
    assert served == offline
    assert sum(cell[0] for row in served["cells"] for cell in row) == 8


def test_a_killed_writer_leaves_what_it_had_finished(written: Written, tracks: dict[str, AnyTrack]) -> None:
    folder = ServedFolder(written.folder, "results", tracks=tracks, clock=Clock(), work=Clock())
    folder.report()
    child = os.fork()
    if child == 0:
        with Store(written.folder) as store:
            answer = StoredAnswer(status="ok", payload=b"{}")
            store.commit((written.record(4), answer))
            with store._transaction() as connection:
                connection.execute("DELETE FROM records")
                os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert isinstance(folder._clock, Clock)
    folder._clock.now += QUIET
    assert sum(cell[0] for row in data_of(folder.report())["cells"] for cell in row) == 5
    written.write(5)  # another goes on
    folder._clock.now += QUIET
    folder.edition()
    folder._clock.now += QUIET
    assert sum(cell[0] for row in data_of(folder.report())["cells"] for cell in row) == 6


def test_a_page_of_very_many_records_leaves_no_leaderboard_behind(
    written: Written, tracks: dict[str, AnyTrack], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "AT_ONCE", -1)
    folder = ServedFolder(written.folder, "results", tracks=tracks)
    page = folder.report()
    assert "vote" in page
    assert not (written.folder / CACHE).exists()
    load(written.folder, tracks=tracks).leaderboard()
    assert (written.folder / CACHE).exists()  # as a report does


def test_a_damaged_store_is_told_and_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "assay.sqlite").write_bytes(b"no database at all" * 100)
    assert "cannot be opened" in ServedFolder(tmp_path, "results").report()


def test_while_a_page_is_made_no_edition_is_announced(
    written: Written, tracks: dict[str, AnyTrack], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = ServedFolder(written.folder, "results", tracks=tracks)
    seen = []

    def slow(results: object, **_: object) -> str:
        written.write(4, share=0.9)  # the run goes on meanwhile
        seen.append(folder.edition())
        return "page"

    monkeypatch.setattr("assay.serve.folder.html", slow)
    monkeypatch.setattr("assay.serve.folder.SHORTEST_REST", 0.0)
    monkeypatch.setattr("assay.serve.folder.REST", 0)
    before = folder.edition()
    folder.report()
    assert seen == [before]
    assert folder.edition() == before + 1


def test_the_file_of_a_store_stands_for_its_folder(written: Written, tracks: dict[str, AnyTrack]) -> None:
    folder = ServedFolder(written.folder / STORE_NAME, "results", tracks=tracks)
    assert folder.history() == ServedFolder(written.folder, "results", tracks=tracks).history()
    key = load(written.folder, tracks=tracks).records[0].key
    assert folder.cell(key) == ServedFolder(written.folder, "results", tracks=tracks).cell(key)
