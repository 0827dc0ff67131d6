from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from assay.core import UnknownName
from assay.report import Results, TrackResults, leaderboard
from assay.report.page.html import render
from assay.report.tables.grid import problem_grid
from assay.report.text import problems_table


@pytest.mark.parametrize("metric", ["share", "delay"])
def test_every_cell_equals_an_independent_computation(toy: TrackResults, frame: pd.DataFrame, metric: str) -> None:
    grid = problem_grid(toy, metric=metric)
    groups = frame.groupby(["problem", "subject"])
    means, sizes, failures = groups[metric].mean(), groups.size(), groups.failed.sum()
    assert [row.problem for row in grid.rows] == sorted(frame.problem.unique())
    for row in grid.rows:
        for subject, cell in zip(grid.subjects, row.cells, strict=True):
            place = (row.problem, subject)
            if place not in sizes.index:
                assert math.isnan(cell.value)
                assert (cell.records, cell.failed) == (0, 0)
                continue
            assert cell.value == pytest.approx(means[place], abs=1e-12, nan_ok=True)
            assert (cell.records, cell.failed) == (sizes[place], failures[place])


def test_subjects_stand_in_the_order_of_the_leaderboard(toy: TrackResults) -> None:
    by_delay = replace(toy, track=replace(toy.track, headline="delay"))
    assert problem_grid(toy).subjects == tuple(row.subject for row in leaderboard(toy).rows)
    assert problem_grid(by_delay).subjects == tuple(row.subject for row in leaderboard(by_delay).rows)
    assert problem_grid(toy).subjects != problem_grid(by_delay).subjects[::-1]


@pytest.mark.parametrize("metric", ["share", "delay"])
def test_subjects_without_any_value_stand_last(toy: TrackResults, metric: str) -> None:
    records = tuple(
        replace(record, scores={**record.scores, metric: math.nan}) if record.subject == "knn(k=5)" else record
        for record in toy.records
    )
    assert problem_grid(replace(toy, records=records), metric=metric).subjects[-1] == "knn(k=5)"


def test_an_unknown_metric_is_answered_with_a_suggestion(toy: TrackResults) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'delay'"):
        problem_grid(toy, metric="dealy")


def test_a_lost_cell_is_told_from_one_that_is_not_run(make_results: Callable[..., Results]) -> None:
    rows: list[Any] = [("iris", subject, 0, 0.5, 1.0, {}) for subject in ("a", "b", "c")] + [
        ("wine", "a", 0, 0.5, 1.0, {})
    ]
    results = make_results(rows, pending=[("wine", "c", 0)], lost={("wine", "b", 0): "the worker died"})
    (toy,) = results.tracks
    wine = dict(zip(problem_grid(toy).subjects, problem_grid(toy).rows[1].cells, strict=True))
    assert {subject: (cell.records, cell.lost) for subject, cell in wine.items()} == {
        "a": (1, 0),
        "b": (0, 1),
        "c": (0, 0),
    }
    table = problems_table(toy)
    assert sorted(table.rows[1][1:]) == ["0.500", "lost", "…"]
    assert table.caption.endswith("… is not run yet, lost could not be finished.")
    page = render(results.summaries())
    assert '<td data-sort="">lost</td>' in page
    assert '<td data-sort="">…</td>' in page
    assert "… is not run yet, lost could not be finished, – is undefined." in page
