from __future__ import annotations

from assay.report import TrackResults, leaderboard
from assay.report.tables.profiles import profiles


def test_a_profile_has_every_metric_with_the_place_among_the_others(toy: TrackResults) -> None:
    board = leaderboard(toy)
    found = profiles(toy, board)
    assert [profile.standing.subject for profile in found] == [row.subject for row in board.rows]
    for column in board.columns:
        places = [next(line for line in profile.lines if line.column == column).place for profile in found]
        means = [row.mean(column.name).value for row in board.rows]
        order = sorted(means, reverse=column.goal == "max")
        assert places == [1 + order.index(mean) for mean in means]


def test_failures_stand_with_their_kinds(toy: TrackResults) -> None:
    vote = next(profile for profile in profiles(toy, leaderboard(toy)) if profile.standing.subject == "vote")
    assert vote.kinds == (("time-out", 1),)
    assert [(record.problem, record.seed) for record in vote.failures] == [("wine", 1)]
