from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from assay.cases.neighbors.scaling import fit_minmax, fit_robust, fit_scaling, no_scaling, scale_name
from assay.core import InvalidInput


def test_scaling_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)) * [1.0, 1e-6, 1e5, 3.0] + [0.0, 5.0, -1e4, 1.0]
    expected = StandardScaler().fit(X)
    scaling = fit_scaling(X)
    np.testing.assert_allclose(scaling.centre, expected.mean_, rtol=1e-9)
    np.testing.assert_allclose(scaling.spread, expected.scale_, rtol=1e-9)
    np.testing.assert_allclose(scaling.apply(X), expected.transform(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e9 + 0.1])
def test_a_constant_feature_has_spread_one_and_its_own_value_as_centre(value: float) -> None:
    scaling = fit_scaling(np.full((7, 1), value))
    assert scaling.spread.tolist() == [1.0]
    assert scaling.apply(np.array([[value], [value + 2.0]])).tolist() == [[0.0], [(value + 2.0) - value]]


@pytest.mark.parametrize("unit", [1e-200, 1e-30, 1e140])
def test_no_unit_is_too_small_or_too_large(unit: float) -> None:
    scaled = fit_scaling(np.array([[1.0], [3.0]]) * unit).apply(np.array([[1.0], [3.0]]) * unit)
    np.testing.assert_allclose(scaled, [[-1.0], [1.0]], rtol=1e-12)


def test_a_query_beyond_all_comparison_is_refused() -> None:
    scaling = fit_scaling(np.array([[0.0], [1e-100]]))
    with pytest.raises(InvalidInput, match="row 0, feature 0: 1e.100 is too far"):
        scaling.apply(np.array([[1e100]]))


def test_the_raw_space_copies_and_changes_nothing() -> None:
    X = np.array([[1.5, -2.0]])
    unchanged = no_scaling(2).apply(X)
    assert unchanged.tolist() == X.tolist()
    assert not np.shares_memory(unchanged, X)


def test_other_scalings_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 3)) * [1.0, 50.0, 0.1]
    X[3, 1] = np.nan
    minmax, robust = MinMaxScaler().fit(X), RobustScaler().fit(X)
    np.testing.assert_allclose(fit_minmax(X).apply(X), minmax.transform(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(fit_robust(X).apply(X), robust.transform(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(fit_scaling(X).apply(X), StandardScaler().fit_transform(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("fit", [fit_scaling, fit_minmax, fit_robust])
def test_a_constant_or_all_missing_feature_has_spread_one(fit: Any) -> None:
    scaling = fit(np.array([[4.0, np.nan], [4.0, np.nan]]))
    assert scaling.spread.tolist() == [1.0, 1.0]
    assert scaling.centre.tolist() == [4.0, 0.0]


def test_weights_stretch_and_zero_takes_out() -> None:
    scaling = no_scaling(3).weighted(np.array([2.0, 0.0, 1.0]))
    assert scaling.apply(np.array([[3.0, 5.0, np.nan]])).tolist()[0][:2] == [6.0, 0.0]


@pytest.mark.parametrize(
    ("scale", "name"),
    [(True, "standard"), (False, "none"), (np.True_, "standard"), ("minmax", "minmax"), ("none", "none")],
)
def test_scales_have_one_name_each(scale: Any, name: str) -> None:
    assert scale_name(scale) == name
