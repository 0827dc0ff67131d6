from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.conformal import PredictionSets, calibrate, count_sets, coverage, efficiency
from assay.conformal.calibration.joint_model import (
    joint_labels,
    joint_probabilities,
    marginal_probabilities,
    product_sets,
    project_sets,
    split_labels,
)
from assay.core import InvalidInput

CLASSES = (3, 2, 4)


def test_labels_are_numbered_as_by_ravel_multi_index_and_come_back() -> None:
    rng = np.random.default_rng(0)
    labels = [rng.integers(0, count, 50) for count in CLASSES]
    joint = joint_labels(labels, CLASSES)
    np.testing.assert_array_equal(joint, np.ravel_multi_index(labels, CLASSES))
    assert all((a == b).all() for a, b in zip(split_labels(joint, CLASSES), labels, strict=True))


def test_marginals_of_independent_heads_are_the_heads(sample: Any) -> None:
    probabilities, _ = sample(40, CLASSES)
    joint = joint_probabilities(probabilities)
    np.testing.assert_allclose(joint.sum(axis=1), 1)
    for marginal, matrix in zip(marginal_probabilities(joint, CLASSES), probabilities, strict=True):
        np.testing.assert_allclose(marginal, matrix, atol=1e-15)


def test_marginals_of_a_dependent_joint_model_are_exact_sums() -> None:
    joint = np.random.default_rng(1).dirichlet(np.ones(24), size=10)
    first, second, third = marginal_probabilities(joint, CLASSES)
    by_hand = np.array([[row[[j for j in range(24) if j // 8 == c]].sum() for c in range(3)] for row in joint])
    np.testing.assert_allclose(first, by_hand)
    np.testing.assert_allclose(second[:, 1], joint[:, [j for j in range(24) if (j // 4) % 2 == 1]].sum(axis=1))
    np.testing.assert_allclose(third[:, 2], joint[:, 2::4].sum(axis=1))


def test_a_product_of_sets_projects_onto_the_sets_and_has_their_volume() -> None:
    rng = np.random.default_rng(2)
    sets = PredictionSets.from_matrices([rng.uniform(size=(60, count)) < 0.7 for count in CLASSES])
    whole = product_sets(sets)
    assert efficiency(whole) == efficiency(sets, overall="joint")
    nonempty = sets.sizes().all(axis=1)
    assert project_sets(whole, CLASSES)[nonempty] == sets[nonempty]


def test_a_joint_model_covers_all_tasks_and_its_projections_too(sample: Any) -> None:
    probabilities, labels = sample(2000, CLASSES, seed=3)
    joint, combined = joint_probabilities(probabilities), joint_labels(labels, CLASSES)
    sets = calibrate([joint[:1000]], [combined[:1000]], alpha=0.1).predict_sets([joint[1000:]])
    assert isinstance(sets, PredictionSets)
    inside = coverage(sets, [combined[1000:]])
    projected = project_sets(sets, CLASSES)
    assert inside > 0.87
    outside = count_sets(projected, [y[1000:] for y in labels])
    assert coverage(outside, overall="joint") >= inside


def test_too_many_combinations_and_wrong_sizes_are_refused() -> None:
    with pytest.raises(InvalidInput, match="calibrate the tasks with a joint method instead"):
        joint_labels([[0]] * 8, (10,) * 8)
    with pytest.raises(InvalidInput, match="one task of 6"):
        project_sets(PredictionSets.full(1, (5,)), (2, 3))
    with pytest.raises(InvalidInput, match="classes"):
        marginal_probabilities([[0.5, 0.5]], (3,))


def test_no_samples_have_no_combinations() -> None:
    nothing = [np.empty((0, 2)), np.empty((0, 3))]
    assert joint_probabilities(nothing).shape == (0, 6)
    assert product_sets(PredictionSets.from_matrices(nothing)).classes == (6,)
