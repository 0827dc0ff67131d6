"""Bets on pairs: never decided too often however long one looks, and soon decided where subjects differ."""

from __future__ import annotations

import gzip
import math
import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from benchmarks.sequential import error_rates, pairwise, read_matrix

from assay.core import Interval, InvalidInput
from assay.stats.sequential.bets import BETS, confidence_sequence, e_process, fewest_units, together
from assay.stats.sequential.decisions import Decisions, PairDecision, decided_tiers

SRBENCH = Path(os.environ.get("ASSAY_BENCHMARKS", "")) / "formula" / "srbench_blackbox_results.csv.gz"


def wealth(values: list[float]) -> float:
    """The evidence by its definition, one game after the other."""
    sides = []
    for sign in (1, -1):
        purses = [1.0] * len(BETS)
        for value in values:
            purses = [purse * (1 + sign * bet * value) for purse, bet in zip(purses, BETS, strict=True)]
        sides.append(sum(purses) / len(purses))
    return max(sides) / 2


def test_the_evidence_is_the_gamblers_wealth_and_the_other_side_mirrors_it() -> None:
    values = np.random.default_rng(1).uniform(-1, 1, size=(3, 20))
    found = e_process(values)
    for row, evidence in zip(values, found, strict=True):
        np.testing.assert_allclose(evidence, [wealth(list(row[: n + 1])) for n in range(20)])
    np.testing.assert_array_equal(found, e_process(-values))
    np.testing.assert_array_equal(e_process([0.5, math.nan]), e_process([0.5, 0.0]))


def test_equals_are_decided_in_at_most_5_of_100_however_often_one_looks() -> None:
    rates = error_rates(3_000)
    assert max(rates.values()) <= 0.05
    assert rates["won or lost"] > 0.01  # it is a test, not a refusal


@pytest.mark.soak
def test_equals_are_decided_in_at_most_5_of_100_in_100_000_simulations() -> None:
    assert max(error_rates(100_000).values()) <= 0.05


def test_looking_after_every_problem_with_an_ordinary_test_would_err_far_more() -> None:
    from scipy.stats import norm

    values = np.random.default_rng(2).choice([-1.0, 1.0], size=(2_000, 200))
    scores = np.abs(np.cumsum(values, axis=1)) / np.sqrt(np.arange(1, 201))
    assert (scores[:, 10:].max(axis=1) > norm.ppf(0.975)).mean() > 0.2


def test_the_interval_holds_the_mean_at_all_times_at_once() -> None:
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(60):
        values = rng.beta(2, 3, size=60) * 2 - 1
        intervals = [confidence_sequence(values[:n]) for n in range(6, 61, 9)]
        missed += any(not interval.low <= -0.2 <= interval.high for interval in intervals)
    assert missed / 60 <= 0.05


def test_the_interval_leaves_zero_exactly_when_the_evidence_reaches_the_level() -> None:
    rng = np.random.default_rng(4)
    for _ in range(12):
        values = rng.uniform(-0.4, 0.9, size=25)
        for n in range(1, 26, 2):
            interval = confidence_sequence(values[:n])
            away = not interval.low <= 0 <= interval.high
            assert away == (float(e_process(values[:n])[-1]) >= 20)


def test_correction_is_the_smallest_mean_of_any_set_that_holds_the_hypothesis() -> None:
    rng = np.random.default_rng(5)
    for _ in range(100):
        evidence = np.round(rng.exponential(5, size=rng.integers(1, 7)), 1)
        places = range(len(evidence))
        sets = [chosen for size in range(1, len(evidence) + 1) for chosen in combinations(places, size)]
        expected = [min(evidence[list(chosen)].mean() for chosen in sets if place in chosen) for place in places]
        np.testing.assert_allclose(together(evidence), expected)


def test_differences_beyond_the_range_are_refused() -> None:
    with pytest.raises(InvalidInput, match="between -1 and 1, got -3: divide them by the range"):
        e_process([0.1, -3.0])
    with pytest.raises(InvalidInput, match="between -1 and 1"):
        confidence_sequence([2.0])
    assert confidence_sequence([]).high == 1.0


def test_a_pair_cannot_be_decided_by_fewer_problems_than_is_said() -> None:
    for pairs in (1, 6):
        fewest = fewest_units(0.05, pairs)
        best = [float(e_process(np.ones(n))[-1]) / pairs for n in (fewest - 1, fewest)]
        assert best[0] < 20 <= best[1]


def test_decisions_survive_being_written_and_are_seen_from_either_side() -> None:
    pair = PairDecision(
        a="a", b="b", winner="b", evidence=25.0, units=9, problems=12, difference=Interval(-0.3, -0.5, -0.1)
    )
    run = Decisions(level=0.05, metric="mrr", goal="max", planned=40, not_run=10, pairs=(pair,), fewest=8, units=20)
    assert Decisions.from_json(run.to_json()) == run
    other = run.of("b", "a")
    assert other is not None
    assert other.difference == Interval(0.3, 0.1, 0.5)
    assert (other.winner, other.p_value) == ("b", 0.04)
    assert run.of("a", "c") is None
    assert decided_tiers(run, ["b", "c", "a"]) == (1, 1, 2)
    assert "1 of 1 pairs decided, 10 of 40 cells not run" in run.sentence()
    with pytest.raises(InvalidInput, match="decisions: damaged"):
        Decisions.from_json({"level": 0.05})


@pytest.mark.skipif(not SRBENCH.is_file(), reason="needs ASSAY_BENCHMARKS")
def test_on_published_results_the_winner_is_that_of_the_full_run_and_cells_are_saved() -> None:
    with gzip.open(SRBENCH) as stream:
        assert stream.read(9) == b"algorithm"
    _, scores = read_matrix(SRBENCH, "r2_test")
    found = pairwise(scores, 2)
    assert found["winner agrees"] >= 0.99
    assert found["decisions for the other one, of all"] <= 0.01
    assert found["cells saved"] > 0.3
