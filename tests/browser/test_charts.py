"""Charts in a real browser: read-outs by pointer and by keyboard, dots that lead to answers, files to take away."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

Open = Callable[..., Any]
CHART = '#alpha-charts figure[data-figure="spread"]'


def test_a_dot_tells_its_value_and_leads_to_its_answer_by_pointer_and_by_keyboard(open_report: Open) -> None:
    watched = open_report(address="#alpha-charts")
    page = watched.page
    dot = page.locator(f"{CHART} circle[data-go]").nth(40)
    dot.hover(force=True)
    told = page.locator(f"{CHART} .tip").inner_text()
    assert told == dot.get_attribute("data-tip")
    assert " on problem-" in told
    page.locator(f"{CHART} .scroll").focus()
    page.keyboard.press("ArrowRight")
    assert " on problem-" in page.locator(f"{CHART} .readout").inner_text()
    page.keyboard.press("ArrowRight")
    words = page.locator(f"{CHART} .readout").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_selector("#alpha-cell .cell-body h3")
    subject, rest = words.split(" on ")
    problem, score = rest.split(": ")
    cell = page.locator("#alpha-cell").inner_text()
    assert subject in cell
    assert problem in cell
    assert score in cell
    assert f"the truth of {problem}" in cell
    watched.quiet()


def test_a_chart_can_be_taken_away_as_picture_and_as_numbers(open_report: Open) -> None:
    watched = open_report(address="#alpha-charts")
    files = {}
    for kind in ("svg", "png", "csv"):
        with watched.page.expect_download() as download:
            watched.page.locator(f'{CHART} button[data-as="{kind}"]').click()
        assert download.value.suggested_filename == f"alpha-spread.{kind}"
        files[kind] = Path(download.value.path()).read_bytes()
    tree = ElementTree.fromstring(files["svg"])
    circles = list(tree.iter("{http://www.w3.org/2000/svg}circle"))
    assert len(circles) == 4 * 12
    assert all(circle.attrib["fill"].startswith("rgb") for circle in circles)  # it needs no style sheet
    assert files["png"].startswith(b"\x89PNG")
    assert len(files["png"]) > 10_000  # not an empty canvas
    rows = list(csv.DictReader(io.StringIO(files["csv"].decode())))
    assert len(rows) == 4 * 12
    assert {row["subject"] for row in rows} == {"oracle", "good", "middling", "shaky"}
    assert [address for address in watched.requests if not address.startswith(("file:", "blob:", "data:"))] == []
