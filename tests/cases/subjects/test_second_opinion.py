from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from assay.cases.subjects.second_opinion import fit_second_opinion, second_opinion_scores
from assay.core import InvalidInput

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
TRAIN, LABELS, QUERIES = X[::2], NAMES[::2], X[1::2]
PREDICTED = np.roll(NAMES[1::2], 3)
SHARES = np.random.default_rng(0).dirichlet([1, 1, 1], size=len(QUERIES))
OPINION = fit_second_opinion(TRAIN, LABELS, trees=20)


def test_the_score_is_the_forests_probability_of_the_predicted_class() -> None:
    forest = RandomForestClassifier(20, random_state=OPINION.forest.random_state).fit(TRAIN, LABELS)
    place = {name: column for column, name in enumerate(forest.classes_)}
    expected = [row[place[name]] for row, name in zip(forest.predict_proba(QUERIES), PREDICTED, strict=True)]
    np.testing.assert_array_equal(OPINION.scores(QUERIES, PREDICTED), expected)
    np.testing.assert_array_equal(second_opinion_scores(TRAIN, LABELS, QUERIES, PREDICTED, trees=20), expected)


def test_with_probabilities_it_is_the_mean_with_the_largest_of_them() -> None:
    combined = OPINION.scores(QUERIES, PREDICTED, SHARES)
    np.testing.assert_allclose(combined, (OPINION.scores(QUERIES, PREDICTED) + SHARES.max(axis=1)) / 2, rtol=1e-15)


def test_one_query_at_a_time_gives_the_score_of_the_batch() -> None:
    one = [OPINION.scores(QUERIES[i : i + 1], PREDICTED[i : i + 1], SHARES[i : i + 1])[0] for i in range(10)]
    np.testing.assert_allclose(one, OPINION.scores(QUERIES, PREDICTED, SHARES)[:10], rtol=1e-12)


def test_the_forest_is_independent_of_a_classifier_with_the_same_seed() -> None:
    classifier = RandomForestClassifier(20, random_state=0).fit(TRAIN, LABELS)
    assert not np.array_equal(classifier.predict_proba(QUERIES), OPINION.forest.predict_proba(QUERIES))


def test_a_class_without_a_training_case_gets_no_trust_and_no_query_no_score() -> None:
    assert OPINION.scores(QUERIES[:1], ["unknown"]).tolist() == [0.0]
    assert OPINION.scores(QUERIES[:0], PREDICTED[:0], SHARES[:0]).tolist() == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: OPINION.scores(QUERIES[:, :2], PREDICTED), "query_X has 2 features, the training cases have 4"),
        (lambda: OPINION.scores(QUERIES, PREDICTED[:3]), "75 rows for 3 predictions"),
        (lambda: OPINION.scores(QUERIES, Y[1::2]), "predicted and train_y"),
        (lambda: OPINION.scores(QUERIES, PREDICTED, SHARES[:2]), "probabilities has 2 rows for 75 queries"),
        (lambda: fit_second_opinion(TRAIN, LABELS[:3]), "75 rows for 3 labels"),
        (lambda: fit_second_opinion(TRAIN, LABELS, trees=0), "trees must be a whole number of at least 1"),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()
