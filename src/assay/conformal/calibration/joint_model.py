"""A joint model has one class for every combination of the tasks' classes: its labels, marginals and sets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from assay.conformal.sets.checks import MISSING, FloatArray, IntArray, as_class_counts, as_labels, as_probabilities
from assay.conformal.sets.prediction_sets import PredictionSets
from assay.core import InvalidInput

__all__ = [
    "joint_labels",
    "joint_probabilities",
    "marginal_probabilities",
    "product_sets",
    "project_sets",
    "split_labels",
]

MOST_COMBINATIONS = 10_000_000


def joint_labels(labels: Any, classes: Sequence[int]) -> IntArray:
    r"""The number of each sample's combination of classes, the last task running fastest; -1 where one is missing.

    $$j = \sum_t y_t \prod_{u > t} C_u$$

    >>> joint_labels([[0, 1, 1], [2, 0, -1]], (2, 3)).tolist()
    [2, 3, -1]
    """
    counts = _combinations(classes)
    columns = as_labels(labels, counts)
    numbers = np.zeros(len(columns[0]), dtype=np.int64)
    for column, count in zip(columns, counts, strict=True):
        numbers = numbers * count + np.maximum(column, 0)
    missing = np.logical_or.reduce([column == MISSING for column in columns])
    return np.where(missing, MISSING, numbers)


def split_labels(joint: Any, classes: Sequence[int]) -> tuple[IntArray, ...]:
    """The inverse of :func:`joint_labels`.

    >>> [column.tolist() for column in split_labels([2, 3, -1], (2, 3))]
    [[0, 1, -1], [2, 0, -1]]
    """
    counts = _combinations(classes)
    (column,) = as_labels([joint], [prod(counts)])
    split = np.unravel_index(np.maximum(column, 0), counts)
    return tuple(np.where(column == MISSING, MISSING, part).astype(np.int64) for part in split)


def joint_probabilities(probabilities: Any) -> FloatArray:
    r"""Probabilities of combinations, as if tasks were independent: one head per task made into one over the product.

    $$p_j = \prod_t p_{t, y_t(j)}$$

    >>> joint_probabilities([[[0.5, 0.5]], [[0.25, 0.75]]]).tolist()
    [[0.125, 0.375, 0.125, 0.375]]
    """
    matrices = as_probabilities(probabilities)
    _combinations([matrix.shape[1] for matrix in matrices])
    columns = [matrix.astype(np.float64) for matrix in matrices]
    return reduce(lambda a, b: (a[:, :, None] * b[:, None, :]).reshape(len(a), a.shape[1] * b.shape[1]), columns)


def marginal_probabilities(joint: Any, classes: Sequence[int]) -> tuple[FloatArray, ...]:
    r"""Each task's own probabilities: exact sums over all combinations with that class.

    $$p_{t,c} = \sum_{j : y_t(j) = c} p_j$$

    >>> [matrix.tolist() for matrix in marginal_probabilities([[0.125, 0.375, 0.125, 0.375]], (2, 2))]
    [[[0.5, 0.5]], [[0.25, 0.75]]]
    """
    counts = _combinations(classes)
    (matrix,) = as_probabilities([joint], classes=[prod(counts)])
    cube = matrix.astype(np.float64).reshape(len(matrix), *counts)
    axes = range(1, len(counts) + 1)
    return tuple(cube.sum(axis=tuple(other for other in axes if other != axis)) for axis in axes)


def project_sets(joint: PredictionSets, classes: Sequence[int]) -> PredictionSets:
    """What a set of combinations leaves open in each task; a sample covered jointly is covered in every task.

    >>> joint = PredictionSets.from_labels([[[0, 4]]], classes=(6,))
    >>> project_sets(joint, (2, 3)).labels(0), project_sets(joint, (2, 3)).labels(1)
    ([[0, 1]], [[0, 1]])
    """
    counts = _combinations(classes)
    if joint.classes != (prod(counts),):
        raise InvalidInput(f"sets: have {joint.classes} classes where one task of {prod(counts)} is expected.")
    cube = joint.matrix(0).reshape(len(joint), *counts)
    axes = range(1, len(counts) + 1)
    return PredictionSets.from_matrices(
        [cube.any(axis=tuple(other for other in axes if other != axis)) for axis in axes]
    )


def product_sets(sets: PredictionSets) -> PredictionSets:
    """All combinations that the tasks' sets leave open, as one task.

    >>> product_sets(PredictionSets.from_labels([[[1]], [[0, 2]]], classes=(2, 3))).labels(0)
    [[3, 5]]
    """
    _combinations(sets.classes)
    joined = reduce(
        lambda a, b: (a[:, :, None] & b[:, None, :]).reshape(len(a), a.shape[1] * b.shape[1]), sets.matrices()
    )
    return PredictionSets.from_matrices([joined])


def _combinations(classes: Sequence[int]) -> tuple[int, ...]:
    counts = as_class_counts(classes)
    if prod(counts) > MOST_COMBINATIONS:
        raise InvalidInput(
            f"classes: {prod(counts)} combinations are more than a joint model of {MOST_COMBINATIONS} can have; "
            "calibrate the tasks with a joint method instead."
        )
    return counts
