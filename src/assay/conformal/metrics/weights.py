"""Weights of tasks: by class count, importance, difficulty, data share or confidence. All of them sum to 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.conformal.metrics.accuracy import low_level_accuracy
from assay.conformal.sets.checks import (
    MISSING,
    FloatArray,
    as_class_counts,
    as_labels,
    as_probabilities,
    as_weights,
    to_numpy,
)
from assay.core import InvalidInput

__all__ = [
    "class_count_weights",
    "confidence_weights",
    "data_share_weights",
    "difficulty_weights",
    "importance_weights",
]


def class_count_weights(classes: Sequence[int]) -> FloatArray:
    r"""Tasks with more classes weigh more, tasks with fewer weigh less.

    $$w_t = \frac{C_t}{\sum_u C_u}$$

    Parameters
    ----------
    classes : sequence of one int per task
        The numbers of classes.

    Returns
    -------
    array of one number per task
        They sum to 1.

    Examples
    --------
    >>> class_count_weights([6, 2]).tolist()
    [0.75, 0.25]
    """
    return importance_weights(as_class_counts(classes))


def importance_weights(importance: npt.ArrayLike) -> FloatArray:
    r"""Given importances, one per task, brought to sum 1.

    $$w_t = \frac{g_t}{\sum_u g_u}$$

    Parameters
    ----------
    importance : sequence of one number per task
        At least 0.

    Returns
    -------
    array of one number per task
        They sum to 1.

    Examples
    --------
    >>> importance_weights([1, 3]).tolist()
    [0.25, 0.75]
    """
    array = to_numpy(importance)
    weights = as_weights(array, len(array) if array.ndim == 1 else 0)
    shares: FloatArray = weights / weights.sum()
    return shares


def difficulty_weights(labels: Any, predictions: Any) -> FloatArray:
    r"""Tasks that the model gets wrong more often weigh more.

    $$w_t = \frac{1 - \mathrm{acc}_t}{\sum_u (1 - \mathrm{acc}_u)}$$

    Equal weights when no task has an error; a task without labels has no difficulty, which is an error.

    Parameters
    ----------
    labels : sequence of n class numbers per task, or (n, T) matrix
        What is right; -1 is missing.
    predictions : sequence of n class numbers per task, or (n, T) matrix
        What was predicted.

    Returns
    -------
    array of one number per task
        They sum to 1.

    Examples
    --------
    >>> difficulty_weights([[0, 1, 1, 0], [0, 1, 1, 0]], [[0, 1, 1, 1], [1, 0, 1, 1]]).tolist()
    [0.25, 0.75]
    """
    errors = 1 - low_level_accuracy(labels, predictions)
    if np.isnan(errors).any():
        raise InvalidInput(f"labels: task {int(np.argmax(np.isnan(errors)))} has none, so its difficulty is unknown.")
    shares: FloatArray = errors / errors.sum() if errors.sum() > 0 else np.full(len(errors), 1 / len(errors))
    return shares


def data_share_weights(labels: Any) -> FloatArray:
    r"""Tasks with more labelled samples weigh more.

    $$w_t = \frac{n_t}{\sum_u n_u}, \qquad n_t = |\{i : y_{it} \neq -1\}|$$

    Parameters
    ----------
    labels : sequence of n class numbers per task, or (n, T) matrix
        What is right; -1 is missing.

    Returns
    -------
    array of one number per task
        They sum to 1.

    Examples
    --------
    >>> data_share_weights([[0, 1, 1], [0, -1, -1]]).tolist()
    [0.75, 0.25]
    """
    counts = np.asarray([int((column != MISSING).sum()) for column in as_labels(labels)], dtype=np.float64)
    return importance_weights(counts)


def confidence_weights(probabilities: Any) -> FloatArray:
    r"""Tasks in which the model is more certain weigh more.

    $$w_t = \frac{m_t}{\sum_u m_u}, \qquad m_t = \frac{1}{n} \sum_i \max_c p_{itc}$$

    Parameters
    ----------
    probabilities : sequence of (n, C) matrices, one per task
        What the classifier says.

    Returns
    -------
    array of one number per task
        They sum to 1.

    Examples
    --------
    >>> confidence_weights([[[0.9, 0.1]], [[0.4, 0.6]]]).round(3).tolist()
    [0.6, 0.4]
    """
    matrices = as_probabilities([np.asarray(matrix) for matrix in probabilities])
    if not len(matrices[0]):
        raise InvalidInput("probabilities: hold no samples, so there is no confidence to weigh by.")
    return importance_weights([float(matrix.max(axis=1).mean(dtype=np.float64)) for matrix in matrices])
