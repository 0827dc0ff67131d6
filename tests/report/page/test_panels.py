from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core import InvalidInput, Panel, Record
from assay.report import Results, TrackResults
from assay.report.page.html import html
from assay.report.page.panels import track_panels


def draw(records: Sequence[Record]) -> list[Panel]:
    return [Panel("A & B", '<svg class="mine"></svg>', f"{len(records)} <records>")]


def fail(records: Sequence[Record]) -> list[Panel]:
    raise ZeroDivisionError("no <data>")


def with_panels(toy: TrackResults, address: str) -> TrackResults:
    return replace(toy, track=replace(toy.track, panels=address))


def test_a_tracks_charts_stand_in_the_report_with_escaped_words(toy: TrackResults, tmp_path: object) -> None:
    page = html(Results(folder=Path("nowhere"), tracks=(with_panels(toy, f"{__name__}:draw"),)))
    assert '<svg class="mine"></svg>' in page
    assert "A &amp; B" in page
    assert f"{len(toy.records)} &lt;records&gt;" in page


def test_a_chart_that_fails_says_so_and_spoils_nothing_else(toy: TrackResults) -> None:
    page = html(Results(folder=Path("nowhere"), tracks=(with_panels(toy, f"{__name__}:fail"),)))
    assert "could not be drawn: ZeroDivisionError: no &lt;data&gt;" in page
    assert "Leaderboard" in page


def test_charts_that_cannot_be_found_are_named(toy: TrackResults) -> None:
    with pytest.raises(InvalidInput, match="its panels 'no_such:thing' cannot be found"):
        track_panels(with_panels(toy, "no_such:thing"))


def test_a_track_without_charts_has_none(toy: TrackResults) -> None:
    assert track_panels(toy) == ()
