from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from assay.conformal.metrics import (
    class_count_weights,
    confidence_weights,
    data_share_weights,
    difficulty_weights,
    high_level_accuracy,
    importance_weights,
    low_level_accuracy,
)
from assay.core import InvalidInput

RNG = np.random.default_rng(0)
LABELS = np.stack([RNG.integers(0, 3, 200), RNG.integers(0, 2, 200)], axis=1)
GUESSES = np.where(RNG.uniform(size=LABELS.shape) < [0.8, 0.7], LABELS, 0)


def test_low_level_accuracy_is_each_tasks_own() -> None:
    expected = [accuracy_score(LABELS[:, t], GUESSES[:, t]) for t in range(2)]
    assert low_level_accuracy(LABELS, GUESSES).tolist() == pytest.approx(expected)
    assert low_level_accuracy(list(LABELS.T), list(GUESSES.T)).tolist() == pytest.approx(expected)


def test_high_level_accuracy_wants_every_task_right_and_is_the_more_stringent() -> None:
    accuracy = high_level_accuracy(LABELS, GUESSES)
    assert accuracy == pytest.approx((LABELS == GUESSES).all(axis=1).mean())
    assert accuracy <= low_level_accuracy(LABELS, GUESSES).min()


def test_missing_labels_leave_the_counts_and_nothing_is_undefined() -> None:
    gaps = LABELS.copy()
    gaps[:50, 0] = -1
    assert low_level_accuracy(gaps, GUESSES)[0] == pytest.approx((LABELS == GUESSES)[50:, 0].mean())
    assert high_level_accuracy(gaps, GUESSES) == pytest.approx((LABELS == GUESSES)[50:].all(axis=1).mean())
    assert math.isnan(high_level_accuracy([[], []], [[], []]))
    assert np.isnan(low_level_accuracy([[-1]], [[0]])).all()


def test_predictions_that_do_not_fit_are_named() -> None:
    with pytest.raises(InvalidInput, match="predictions: 1 tasks were given for the 2"):
        low_level_accuracy(LABELS, GUESSES[:, 0])
    with pytest.raises(InvalidInput, match="199 labels were given for 200"):
        low_level_accuracy(LABELS, GUESSES[:199])
    with pytest.raises(InvalidInput, match="every sample needs a prediction"):
        high_level_accuracy(LABELS, np.where(GUESSES == 0, -1, GUESSES))


def test_weights_sum_to_one_and_say_what_they_are_made_of() -> None:
    probabilities = [RNG.dirichlet(np.ones(3), 50), RNG.dirichlet(np.full(2, 0.1), 50)]
    accuracies = {
        "classes": class_count_weights([3, 9]),
        "importance": importance_weights([2, 6]),
        "difficulty": difficulty_weights(LABELS, GUESSES),
        "data": data_share_weights([[0, 1, -1, -1], [0, 1, 1, 0]]),
        "confidence": confidence_weights(probabilities),
    }
    assert all(weights.sum() == pytest.approx(1) for weights in accuracies.values())
    assert accuracies["classes"].tolist() == accuracies["importance"].tolist() == [0.25, 0.75]
    assert accuracies["data"].tolist() == pytest.approx([1 / 3, 2 / 3])
    errors = 1 - low_level_accuracy(LABELS, GUESSES)
    assert accuracies["difficulty"].tolist() == pytest.approx((errors / errors.sum()).tolist())
    assert accuracies["confidence"][1] > accuracies["confidence"][0]
    assert difficulty_weights(LABELS, LABELS).tolist() == [0.5, 0.5]


def test_weights_of_nothing_are_refused() -> None:
    with pytest.raises(InvalidInput, match="task 0 has none"):
        difficulty_weights([[-1], [0]], [[0], [0]])
    with pytest.raises(InvalidInput, match="all zero"):
        data_share_weights([[-1], [-1]])
    with pytest.raises(InvalidInput, match="no samples"):
        confidence_weights([np.zeros((0, 2))])
    with pytest.raises(InvalidInput, match="weights"):
        importance_weights([-1, 2])
