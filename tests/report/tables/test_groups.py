from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assay.core import UnknownName
from assay.report import Results, TrackResults, grouped, json_report
from assay.report.tables.groups import value_order

LEVEL = {"iris": 2, "wine": 10, "digits": 2, "moons": 10}


@pytest.fixture
def tagged(toy: TrackResults) -> TrackResults:
    records = tuple(
        replace(record, tags={"level": LEVEL[record.problem]} if record.problem in LEVEL else {})
        for record in toy.records
    )
    return replace(toy, records=records)


def test_each_value_of_a_tag_has_a_leaderboard_of_its_own_problems(tagged: TrackResults, frame: pd.DataFrame) -> None:
    groups = grouped(tagged, "level")
    assert [(group.value, group.problems) for group in groups] == [("2", 2), ("10", 2), ("(untagged)", 1)]
    for group in groups:
        problems = [name for name in frame.problem.unique() if str(LEVEL.get(name, "(untagged)")) == group.value]
        part = frame[frame.problem.isin(problems)]
        for row in group.board.rows:
            own = part[part.subject == row.subject].groupby("problem")["share"].mean()
            assert row.metrics["share"].mean.value == pytest.approx(own.mean(), abs=1e-12)
            assert row.failed == part[part.subject == row.subject].failed.sum()


def test_an_unknown_tag_is_named_with_the_known_ones(tagged: TrackResults) -> None:
    with pytest.raises(UnknownName, match="level"):
        grouped(tagged, "levle")


def test_the_json_report_holds_the_groups_that_were_asked_for(tagged: TrackResults, tmp_path: Path) -> None:
    content: Any = json_report(Results(folder=tmp_path, tracks=(tagged,)), by=["level", "no such tag"])
    (track,) = content["tracks"]
    assert [group["value"] for group in track["groups"]["level"]] == ["2", "10", "(untagged)"]
    assert "no such tag" not in track["groups"]


def test_a_value_called_nan_is_a_text() -> None:
    assert sorted(["nan", "10", "(untagged)", "9", "a"], key=value_order) == ["9", "10", "a", "nan", "(untagged)"]
    assert sorted(["9", "nan", "a", "10", "(untagged)"], key=value_order) == ["9", "10", "a", "nan", "(untagged)"]


def test_problems_on_which_nobody_has_a_value_are_not_among_the_defined(make_results: Callable[..., Results]) -> None:
    shares = {"iris": 0.5, "wine": math.nan}  # both of one family
    (toy,) = make_results([(problem, "vote", 0, share, 1.0, {}) for problem, share in shares.items()]).tracks
    (group,) = grouped(toy, "family")
    assert (group.problems, group.defined) == (2, 1)
