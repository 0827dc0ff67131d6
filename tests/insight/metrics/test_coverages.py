"""The document's coverage formulas on cases computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput, UnknownName
from assay.insight.metrics import (
    BestCoverer,
    best_coverer,
    correlation_coverage,
    incremental_coverage,
    incremental_performance_coverage,
    predictive_coverage,
    single_column_predictive_coverage,
    weighted_mean,
)

unit = st.floats(0, 1)


@pytest.mark.parametrize(
    ("without", "with_column", "expected"),
    [
        (0.70, 0.80, 1 - (0.6 - 0.4)),
        (0.40, 0.60, 1 - 0.2),  # below chance counts as chance
        (0.80, 0.80, 1.0),
        (0.90, 0.70, 1.0),  # a column that harms is covered
        (0.30, 0.45, 1.0),
        (0.50, 1.00, 0.0),
    ],
)
def test_incremental_coverage_by_hand(without: float, with_column: float, expected: float) -> None:
    assert incremental_coverage(without, with_column) == pytest.approx(expected, abs=1e-15)


def test_the_literal_reading_counts_no_gain_below_one_half() -> None:
    assert incremental_coverage(0.5, 0.9, rho_order="difference") == 1.0
    assert incremental_coverage(0.2, 0.9, rho_order="difference") == pytest.approx(1 - 2 * (0.7 - 0.5))


def test_the_worst_covered_column_decides() -> None:
    assert incremental_performance_coverage([1.0, 0.25, 0.9]) == 0.25
    assert math.isnan(incremental_performance_coverage([1.0, math.nan]))


def test_a_weighted_mean_by_hand() -> None:
    assert weighted_mean([1.0, 0.5, 0.0], [0.2, 0.2, 0.6]) == pytest.approx(0.3)


def test_columns_at_or_below_the_eligibility_threshold_leave_the_mean() -> None:
    assert weighted_mean([1.0, 0.0], [0.5, 0.0]) == 1.0
    assert weighted_mean([1.0, 0.0], [0.5, 0.2], eligibility=0.2) == 1.0


def test_when_no_column_is_eligible_all_count_equally() -> None:
    assert weighted_mean([1.0, 0.0, 0.5], [0.0, 0.0, 0.0]) == 0.5
    assert weighted_mean([1.0, 0.0], [0.3, 0.1], eligibility=0.9) == 0.5


def test_an_undefined_value_leaves_the_mean_an_undefined_weight_ends_it() -> None:
    assert weighted_mean([math.nan, 0.4], [0.5, 0.5]) == 0.4
    assert math.isnan(weighted_mean([0.3, 0.4], [math.nan, 0.5]))
    assert math.isnan(weighted_mean([math.nan], [0.5]))


def test_predictive_coverage_by_hand() -> None:
    # rho: 0.6, 0.0; weights 0.25 and 0.75
    assert predictive_coverage([0.8, 0.4], [0.25, 0.75]) == pytest.approx(0.15)


def test_single_column_coverage_takes_the_best_column_of_each_row() -> None:
    table = [[0.6, 0.9], [0.7, 0.5]]
    assert single_column_predictive_coverage(table, [0.5, 0.5]) == pytest.approx((0.8 + 0.4) / 2)


def test_an_undefined_column_never_wins_wherever_it_stands() -> None:
    assert best_coverer([math.nan, 0.3]) == BestCoverer(1, 0.3)
    assert best_coverer([0.3, math.nan]) == BestCoverer(0, 0.3)
    assert best_coverer([]).position == -1


def test_correlation_coverage_is_absolute_and_knows_its_threshold() -> None:
    assert correlation_coverage([[-0.8, 0.1]], [1.0]) == pytest.approx(0.8)
    assert correlation_coverage([[0.1499]], [1.0], threshold=0.15) == 0.0
    assert correlation_coverage([[0.15]], [1.0], threshold=0.15) == 0.15


@given(st.lists(st.tuples(unit, unit), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_columns_does_not_matter(pairs: list[tuple[float, float]], random: object) -> None:
    values, weights = zip(*pairs, strict=True)
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    other, other_weights = zip(*shuffled, strict=True)
    assert predictive_coverage(values, weights) == pytest.approx(predictive_coverage(other, other_weights))
    assert 0 <= predictive_coverage(values, weights) <= 1 + 1e-12


@given(st.lists(st.lists(unit, min_size=3, max_size=3), min_size=1, max_size=6))
def test_another_column_never_lowers_single_column_coverage(table: list[list[float]]) -> None:
    weights = np.ones(len(table))
    fewer = [row[:2] for row in table]
    assert single_column_predictive_coverage(table, weights) >= single_column_predictive_coverage(fewer, weights)


def test_shapes_are_checked() -> None:
    with pytest.raises(InvalidInput, match="one value per ground-truth column"):
        incremental_performance_coverage([[0.5]])
    with pytest.raises(InvalidInput, match="a row per ground-truth column"):
        single_column_predictive_coverage([0.5], [1.0])
    with pytest.raises(InvalidInput, match="a weight per value"):
        weighted_mean([0.5], [0.5, 0.5])


def test_without_ground_truth_columns_coverage_is_undefined() -> None:
    assert math.isnan(incremental_performance_coverage([]))
    assert math.isnan(predictive_coverage([], []))


def test_chance_needs_a_value_per_ground_truth_column() -> None:
    with pytest.raises(InvalidInput, match="chance"):
        predictive_coverage([0.8, 0.7], [0.5, 0.5], chance=[0.1])
    with pytest.raises(InvalidInput, match="chance"):
        correlation_coverage([[0.8], [0.7]], [0.5, 0.5], chance=[0.1])


def test_incremental_coverage_knows_its_readings_and_is_undefined_where_a_performance_is() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'before'"):
        incremental_coverage(0.75, 0.8, rho_order="befor")
    assert math.isnan(incremental_coverage(0.75, 0.8, alone=math.nan))


def test_the_largest_weights_keep_their_proportions() -> None:
    assert weighted_mean([1.0, 0.0], [1.5e308, 0.5e308]) == pytest.approx(0.75)
