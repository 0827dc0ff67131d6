from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import r2_score, roc_auc_score

from assay.core import InvalidInput
from assay.insight.metrics import auc, macro_auc, on_auc_scale, r_squared, rho

scores = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]) | st.floats(0, 1), min_size=2, max_size=40)


@given(scores, st.randoms(use_true_random=False))
def test_auc_is_that_of_scikit_learn_ties_included(values: list[float], random: object) -> None:
    labels = [random.random() < 0.4 for _ in values]  # type: ignore[attr-defined]
    if len(set(labels)) == 2:
        assert auc(labels, values) == pytest.approx(roc_auc_score(labels, values), abs=1e-14)
    else:
        assert math.isnan(auc(labels, values))


@given(st.integers(0, 10_000), st.integers(3, 6))
def test_macro_auc_is_the_mean_of_one_against_the_rest(seed: int, classes: int) -> None:
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(classes), rng.integers(0, classes, 30)])
    table = np.round(rng.dirichlet(np.ones(classes), len(codes)), 2)
    table /= table.sum(axis=1, keepdims=True)
    assert macro_auc(codes, table) == pytest.approx(roc_auc_score(codes, table, multi_class="ovr"), abs=1e-12)


def test_macro_auc_counts_only_classes_of_the_test_part() -> None:
    table = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.6, 0.3, 0.1]])
    assert macro_auc([0, 1, 0], table) == pytest.approx((1.0 + 1.0) / 2)


def test_macro_auc_of_two_classes_is_the_auc() -> None:
    rng = np.random.default_rng(1)
    codes, p = rng.integers(0, 2, 50), rng.random(50)
    assert macro_auc(codes, np.stack([1 - p, p], axis=1)) == auc(codes == 1, p)


def test_macro_auc_is_undefined_for_a_single_class() -> None:
    assert math.isnan(macro_auc([1, 1], [[0.5, 0.5], [0.1, 0.9]]))


@given(st.integers(0, 10_000))
def test_r_squared_is_that_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, p = rng.normal(size=20) * 1e3, rng.normal(size=20) * 1e3
    assert r_squared(y, p) == pytest.approx(r2_score(y, p), abs=1e-12)


def test_r_squared_of_a_constant_truth_is_one_or_zero() -> None:
    assert r_squared([2.0, 2.0], [2.0, 2.0]) == r2_score([2.0, 2.0], [2.0, 2.0]) == 1.0
    assert r_squared([2.0, 2.0], [2.0, 9.0]) == r2_score([2.0, 2.0], [2.0, 9.0]) == 0.0
    assert math.isnan(r_squared([2.0], [2.0]))


@pytest.mark.parametrize(
    ("performance", "expected"), [(0.0, 0.0), (0.3, 0.0), (0.5, 0.0), (0.6, 0.2), (0.75, 0.5), (1.0, 1.0)]
)
def test_rho_by_hand(performance: float, expected: float) -> None:
    assert rho(performance) == pytest.approx(expected, abs=1e-15)


def test_rho_of_undefined_is_undefined() -> None:
    assert math.isnan(rho(math.nan))


@pytest.mark.parametrize("r2", [-3.0, 0.0, 0.37, 1.0])
def test_rho_of_r2_on_the_auc_scale_is_r2_without_its_negative_part(r2: float) -> None:
    assert rho(on_auc_scale(r2)) == pytest.approx(max(r2, 0.0), abs=1e-15)


def test_lengths_must_agree() -> None:
    with pytest.raises(InvalidInput, match="3 true values and 2 predictions"):
        auc([0, 1, 1], [0.5, 0.2])


def test_auc_of_a_missing_score_is_undefined() -> None:
    assert math.isnan(auc([0, 0, 1, 1], [1.0, 2.0, math.nan, 3.0]))


@pytest.mark.parametrize("classes", [[-1, 0, 1], [0, 1, 3], ["a", "b", "a"], [0, 0.5, 1]])
def test_macro_auc_refuses_classes_without_a_column(classes: list[Any]) -> None:
    table = [[0.8, 0.1, 0.1], [0.3, 0.5, 0.2], [0.1, 0.6, 0.3]]
    with pytest.raises(InvalidInput, match="from 0 to 2"):
        macro_auc(classes, table)
    with pytest.raises(InvalidInput, match="a column per class"):
        macro_auc([0, 1, 1], [0.2, 0.3, 0.4])


def test_macro_auc_takes_classes_as_whole_floats() -> None:
    table = [[0.8, 0.1, 0.1], [0.3, 0.5, 0.2], [0.1, 0.6, 0.3]]
    assert macro_auc([0.0, 1.0, 2.0], table) == macro_auc([0, 1, 2], table)


def test_r_squared_of_a_constant_truth_is_not_decided_by_rounding() -> None:
    assert r_squared([0.1] * 3, [0.2] * 3) == 0.0
    assert r_squared([0.1] * 3, [0.1] * 3) == 1.0


@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1.0, 1e200])
def test_r_squared_does_not_depend_on_the_scale(scale: float) -> None:
    truth, predicted = np.array([1.0, 2.0, 4.0]), np.array([3.0, 0.0, 5.0])
    assert r_squared(truth * scale, predicted * scale) == pytest.approx(r2_score(truth, predicted), rel=1e-12)


def test_a_table_is_no_list_of_values() -> None:
    column = np.array([[1.0], [2.0], [3.0]])
    for truth, predicted in ((column, [1.0, 2.0, 3.0]), ([1.0, 2.0, 3.0], column)):
        with pytest.raises(InvalidInput, match="ravel"):
            r_squared(truth, predicted)


@pytest.mark.parametrize("truth", [[math.nan, 1, 0], [None, 1, 0], [2, 1, 0], [-1, 1, 1]])
def test_a_truth_that_is_neither_true_nor_false_has_no_auc(truth: list[Any]) -> None:
    with pytest.raises(InvalidInput, match="True or False"):
        auc(truth, [1, 2, 3])
