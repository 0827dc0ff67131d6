"""Means against exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats.means import exact_mean, row_means

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(finite, min_size=1, max_size=60))
def test_the_mean_is_the_float_nearest_to_the_exact_one(values: list[float]) -> None:
    assert exact_mean(values) == float(sum(map(Fraction, values)) / len(values))


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60), st.randoms())
def test_order_moves_no_digit(values: list[float], chance: object) -> None:
    mixed = list(values)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    assert exact_mean(mixed) == exact_mean(values)


@given(finite, st.integers(1, 50))
def test_equal_values_have_themselves_as_mean(value: float, count: int) -> None:
    assert exact_mean([value] * count) == value


def test_very_many_values() -> None:
    values = np.random.default_rng(3).random(100_000)
    assert exact_mean(values) == float(sum(map(Fraction, values.tolist())) / values.size)


@pytest.mark.parametrize(
    ("values", "mean"),
    [([math.inf, 1.0], math.inf), ([-math.inf], -math.inf), ([math.inf, -math.inf], math.nan), ([], math.nan)],
)
def test_what_is_not_finite_is_told(values: list[float], mean: float) -> None:
    assert exact_mean(values) == pytest.approx(mean, nan_ok=True)


def test_values_are_not_changed() -> None:
    values = np.array([0.5, 0.25])
    exact_mean(values)
    assert values.tolist() == [0.5, 0.25]


def test_rows_leave_out_what_is_undefined() -> None:
    rows = np.array([[0.1, math.nan, 0.1], [math.nan] * 3, [1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(row_means(rows), [0.1, math.nan, 2.0])
    assert row_means(np.empty((0, 3))).shape == (0,)
