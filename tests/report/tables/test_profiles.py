from __future__ import annotations

from collections.abc import Callable

from assay.report import Results, TrackResults, leaderboard
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


def test_scores_that_differ_by_rounding_only_share_their_place(make_results: Callable[..., Results]) -> None:
    shares = {"a": 0.3, "b": 0.1 + 0.2, "c": 0.3, "poor": 0.1}
    (toy,) = make_results([("iris", subject, 0, share, 1.0, {}) for subject, share in shares.items()]).tracks
    lines = {profile.standing.subject: profile.lines[0] for profile in profiles(toy, leaderboard(toy))}
    assert {subject: (line.place, line.tied) for subject, line in lines.items()} == {
        "a": (1, True),
        "b": (1, True),
        "c": (1, True),
        "poor": (4, False),
    }
