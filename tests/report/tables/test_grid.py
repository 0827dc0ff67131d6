from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import pytest

from assay.core import UnknownName
from assay.report import TrackResults, leaderboard
from assay.report.tables.grid import problem_grid


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
