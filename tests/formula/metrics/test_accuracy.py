import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mean_squared_error, r2_score

from assay.core import InvalidInput
from assay.formula.metrics import (
    accurate,
    behavioural_distance,
    bounded_nmse,
    bounded_r2,
    explained_share,
    extrapolation_score,
    nmse,
    r_squared,
    solution_share,
)

pairs = st.integers(0, 10_000).map(lambda seed: np.random.default_rng(seed).normal(size=(2, 30)))
NUMBERS = st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=20)


@given(pairs)
def test_accuracy_is_that_of_scikit_learn(pair: np.ndarray) -> None:
    actual, predicted = pair
    assert r_squared(actual, predicted) == pytest.approx(r2_score(actual, predicted))
    assert nmse(actual, predicted) == pytest.approx(mean_squared_error(actual, predicted) / np.var(actual))


@given(pairs)
def test_the_extrapolation_score_is_r_squared_within_zero_and_one(pair: np.ndarray) -> None:
    actual, other = pair
    for predicted in (other, actual, actual + 0.3 * other):
        score = extrapolation_score(actual, predicted)
        assert score == min(1.0, max(0.0, r_squared(actual, predicted)))


def test_a_model_without_a_value_somewhere_is_not_excused() -> None:
    for bad in (math.nan, math.inf):
        assert r_squared([1.0, 2.0, 3.0], [1.0, 2.0, bad]) == -math.inf
        assert extrapolation_score([1.0, 2.0, 3.0], [1.0, 2.0, bad]) == 0.0
    assert nmse([1.0, 2.0], [1e300, -1e300]) == math.inf


def test_a_constant_target_is_met_or_undefined() -> None:
    assert r_squared([2.0, 2.0], [2.0, 2.0]) == 1.0
    assert math.isnan(r_squared([2.0, 2.0], [2.0, 3.0]))
    assert math.isnan(extrapolation_score([2.0, 2.0], [2.0, 3.0]))


@pytest.mark.parametrize(
    ("actual", "predicted", "message"),
    [
        ([1.0, 2.0], [1.0], "two lists of one length"),
        ([1.0], [1.0], "at least two values"),
        ([1.0, math.nan], [1.0, 2.0], "actual must be finite"),
        ([[1.0], [2.0]], [[1.0], [2.0]], "two lists"),
    ],
)
def test_mistakes_are_named(actual: list[float], predicted: list[float], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        r_squared(actual, predicted)


def test_the_share_of_solutions_counts_above_the_threshold_only() -> None:
    assert solution_share([0.9991, 0.999, 1.0, -math.inf]) == 0.5
    assert solution_share([0.6, 0.4], threshold=0.5) == 0.5
    assert math.isnan(solution_share([]))


def test_only_more_than_the_threshold_is_accurate() -> None:
    assert [accurate(r2) for r2 in (1.0, 0.9990001, 0.999, -math.inf)] == [1.0, 1.0, 0.0, 0.0]
    assert math.isnan(accurate(math.nan))


@given(NUMBERS, st.integers(0, 1000))
def test_bounded_quality_and_error_belong_together_and_follow_sklearn(target: list[float], seed: int) -> None:
    actual = np.array(target)
    if np.std(actual) < 1e-6:
        return
    predicted = actual + np.random.default_rng(seed).normal(0, np.std(actual), len(actual))
    assert bounded_r2(actual, predicted) == pytest.approx(max(-1.0, r2_score(actual, predicted)), abs=1e-9)
    assert bounded_nmse(actual, predicted) == pytest.approx(1.0 - bounded_r2(actual, predicted), abs=1e-9)
    expected = min(1.0, math.sqrt(np.mean((actual - predicted) ** 2)) / np.std(actual))
    assert behavioural_distance(actual, predicted) == pytest.approx(expected)


def test_a_model_without_a_value_gets_the_bounds() -> None:
    actual, predicted = [1.0, 2.0, 4.0], [1.0, math.nan, 4.0]
    assert (bounded_r2(actual, predicted), bounded_nmse(actual, predicted)) == (-1.0, 2.0)
    assert behavioural_distance(actual, predicted) == 1.0
    assert math.isnan(bounded_r2([1.0, 1.0], [1.0, 2.0]))


@given(st.floats(-5, 1), st.floats(0.01, 1))
def test_the_explained_share_is_a_ratio_within_zero_and_one(model_r2: float, truth_r2: float) -> None:
    share = explained_share(model_r2, truth_r2)
    assert 0.0 <= share <= 1.0
    if 0 <= model_r2 <= truth_r2:
        assert share * truth_r2 == pytest.approx(model_r2)


def test_a_truth_that_explains_nothing_measures_nothing() -> None:
    assert math.isnan(explained_share(0.5, 0.0))
    assert math.isnan(explained_share(0.5, math.nan))
    assert math.isnan(explained_share(math.nan, 0.5))
    assert explained_share(-math.inf, 0.5) == 0.0


@pytest.mark.parametrize("unit", [1e-200, 1e-160, 1.0, 1e160, 1e307])
def test_the_unit_of_the_target_changes_nothing(unit: float) -> None:
    actual, predicted = np.array([1.0, 3.0, 5.0]), np.array([1.0, 3.0, 4.0])
    assert nmse(unit * actual, unit * predicted) == pytest.approx(0.125)
    assert r_squared(unit * actual, np.full(3, 3.0 * unit)) == pytest.approx(0.0)


@pytest.mark.parametrize("size", [3, 7, 10, 39])
@pytest.mark.parametrize("value", [0.1, 0.3, -1 / 3, 1e-300, 1e300])
def test_a_target_that_does_not_vary_is_one_though_its_mean_is_rounded(value: float, size: int) -> None:
    target = [value] * size
    near = [*target[1:], float(np.nextafter(value, math.inf))]
    for score in (nmse, r_squared, bounded_nmse, bounded_r2, behavioural_distance, extrapolation_score):
        assert math.isnan(score(target, near))
    assert nmse(target, target) == 0.0
    assert r_squared(target, target) == 1.0
