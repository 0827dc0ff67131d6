from __future__ import annotations

import pandas as pd
import pytest

from assay.report import TrackResults
from assay.report.tables.filters import filters, tag_values


def test_tags_that_name_single_problems_do_not_filter(toy: TrackResults) -> None:
    assert tag_values(toy) == {"family": ("family-0", "family-1"), "noise": ("0.0", "0.25", "0.5")}


def test_each_value_has_the_leaderboard_of_its_problems(toy: TrackResults, frame: pd.DataFrame) -> None:
    family = filters(toy, resamples=100)[0]
    assert family.tag == "family"
    for group in family.groups:
        wanted = [name for name in frame.problem.unique() if f"family-{len(name) % 2}" == group.value]
        assert group.problems == len(wanted)
        for row in group.board.rows:
            own = frame[(frame.subject == row.subject) & frame.problem.isin(wanted)]
            assert row.mean("share").value == pytest.approx(own.groupby("problem").share.mean().mean())
            assert row.metrics["share"].problems == own.problem.nunique()
