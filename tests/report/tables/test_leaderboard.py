from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import AnyTrack, InvalidInput, Metric, UnknownName
from assay.report import Results, TrackResults, leaderboard
from assay.stats import bootstrap_interval


def problem_means(frame: pd.DataFrame, metric: str, *, scored_only: bool) -> pd.DataFrame:
    kept = frame[~frame.failed] if scored_only else frame
    return kept.groupby(["subject", "problem"])[metric].mean().unstack()


@pytest.mark.parametrize("metric", ["share", "delay"])
def test_every_number_equals_an_independent_computation(toy: TrackResults, frame: pd.DataFrame, metric: str) -> None:
    board = leaderboard(toy)
    with_floor = problem_means(frame, metric, scored_only=False)
    scored = problem_means(frame, metric, scored_only=True)
    ranks = with_floor.rank(ascending=metric == "delay", na_option="bottom").mean(axis=1)
    for row in board.rows:
        summary = row.metrics[metric]
        assert summary.mean.value == pytest.approx(with_floor.loc[row.subject].mean(), abs=1e-12)
        assert summary.scored_only.value == pytest.approx(scored.loc[row.subject].mean(), abs=1e-12)
        assert summary.problems == with_floor.loc[row.subject].count()
        assert summary.scored_problems == scored.loc[row.subject].count()
        own = frame[frame.subject == row.subject]
        assert summary.undefined == own[metric].isna().sum()
        assert (row.cells, row.failed) == (len(own), own.failed.sum())
        assert summary.mean_rank == pytest.approx(ranks[row.subject], abs=1e-12)
        expected = bootstrap_interval(with_floor.loc[row.subject].dropna().to_numpy())
        assert summary.mean == pytest.approx(expected, abs=1e-9)


def test_subjects_stand_best_first_by_the_headline(toy: TrackResults, frame: pd.DataFrame) -> None:
    board = leaderboard(toy)
    means = problem_means(frame, "share", scored_only=False).mean(axis=1).sort_values(ascending=False)
    assert [row.subject for row in board.rows] == list(means.index)
    assert [row.place for row in board.rows] == [1, 2, 3]
    assert all(row.best_place <= row.place <= row.worst_place for row in board.rows)
    assert [column.name for column in board.columns] == ["share", "delay"]


def test_a_lower_headline_is_better_when_its_goal_says_so(toy: TrackResults, toy_track: AnyTrack) -> None:
    board = leaderboard(replace(toy, track=replace(toy_track, headline="delay")))
    means = [row.mean("delay").value for row in board.rows]
    assert means == sorted(means)


def test_a_failed_cell_lowers_the_mean_and_not_what_was_scored(toy: TrackResults) -> None:
    summary = next(row for row in leaderboard(toy).rows if row.subject == "vote").metrics["share"]
    assert summary.failed == 1
    assert summary.mean.value < summary.scored_only.value


def test_median_seconds_are_those_of_solving(toy: TrackResults, frame: pd.DataFrame) -> None:
    medians = frame.groupby("subject").seconds.median()
    by_subject = {row.subject: row.median_seconds for row in leaderboard(toy).rows}
    assert by_subject["vote"] == pytest.approx(medians["vote"])
    assert by_subject["knn(k=5)"] == pytest.approx(medians["knn(k=5)"])
    assert math.isnan(by_subject["random"])  # ready answers were not solved here


def test_aggregates_are_columns_and_a_missing_subject_is_undefined(toy: TrackResults, frame: pd.DataFrame) -> None:
    board = leaderboard(toy)
    assert [(column.name, column.goal, column.summary) for column in board.aggregates] == [
        ("spread", "min", "Range of the scores of a subject.")
    ]
    expected = frame.groupby("subject").share.agg(lambda scores: scores.max() - scores.min())
    by_subject = {row.subject: row.aggregates["spread"] for row in board.rows}
    assert by_subject["vote"] == pytest.approx(expected["vote"])
    assert math.isnan(by_subject["random"])


def test_aggregates_get_sorted_records(toy: TrackResults, toy_track: AnyTrack) -> None:
    seen: list[list[tuple[str, str, int]]] = []

    def watch(records: Any) -> dict[str, float]:
        seen.append([(record.subject, record.problem, record.seed) for record in records])
        return {}

    track = replace(toy_track, aggregates=(replace(toy_track.aggregates[0], function=watch),))
    leaderboard(replace(toy, track=track))
    leaderboard(replace(toy, track=track, records=toy.records[::-1]))
    assert seen[0] == seen[1] == sorted(seen[0])


def test_arrival_order_moves_no_digit(toy: TrackResults) -> None:
    order = np.random.default_rng(0).permutation(len(toy.records))
    shuffled = replace(toy, records=tuple(toy.records[index] for index in order))
    assert repr(leaderboard(shuffled)) == repr(leaderboard(toy))


def test_chosen_metrics_stand_beside_the_headline(toy: TrackResults) -> None:
    board = leaderboard(toy, metrics=["spread", "delay", "delay"])
    assert [column.name for column in board.columns] == ["share", "delay"]
    assert [column.name for column in board.aggregates] == ["spread"]
    board = leaderboard(toy, metrics=[])
    assert [column.name for column in board.columns] == ["share"]
    assert board.aggregates == ()


def test_an_unknown_metric_is_answered_with_a_suggestion(toy: TrackResults) -> None:
    with pytest.raises(UnknownName, match=r"No metric named 'shaer'. Did you mean 'share'\? Known: delay, share, spr"):
        leaderboard(toy, metrics=["shaer"])


def test_a_metric_younger_than_the_records_is_said_to_be_unscored(toy: TrackResults, toy_track: AnyTrack) -> None:
    young: Metric[Any] = replace(toy_track.metrics[0], name="young")
    track = replace(toy_track, metrics=(*toy_track.metrics, young))
    board = leaderboard(replace(toy, track=track))
    assert board.unscored == ("young",)
    assert [column.name for column in board.columns] == ["share", "delay"]
    with pytest.raises(InvalidInput, match=r"'toy'.*older than its headline 'young'.*assay rescore"):
        leaderboard(replace(toy, track=replace(track, headline="young")))


def test_without_records_the_leaderboard_is_empty(toy: TrackResults) -> None:
    board = leaderboard(replace(toy, records=()))
    assert board.rows == ()
    assert [column.name for column in board.columns] == ["share", "delay"]


def test_one_problem_gives_a_mean_without_bounds(make_results: Callable[..., Results]) -> None:
    found = make_results([("iris", "vote", seed, 0.5, 1.0, {}) for seed in range(3)])
    (row,) = leaderboard(found.track("toy")).rows
    assert row.mean("share").value == 0.5
    assert math.isnan(row.mean("share").low)
    assert (row.place, row.best_place, row.worst_place) == (1, 1, 1)


def test_seed_and_confidence_reach_the_statistics(toy: TrackResults) -> None:
    def widths(**options: Any) -> list[float]:
        return [row.mean("share").high - row.mean("share").low for row in leaderboard(toy, **options).rows]

    assert widths() == widths()
    assert widths(seed=1, resamples=200) != widths(seed=2, resamples=200)
    assert all(narrow < wide for narrow, wide in zip(widths(confidence=0.5), widths(confidence=0.95), strict=True))


def test_leaks_undecided_verdicts_costs_and_references_are_counted(make_results: Callable[..., Results]) -> None:
    flags = [(1.0, 0.0), (0.0, 1.0), (math.nan, 1.0)]
    rows: list[Any] = [
        (
            f"p{place}",
            "mine",
            0,
            0.5,
            1.0,
            {
                "scores": {"share": 0.5, "delay": 1.0, "target_leak": leak, "undecided": undecided},
                "cost": {"cpu_seconds": 0.1, "examine_seconds": 9.0, "reported_tokens": 7.0},
            },
        )
        for place, (leak, undecided) in enumerate(flags)
    ]
    rows.append(("p0", "oracle", 0, 1.0, 1.0, {"isolation": "examiner", "cost": {}}))
    (plain,) = make_results(rows).tracks
    flags_of: tuple[Metric[Any], ...] = (
        Metric("target_leak", len, definition=len, goal="min", flag="leak"),
        Metric("undecided", len, definition=len, goal="min", flag="undecided"),
    )
    track = replace(plain, track=replace(plain.track, metrics=(*plain.track.metrics, *flags_of)))
    oracle, mine = leaderboard(track).rows
    assert (mine.leaks, mine.unchecked, mine.undecided) == (1, 1, 2)
    assert mine.costs == pytest.approx({"cpu_seconds": 0.3, "reported_tokens": 21.0})
    assert (oracle.leaks, oracle.undecided, oracle.costs) == (None, None, {})
    assert oracle.reference
    assert not mine.reference
    assert [row.subject for row in leaderboard(track).contenders] == ["mine"]


def test_equal_means_are_a_tie(make_results: Callable[..., Results]) -> None:
    rows: list[Any] = [("p", subject, 0, score, 1.0, {}) for subject, score in (("a", 0.5), ("b", 0.5), ("c", 0.2))]
    (track,) = make_results(rows).tracks
    board = leaderboard(track)
    assert [(row.place, board.tied(row)) for row in board.rows] == [(1, True), (1, True), (3, False)]
