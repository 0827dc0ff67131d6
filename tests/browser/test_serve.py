"""The web view in a browser: it follows a run, leads to every answer, and asks nobody but its server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.test_accessibility import violations
from tests.report.conftest import make_toy_track
from tests.serve.conftest import HOSTILE, SUBJECTS, Written

from assay.core import AnyTrack
from assay.serve import server as server_module
from assay.serve.app import make_app

pytest.importorskip("uvicorn", reason="the web view needs the extra serve")


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Written]]:
    """A server in a thread, and the results that it serves."""
    written = Written(tmp_path / "results")
    written.plan(*SUBJECTS)
    written.write(0, 1, details={"truth": "the secret truth"}, log="printed <b>")
    tracks: dict[str, AnyTrack] = {"toy": make_toy_track()}
    monkeypatch.setattr(server_module, "make_app", lambda *given, **other: make_app(*given, **other, tracks=tracks))
    told: list[Any] = []
    heard = threading.Event()

    def started(place: str) -> None:
        told.append(place)
        heard.set()

    thread = threading.Thread(
        target=server_module.serve,
        args=([written.folder],),
        kwargs={"started": started, "stopped": told.append},
        daemon=True,
    )
    thread.start()
    assert heard.wait(60)
    stop: Callable[[], None] = told[0]
    yield told[1], written
    stop()
    thread.join(20)
    assert not thread.is_alive()


def test_a_run_is_followed_and_every_score_leads_to_its_answer(chromium: Any, address: tuple[str, Written]) -> None:
    place, written = address
    context = chromium.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page = context.new_page()
    errors: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{place}results/#toy-problems")
    page.wait_for_selector("#live[data-state=live]")
    assert page.locator("#toy-problems table.grid tbody tr").count() == 1
    assert not page.locator(".tag-filter").first.is_visible()  # on a phone filters do not stand before the data
    written.write(2, 3, share=0.25)
    page.locator("#toy-problems table.grid tbody tr").nth(1).wait_for(timeout=30000)
    assert page.evaluate("location.hash") == "#toy-problems"
    found = violations(page)
    page.locator("#toy-problems table.grid tbody td a").first.click()
    page.wait_for_selector("main.cell")
    assert "a claim" in page.inner_text("main")
    found += violations(page)
    page.get_by_role("link", name=HOSTILE).or_(page.get_by_role("link", name="vote")).first.click()
    page.wait_for_selector("main.cell")
    page.go_back()
    page.go_back()
    page.wait_for_selector("#live[data-state=live]")  # it listens again
    page.goto(f"{place}results/history")
    assert "run 1" in page.inner_text("main")
    found += violations(page)
    assert found == []
    assert errors == []
    assert {url.split("/")[2] for url in asked} == {place.split("/")[2]}
    assert page.evaluate("window.harmed") is None
    context.close()
