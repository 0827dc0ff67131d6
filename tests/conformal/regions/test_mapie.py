"""Intervals equal to MAPIE's where definitions agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.conformal.metrics import interval_coverage, interval_score, interval_width
from assay.conformal.regions import CrossRegressor, Intervals, Quantiles, Values, calibrate_regions, cross_intervals

mapie = pytest.importorskip("mapie.regression")
scores = pytest.importorskip("mapie.conformity_scores")
measures = pytest.importorskip("mapie.metrics.regression")
compose = pytest.importorskip("sklearn.compose")
linear = pytest.importorskip("sklearn.linear_model")
selection = pytest.importorskip("sklearn.model_selection")

TRAIN, KNOWN, NEW = slice(0, 59), slice(60, 183), slice(183, 230)
LEVELS = (0.1, 0.2, 1 / 3)


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(230, 3))
    return X, X @ np.array([1.0, -2.0, 0.5]) + rng.normal(size=230) * (1 + np.abs(X[:, 0]))


def assert_equal(theirs: Any, ours: Any) -> None:
    assert isinstance(ours, Intervals)
    np.testing.assert_allclose(ours.low, theirs[:, 0, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours.high, theirs[:, 1, 0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("alpha", LEVELS)
@pytest.mark.parametrize("symmetric", [True, False])
def test_split_residuals(data: Any, alpha: float, symmetric: bool) -> None:
    X, y = data
    model = linear.LinearRegression().fit(X[TRAIN], y[TRAIN])
    theirs = mapie.SplitConformalRegressor(
        model,
        confidence_level=1 - alpha,
        conformity_score=scores.AbsoluteConformityScore(sym=symmetric),
        prefit=True,
    ).conformalize(X[KNOWN], y[KNOWN])
    calibration = calibrate_regions(Values(model.predict(X[KNOWN]), symmetric=symmetric), y[KNOWN], alpha=alpha)
    ours: Any = calibration.predict(Values(model.predict(X[NEW]), symmetric=symmetric))["task"]
    their_intervals = theirs.predict_interval(X[NEW])[1]
    assert_equal(their_intervals, ours)
    assert interval_coverage(ours, y[NEW]) == measures.regression_coverage_score(y[NEW], their_intervals)[0]
    assert interval_width(ours) == pytest.approx(measures.regression_mean_width_score(their_intervals)[0], abs=1e-12)
    score = measures.regression_mwi_score(y[NEW], their_intervals, 1 - alpha)
    assert interval_score(ours, y[NEW], alpha=alpha) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize("alpha", LEVELS)
def test_normalised_residuals(data: Any, alpha: float) -> None:
    X, y = data
    model = linear.LinearRegression().fit(X[TRAIN], y[TRAIN])

    # residuals are modelled on other samples than calibrate, and never at 0
    spread = compose.TransformedTargetRegressor(linear.LinearRegression(), func=np.log, inverse_func=np.exp)
    spread.fit(X[TRAIN], np.abs(y[TRAIN] - model.predict(X[TRAIN])))
    score = scores.ResidualNormalisedScore(residual_estimator=spread, prefit=True, sym=True)
    theirs = mapie.SplitConformalRegressor(
        model, confidence_level=1 - alpha, conformity_score=score, prefit=True
    ).conformalize(X[KNOWN], y[KNOWN])
    calibration = calibrate_regions(Values(model.predict(X[KNOWN]), spread.predict(X[KNOWN])), y[KNOWN], alpha=alpha)
    ours = calibration.predict(Values(model.predict(X[NEW]), spread.predict(X[NEW])))["task"]
    assert_equal(theirs.predict_interval(X[NEW])[1], ours)


@pytest.mark.parametrize("alpha", LEVELS)
@pytest.mark.parametrize("symmetric", [True, False])
def test_conformalised_quantiles(data: Any, alpha: float, symmetric: bool) -> None:
    X, y = data
    models = [
        linear.QuantileRegressor(quantile=q, alpha=0).fit(X[TRAIN], y[TRAIN]) for q in (alpha / 2, 1 - alpha / 2, 0.5)
    ]
    theirs = mapie.ConformalizedQuantileRegressor(models, confidence_level=1 - alpha, prefit=True)
    theirs.conformalize(X[KNOWN], y[KNOWN])

    def quantiles(part: slice) -> Quantiles:
        return Quantiles(models[0].predict(X[part]), models[1].predict(X[part]), symmetric=symmetric)

    ours = calibrate_regions(quantiles(KNOWN), y[KNOWN], alpha=alpha).predict(quantiles(NEW))["task"]
    assert_equal(theirs.predict_interval(X[NEW], symmetric_correction=symmetric)[1], ours)


@pytest.mark.parametrize("alpha", [0.1, 0.25])  # at a third of 60, MAPIE rounds to the next rank
@pytest.mark.parametrize("method", ["plus", "minmax"])
@pytest.mark.parametrize("folds", [7, None])
def test_cross_validation_and_jackknife(data: Any, alpha: float, method: Any, folds: int | None) -> None:
    X, y = data
    splits = selection.LeaveOneOut() if folds is None else selection.KFold(folds)
    theirs = mapie.CrossConformalRegressor(
        linear.LinearRegression(), confidence_level=1 - alpha, method=method, cv=splits
    ).fit_conformalize(X[TRAIN], y[TRAIN])
    fold, out, new = np.empty(59, dtype=int), np.empty(59), []
    for number, (inside, outside) in enumerate(splits.split(X[TRAIN])):
        model = linear.LinearRegression().fit(X[TRAIN][inside], y[TRAIN][inside])
        fold[outside], out[outside] = number, model.predict(X[TRAIN][outside])
        new.append(model.predict(X[NEW]))
    ours = cross_intervals(out, y[TRAIN], np.stack(new), alpha=alpha, folds=fold, method=method)
    their_intervals = theirs.predict_interval(X[NEW])[1]
    assert_equal(their_intervals, ours)
    if folds is None:
        whole = CrossRegressor(linear.LinearRegression(), method=method).fit(X[TRAIN], y[TRAIN])
        assert_equal(their_intervals, whole.predict_intervals(X[NEW], alpha=alpha))
