from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from assay.cases.subjects.trust import distances_to_classes, nearest_distance_scores, trust_scores
from assay.core import InvalidInput

RNG = np.random.default_rng(2)
TRAIN = RNG.normal(size=(60, 3)) * [1, 100, 0.01]
LABELS = RNG.integers(0, 3, 60)
QUERIES = RNG.normal(size=(25, 3)) * [1, 100, 0.01]
PREDICTED = RNG.integers(0, 3, 25)


def reference(k: int, alpha: float) -> np.ndarray:
    """The published procedure with scikit-learn's neighbours, a query at a time."""
    scaler = StandardScaler().fit(TRAIN)
    cases, queries = scaler.transform(TRAIN), scaler.transform(QUERIES)
    to_class = {}
    for label in range(3):
        members = cases[label == LABELS]
        reach = NearestNeighbors(n_neighbors=11).fit(members).kneighbors(members)[0][:, -1]
        members = members[reach <= np.sort(reach)[len(members) - int(alpha * len(members)) - 1]]
        to_class[label] = NearestNeighbors(n_neighbors=k).fit(members).kneighbors(queries)[0][:, -1]
    scores = []
    for row, label in enumerate(PREDICTED):
        other = min(to_class[c][row] for c in range(3) if c != label)
        ratio = other / to_class[label][row]
        scores.append(ratio / (1 + ratio))
    return np.array(scores)


@pytest.mark.parametrize(("k", "alpha"), [(1, 0.0), (2, 0.0), (2, 0.2), (5, 0.1)])
def test_trust_is_the_published_ratio_in_bounded_form(k: int, alpha: float) -> None:
    scores = trust_scores(TRAIN, LABELS, QUERIES, PREDICTED, k=k, alpha=alpha)
    np.testing.assert_allclose(scores, reference(k, alpha), atol=1e-9)


def test_units_do_not_matter() -> None:
    scale, shift = np.array([1000.0, 0.001, 7.0]), np.array([3.0, -5.0, 0.5])
    moved = trust_scores(TRAIN * scale + shift, LABELS, QUERIES * scale + shift, PREDICTED)
    np.testing.assert_allclose(moved, trust_scores(TRAIN, LABELS, QUERIES, PREDICTED), atol=1e-9)


def test_the_edges_have_the_documented_values() -> None:
    one, query = np.array([[0.0], [1.0]]), np.array([[0.0]])
    assert trust_scores(one, np.array([0, 0]), query, np.array([0])).tolist() == [1.0]  # no other class
    assert trust_scores(one, np.array([0, 0]), query, np.array([7])).tolist() == [0.0]  # class without a case
    same = np.zeros((4, 1))
    assert trust_scores(same, np.array([0, 0, 1, 1]), query, np.array([1])).tolist() == [0.5]
    assert trust_scores(one, np.array([0, 1]), query, np.array([0]), k=9).tolist() == [1.0]  # fewer cases than k


def test_nearest_distance_is_that_to_the_predicted_class() -> None:
    classes, distances = distances_to_classes(TRAIN, LABELS, QUERIES, k=1)
    assert classes.tolist() == [0, 1, 2]
    scores = nearest_distance_scores(TRAIN, LABELS, QUERIES, PREDICTED)
    np.testing.assert_array_equal(scores, -distances[np.arange(25), PREDICTED])
    unseen = nearest_distance_scores(TRAIN, LABELS, QUERIES, np.full(25, 9))
    assert (unseen < scores.min()).all()
    assert np.isfinite(unseen).all()


@pytest.mark.parametrize("alpha", [1.0, -0.1, True, "0.1"])
def test_a_share_of_remote_cases_must_be_one(alpha: Any) -> None:
    with pytest.raises(InvalidInput, match="alpha must be a share"):
        trust_scores(TRAIN, LABELS, QUERIES, PREDICTED, alpha=alpha)


def test_the_unbounded_form_orders_as_published_where_distances_are_zero() -> None:
    cases, labels = np.array([[0.0], [1.0], [1.0], [5.0]]), np.array([0, 0, 1, 1])
    queries = np.array([[0.0], [1.0], [0.6], [5.0]])
    predicted = np.array([0, 0, 0, 1])
    _, distances = distances_to_classes(cases, labels, queries, k=1)
    # the published program, line by line: both sorted, the predicted one skipped, a tiny number added
    nearest = np.sort(distances, axis=1)
    to_predicted = distances[np.arange(4), predicted]
    published = np.where(nearest[:, 0] != to_predicted, nearest[:, 0], nearest[:, 1]) / (to_predicted + 1e-12)
    scores = trust_scores(cases, labels, queries, predicted, k=1, bounded=False)
    np.testing.assert_allclose(scores, published, rtol=1e-12)
    assert np.argsort(scores).tolist() == [1, 2, 0, 3]  # both zero comes last; exact hits are told apart
    # what the docstring says of the bounded form
    assert trust_scores(cases, labels, queries, predicted, k=1)[[0, 1, 3]].tolist() == [1.0, 0.5, 1.0]
    assert trust_scores(cases, labels, queries, np.full(4, 9), k=1, bounded=False).tolist() == [0.0] * 4
