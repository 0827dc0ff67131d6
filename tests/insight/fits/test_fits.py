from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import r2_score, roc_auc_score

from assay.insight.examine.prediction_target import Outcome
from assay.insight.fits.encoding import EncodedColumn
from assay.insight.fits.fits import FitCache, performance
from assay.insight.fits.forest import ForestSettings

FOREST = ForestSettings(trees=8, seed=42, max_depth=4)


def column(seed: int) -> EncodedColumn:
    rng = np.random.default_rng(seed)
    return EncodedColumn(f"c{seed}", np.round(rng.normal(size=120), 2), np.round(rng.normal(size=60), 2))


def binary(seed: int = 9) -> Outcome:
    a, b = column(1), column(seed)
    return Outcome("y", "binary", (a.train > b.train).astype(np.int64), (a.test > b.test).astype(np.int64), 2)


def test_a_fit_is_that_of_scikit_learn() -> None:
    columns, outcome = [column(1), column(2)], binary()
    forest = RandomForestClassifier(8, random_state=42, max_depth=4)
    forest.fit(np.stack([c.train for c in columns], 1), outcome.train)
    expected = roc_auc_score(outcome.test, forest.predict_proba(np.stack([c.test for c in columns], 1))[:, 1])
    assert FitCache().fit(columns, outcome, FOREST).performance == pytest.approx(expected, abs=1e-15)


def test_a_regression_fit_is_that_of_scikit_learn() -> None:
    columns, target = [column(1), column(2), column(3)], column(4)
    outcome = Outcome("y", "regression", columns[0].train + target.train, columns[0].test + target.test)
    forest = RandomForestRegressor(8, random_state=42, max_depth=4)
    forest.fit(np.stack([c.train for c in columns], 1), outcome.train)
    expected = r2_score(outcome.test, forest.predict(np.stack([c.test for c in columns], 1)))
    assert FitCache().fit(columns, outcome, FOREST).performance == pytest.approx(expected, abs=1e-12)


def test_the_same_content_is_fitted_once() -> None:
    fits = FitCache()
    first = fits.fit([column(1), column(2)], binary(), FOREST)
    again = fits.fit([column(1), column(2)], binary(), FOREST)
    assert first == again
    assert (fits.fitted, fits.shared) == (1, 1)


def test_order_outcome_and_forest_make_another_fit() -> None:
    fits = FitCache()
    fits.fit([column(1), column(2)], binary(), FOREST)
    fits.fit([column(2), column(1)], binary(), FOREST)
    fits.fit([column(1), column(2)], binary(seed=8), FOREST)
    fits.fit([column(1), column(2)], binary(), ForestSettings(trees=8, seed=43, max_depth=4))
    assert (fits.fitted, fits.shared) == (4, 0)


def test_the_least_recently_used_is_forgotten_first() -> None:
    fits = FitCache(capacity=2)
    for seed in (1, 2, 1, 3, 1):
        fits.fit([column(seed)], binary(), FOREST)
    assert (fits.fitted, fits.shared) == (3, 2)
    fits.clear()
    assert (fits.fitted, fits.shared) == (0, 0)


def test_a_class_that_no_training_row_has_gets_no_probability() -> None:
    outcome = Outcome("y", "multiclass", np.array([0, 1, 0, 1]), np.array([0, 1, 2]), 2)
    value = performance(outcome, np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]))
    assert value == pytest.approx((1.0 + 1.0 + 0.5) / 3)


def test_a_single_class_in_the_test_part_is_undefined() -> None:
    outcome = Outcome("y", "binary", np.array([0, 1]), np.array([1, 1]), 2)
    assert math.isnan(performance(outcome, np.array([[0.5, 0.5], [0.2, 0.8]])))
