from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from assay.conformal import count_sets, coverage, coverage_interval, coverage_test
from assay.conformal.metrics import Slice, share_interval, taskwise_coverage_interval, worst_slice_coverage
from assay.core import InvalidInput


def draw(seed: int, samples: int = 300) -> tuple[list[Any], list[Any]]:
    """Two tasks that hit and miss together."""
    rng = np.random.default_rng(seed)
    hits = rng.uniform(size=samples) < 0.9
    other = np.where(rng.uniform(size=samples) < 0.8, hits, rng.uniform(size=samples) < 0.9)
    return [np.stack([h, ~h], axis=1) for h in (hits, other)], [np.zeros(samples, dtype=int)] * 2


@pytest.mark.parametrize(("hits", "samples"), [(0, 7), (7, 7), (3, 7), (88, 100), (899, 1000)])
def test_exact_intervals_are_scipys(hits: int, samples: int) -> None:
    theirs = stats.binomtest(hits, samples).proportion_ci(0.9, method="exact")
    interval = share_interval(hits, samples, confidence=0.9)
    assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert interval.value == hits / samples


def test_each_task_and_joint_coverage_get_exact_intervals_from_sets_or_counts() -> None:
    sets, labels = draw(0)
    counts = count_sets(sets, labels)
    assert taskwise_coverage_interval(counts) == taskwise_coverage_interval(sets, labels)
    assert taskwise_coverage_interval(counts)[0] == share_interval(counts.tasks[0].hits, 300)
    assert coverage_interval(counts, overall="joint") == share_interval(counts.covered, 300)


def test_the_bootstrap_knows_that_tasks_miss_together() -> None:
    """Intervals of the mean over dependent tasks cover the true mean; an interval for independent ones would not."""
    inside, naive = 0, 0
    for seed in range(150):
        sets, labels = draw(seed)
        interval = coverage_interval(sets, labels, resamples=400, seed=seed)
        inside += interval.low <= 0.9 <= interval.high
        pooled = share_interval(round(600 * interval.value), 600)
        naive += pooled.low <= 0.9 <= pooled.high
    assert inside / 150 > 0.9
    assert inside > naive


def test_bootstraps_are_seeded_and_agree_with_exact_intervals_where_both_exist() -> None:
    sets, labels = draw(3, samples=3000)
    first = coverage_interval(sets, labels, overall="joint", method="bootstrap", seed=1)
    assert first == coverage_interval(sets, labels, overall="joint", method="bootstrap", seed=1)
    exact = coverage_interval(sets, labels, overall="joint")
    assert first.low == pytest.approx(exact.low, abs=0.003)
    assert first.high == pytest.approx(exact.high, abs=0.003)
    assert first.value == coverage(sets, labels, overall="joint")


def test_missing_labels_are_no_misses_in_a_bootstrap() -> None:
    sets, labels = draw(4)
    gaps = [np.where(np.arange(300) % 3 == t, -1, y) for t, y in enumerate(labels)]
    interval = coverage_interval(sets, gaps)
    assert interval.value == pytest.approx(coverage(sets, gaps))
    assert interval.low < interval.value < interval.high


def test_intervals_that_cannot_be_had_are_refused_or_undefined() -> None:
    sets, labels = draw(5)
    with pytest.raises(InvalidInput, match="no exact interval"):
        coverage_interval(sets, labels, method="exact")
    with pytest.raises(InvalidInput, match="needs sets and labels"):
        coverage_interval(count_sets(sets, labels))
    with pytest.raises(InvalidInput, match="resamples"):
        coverage_interval(sets, labels, resamples=3)
    with pytest.raises(InvalidInput, match="confidence"):
        share_interval(1, 2, confidence=95)
    with pytest.raises(InvalidInput, match="hits must lie"):
        share_interval(3, 2)
    with pytest.raises(InvalidInput, match="Did you mean 'exact'"):
        coverage_interval(sets, labels, method="exat")  # type: ignore[arg-type]
    empty = [np.zeros((0, 2), dtype=bool)] * 2
    assert all(math.isnan(bound) for bound in coverage_interval(empty, [[], []]))


def test_the_test_without_calibration_is_binomial() -> None:
    outcome = coverage_test(850, 1000, alpha=0.1)
    assert outcome.p_below == pytest.approx(stats.binom(1000, 0.9).cdf(850))
    assert outcome.p_value == pytest.approx(2 * outcome.p_below)
    assert coverage_test(900, 1000, alpha=0.1).p_value == 1.0
    assert coverage_test(980, 1000, alpha=0.1).p_value < 1e-6  # too much is off, too
    assert coverage_test(980, 1000, alpha=0.1).p_below == pytest.approx(1)
    assert math.isnan(coverage_test(0, 0, alpha=0.1).p_value)


def test_with_calibration_an_honest_method_is_blamed_as_rarely_as_promised() -> None:
    rng = np.random.default_rng(6)
    with_luck, without = 0, 0
    for _ in range(1500):
        threshold = np.sort(rng.uniform(size=99))[89]  # the 90th of 99
        hits = int((rng.uniform(size=300) <= threshold).sum())
        with_luck += coverage_test(hits, 300, alpha=0.1, calibration=99).p_below < 0.05
        without += coverage_test(hits, 300, alpha=0.1).p_below < 0.05
    assert with_luck / 1500 < 0.07
    assert without / 1500 > 0.1


def test_with_too_few_calibration_samples_everything_must_be_covered() -> None:
    assert coverage_test(99, 100, alpha=0.1, calibration=5).p_below == 0
    assert coverage_test(100, 100, alpha=0.1, calibration=5).p_below == 1


def test_the_worst_slice_is_found_and_small_ones_can_be_left_out() -> None:
    sets = [np.array([[1, 0]] * 6, dtype=bool)] * 2
    labels = [[0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 1, 1]]
    groups = ["a", "a", "b", "b", "c", "d"]
    assert worst_slice_coverage(sets, labels, groups) == Slice(0.0, "c", 1)
    assert worst_slice_coverage(sets, labels, groups, smallest=2) == Slice(0.5, "b", 2)
    assert worst_slice_coverage(sets, labels, groups, smallest=2, overall="mean") == Slice(0.75, "b", 2)
    assert math.isnan(worst_slice_coverage(sets, labels, groups, smallest=9).coverage)
    with pytest.raises(InvalidInput, match="each of the 6 samples"):
        worst_slice_coverage(sets, labels, ["a"])


@pytest.mark.parametrize(
    "kind", [lambda g: np.array(g, dtype=object), pd.Series, lambda g: pd.Series(g, dtype="string")]
)
def test_groups_of_texts_come_in_every_form(kind: Callable[[list[str]], Any]) -> None:
    sets, labels = [[[1, 0], [1, 0], [1, 1]]], [[0, 1, 1]]
    assert worst_slice_coverage(sets, labels, kind(["a", "b", "b"])) == Slice(0.5, "b", 2)
    assert worst_slice_coverage(sets, labels, np.array([3, 4, 4], dtype=object)) == Slice(0.5, 4, 2)
    with pytest.raises(InvalidInput, match="groups: texts stand beside others"):
        worst_slice_coverage(sets, labels, [1, "1", "b"])  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [-1, 1.5, "x"])
def test_a_test_of_coverage_counts_in_whole_numbers(number: Any) -> None:
    with pytest.raises(InvalidInput, match="calibration must be a whole number"):
        coverage_test(8, 10, alpha=0.1, calibration=number)
    with pytest.raises(InvalidInput, match="hits"):
        coverage_test(number, 10, alpha=0.1)
