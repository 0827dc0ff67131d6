from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from assay.conformal import MultiTaskConformalClassifier, calibrate, coverage, taskwise_coverage
from assay.core import InvalidInput

RNG = np.random.default_rng(0)
X = RNG.normal(size=(900, 4))
SIZE = np.digitize(X[:, 0] + 0.5 * RNG.normal(size=900), [-0.5, 0.5])
Y = np.stack(
    [np.array(["small", "middle", "large"])[SIZE], np.where(X[:, 1] + RNG.normal(size=900) > 0, "yes", "no")], axis=1
)
TRAIN, KNOWN, NEW = slice(0, 300), slice(300, 600), slice(600, 900)

ESTIMATORS = {
    "one": GaussianNB(),
    "list": [GaussianNB(), LogisticRegression()],
    "several outputs": MultiOutputClassifier(GaussianNB()),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_fit_calibrate_predict_covers_with_any_kind_of_estimator(name: str) -> None:
    model = MultiTaskConformalClassifier(ESTIMATORS[name], alpha=0.1)
    model.fit(X[TRAIN], Y[TRAIN]).calibrate(X[KNOWN], Y[KNOWN])
    counts = model.count(X[NEW], Y[NEW])
    assert (taskwise_coverage(counts) > 0.84).all()
    assert model.predict(X[NEW]).shape == (300, 2)
    assert set(np.unique(model.predict(X[NEW])[:, 1])) == {"no", "yes"}
    assert model.predict_sets(X[NEW]).classes == (3, 2)


def test_a_joint_method_covers_both_tasks_at_once() -> None:
    model = MultiTaskConformalClassifier(GaussianNB(), alpha=0.1, method="joint")
    counts = model.fit(X[TRAIN], Y[TRAIN]).calibrate(X[KNOWN], Y[KNOWN]).count(X[NEW], Y[NEW])
    assert coverage(counts, overall="joint") > 0.84


def test_a_fitted_estimator_is_taken_as_it_is() -> None:
    forest = RandomForestClassifier(n_estimators=20, random_state=0).fit(X[TRAIN], Y[TRAIN])
    wrapped = MultiOutputClassifier(GaussianNB()).fit(X[TRAIN], Y[TRAIN])
    for fitted in (forest, wrapped, [GaussianNB().fit(X[TRAIN], Y[TRAIN, 0]), GaussianNB().fit(X[TRAIN], Y[TRAIN, 1])]):
        model = MultiTaskConformalClassifier(fitted, prefit=True).calibrate(X[KNOWN], Y[KNOWN])
        assert (taskwise_coverage(model.count(X[NEW], Y[NEW])) > 0.84).all()
    single = MultiTaskConformalClassifier(GaussianNB().fit(X[TRAIN], Y[TRAIN, 0]), prefit=True)
    assert single.calibrate(X[KNOWN], Y[KNOWN, 0]).predict_sets(X[NEW]).classes == (3,)


def test_bare_probabilities_need_no_estimator(sample: Any) -> None:
    probabilities, labels = sample(200, (4, 2), seed=1)
    model = MultiTaskConformalClassifier(alpha=0.2).calibrate(probabilities, labels)
    assert model.predict_sets(probabilities) == calibrate(probabilities, labels, alpha=0.2).predict_sets(probabilities)
    with pytest.raises(InvalidInput, match="no estimator to fit"):
        model.fit(X, Y)


def test_the_order_of_steps_is_checked_by_message() -> None:
    model = MultiTaskConformalClassifier(GaussianNB())
    with pytest.raises(InvalidInput, match=r"not fitted yet: call fit\(X, Y\) first"):
        model.calibrate(X[KNOWN], Y[KNOWN])
    model.fit(X[TRAIN], Y[TRAIN])
    with pytest.raises(InvalidInput, match="not calibrated yet"):
        model.predict_sets(X[NEW])
    with pytest.raises(InvalidInput, match="nothing to save"):
        model.save("nowhere.json")
    with pytest.raises(InvalidInput, match="already fitted"):
        MultiTaskConformalClassifier(GaussianNB().fit(X[TRAIN], SIZE[TRAIN]), prefit=True).fit(X, SIZE)
    with pytest.raises(InvalidInput, match="is not fitted"):
        MultiTaskConformalClassifier(GaussianNB(), prefit=True)
    with pytest.raises(InvalidInput, match="needs fitted estimators"):
        MultiTaskConformalClassifier(prefit=True)


def test_fitting_again_forgets_the_calibration() -> None:
    model = MultiTaskConformalClassifier(GaussianNB()).fit(X[TRAIN], Y[TRAIN]).calibrate(X[KNOWN], Y[KNOWN])
    model.fit(X[TRAIN], Y[TRAIN])
    with pytest.raises(InvalidInput, match="not calibrated yet"):
        model.predict_sets(X[NEW])


def test_parameters_work_as_in_scikit_learn() -> None:
    model = MultiTaskConformalClassifier(GaussianNB(), alpha=0.2, score="margin")
    twin = clone(model)
    assert twin is not model
    assert twin.get_params()["score"] == "margin"
    model.fit(X[TRAIN], Y[TRAIN]).calibrate(X[KNOWN], Y[KNOWN]).set_params(alpha=0.05)
    assert model.calibration_ is None
    with pytest.raises(InvalidInput, match="Did you mean 'alpha'"):
        model.set_params(alfa=1)
    for wrong in ({"alpha": 2.0}, {"score": "hing"}, {"method": "jont"}):
        with pytest.raises(InvalidInput):
            MultiTaskConformalClassifier(GaussianNB(), **wrong).fit(X[TRAIN], Y[TRAIN])


def test_labels_that_were_never_fitted_are_named_and_missing_ones_are_left_out() -> None:
    model = MultiTaskConformalClassifier(GaussianNB()).fit(X[TRAIN], Y[TRAIN])
    strange = Y[KNOWN].copy()
    strange[5, 0] = "huge"
    with pytest.raises(InvalidInput, match="task 0: 'huge' at sample 5 is none of the fitted classes"):
        model.calibrate(X[KNOWN], strange)
    gaps: Any = Y[KNOWN].astype(object)
    gaps[:100, 1] = None
    calibration = model.calibrate(X[KNOWN], gaps).calibration_
    assert calibration is not None
    other = MultiTaskConformalClassifier(GaussianNB()).fit(X[TRAIN], Y[TRAIN]).calibrate(X[400:600], Y[400:600])
    assert other.calibration_ is not None
    np.testing.assert_array_equal(calibration.thresholds[1], other.calibration_.thresholds[1])
    with pytest.raises(InvalidInput, match="1 tasks were given where 2"):
        model.calibrate(X[KNOWN], Y[KNOWN, 0])
    with pytest.raises(InvalidInput, match="2 estimators were given for the 1 tasks"):
        MultiTaskConformalClassifier([GaussianNB(), GaussianNB()]).fit(X[TRAIN], SIZE[TRAIN])


def test_a_saved_classifier_gives_the_same_sets_and_fits_its_estimator_only(tmp_path: Path) -> None:
    fitted = MultiOutputClassifier(GaussianNB()).fit(X[TRAIN], Y[TRAIN])
    model = MultiTaskConformalClassifier(fitted, prefit=True, method="classwise").calibrate(X[KNOWN], Y[KNOWN])
    model.save(tmp_path / "model.json")
    again = MultiTaskConformalClassifier.load(tmp_path / "model.json", estimator=fitted)
    assert again.predict_sets(X[NEW]) == model.predict_sets(X[NEW])
    other = MultiOutputClassifier(GaussianNB()).fit(X[TRAIN], np.stack([SIZE[TRAIN], SIZE[TRAIN]], axis=1))
    with pytest.raises(InvalidInput, match="not the estimator's"):
        MultiTaskConformalClassifier.load(tmp_path / "model.json", estimator=other)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(InvalidInput, match="holds no calibration"):
        MultiTaskConformalClassifier.load(tmp_path / "other.json")


def test_groups_are_handed_through() -> None:
    groups = (X[:, 2] > 0).astype(int)
    model = MultiTaskConformalClassifier(GaussianNB(), method="mondrian").fit(X[TRAIN], Y[TRAIN])
    model.calibrate(X[KNOWN], Y[KNOWN], groups=groups[KNOWN])
    assert (taskwise_coverage(model.count(X[NEW], Y[NEW], groups=groups[NEW])) > 0.84).all()


class OneColumn(GaussianNB):  # type: ignore[misc]
    """Its probabilities are those of the second class only, as many networks give them."""

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X)[:, 1:2]


@pytest.mark.parametrize("prefit", [False, True])
@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (LinearRegression(), "estimator: LinearRegression is a regressor, which predicts numbers; give a classifier"),
        (MultiOutputRegressor(LinearRegression()), "is a regressor"),
        (LinearSVC(), r"LinearSVC has no predict_proba\(\).*CalibratedClassifierCV\(LinearSVC\(\)\)"),
    ],
)
def test_a_model_without_probabilities_of_classes_is_one_line(estimator: Any, message: str, prefit: bool) -> None:
    numbers = np.stack([SIZE, SIZE], axis=1) if isinstance(estimator, MultiOutputRegressor) else SIZE
    fitted = estimator.fit(X[TRAIN], numbers[TRAIN])
    with pytest.raises(InvalidInput, match=message):
        MultiTaskConformalClassifier(fitted, prefit=prefit).fit(X[TRAIN], Y[TRAIN])


def test_quantities_wrong_widths_and_odd_columns_are_one_line() -> None:
    with pytest.raises(InvalidInput, match=r"Y, task 0: holds 300 different numbers in 300 rows.* a quantity, not"):
        MultiTaskConformalClassifier(GaussianNB()).fit(X[TRAIN], X[TRAIN, 0])
    with pytest.raises(InvalidInput, match=r"task 0: predict_proba gave shape \(300, 1\); it has 3 classes"):
        MultiTaskConformalClassifier(OneColumn()).fit(X[TRAIN], Y[TRAIN]).calibrate(X[KNOWN], Y[KNOWN])
    fitted = MultiTaskConformalClassifier(GaussianNB()).fit(X[TRAIN], Y[TRAIN])
    with pytest.raises(InvalidInput, match=r"GaussianNB.predict_proba refuses X \(ValueError: X has 1 features"):
        fitted.calibrate(X[KNOWN][:, :1], Y[KNOWN])


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_a_missing_label_may_be_written_in_every_way(gap: Any) -> None:
    rows, labels = np.arange(40.0)[:, None], np.arange(40) % 2
    model = MultiTaskConformalClassifier(LogisticRegression()).fit(rows, labels.tolist())
    calibration = model.calibrate(rows, [np.asarray([gap, *labels[1:]], dtype=object)]).calibration_
    assert calibration is not None
    assert calibration.samples == 39
    same = model.calibrate(rows, labels.tolist()).calibration_
    assert same is not None
    assert same.samples == 40


def test_probabilities_by_task_are_matched_by_name() -> None:
    p, labels = np.asarray([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]]), [0, 0, 1, 1]
    model = MultiTaskConformalClassifier(alpha=0.25).calibrate({"a": p, "b": p[::-1]}, {"b": labels[::-1], "a": labels})
    assert model.predict_sets({"b": p[::-1], "a": p}) == model.predict_sets({"a": p, "b": p[::-1]})
    assert model.predict({"a": p}).ravel().tolist() == labels
