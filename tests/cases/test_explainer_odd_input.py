"""Hostile and odd input: a clear error, or the value that the documentation promises."""

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.cases import CaseExplainer
from assay.core import InvalidInput

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.where(X[:, 0] + RNG.normal(size=60) > 0, "yes", "no")
QUERIES = RNG.normal(size=(15, 3))
PREDICTED = RNG.choice(["yes", "no"], size=15)


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        ([[object()], [1.0]], [0, 1], "a object is neither a number nor a text"),
        ([[{}], [1.0]], [0, 1], "a dict is neither"),
        ([[10**400], [1]], [0, 1], "beyond ±2\\^53"),
        ([[2**53 + 1], [1]], [0, 1], "9007199254740993, beyond"),
        ([["a"], [1]], [0, 1], "mixes texts and numbers"),
        ([[1j], [1.0]], [0, 1], "not numbers"),
        ([[[1.0]], [[2.0]]], [0, 1], "two-dimensional"),
        ([[1.0, 2.0], [3.0]], [0, 1], "rows differ in length"),
        ([1.0, 2.0], [0, 1], "two-dimensional"),
        (5, [0], "two-dimensional"),
        (None, [0], "two-dimensional|not a number"),
        ({"a": [1]}, [0], "two-dimensional|not a number"),
        ([[np.inf], [1.0]], [0, 1], "row 0, column 0 is inf"),
        ([["a", np.inf], ["b", 1.0]], [0, 1], "column '1', row 0 is inf"),
        ([[]], [0], "no features"),
        ([], [], "two-dimensional"),
        (np.empty((0, 2)), [], "training set is empty"),
        (pd.DataFrame({"a": []}), [], "training set is empty"),
        (pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), [0], "'a' is given twice"),
        (pd.DataFrame([["p", 2.0]], columns=["a", "a"]), [0], "'a' is given twice"),
        (pd.DataFrame({"d": pd.to_datetime(["2020-01-01"])}), [0], "column 'd' holds dates or times. Turn it into"),
        ([[1.0], [2.0]], [b"a", b"b"], "whole numbers or texts|not a label"),
        ([[1.0], [2.0]], [None, 1], "None is not a label"),
        ([[1.0], [2.0]], ["a", 1], "mixes texts and numbers"),
        ([[1.0], [2.0]], [0.5, 1.0], "0.5 is not a class label"),
        ([[1.0], [2.0]], [[0], [1]], "ravel"),
        ([[1.0], [2.0]], [1j, 1], "not a label|whole numbers"),
        ([[1.0], [2.0]], [10**400, 1], "labels must be whole numbers|is not a class label"),
    ],
)
def test_what_cannot_be_compared_is_refused(rows: Any, labels: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        CaseExplainer(rows, labels, k=1)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (["a", "b", "c"], "not numbers|holds texts"),
        ([1.0, None, 2.0], "column 1 is nan"),
        ([1.0, [2.0], 3.0], "x: "),
        ({"a": 1.0}, "x: "),
        ([1.0, 2.0, 10**400], "beyond ±2"),
        ([1.0, 2.0, np.inf], "is inf"),
        ([1.0, 2.0, 1j], "not numbers|not a number"),
        (5.0, "two-dimensional"),
        ([], "no features|has 0 features"),
        (X[:2], "must be one row, got 2"),
    ],
)
def test_a_query_that_is_no_row_is_refused(x: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        CaseExplainer(X, Y).explain_instance(x, predicted_class="yes")


def test_a_query_may_be_a_mapping_by_the_names_of_the_features() -> None:
    frame = pd.DataFrame({"age": [30.0, 40.0, 50.0], "plan": ["a", "b", "a"]})
    explainer = CaseExplainer(frame, [0, 1, 1], k=2)
    by_place = explainer.explain_instance([41.0, "b"], predicted_class=1)
    by_name = explainer.explain_instance({"plan": "b", "age": 41.0}, predicted_class=1)
    assert by_name.to_dict() == by_place.to_dict()
    for query in ({"age": 41.0}, {"age": 41.0, "plan": "b", "sex": "f"}):
        with pytest.raises(InvalidInput, match=r"x: needs a value for each of the features 'age', 'plan', got"):
            explainer.explain_instance(query, predicted_class=1)


def test_one_case_and_one_class_are_enough() -> None:
    explainer = CaseExplainer([[1.0, "a"]], ["only"], k=1)
    explanation = explainer.explain_instance([3.0, "b"], predicted_class="only")
    assert explanation.correspondence == 1.0
    assert explanation.neighbors[0].distance == 1.0
    with pytest.raises(InvalidInput, match="a single case"):
        explainer.explain_training()


def test_constant_columns_of_every_kind_change_nothing_among_equals() -> None:
    plain = CaseExplainer(X, Y).explain_batch(QUERIES, predictions=PREDICTED)
    wide = CaseExplainer(np.column_stack([X, np.full(60, 7.0)]), Y)
    same = wide.explain_batch(np.column_stack([QUERIES, np.full(15, 7.0)]), predictions=PREDICTED)
    np.testing.assert_array_equal(same.indices, plain.indices)


def test_boolean_labels_and_predictions_are_classes() -> None:
    batch = CaseExplainer(X, Y == "yes").explain_batch(QUERIES, predictions=PREDICTED == "yes")
    expected = CaseExplainer(X, Y).explain_batch(QUERIES, predictions=PREDICTED)
    np.testing.assert_array_equal(batch.correspondence, expected.correspondence)


def test_boolean_columns_are_categories_unless_a_metric_of_numbers_is_asked_for() -> None:
    flags = X > 0
    assert CaseExplainer(flags, Y).metric == "gower"
    assert CaseExplainer(pd.DataFrame(flags), Y).metric == "gower"
    numbers = CaseExplainer(flags, Y, metric="euclidean").explain_batch(QUERIES > 0, predictions=PREDICTED)
    same = CaseExplainer(flags.astype(float), Y).explain_batch((QUERIES > 0).astype(float), predictions=PREDICTED)
    np.testing.assert_array_equal(numbers.indices, same.indices)


def test_nullable_frames_equal_plain_ones() -> None:
    frame = pd.DataFrame({"n": np.arange(20), "s": ["a", "b"] * 10, "f": [True, False, False, True] * 5})
    nullable = frame.convert_dtypes()
    first, second = (CaseExplainer(table, np.arange(20) % 2, k=4) for table in (frame, nullable))
    one = first.explain_batch(frame.iloc[::3], predictions=[0] * 7)
    two = second.explain_batch(nullable.iloc[::3], predictions=[0] * 7)
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.distances, two.distances)


def test_named_categorical_numbers_are_equal_or_not() -> None:
    explainer = CaseExplainer([[1], [2], [10]], [0, 1, 1], k=3, categorical=["x0"], feature_names=["x0"])
    explanation = explainer.explain_instance([2], predicted_class=0)
    assert [(neighbor.index, neighbor.distance) for neighbor in explanation.neighbors] == [(1, 0.0), (0, 1.0), (2, 1.0)]
    assert explainer.describe()["categorical"] == ["x0"]


def test_the_metric_is_chosen_by_what_the_cases_hold() -> None:
    holes = X.copy()
    holes[0, 0] = np.nan
    assert CaseExplainer(X, Y).metric == "euclidean"
    assert CaseExplainer(holes, Y, metric="nan_euclidean").metric == "nan_euclidean"
    assert CaseExplainer(holes, Y, metric="gower").metric == "gower"
    with pytest.raises(InvalidInput, match=r"X_train: row 0, column 0 is missing \(nan\).*metric='nan_euclidean'"):
        CaseExplainer(holes, Y)
    assert CaseExplainer(pd.DataFrame(X).assign(c="a"), Y).metric == "gower"
    assert CaseExplainer(X, Y, categorical=[0]).metric == "gower"
    with pytest.raises(InvalidInput, match="X_train: row 0, column 0 is nan"):
        CaseExplainer(holes, Y, metric="euclidean")


def test_leave_one_out_never_shows_the_case_itself_but_its_copies() -> None:
    doubled = np.vstack([X, X[:10]])
    labels = np.concatenate([Y, Y[:10]])
    batch = CaseExplainer(doubled, labels, k=3).explain_training()
    assert not (batch.indices == np.arange(70)[:, None]).any()
    assert (batch.distances[:10, 0] == 0).all()
    assert batch.indices[:10, 0].tolist() == list(range(60, 70))
    np.testing.assert_array_equal(batch.predicted, labels)
    assert batch.is_correct is not None
    assert batch.is_correct.all()
    by_hand = CaseExplainer(doubled, labels, k=3).explain_batch(doubled, predictions=labels, exclude=np.arange(70))
    np.testing.assert_array_equal(batch.indices, by_hand.indices)
    one = CaseExplainer(doubled, labels, k=3).explain_instance(doubled[5], predicted_class=labels[5], exclude=5)
    assert [neighbor.index for neighbor in one.neighbors] == batch.indices[5].tolist()


def test_leave_one_out_takes_the_models_predictions_and_fits_k() -> None:
    predicted = np.where(Y == "yes", "no", "yes")
    explainer = CaseExplainer(X, Y, k="all", train_predictions=predicted)
    batch = explainer.explain_training()
    assert batch.indices.shape == (60, 59)
    np.testing.assert_array_equal(batch.predicted, predicted)
    assert explainer.explain_training(k=2, predictions=Y).predicted.tolist() == Y.tolist()


def test_a_description_is_plain_json() -> None:
    explainer = CaseExplainer(X, Y, class_weights="balanced", feature_weights=[1, 2, 3], weighting=np.ones_like)
    description = json.loads(json.dumps(explainer.describe(), allow_nan=False))
    assert description["n"] == 60
    assert description["classes"][0] == {"label": "no", "name": "no", "cases": int((Y == "no").sum())}
    assert (description["metric"], description["scale"], description["algorithm"], description["recall"]) == (
        "euclidean",
        "standard",
        "brute",
        None,
    )
    assert description["weighting"] == "ones_like"
    assert description["k"] == 5
    assert description["thresholds"] == {"high": 0.85, "medium": 0.7}
    big = CaseExplainer(RNG.normal(size=(3000, 2)), np.arange(3000) % 2)
    big.explain_batch(RNG.normal(size=(2500, 2)), predictions=np.zeros(2500, dtype=int))
    probe = big.describe()["probe"]
    assert isinstance(probe, dict)
    assert set(probe) == {"choice", "queries", "brute", "kd_tree", "build"}


def test_explainers_can_be_pickled() -> None:
    explainer = CaseExplainer(pd.DataFrame(X).assign(c=["a", "b"] * 30), Y)
    again = pickle.loads(pickle.dumps(explainer))
    rows = pd.DataFrame(QUERIES).assign(c="a")
    np.testing.assert_array_equal(
        again.explain_batch(rows, predictions=PREDICTED).distances,
        explainer.explain_batch(rows, predictions=PREDICTED).distances,
    )


@given(st.permutations(range(60)))
@settings(max_examples=20, deadline=None)
def test_the_order_of_cases_does_not_matter_where_distances_differ(order: list[int]) -> None:
    plain = CaseExplainer(X, Y, scale="minmax").explain_batch(QUERIES, predictions=PREDICTED)
    moved = CaseExplainer(X[order], Y[order], scale="minmax").explain_batch(QUERIES, predictions=PREDICTED)
    np.testing.assert_array_equal(np.array(order)[moved.indices], plain.indices)
    np.testing.assert_array_equal(moved.distances, plain.distances)
    np.testing.assert_array_equal(moved.correspondence, plain.correspondence)


@pytest.mark.parametrize("scale", ["standard", "minmax", "robust"])
@given(st.lists(st.floats(1e-3, 1e3), min_size=3, max_size=3))
@settings(max_examples=10, deadline=None)
def test_units_do_not_matter_when_scaled(scale: Any, factors: list[float]) -> None:
    plain = CaseExplainer(X, Y, scale=scale).explain_batch(QUERIES, predictions=PREDICTED)
    moved = CaseExplainer(X * factors, Y, scale=scale).explain_batch(QUERIES * factors, predictions=PREDICTED)
    np.testing.assert_allclose(moved.correspondence, plain.correspondence, atol=1e-9)


@given(st.integers(1, 5))
@settings(max_examples=5, deadline=None)
def test_copies_of_the_case_base_are_copies_of_the_neighbours(times: int) -> None:
    once = CaseExplainer(X, Y, k=4, scale=False).explain_batch(QUERIES, predictions=PREDICTED)
    copies = CaseExplainer(np.tile(X, (times, 1)), np.tile(Y, times), k=4 * times, scale=False)
    many = copies.explain_batch(QUERIES, predictions=PREDICTED)
    np.testing.assert_array_equal(np.sort(many.distances, axis=1)[:, ::times], once.distances)
    np.testing.assert_allclose(many.correspondence, once.correspondence, rtol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "gower", "cosine"])
def test_all_neighbours_are_all_cases_once(metric: str) -> None:
    batch = CaseExplainer(X, Y, k="all", metric=metric).explain_batch(QUERIES, predictions=PREDICTED)
    np.testing.assert_array_equal(np.sort(batch.indices, axis=1), np.tile(np.arange(60), (15, 1)))


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "sqeuclidean"])
def test_all_exact_searches_explain_alike_on_a_grid(algorithm: Any, metric: str) -> None:
    grid = np.random.default_rng(3).integers(0, 3, size=(500, 3))
    labels = np.arange(500) % 3
    auto = CaseExplainer(grid, labels, metric=metric).explain_batch(grid[:50], predictions=labels[:50])
    other = CaseExplainer(grid, labels, metric=metric, algorithm=algorithm)
    again = other.explain_batch(grid[:50], predictions=labels[:50])
    np.testing.assert_array_equal(auto.indices, again.indices)
    np.testing.assert_array_equal(auto.distances, again.distances)
