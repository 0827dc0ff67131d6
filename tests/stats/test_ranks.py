from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from assay.core import Goal, InvalidInput
from assay.stats import RankRange, ScoreTable, compare, mean_ranks, rank_ranges, summarise

MakeTable = Callable[..., ScoreTable]
NAN = math.nan


def _holed(
    generator: np.random.Generator, subjects: int, problems: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    scores = generator.integers(0, 4, size=(subjects, problems)) / 3  # few values: many ties
    scores[generator.random(scores.shape) < 0.2] = NAN
    return scores


@pytest.mark.parametrize("goal", ["max", "min"])
@pytest.mark.parametrize("seed", range(10))
def test_mean_ranks_are_those_of_pandas(make_table: MakeTable, goal: Goal, seed: int) -> None:
    scores = _holed(np.random.default_rng(seed), 6, 15)
    scores[:, 3] = NAN  # nobody has a value: this problem does not count
    frame = pd.DataFrame(scores).dropna(axis=1, how="all")
    expected = frame.rank(axis=0, method="average", ascending=goal == "min", na_option="bottom").mean(axis=1)
    assert mean_ranks(make_table(scores, goal)).tolist() == pytest.approx(expected.tolist(), abs=1e-12)


def test_missing_values_rank_behind_the_worst_even_an_infinite_one(make_table: MakeTable) -> None:
    assert mean_ranks(make_table([[-math.inf], [NAN], [0.0], [NAN]])).tolist() == [2.0, 3.5, 1.0, 3.5]


def test_without_any_value_there_are_no_ranks(make_table: MakeTable) -> None:
    assert np.isnan(mean_ranks(make_table([[NAN], [NAN]]))).all()
    assert mean_ranks(make_table(np.empty((0, 0)))).size == 0


def test_a_clear_order_is_held_and_a_draw_is_not(make_table: MakeTable) -> None:
    generator = np.random.default_rng(0)
    level = np.array([[0.9], [0.5], [0.5], [0.1]])
    found = rank_ranges(make_table(level + generator.normal(0, 0.05, size=(4, 30))))
    ranges = {entry.subject: (entry.best, entry.worst) for entry in found}
    assert ranges == {"a": (1, 1), "b": (2, 3), "c": (2, 3), "d": (4, 4)}


@pytest.mark.parametrize("goal", ["max", "min"])
def test_places_are_the_order_of_the_summary(make_table: MakeTable, goal: Goal) -> None:
    for seed in range(5):
        table = make_table(_holed(np.random.default_rng(seed), 5, 8), goal)
        found = rank_ranges(table, resamples=100)
        assert [entry.subject for entry in found] == [line.subject for line in summarise(table, resamples=100)]
        assert all(1 <= entry.best <= entry.worst <= 5 for entry in found)


def test_equals_share_their_place_and_their_range(make_table: MakeTable) -> None:
    row = [0.1, 0.2, 0.7, 0.3, 0.9]
    found = rank_ranges(make_table([row, row, [-1.0] * 5]))
    assert found == (
        RankRange(subject="a", place=1, best=1, worst=2),
        RankRange(subject="b", place=1, best=1, worst=2),
        RankRange(subject="c", place=3, best=3, worst=3),
    )


def test_equal_scores_on_different_problems_share_their_place(make_table: MakeTable) -> None:
    # 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1
    assert [entry.place for entry in rank_ranges(make_table([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]))] == [1, 1]


def test_a_lead_that_is_only_rounding_holds_no_place(make_table: MakeTable) -> None:
    found = rank_ranges(make_table([[0.1 + 0.2] * 6, [0.3] * 6]))
    assert [(entry.best, entry.worst) for entry in found] == [(1, 2), (1, 2)]


@pytest.mark.parametrize("confidence", [0.2, 0.4, 0.6, 0.8, 0.95])
def test_the_range_is_that_of_a_plain_loop_over_resamples(make_table: MakeTable, confidence: float) -> None:
    scores = np.random.default_rng(5).normal(size=(6, 5))
    places: list[list[int]] = [[] for _ in scores]
    for columns in np.random.default_rng(7).integers(0, 5, size=(500, 5)):
        means = [sum(row[column] for column in columns) for row in scores]
        for row, mean in enumerate(means):
            places[row].append(1 + sum(other > mean for other in means))
    # the expanded level, from Student's t itself
    tail = norm.cdf(math.sqrt(5 / 4) * student.ppf((1 - confidence) / 2, 4))
    found = rank_ranges(make_table(scores), confidence=confidence, resamples=500, seed=7)
    for row, subject in enumerate("abcdef"):
        ordered = sorted(places[row])
        expected = ordered[math.ceil(tail * 500) - 1], ordered[math.ceil((1 - tail) * 500) - 1]
        assert next((entry.best, entry.worst) for entry in found if entry.subject == subject) == expected


def test_on_one_problem_every_place_is_possible(make_table: MakeTable) -> None:
    found = rank_ranges(make_table([[0.1], [0.9], [NAN]]))
    assert [(entry.subject, entry.place, entry.best, entry.worst) for entry in found] == [
        ("b", 1, 1, 3),
        ("a", 2, 1, 3),
        ("c", 3, 1, 3),
    ]


def test_infinite_scores_and_empty_tables_pass_without_a_warning(make_table: MakeTable) -> None:
    table = make_table([[math.inf, 1.0], [1.0, 0.5], [-math.inf, math.inf]], "min")
    assert [entry.subject for entry in rank_ranges(table)] == ["b", "a", "c"]
    assert rank_ranges(make_table(np.empty((0, 0)))) == ()


def test_impossible_options_are_refused(make_table: MakeTable) -> None:
    with pytest.raises(InvalidInput, match="confidence"):
        rank_ranges(make_table([[0.5]]), confidence=2)


@pytest.mark.parametrize("goal", ["max", "min"])
def test_scores_that_differ_by_rounding_share_a_rank_as_they_are_ties_of_a_comparison(
    make_table: MakeTable, goal: Goal
) -> None:
    table = make_table(
        np.array([[0.1 + 0.2, 0.5, NAN], [0.3, 0.4, math.inf], [0.3 * (1 + 1e-9), 0.5, math.inf]]), goal=goal
    )
    ranks = {"max": ([2.5, 2.5, 1], [1.5, 3, 1.5]), "min": ([1.5, 1.5, 3], [2.5, 1, 2.5])}[goal]
    expected = np.mean([*ranks, [3, 1.5, 1.5]], axis=0)
    np.testing.assert_allclose(mean_ranks(table), expected)
    assert compare(table, *table.subjects[:2]).ties == 1


@pytest.mark.parametrize("goal", ["max", "min"])
def test_means_that_differ_by_rounding_only_share_a_place_and_its_range(make_table: MakeTable, goal: Goal) -> None:
    scores = [[0.3] * 3, [0.1 + 0.2] * 3, [0.3] * 3]
    table = make_table(scores if goal == "max" else [[-value for value in row] for row in scores], goal)
    ranges = rank_ranges(table)
    assert [(entry.subject, entry.place) for entry in ranges] == [("a", 1), ("b", 1), ("c", 1)]
    assert (ranges[0].best, ranges[0].worst) == (ranges[2].best, ranges[2].worst)
    assert [line.subject for line in summarise(table)] == ["a", "b", "c"]
