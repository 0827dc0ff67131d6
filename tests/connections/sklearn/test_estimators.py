"""The estimators under scikit-learn's own checks, searches, pipelines and routing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from assay.cases import CaseExplainer
from assay.conformal import MultiTaskConformalClassifier
from assay.connections.sklearn import ConformalClassifier, ExplainedClassifier, scorer
from assay.core import InvalidInput

Table = npt.NDArray[np.float64]


@pytest.fixture(scope="module")
def iris() -> tuple[Table, npt.NDArray[np.int64]]:
    X, y = load_iris(return_X_y=True)
    return X, y


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


class Weighed(LogisticRegression):  # type: ignore[misc]
    """Remembers the weights that it was fitted with."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Weighed:
        self.weights_ = sample_weight
        super().fit(X, y, sample_weight=sample_weight)
        return self


@pytest.mark.parametrize(
    "estimator",
    [
        ConformalClassifier(),
        ConformalClassifier(KNeighborsClassifier(), method="classwise", nonconformity="aps"),
        ExplainedClassifier(),
        ExplainedClassifier(LogisticRegression()),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_has_no_complaint(estimator: Any) -> None:
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(results) > 50
    assert [entry["check_name"] for entry in results if entry["status"] == "failed"] == []


def test_sets_are_those_of_the_predictor_fitted_and_calibrated_by_hand(iris: tuple[Table, Any]) -> None:
    X, y = iris
    model = ConformalClassifier(LogisticRegression(max_iter=500), alpha=0.05, nonconformity="aps").fit(X, y)
    stored = model.calibration_rows_
    rest = np.setdiff1d(np.arange(len(y)), stored)
    by_hand = MultiTaskConformalClassifier(LogisticRegression(max_iter=500), alpha=0.05, score="aps")
    by_hand.fit(X[rest], y[rest][:, None]).calibrate(X[stored], y[stored][:, None])
    assert model.predict_sets(X) == by_hand.predict_sets(X)
    assert len(stored) == 38
    assert np.bincount(y[stored]).min() >= 12  # stratified


def test_sets_cover_new_rows_as_promised() -> None:
    X, y = make_classification(6000, n_informative=5, n_classes=3, flip_y=0.2, random_state=0)
    model = ConformalClassifier(alpha=0.2, calibration_size=1000).fit(X[:2000], y[:2000])
    assert scorer("conformal", "coverage")(model, X[2000:], y[2000:]) == pytest.approx(0.8, abs=0.04)


def test_several_tasks_share_one_fit(iris: tuple[Table, Any]) -> None:
    X, y = iris
    both = np.stack([y, y > 0], axis=1)
    model = ConformalClassifier(LogisticRegression(max_iter=500), method="bonferroni").fit(X, both)
    assert [len(names) for names in model.classes_] == [3, 2]
    assert model.predict(X).shape == (150, 2)
    assert [matrix.shape[1] for matrix in model.predict_proba(X)] == [3, 2]
    assert model.predict_sets(X).tasks == 2
    assert model.score(X, both) == pytest.approx((model.predict(X) == both).all(axis=1).mean())


def test_a_class_that_only_calibrates_is_left_out_of_calibration(iris: tuple[Table, Any]) -> None:
    X, y = iris
    labels = np.array([f"class {number}" for number in y])
    for row in range(20):
        labels[row] = f"alone {row}"
    model = ConformalClassifier(LogisticRegression(max_iter=500), random_state=1).fit(X, labels)
    assert len(model.calibration_rows_) < 38
    with pytest.raises(InvalidInput, match="was not among the rows of fit"):
        scorer("conformal", "coverage")(model, X, labels)


def test_a_search_over_the_conformal_predictor_in_a_pipeline(iris: tuple[Table, Any]) -> None:
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), ConformalClassifier(LogisticRegression()))
    grid = {
        "conformalclassifier__nonconformity": ["hinge", "margin"],
        "conformalclassifier__estimator__C": [1e-5, 1.0],
    }
    search = GridSearchCV(pipeline, grid, scoring=scorer("conformal"), cv=3).fit(X, y)
    assert search.best_params_["conformalclassifier__estimator__C"] == 1.0
    assert -0.5 < search.best_score_ < -1 / 3  # a set of one class in three is the smallest
    assert scorer("conformal")(search, X, y) == pytest.approx(search.best_score_, abs=0.05)


def test_a_clone_has_the_parameters_and_nothing_that_was_fitted(iris: tuple[Table, Any]) -> None:
    fitted = ConformalClassifier(LogisticRegression(C=2.0, max_iter=500), alpha=0.3).fit(*iris)
    copy = clone(fitted)
    assert copy.alpha == 0.3
    assert copy.estimator.C == 2.0
    assert not hasattr(copy, "calibration_")
    assert clone(ExplainedClassifier(k=7)).k == 7


def test_weights_are_routed_to_the_estimator_with_the_rows_that_it_fits(iris: tuple[Table, Any], routing: None) -> None:
    X, y = iris
    weights = np.arange(150.0) + 1
    inner = Weighed(max_iter=500).set_fit_request(sample_weight=True)
    model = ConformalClassifier(inner).fit(X, y, sample_weight=weights)
    fitted = np.setdiff1d(np.arange(150), model.calibration_rows_)
    assert model.estimators_[0].weights_.tolist() == weights[fitted].tolist()
    explained = ExplainedClassifier(inner).fit(X, y, sample_weight=weights)
    assert explained.estimator_ is not None
    assert explained.estimator_.weights_.tolist() == weights.tolist()


def test_groups_are_routed_through_a_search_to_fit_and_to_the_scorer(iris: tuple[Table, Any], routing: None) -> None:
    X, y = iris
    groups = np.where(np.arange(150) % 2, "odd", "even")
    model = ConformalClassifier(LogisticRegression(max_iter=500), method="mondrian").set_fit_request(groups=True)
    score = scorer("conformal", "coverage").set_score_request(groups=True)
    search = GridSearchCV(model, {"alpha": [0.1, 0.3]}, scoring=score, cv=3).fit(X, y, groups=groups)
    assert search.best_params_ == {"alpha": 0.1}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_metadata_without_routing_is_refused_with_the_remedy(iris: tuple[Table, Any]) -> None:
    for model in (ConformalClassifier(), ExplainedClassifier(LogisticRegression())):
        with pytest.raises(InvalidInput, match="enable_metadata_routing=True"):
            model.fit(*iris, sample_weight=np.ones(150))


def test_explanations_are_those_of_the_explainer(iris: tuple[Table, Any]) -> None:
    X, y = iris
    inner = LogisticRegression(max_iter=500)
    model = ExplainedClassifier(inner, k=9, weighting="uniform").fit(X, y)
    by_hand = CaseExplainer(X, y, k=9, weighting="uniform", model=clone(inner).fit(X, y)).explain_batch(X[:20])
    batch = model.explain(X[:20], y[:20])
    assert batch.correspondence.tolist() == by_hand.correspondence.tolist()
    assert batch.indices.tolist() == by_hand.indices.tolist()


def test_without_an_estimator_the_nearest_cases_vote_as_scikit_learns_do(iris: tuple[Table, Any]) -> None:
    X, y = iris
    ours = ExplainedClassifier(k=7, weighting="uniform", scale=False).fit(X[::2], y[::2])
    theirs = KNeighborsClassifier(7).fit(X[::2], y[::2])
    np.testing.assert_allclose(ours.predict_proba(X[1::2]), theirs.predict_proba(X[1::2]))
    assert ours.predict(X[1::2]).tolist() == theirs.predict(X[1::2]).tolist()


def test_probabilities_are_there_when_the_estimator_has_them(iris: tuple[Table, Any]) -> None:
    assert not hasattr(ExplainedClassifier(RidgeClassifier()).fit(*iris), "predict_proba")
    assert hasattr(ExplainedClassifier(), "predict_proba")


def test_a_data_frame_keeps_its_categories() -> None:
    table = pd.DataFrame({"size": [1.0, 2.0, 8.0, 9.0] * 5, "kind": pd.Categorical(["a", "a", "b", "b"] * 5)})
    model = ExplainedClassifier(k=3).fit(table, ["small", "small", "large", "large"] * 5)
    assert model.explainer_.metric == "gower"
    assert model.predict(table[:4]).tolist() == ["small", "small", "large", "large"]
    assert np.isnan(scorer("cases", "auroc")(model, table, model.predict(table)))  # nothing is wrong
