from __future__ import annotations

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from assay.insight.fits.forest.settings import ForestSettings
from assay.insight.fits.forest.sklearn_engine import installed_version, predict_with_sklearn

RNG = np.random.default_rng(0)
X, TEST = RNG.normal(size=(80, 3)), RNG.normal(size=(20, 3))


@pytest.mark.parametrize("depth", [None, 2])
def test_it_is_scikit_learn_with_these_settings_and_no_others(depth: int | None) -> None:
    settings = ForestSettings(trees=7, seed=3, max_depth=depth)
    y = X[:, 0] + RNG.normal(size=80)
    values = predict_with_sklearn(X, y, TEST, task="regression", classes=0, settings=settings)
    np.testing.assert_array_equal(
        values, RandomForestRegressor(7, random_state=3, max_depth=depth).fit(X, y).predict(TEST)
    )
    codes = np.digitize(y, [-0.5, 0.5]).astype(np.int64)
    shares = predict_with_sklearn(X, codes, TEST, task="classification", classes=3, settings=settings)
    forest = RandomForestClassifier(7, random_state=3, max_depth=depth).fit(X, codes)
    np.testing.assert_array_equal(shares, forest.predict_proba(TEST))


def test_it_answers_where_values_are_missing() -> None:
    holes = X.copy()
    holes[::5, 1] = np.nan
    codes = (X[:, 0] > 0).astype(np.int64)
    shares = predict_with_sklearn(
        holes, codes, TEST, task="classification", classes=2, settings=ForestSettings(trees=3)
    )
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_it_names_its_version() -> None:
    assert installed_version() == sklearn.__version__
