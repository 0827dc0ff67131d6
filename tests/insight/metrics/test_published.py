"""Where the published implementation computes something else than the document."""

from __future__ import annotations

import math

import pytest

from assay.insight.metrics.published import (
    first_maximum,
    floored_weights,
    published_combined_score,
    published_coverage,
    published_weighted_mean,
)


def test_an_undefined_first_value_wins_the_maximum() -> None:
    assert first_maximum([math.nan, 0.9, 0.1]) == 0
    assert first_maximum([0.1, math.nan, 0.9]) == 2
    assert first_maximum([0.5, 0.5]) == 0


def test_weights_that_add_up_to_nothing_are_raised_equally() -> None:
    assert floored_weights([0.0, 0.0, 0.0, 0.0]) == pytest.approx([2.5e-6] * 4)
    assert floored_weights([0.2, 0.0]) == [0.2, 0.0]


def test_one_undefined_value_ends_the_mean() -> None:
    assert math.isnan(published_weighted_mean([math.nan, 1.0], [0.5, 0.5]))


def test_undefined_metrics_leave_the_combined_coverage() -> None:
    weights = {"a": 0.3, "b": 0.7}
    assert published_coverage({"a": 0.4, "b": 1.0}, weights) == pytest.approx(0.82)
    assert published_coverage({"a": 0.4, "b": math.nan}, weights) == pytest.approx(0.4)
    assert published_coverage({"a": math.nan, "b": math.nan}, weights) == 0.0


def test_a_coverage_of_exactly_zero_is_rewarded() -> None:
    assert published_combined_score(0.8, 0.0, False) == 0.8
    assert published_combined_score(0.8, 0.01, False) == pytest.approx(0.405)
    assert published_combined_score(0.8, 0.0, True) == pytest.approx(-0.2)
