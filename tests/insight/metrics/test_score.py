from __future__ import annotations

import math

import pytest

from assay.core import UnknownName
from assay.insight.metrics import combined_score, coverage, lift, target_leak


def test_the_documents_formula() -> None:
    assert combined_score(0.8, 0.6) == pytest.approx(0.7)
    assert combined_score(0.8, 0.6, False) == pytest.approx(0.7)
    assert combined_score(1.0, 1.0, True) == 0.0
    assert combined_score(0.5, 0.1, True) == pytest.approx(-0.7)


def test_a_zero_coverage_is_zero() -> None:
    assert combined_score(0.8, 0.0) == pytest.approx(0.4)


def test_weights_and_penalty_can_be_set() -> None:
    assert combined_score(0.8, 0.4, True, inclusive_weight=0.25, coverage_weight=0.75, penalty=0.5) == pytest.approx(
        0.0
    )


def test_what_is_undefined_stays_undefined() -> None:
    assert math.isnan(combined_score(math.nan, 0.5))
    assert math.isnan(combined_score(0.5, math.nan))
    assert math.isnan(target_leak(None))
    assert (target_leak(True), target_leak(False)) == (1.0, 0.0)


def test_lift_may_be_negative() -> None:
    assert lift(0.5, 0.75) == -0.25


def test_combined_coverage_by_hand_with_any_weights() -> None:
    metrics = {
        "correlation_coverage": 0.2,
        "incremental_performance_coverage": 0.8,
        "predictive_coverage": math.nan,
        "single_column_predictive_coverage": 0.5,
    }
    weights = {"incremental_performance_coverage": 0.3, "single_column_predictive_coverage": 0.7}
    assert coverage(metrics, {**weights, "predictive_coverage": 0.0}) == pytest.approx(0.59)
    assert coverage(metrics, {"correlation_coverage": 1.0}) == 0.2
    assert math.isnan(coverage(metrics, {"predictive_coverage": 1.0}))
    with pytest.raises(UnknownName, match="no_coverage"):
        coverage(metrics, {"no_coverage": 1.0})
