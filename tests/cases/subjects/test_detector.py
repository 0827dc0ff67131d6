"""The default detector: four opinions weighed on left-out cases, a probability for each query by itself."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.linear_model import LogisticRegression

from assay.cases.metrics import auroc
from assay.cases.subjects.detector import default_detector_scores, fit_detector
from assay.cases.subjects.opinions import opinions_left_out
from assay.cases.subjects.second_opinion import second_opinion_scores
from assay.core import InvalidInput

RNG = np.random.default_rng(9)


def clouds(count: int, classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    labels = np.arange(count) % classes
    return RNG.normal(size=(count, 4)) + 1.6 * np.eye(classes, 4)[labels], labels


TRAIN, LABELS = clouds(150)
QUERIES, TRUTH = clouds(400)
PREDICTED = LogisticRegression().fit(TRAIN[:40], LABELS[:40]).predict(QUERIES)
DETECTOR = fit_detector(TRAIN, LABELS)


def scores_left_out() -> np.ndarray:
    rows = np.arange(len(LABELS))
    near = DETECTOR.posterior.logits_left_out(rows)[:, :, None]
    others = opinions_left_out(DETECTOR.opinions, TRAIN, LABELS, judged=rows, seed=0)
    return np.concatenate([near, others], axis=2)


def test_weights_maximise_the_penalised_likelihood_of_left_out_labels() -> None:
    features = scores_left_out()

    def loss(weights: np.ndarray) -> float:
        likelihood = log_softmax(features @ weights, axis=1)[np.arange(len(LABELS)), LABELS].sum()
        return float(-likelihood + 5.0 * ((weights - 0.25) ** 2).sum())

    best = minimize(loss, np.full(4, 0.25), bounds=[(0, None)] * 4, tol=1e-12).x
    np.testing.assert_allclose(DETECTOR.weights, best, atol=1e-3)


def test_the_score_is_the_predicted_classs_share_of_the_weighed_opinions() -> None:
    near, others = DETECTOR.posterior.logits(QUERIES)[:, :, None], DETECTOR.opinions.log_shares(QUERIES)
    shares = softmax(np.concatenate([near, others], axis=2) @ DETECTOR.weights, axis=1)
    detected = DETECTOR.scores(QUERIES, PREDICTED)
    np.testing.assert_allclose(detected.probability, shares[np.arange(400), PREDICTED], atol=1e-9)
    assert detected.confidence_weight == 0


def test_one_query_at_a_time_gets_the_score_that_it_has_among_others() -> None:
    together = DETECTOR.scores(QUERIES, PREDICTED)
    for row in (0, 7, 399):
        alone = DETECTOR.scores(QUERIES[row : row + 1], PREDICTED[row : row + 1])
        assert alone.probability[0] == pytest.approx(together.probability[row], abs=1e-12)
        assert alone.by_cases[0] == pytest.approx(together.by_cases[row], abs=1e-12)


def test_the_mean_score_is_near_the_accuracy() -> None:
    detected, accuracy = DETECTOR.scores(QUERIES, PREDICTED), (PREDICTED == TRUTH).mean()
    assert abs(detected.probability.mean() - accuracy) < 0.03  # 400 queries: a standard error of 0.02


def pairs(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Two of twenty columns decide, together; distances are mostly those in the others."""
    X = RNG.integers(0, 3, (count, 20)).astype(float)
    return X, ((X[:, 0] > 0) ^ (X[:, 1] > 0) ^ (RNG.random(count) < 0.05)).astype(int)


def test_irrelevant_columns_harm_it_less_than_the_neighbourhood_alone() -> None:
    train, labels = pairs(400)
    queries, truth = pairs(400)
    predicted = np.where(RNG.random(400) < 0.3, 1 - truth, truth)
    detected, wrong = default_detector_scores(train, labels, queries, predicted), predicted != truth
    assert auroc(detected.probability, wrong) > auroc(detected.by_cases, wrong) + 0.1
    assert auroc(detected.probability, wrong) > auroc(second_opinion_scores(train, labels, queries, predicted), wrong)


def test_the_seed_decides_the_scores_and_the_classifiers_probabilities_do_not() -> None:
    inputs = (TRAIN, LABELS, QUERIES, PREDICTED)
    first = default_detector_scores(*inputs).probability
    even = np.full((400, 3), 1 / 3)
    np.testing.assert_array_equal(default_detector_scores(*inputs, probabilities=even).probability, first)
    assert (default_detector_scores(*inputs, seed=3).probability != first).any()


@pytest.mark.parametrize(
    ("labels", "predicted"),
    [
        (["a"] * 6, ["a", "a"]),
        (["a"] * 5 + ["b"], ["a", "b"]),
        (["a", "b", "c", "d", "e", "f"], ["a", "f"]),
        (["a", "a", "b", "b", "b", "c"], ["c", "b"]),
    ],
)
def test_few_cases_and_lone_classes_give_probabilities(labels: list[str], predicted: list[str]) -> None:
    detected = default_detector_scores(TRAIN[:6], labels, QUERIES[:2], predicted).probability
    assert ((detected >= 0) & (detected <= 1)).all()


def test_a_class_that_no_case_has_gets_no_trust_and_no_query_no_score() -> None:
    assert DETECTOR.scores(QUERIES[:1], [7]).probability.tolist() == [0.0]
    assert len(DETECTOR.scores(np.empty((0, 4)), np.empty(0, dtype=int)).probability) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_detector(TRAIN, LABELS[:3]), "150 rows for 3 labels"),
        (lambda: fit_detector(TRAIN, LABELS, seed=-1), "seed must be a whole number of at least 0"),
        (lambda: DETECTOR.scores(QUERIES[:, :2], PREDICTED), "query_X has 2 features, train_X has 4"),
        (lambda: DETECTOR.scores(QUERIES, PREDICTED[:3]), "need one entry per query, got 400, 3 and 400"),
        (lambda: DETECTOR.scores(QUERIES, PREDICTED.astype(str)), "predicted and train_y"),
    ],
)
def test_misfits_are_named(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


def test_a_table_with_categories_and_gaps_is_scored_as_its_numbers_are() -> None:
    import pandas as pd

    train = pd.DataFrame({"size": [0.0, 0.1, None, 5.0, 5.1, 5.2], "colour": ["a", "a", None, "b", "b", "a"]})
    labels = [0, 0, 0, 1, 1, 1]
    queries = pd.DataFrame({"colour": ["a", "new"], "size": [0.05, None]})  # another order, another category
    detected = default_detector_scores(train, labels, queries, [0, 0]).probability
    middle = 5.0
    numbers = [[0, 0, 1, 0], [0.1, 0, 1, 0], [middle, 1, 0, 0], [5, 0, 0, 1], [5.1, 0, 0, 1], [5.2, 0, 1, 0]]
    expected = default_detector_scores(numbers, labels, [[0.05, 0, 1, 0], [middle, 0, 0, 0]], [0, 0]).probability
    assert detected.tolist() == expected.tolist()
    with pytest.raises(InvalidInput, match="query_X: column 'colour' is missing"):
        default_detector_scores(train, labels, queries[["size"]], [0, 0])
