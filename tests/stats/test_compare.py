from __future__ import annotations

import math
import sys
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from assay.core import Goal, Interval, InvalidInput, UnknownName
from assay.stats import Comparison, ScoreTable, bootstrap_interval, compare, compare_all, holm, rank_ranges, tiers
from assay.stats.compare import _tier_p_values

MakeTable = Callable[..., ScoreTable]
NAN = math.nan


def test_a_comparison_is_that_of_the_paired_differences(make_table: MakeTable) -> None:
    scores = np.array([[5, 7, 6, 9, 3, 8], [4, 7, 2, 5, 5, 1]]) / 10
    found = compare(make_table(scores), "a", "b", seed=2)
    assert found.difference == pytest.approx(bootstrap_interval(scores[0] - scores[1], seed=2))
    assert (found.problems, found.wins, found.ties, found.losses) == (6, 4, 1, 1)
    whole = [1, 0, 4, 4, -2, 7]
    sums = [abs(sum(s * d for s, d in zip(signs, whole, strict=True))) for signs in product((-1, 1), repeat=6)]
    assert found.p_value == found.adjusted_p_value == pytest.approx(sum(total >= 14 for total in sums) / 64)


def test_pairing_finds_what_the_spread_of_problems_hides(make_table: MakeTable) -> None:
    problems = np.random.default_rng(0).random(20)
    found = compare(make_table([problems + 0.02, problems]), "a", "b")
    assert found.difference == pytest.approx(Interval(0.02, 0.02, 0.02))
    assert found.p_value == pytest.approx(2 / 10_000)


@pytest.mark.parametrize("size", [6, 25])
def test_exchanging_the_subjects_mirrors_the_comparison_digit_by_digit(make_table: MakeTable, size: int) -> None:
    table = make_table(np.random.default_rng(size).random((2, size)))
    ab, ba = compare(table, "a", "b"), compare(table, "b", "a")
    assert ba.difference == Interval(-ab.difference.value, -ab.difference.high, -ab.difference.low)
    assert (ba.p_value, ba.wins, ba.losses) == (ab.p_value, ab.losses, ab.wins)


@pytest.mark.parametrize(("goal", "wins", "losses"), [("max", 2, 1), ("min", 1, 2)])
def test_the_goal_decides_who_wins_but_not_the_sign(make_table: MakeTable, goal: Goal, wins: int, losses: int) -> None:
    found = compare(make_table([[3.0, 3.0, 0.0], [1.0, 1.0, 1.0]], goal), "a", "b")
    assert found.difference.value == pytest.approx(1.0)
    assert (found.wins, found.ties, found.losses) == (wins, 0, losses)


def test_only_problems_that_both_have_count(make_table: MakeTable) -> None:
    found = compare(make_table([[1.0, NAN, 0.5, 0.5], [0.5, 0.9, NAN, 0.25]]), "a", "b")
    assert found.problems == 2
    assert found.difference.value == pytest.approx(0.375)


@pytest.mark.parametrize("rows", [[[NAN, 1.0], [1.0, NAN]], [[0.5, NAN], [0.25, 1.0]]])
def test_fewer_than_two_common_problems_have_no_p_value(make_table: MakeTable, rows: list[list[float]]) -> None:
    found = compare(make_table(rows), "a", "b")
    assert math.isnan(found.p_value)
    assert math.isnan(found.adjusted_p_value)
    assert math.isnan(found.difference.low)


@pytest.mark.parametrize("size", [2, 40])
def test_no_difference_at_all_has_p_value_one(make_table: MakeTable, size: int) -> None:
    row = np.random.default_rng(0).random(size)
    found = compare(make_table([row, row]), "b", "a")
    assert found.p_value == 1.0
    assert tuple(found.difference) == (0.0, 0.0, 0.0)
    assert (found.wins, found.ties, found.losses) == (0, size, 0)


def test_what_is_only_rounding_is_a_tie(make_table: MakeTable) -> None:
    found = compare(make_table([[0.1 + 0.2, 0.5], [0.3, 0.25]]), "a", "b")
    assert (found.wins, found.ties) == (1, 1)


def test_infinite_scores_pass_without_a_warning(make_table: MakeTable) -> None:
    table = make_table([[math.inf, math.inf, 1.0, 1.7e308], [math.inf, 1.0, 0.0, -1.7e308]], "min")
    found = compare(table, "a", "b")
    assert (found.wins, found.ties, found.losses) == (0, 1, 3)
    assert found.difference.value == math.inf
    assert math.isnan(found.p_value)


def test_all_pairs_are_compared_and_adjusted_together(make_table: MakeTable) -> None:
    scores = np.random.default_rng(1).random((4, 10)) + np.array([[0.0], [0.1], [0.3], [0.6]])
    table = make_table(scores)
    found = compare_all(table, resamples=200, seed=5)
    assert [entry.a + entry.b for entry in found] == ["ab", "ac", "ad", "bc", "bd", "cd"]
    assert [entry.adjusted_p_value for entry in found] == holm([entry.p_value for entry in found]).tolist()
    assert any(entry.adjusted_p_value > entry.p_value for entry in found)
    single = compare(table, "b", "d", resamples=200, seed=5)
    assert (found[4].difference, found[4].p_value) == (single.difference, single.p_value)


def test_everything_is_compared_with_a_baseline(make_table: MakeTable) -> None:
    table = make_table(np.random.default_rng(2).random((4, 8)))
    found = compare_all(table, baseline="b", resamples=200)
    assert [entry.a + entry.b for entry in found] == ["ab", "cb", "db"]
    assert [entry.adjusted_p_value for entry in found] == holm([entry.p_value for entry in found]).tolist()


def test_a_pair_that_cannot_be_tested_does_not_burden_the_others(make_table: MakeTable) -> None:
    row = np.arange(8.0)
    found = compare_all(make_table([row, row + 1, np.full(8, NAN)]), resamples=200)
    assert found[0].adjusted_p_value == found[0].p_value == 2 / 256
    assert all(math.isnan(entry.adjusted_p_value) for entry in found[1:])


def test_one_subject_or_none_has_nothing_to_compare(make_table: MakeTable) -> None:
    nothing: tuple[Comparison, ...] = ()
    assert compare_all(make_table([[0.5, 0.6]])) == nothing
    assert compare_all(make_table([[0.5, 0.6]]), baseline="a") == nothing
    assert compare_all(make_table(np.empty((0, 0)))) == nothing


def test_unknown_and_equal_subjects_are_refused_by_name(make_table: MakeTable) -> None:
    table = make_table([[0.5], [0.6]])
    with pytest.raises(UnknownName, match=r"No subject named 'x'\. Known: a, b"):
        compare(table, "a", "x")
    with pytest.raises(UnknownName, match="No subject named 'x'"):
        compare_all(table, baseline="x")
    with pytest.raises(InvalidInput, match="subject 'a' cannot be compared with itself"):
        compare(table, "a", "a")


def test_subjects_that_cannot_be_told_apart_from_the_first_of_a_tier_share_it(make_table: MakeTable) -> None:
    generator = np.random.default_rng(3)
    problems = generator.random(20)
    # b and c are within noise of a; d is below a, e within noise of d
    offsets = np.array([0.0, 0.0, 0.0, -0.3, -0.3])
    table = make_table(problems + offsets[:, np.newaxis] + 0.02 * generator.normal(size=(5, 20)))
    order = [entry.subject for entry in rank_ranges(table)]
    assert sorted(order[:3]) == ["a", "b", "c"]
    assert tiers(table, order) == (1, 1, 1, 2, 2)
    against_first = holm([compare(table, order[0], other).p_value for other in order[1:]])
    assert (against_first < 0.05).tolist() == [False, False, True, True]


def test_a_tier_ends_at_the_first_subject_that_differs_from_its_first(make_table: MakeTable) -> None:
    step = 0.01 * np.arange(6)[:, np.newaxis]
    noise = np.random.default_rng(1).normal(size=(6, 12)) * 0.02
    table = make_table(0.9 - step + noise)
    order = [entry.subject for entry in rank_ranges(table)]
    found = tiers(table, order)
    for place, tier in enumerate(found):
        first = found.index(tier)
        below = holm([compare(table, order[first], other).p_value for other in order[first + 1 :]])
        if place > first:
            assert not below[place - first - 1] < 0.05
        elif place:
            last = found.index(tier - 1)
            p_values = holm([compare(table, order[last], other).p_value for other in order[last + 1 :]])
            assert p_values[place - last - 1] < 0.05
    assert max(found) > 1


def test_too_few_problems_make_one_tier_and_no_subject_none(make_table: MakeTable) -> None:
    assert tiers(make_table([[0.9, 0.8, 0.9], [0.1, 0.2, 0.3]]), ["a", "b"]) == (1, 1)
    assert tiers(make_table([[0.9, 0.8]]), []) == ()


def test_tiers_of_very_many_problems_are_those_of_the_test_itself(
    make_table: MakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(5)
    table = make_table(generator.random(80) + np.array([[0.06], [0.05], [0.0]]) + 0.1 * generator.normal(size=(3, 80)))
    drawn = tiers(table, ["a", "b", "c"])
    monkeypatch.setattr(sys.modules["assay.stats.compare"], "LIMIT", 10)
    assert tiers(table, ["a", "b", "c"]) == drawn
    p_values = _tier_p_values([table.with_floor[0] - table.with_floor[row] for row in (1, 2)], 0)
    expected = [compare(table, "a", other).p_value for other in "bc"]
    assert p_values == pytest.approx(expected, abs=0.02)
