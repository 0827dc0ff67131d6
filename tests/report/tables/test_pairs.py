from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from assay.report import Results, TrackResults, leaderboard, subject_pairs
from assay.report.tables import pairs
from assay.stats import compare_all, score_table


def test_every_pair_stands_once_and_mirrors(toy: TrackResults) -> None:
    found = subject_pairs(toy, leaderboard(toy))
    assert found.subjects == tuple(row.subject for row in leaderboard(toy).rows)
    assert len(found.ordered) == 3
    for entry in found.ordered:
        turned = found.of(entry.b, entry.a)
        assert turned.difference.value == -entry.difference.value
        assert (turned.difference.low, turned.difference.high) == (-entry.difference.high, -entry.difference.low)
        assert (turned.wins, turned.losses) == (entry.losses, entry.wins)
        assert turned.adjusted_p_value == entry.adjusted_p_value


def test_differences_are_those_of_the_data_frame(toy: TrackResults, cautious_frame: pd.DataFrame) -> None:
    means = cautious_frame.groupby(["subject", "problem"]).share.mean().unstack("subject")
    for entry in subject_pairs(toy, leaderboard(toy)).ordered:
        both = means[[entry.a, entry.b]].dropna()
        assert entry.problems == len(both)
        assert entry.difference.value == pytest.approx((both[entry.a] - both[entry.b]).mean())
        assert entry.wins == (both[entry.a] > both[entry.b]).sum()


def test_the_correction_is_that_of_all_pairs_together(toy: TrackResults) -> None:
    expected = {frozenset((c.a, c.b)): c for c in compare_all(score_table(toy.cautious_table, "share"))}
    for entry in subject_pairs(toy, leaderboard(toy)).ordered:
        other = expected[frozenset((entry.a, entry.b))]
        assert (entry.p_value, entry.adjusted_p_value) == (other.p_value, other.adjusted_p_value)


def test_too_many_subjects_are_left_out_and_counted(
    make_results: Callable[..., Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairs, "MOST_SUBJECTS", 3)
    rows: list[Any] = [("iris", f"s{number}", 0, 0.1 * number, 1.0, {}) for number in range(5)]
    (track,) = make_results(rows).tracks
    found = subject_pairs(track, leaderboard(track))
    assert found.subjects == ("s4", "s3", "s2")
    assert found.left_out == 2
    assert len(found.ordered) == 3


def test_pairs_with_a_reference_are_a_family_of_their_own(make_results: Callable[..., Results]) -> None:
    scores = {"oracle": 1.0, "a": 0.6, "b": 0.4}
    rows: list[Any] = [
        (f"p{n}", name, 0, score - 0.01 * n * (name == "b"), 1.0, {"isolation": "examiner"} if name == "oracle" else {})
        for n in range(6)
        for name, score in scores.items()
    ]
    (track,) = make_results(rows).tracks
    found = subject_pairs(track, leaderboard(track))
    contest, given = found.of("a", "b"), found.of("oracle", "a")
    assert (found.family(contest), found.family(given)) == (1, 2)
    assert contest.adjusted_p_value == contest.p_value == 2 / 2**6
    assert given.adjusted_p_value == 2 * given.p_value
