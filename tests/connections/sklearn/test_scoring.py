"""Metrics as scorers, equal to what the track itself says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate

from assay.cases import auroc
from assay.conformal import count_sets, coverage, efficiency
from assay.connections.sklearn import ConformalClassifier, ExplainedClassifier, scorer, scorers
from assay.core import InvalidInput, UnknownName, get_track
from assay.formula import discover


@pytest.fixture(scope="module")
def noisy() -> tuple[Any, Any]:
    X, y = make_classification(300, n_informative=4, n_classes=3, flip_y=0.2, random_state=3)
    return X, y


def test_conformal_scorers_say_what_the_metric_functions_say(noisy: tuple[Any, Any]) -> None:
    X, y = noisy
    model = ConformalClassifier().fit(X[:200], y[:200])
    counts = count_sets(model.predict_sets(X[200:]), [y[200:]])
    assert scorer("conformal", "coverage")(model, X[200:], y[200:]) == coverage(counts)
    assert scorer("conformal", "efficiency")(model, X[200:], y[200:]) == -efficiency(counts)  # smaller is better


def test_sets_that_do_not_cover_get_the_floor(noisy: tuple[Any, Any]) -> None:
    X, y = noisy
    model = ConformalClassifier(alpha=0.01).fit(X, y)
    model.calibration_ = ConformalClassifier(alpha=0.9).fit(X, y).calibration_
    assert scorer("conformal")(model, X, y) == -1.0


def test_case_scorers_say_what_the_metric_functions_say(noisy: tuple[Any, Any]) -> None:
    X, y = noisy
    model = ExplainedClassifier(LogisticRegression(), k=9).fit(X[:200], y[:200])
    batch = model.explain(X[200:])
    wrong = batch.predicted != y[200:]
    assert scorer("cases")(model, X[200:], y[200:]) == auroc(batch.correspondence, wrong)
    scores = cross_validate(model, X, y, scoring=scorers("cases", ["aurc", "neighbour_recall"]), cv=3)
    assert (scores["test_aurc"] < 0).all()
    assert scores["test_neighbour_recall"].tolist() == [1.0, 1.0, 1.0]


def test_a_search_over_discover_is_judged_by_the_law() -> None:
    rows = np.random.default_rng(0).uniform(1, 5, (60, 2))
    target = 0.5 * rows[:, 0] * rows[:, 1] ** 2
    scoring = scorers("formula", ["rediscovery", "r2", "complexity"], formula="0.5*x0*x1**2")
    grid = {"stages": [("power",), ("terms",)]}
    search = GridSearchCV(discover(seconds=5), grid, scoring=scoring, refit="rediscovery", cv=2).fit(rows, target)
    assert search.best_score_ == 1.0
    assert search.best_estimator_.formula_ == "0.5*x0*x1**2"
    assert search.cv_results_["mean_test_complexity"][0] == -6.0


def test_any_regressor_that_keeps_a_formula_is_judged() -> None:
    rows = np.random.default_rng(0).uniform(1, 5, (40, 2))
    target = 2 * rows[:, 0] + 1
    model = LinearRegression().fit(rows, target)
    assert scorer("formula", "r2")(model, rows, target) == pytest.approx(1.0)
    assert scorer("formula", "rediscovery", formula="2*x0 + 1")(model, rows, target) == 1.0
    assert scorer("formula", "rediscovery", formula="2*x1 + 1")(model, rows, target) < 1.0


@pytest.mark.parametrize("track", ["cases", "conformal", "formula"])
def test_every_metric_of_the_track_is_a_scorer(track: str) -> None:
    X, y = load_iris(return_X_y=True)
    models: dict[str, Any] = {
        "cases": ExplainedClassifier(LogisticRegression(max_iter=500)),
        "conformal": ConformalClassifier(LogisticRegression(max_iter=500)),
        "formula": LinearRegression(),
    }
    fitted = models[track].fit(X, y)
    defined = {}
    for metric in get_track(track).metrics:
        value = scorer(track, metric.name)(fitted, X, y)
        if not np.isnan(value):
            defined[metric.name] = value
    assert get_track(track).headline in defined or track == "formula"
    assert len(defined) >= 5


def test_wrong_names_and_estimators_are_told_with_the_way_out(noisy: tuple[Any, Any]) -> None:
    with pytest.raises(UnknownName, match="coverage"):
        scorer("conformal", "coverag")
    with pytest.raises(UnknownName, match="conformal"):
        scorer("conform", "coverage")
    with pytest.raises(InvalidInput, match=r"assay\.run"):
        scorer("insight", "combined_score")
    with pytest.raises(InvalidInput, match=r"ConformalClassifier\(LogisticRegression\(\)\)"):
        scorer("conformal")(LogisticRegression().fit(*noisy), *noisy)
    with pytest.raises(InvalidInput, match="groups"):
        scorer("cases")(ExplainedClassifier().fit(*noisy), *noisy, groups=[0] * 300)
