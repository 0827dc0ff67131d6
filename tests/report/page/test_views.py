from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from assay.report import Results, TrackResults
from assay.report.page.html import html
from assay.report.page.views import track_view
from assay.report.tables.sampling import listed_problems
from assay.report.tables.summary import TrackSummary


def test_the_data_of_the_page_are_the_scores(toy: TrackResults) -> None:
    view = track_view(TrackSummary(results=toy, resamples=100), name="toy")
    data = json.loads(view.data)
    assert data["subjects"] == [row.subject for row in view.board.rows] == list(view.grid.subjects)
    assert data["problems"] == [row.problem for row in view.grid.rows]
    for place, row in enumerate(view.grid.rows):
        for subject, cell in enumerate(row.cells):
            shown = data["scores"][0][subject][place]
            assert (shown is None and cell.value != cell.value) or abs(shown - cell.value) < 1e-8
            assert data["cells"][place][subject][:2] == [cell.records, cell.failed]
    assert data["contenders"] == [0, 1, 2]
    assert len(data["pairs"]["found"]) == 6


def test_data_cannot_end_their_element(hostile: Results) -> None:
    view = track_view(TrackSummary(results=hostile.tracks[0], resamples=100), name="wild")
    assert not set("<>&") & set(view.data)
    assert "<script>alert(1)</script>" in json.loads(view.data)["subjects"]


def test_too_many_problems_are_sampled_and_that_is_said(make_results: Callable[..., Results]) -> None:
    rows: list[Any] = [(f"p{n:03d}", s, 0, 0.01 * n, 1.0, {}) for n in range(40) for s in ("a", "b")]
    results = make_results(rows)
    view = track_view(TrackSummary(results=results.tracks[0], resamples=100), name="toy", most_problems=10)
    assert [row.problem for row in view.grid.rows] == [f"p{n:03d}" for n in range(0, 40, 4)]
    assert view.unlisted == 30
    assert view.board.rows[0].metrics["share"].problems == 40
    page = html(results, resamples=100, most_problems=10)
    assert "Down-sampled: 10 of 40 problems are listed" in page
    assert "Down-sampled" not in html(results, resamples=100)


def test_sampling_keeps_order_and_number() -> None:
    names = [f"p{number:04d}" for number in range(1000)]
    found = listed_problems(names, 400)
    assert len(set(found)) == 400
    assert list(found) == sorted(found)
    assert listed_problems(names[:5]) == tuple(names[:5])
