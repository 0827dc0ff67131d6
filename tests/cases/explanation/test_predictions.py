from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from assay.cases import CaseExplainer
from assay.core import InvalidInput

IRIS = load_iris(as_frame=True)
ROWS = IRIS.data.to_numpy()
LABELS = IRIS.target.to_numpy()
MODEL = LogisticRegression(max_iter=500).fit(ROWS, LABELS)


def test_a_model_with_probabilities_gives_them_along() -> None:
    batch = CaseExplainer(ROWS, LABELS).explain_batch(ROWS[::10], model=MODEL)
    assert batch.probabilities is not None
    np.testing.assert_array_equal(batch.probabilities, MODEL.predict_proba(ROWS[::10]))
    np.testing.assert_array_equal(batch.predicted, MODEL.predict(ROWS[::10]))
    plain = CaseExplainer(ROWS, LABELS).explain_batch(ROWS[::10], model=LinearSVC().fit(ROWS, LABELS))
    assert plain.probabilities is None


def test_probabilities_alone_name_the_most_probable_class() -> None:
    shares = MODEL.predict_proba(ROWS[::10])
    explainer = CaseExplainer(ROWS, IRIS.target_names[LABELS])
    batch = explainer.explain_batch(ROWS[::10], probabilities=shares)
    assert batch.predicted.tolist() == [IRIS.target_names[row.argmax()] for row in shares]
    single = explainer.explain_instance(ROWS[0], probabilities=shares[0])
    assert single.predicted_class == "setosa"
    # predictions given beside them are the predictions
    other = explainer.explain_batch(ROWS[:1], predictions=["virginica"], probabilities=shares[:1])
    assert other.predicted.tolist() == ["virginica"]
    assert other.probabilities is not None


def test_only_probabilities_are_enough_of_a_model() -> None:
    class Proba:
        def predict_proba(self, rows: Any) -> Any:
            return MODEL.predict_proba(rows)

    batch = CaseExplainer(ROWS, LABELS).explain_batch(ROWS[::10], model=Proba())
    np.testing.assert_array_equal(batch.predicted, MODEL.predict_proba(ROWS[::10]).argmax(axis=1))


def test_columns_are_matched_by_the_classes_of_the_model() -> None:
    class Turned:
        classes_ = np.array([2, 7, 0])

        def predict_proba(self, rows: Any) -> Any:
            return np.tile([0.5, 0.2, 0.3], (len(rows), 1))

    batch = CaseExplainer(ROWS, LABELS).explain_batch(ROWS[:2], model=Turned())
    assert batch.probabilities is not None
    assert batch.probabilities.tolist() == [[0.3, 0.0, 0.5]] * 2
    assert batch.predicted.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ([[0.5, 0.5]], r"has shape \(1, 2\), needed are 1 rows by 3 classes in the order 0, 1, 2"),
        ([[0.5, 0.4, 0.0]], "row 0 sums to 0.9, not to 1"),
        ([[1.5, -0.5, 0.0]], "1.5 is not between 0 and 1|-0.5 is not between 0 and 1"),
        ([[np.nan, 0.5, 0.5]], "row 0, column 0 is nan"),
        ("abc", "not numbers"),
    ],
)
def test_what_is_no_distribution_is_refused(shares: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        CaseExplainer(ROWS, LABELS).explain_batch(ROWS[:1], probabilities=shares)


def test_a_model_whose_shapes_do_not_fit_is_refused() -> None:
    class Wrong:
        classes_ = np.array([0, 1, 2])

        def predict_proba(self, rows: Any) -> Any:
            return np.ones((len(rows), 2)) / 2

    class Texts(Wrong):
        classes_ = np.array(["a", "b"])

    with pytest.raises(
        InvalidInput, match=r"the model's probabilities: have shape \(1, 2\) for 1 row\(s\) and 3 classes_"
    ):
        CaseExplainer(ROWS, LABELS).explain_batch(ROWS[:1], model=Wrong())
    with pytest.raises(InvalidInput, match="text with number"):
        CaseExplainer(ROWS, LABELS).explain_batch(ROWS[:1], model=Texts())


def test_a_model_given_at_construction_answers_and_is_asked_about_the_training_cases() -> None:
    explainer = CaseExplainer(IRIS.data, LABELS, model=LogisticRegression(max_iter=500).fit(IRIS.data, LABELS))
    assert explainer.train_predictions is not None
    assert (explainer.train_predictions == LABELS).mean() > 0.9
    batch = explainer.explain_batch(IRIS.data.iloc[:5])
    assert batch.predicted.tolist() == [0] * 5
    assert batch.fidelity is not None
    assert batch.fidelity.tolist() == [1.0] * 5
    assert explainer.explain_instance(IRIS.data.iloc[0]).predicted_class == 0
    # what is given with the question wins
    assert explainer.explain_batch(IRIS.data.iloc[:1], predictions=[2]).predicted.tolist() == [2]


def test_predictions_on_the_training_cases_are_checked() -> None:
    with pytest.raises(InvalidInput, match=r"train_predictions: 1 were given for 150 row\(s\)"):
        CaseExplainer(ROWS, LABELS, train_predictions=[1])
    with pytest.raises(InvalidInput, match="text with number"):
        CaseExplainer(ROWS, LABELS, train_predictions=["a"] * 150)
    # a model may know a class that no training case has
    assert CaseExplainer(ROWS, LABELS, train_predictions=[9] * 150).explain_training().fidelity is not None


def test_a_model_of_mixed_columns_gets_them_as_they_came() -> None:
    class ByPlan:
        feature_names_in_ = np.array(["age", "plan"])

        def predict(self, table: Any) -> Any:
            assert table["age"].dtype.kind == "f"
            return np.where(table["plan"] == "plus", 1, 0)

    frame = pd.DataFrame({"age": [20.0, 30.0, 40.0], "plan": ["plus", "basic", "plus"]})
    explainer = CaseExplainer(frame, [1, 0, 1], k=2, model=ByPlan())
    assert explainer.train_predictions is not None
    assert explainer.train_predictions.tolist() == [1, 0, 1]
    assert explainer.explain_batch([[25.0, "plus"]]).predicted.tolist() == [1]
    assert explainer.explain_instance([25.0, "basic"]).predicted_class == 0


@pytest.fixture(scope="module")
def categories() -> tuple[pd.DataFrame, list[str]]:
    rng = np.random.default_rng(0)
    x, colour = rng.normal(size=80), rng.choice(["red", "green"], 80)
    table = pd.DataFrame({"x": x, "colour": pd.Categorical(colour), "count": rng.integers(5, size=80)})
    return table, np.where((x > 0) | (colour == "red"), "good", "bad").tolist()


def test_a_row_of_a_frame_reaches_the_model_with_the_types_of_training(
    categories: tuple[pd.DataFrame, list[str]],
) -> None:
    from lightgbm import LGBMClassifier

    table, labels = categories
    model = LGBMClassifier(verbose=-1, min_child_samples=3).fit(table, np.array(labels))
    explainer = CaseExplainer(table, labels, model=model)
    for row in (0, 1, 5):
        flat, framed = explainer.explain_instance(table.iloc[row]), explainer.explain_instance(table.iloc[[row]])
        assert (flat.predicted_class, flat.correspondence) == (framed.predicted_class, framed.correspondence)
        assert flat.probabilities is not None
        assert framed.probabilities is not None
        assert flat.probabilities.tolist() == framed.probabilities.tolist()
    unseen = table.iloc[0].copy()
    unseen["colour"] = "blue"  # to the model it is missing
    assert explainer.explain_instance(unseen).predicted_class in {"good", "bad"}


@pytest.mark.parametrize("way", ["pipeline", "search", "calibrated"])
def test_models_around_models_are_asked_as_they_are(categories: tuple[pd.DataFrame, list[str]], way: str) -> None:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import GridSearchCV

    from assay.cases.generate.classifiers import make_classifier

    table, labels = categories
    pipeline = make_classifier("tree", table)
    model = {
        "pipeline": pipeline,
        "search": GridSearchCV(pipeline, {"decisiontreeclassifier__max_depth": [1, 3]}, cv=2),
        "calibrated": CalibratedClassifierCV(pipeline, cv=2),
    }[way].fit(table, labels)
    explainer = CaseExplainer(table, labels, model=model)
    assert explainer.explain_instance(table.iloc[0]).predicted_class == model.predict(table.iloc[[0]])[0]


def test_a_regressor_and_a_model_that_objects_are_one_line(categories: tuple[pd.DataFrame, list[str]]) -> None:
    from sklearn.linear_model import LinearRegression, LogisticRegression

    table, labels = categories
    numbers = table[["x", "count"]]
    with pytest.raises(InvalidInput, match="LinearRegression is a regressor"):
        CaseExplainer(numbers, labels, model=LinearRegression().fit(numbers, numbers["x"]))
    with pytest.raises(InvalidInput, match=r"LogisticRegression.predict_proba refuses these columns \(ValueError: "):
        CaseExplainer(table, labels, model=LogisticRegression().fit(numbers, labels))
