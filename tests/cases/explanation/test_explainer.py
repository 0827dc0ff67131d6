from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from assay.cases import CaseExplainer, compute_correspondence
from assay.core import InvalidInput

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)) * [1.0, 100.0, 0.01]
Y = np.where(X[:, 0] + RNG.normal(size=60) > 0, "yes", "no")
QUERIES = RNG.normal(size=(15, 3)) * [1.0, 100.0, 0.01]
PREDICTED = RNG.choice(["yes", "no"], size=15)


def test_a_batch_is_what_scikit_learn_and_the_formula_say() -> None:
    scaler = StandardScaler().fit(X)
    search = NearestNeighbors(n_neighbors=7).fit(scaler.transform(X))
    distances, indices = search.kneighbors(scaler.transform(QUERIES))
    batch = CaseExplainer(X, Y, k=7).explain_batch(QUERIES, predictions=PREDICTED)
    np.testing.assert_array_equal(batch.indices, indices)
    np.testing.assert_allclose(batch.distances, distances, rtol=1e-9)
    np.testing.assert_array_equal(batch.labels, Y[indices])
    expected = [
        compute_correspondence(*row) for row in zip(distances, Y[indices].tolist(), PREDICTED.tolist(), strict=True)
    ]
    np.testing.assert_allclose(batch.correspondence, expected, atol=1e-9)


def test_one_by_one_equals_the_batch() -> None:
    explainer = CaseExplainer(X, Y, k=4, class_weights="balanced")
    batch = explainer.explain_batch(QUERIES, predictions=PREDICTED, y=PREDICTED[::-1])
    for row, together in enumerate(batch):
        alone = explainer.explain_instance(
            QUERIES[row], predicted_class=PREDICTED[row], true_class=PREDICTED[::-1][row]
        )
        assert alone.to_dict() == together.to_dict()


def test_raw_values_are_shown_while_distances_live_in_the_scaled_space() -> None:
    explanation = CaseExplainer(X, Y, k=1).explain_instance(X[7], predicted_class="yes")
    assert explanation.neighbors[0].index == 7
    assert explanation.neighbors[0].distance == 0.0
    assert explanation.neighbors[0].features.tolist() == X[7].tolist()
    raw = CaseExplainer(X, Y, k=3, scale=False).explain_instance(QUERIES[0], predicted_class="yes")
    expected = np.sort(np.sqrt(((X - QUERIES[0]) ** 2).sum(axis=1)))[:3]
    assert [neighbor.distance for neighbor in raw.neighbors] == expected.tolist()


@given(st.lists(st.floats(1e-6, 1e6), min_size=3, max_size=3), st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3))
@settings(max_examples=25, deadline=None)
def test_units_and_offsets_do_not_matter_when_scaled(factors: list[float], offsets: list[float]) -> None:
    plain = CaseExplainer(X, Y).explain_batch(QUERIES, predictions=PREDICTED)
    shift = np.array(offsets) * X.std(axis=0)
    moved = CaseExplainer((X + shift) * factors, Y).explain_batch((QUERIES + shift) * factors, predictions=PREDICTED)
    np.testing.assert_allclose(moved.correspondence, plain.correspondence, atol=1e-9)


def test_a_later_change_of_the_training_array_moves_no_neighbour() -> None:
    for scale in (True, False):
        mine = X.copy()
        explainer = CaseExplainer(mine, Y, scale=scale)
        before = explainer.explain_batch(QUERIES, predictions=PREDICTED)
        mine += RNG.normal(size=mine.shape)
        after = explainer.explain_batch(QUERIES, predictions=PREDICTED)
        np.testing.assert_array_equal(before.indices, after.indices)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
def test_the_search_algorithm_does_not_change_an_explanation(algorithm: Any) -> None:
    grid = np.random.default_rng(3).integers(0, 3, size=(500, 3))
    labels = np.arange(500) % 3
    auto = CaseExplainer(grid, labels).explain_batch(grid[:50], predictions=labels[:50])
    other = CaseExplainer(grid, labels, algorithm=algorithm).explain_batch(grid[:50], predictions=labels[:50])
    np.testing.assert_array_equal(auto.indices, other.indices)
    np.testing.assert_array_equal(auto.correspondence, other.correspondence)


def test_k_can_be_changed_per_call_and_all_is_explicit() -> None:
    explainer = CaseExplainer(X, Y, k="all")
    assert explainer.explain_batch(QUERIES, predictions=PREDICTED).indices.shape == (15, 60)
    assert explainer.explain_batch(QUERIES, predictions=PREDICTED, k=2).indices.shape == (15, 2)
    assert len(explainer.explain_instance(QUERIES[0], predicted_class="no", k=3).neighbors) == 3


def test_class_weights_mean_the_same_as_mapping_array_and_balanced() -> None:
    counts = {label: Y.tolist().count(label) for label in ("no", "yes")}
    balanced = {label: len(Y) / (2 * count) for label, count in counts.items()}
    by_name = CaseExplainer(X, Y, class_weights="balanced").explain_batch(QUERIES, predictions=PREDICTED)
    by_mapping = CaseExplainer(X, Y, class_weights=balanced).explain_batch(QUERIES, predictions=PREDICTED)
    by_array = CaseExplainer(X, Y, class_weights=[balanced["no"], balanced["yes"]]).explain_batch(
        QUERIES, predictions=PREDICTED
    )
    plain = CaseExplainer(X, Y).explain_batch(QUERIES, predictions=PREDICTED)
    np.testing.assert_array_equal(by_name.correspondence, by_mapping.correspondence)
    np.testing.assert_array_equal(by_name.correspondence, by_array.correspondence)
    assert not np.allclose(by_name.correspondence, plain.correspondence)


def test_weightings_are_passed_on() -> None:
    vote = CaseExplainer(X, Y, weighting="uniform").explain_batch(QUERIES, predictions=PREDICTED)
    np.testing.assert_allclose(vote.correspondence, (vote.labels == PREDICTED[:, None]).mean(axis=1))
    same = CaseExplainer(X, Y, weighting=np.ones_like).explain_batch(QUERIES, predictions=PREDICTED)
    np.testing.assert_allclose(same.correspondence, vote.correspondence)


def test_a_model_gets_the_table_it_was_trained_on() -> None:
    iris = load_iris(as_frame=True)
    on_frame = LogisticRegression(max_iter=500).fit(iris.data, iris.target)
    on_array = LogisticRegression(max_iter=500).fit(iris.data.to_numpy(), iris.target)
    explainer = CaseExplainer(iris.data, iris.target, class_names=iris.target_names)
    array = iris.data.to_numpy()
    # a warning about missing feature names would fail these
    by_frame = explainer.explain_batch(iris.data, model=on_frame, y=iris.target)
    by_array = explainer.explain_batch(array, model=on_frame)
    assert by_frame.predicted.tolist() == by_array.predicted.tolist() == on_frame.predict(iris.data).tolist()
    assert explainer.explain_batch(array, model=on_array).predicted.tolist() == on_array.predict(array).tolist()
    single = explainer.explain_instance(iris.data.iloc[3], model=on_frame)
    assert single.predicted_class == by_frame[3].predicted_class
    assert CaseExplainer(array, iris.target).explain_instance(array[3], model=on_frame).predicted_class == 0


def test_predictions_are_taken_by_position_not_by_index() -> None:
    shuffled = pd.Series(PREDICTED, index=range(100, 115)[::-1])
    explainer = CaseExplainer(pd.DataFrame(X, index=range(60, 0, -1)), pd.Series(Y, index=range(60)))
    batch = explainer.explain_batch(pd.DataFrame(QUERIES, index=range(15, 0, -1)), predictions=shuffled)
    expected = CaseExplainer(X, Y).explain_batch(QUERIES, predictions=PREDICTED)
    np.testing.assert_array_equal(batch.correspondence, expected.correspondence)


def test_an_unseen_class_is_an_error_unless_allowed_and_then_zero() -> None:
    with pytest.raises(InvalidInput, match="class 'maybe' was never seen in training. Known classes: 'no', 'yes'"):
        CaseExplainer(X, Y).explain_instance(QUERIES[0], predicted_class="maybe")
    lenient = CaseExplainer(X, Y, allow_unseen=True)
    assert lenient.explain_instance(QUERIES[0], predicted_class="maybe").correspondence == 0.0
    seen = CaseExplainer(X, Y).explain_instance(QUERIES[0], predicted_class="yes", true_class="maybe")
    assert seen.is_correct is False


def test_an_empty_batch_is_empty() -> None:
    explainer = CaseExplainer(X, Y)
    assert len(explainer.explain_batch(np.empty((0, 3)), predictions=[])) == 0
    assert len(explainer.explain_batch(np.empty((0, 3)), model=DecisionTreeClassifier().fit(X, Y))) == 0


class Mute:
    pass


class TooShort:
    def predict(self, rows: Any) -> list[str]:
        return ["yes"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 61}, "k=61 neighbours were asked of a case base of 60"),
        ({"k": 0}, "got 0"),
        ({"k": 2.5}, "got 2.5"),
        ({"k": True}, "got True"),
        ({"class_weights": "equal"}, "the only text is \"balanced\", got 'equal'"),
        ({"class_weights": {"maybe": 1.0}}, "'maybe' is not a training class"),
        ({"class_weights": {1: 1.0}}, "text with number"),
        ({"class_weights": {"yes": -1.0}}, "not negative, got -1.0"),
        ({"class_weights": {"yes": np.nan}}, "got nan"),
        ({"class_weights": [1.0]}, "one weight for each of the 2 classes"),
        ({"class_weights": [1.0, -2.0]}, r"class_weights\['yes'\] must be finite and not negative, got -2.0"),
        ({"weighting": "cube"}, "Did you mean 'cubed'"),
        ({"weighting": []}, "No weighting named"),
        ({"algorithm": "ball"}, "No search algorithm named 'ball'"),
        ({"thresholds": (0.5, 0.7)}, "medium <= high"),
        ({"thresholds": 0.5}, "two numbers"),
    ],
)
def test_bad_options_are_refused_at_once(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        CaseExplainer(X, Y, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either predictions or a model, exactly one of them; neither was given"),
        ({"predictions": PREDICTED, "model": TooShort()}, "both were given"),
        ({"predictions": PREDICTED[:3]}, r"predictions: 3 were given for 15 row\(s\)"),
        ({"predictions": [*PREDICTED, "yes"]}, r"predictions: 16 were given for 15 row\(s\)"),
        ({"predictions": np.ones(15)}, "text with number"),
        ({"predictions": PREDICTED, "k": 100}, "k=100"),
        ({"predictions": PREDICTED, "k": -1}, "got -1"),
        ({"predictions": PREDICTED, "y": ["yes"]}, r"y: 1 were given for 15 row\(s\)"),
        ({"model": Mute()}, r"Mute has no predict\(\)"),
        ({"model": TooShort()}, "the model's predictions: 1 were given"),
    ],
)
def test_bad_questions_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        CaseExplainer(X, Y).explain_batch(QUERIES, **options)


def test_bad_single_questions_are_refused() -> None:
    explainer = CaseExplainer(X, Y)
    with pytest.raises(InvalidInput, match="either predicted_class or a model"):
        explainer.explain_instance(QUERIES[0])
    with pytest.raises(InvalidInput, match="x: row 0, column 1 is nan"):
        explainer.explain_instance([1.0, np.nan, 2.0], predicted_class="yes")
    with pytest.raises(InvalidInput, match="has 2 features, the training cases have 3"):
        explainer.explain_instance([1.0, 2.0], predicted_class="yes")
    with pytest.raises(InvalidInput, match="predicted_class"):
        explainer.explain_instance(QUERIES[0], predicted_class=1)
