"""How good the model is before any conformal prediction: each task alone, and all of them at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.conformal.metrics.counted import ratio
from assay.conformal.sets.checks import MISSING, FloatArray, IntArray, as_labels
from assay.core import InvalidInput

__all__ = ["high_level_accuracy", "low_level_accuracy"]


def low_level_accuracy(labels: Any, predictions: Any) -> FloatArray:
    r"""The share of right predictions, for each task on its own.

    $$\mathrm{acc}_t = \frac{|\{i : \hat y_{it} = y_{it}\}|}{|\{i : y_{it} \neq -1\}|}$$

    Labels and predictions are one array per task or an (n, T) matrix. A missing label (-1) leaves the counts of its
    task; a task without any label is undefined (nan).

    Parameters
    ----------
    labels : sequence of n class numbers per task, or (n, T) matrix
        What is right; -1 is missing.
    predictions : sequence of n class numbers per task, or (n, T) matrix
        What was predicted.

    Returns
    -------
    array of one number per task
        From 0 to 1, or nan.

    Examples
    --------
    >>> low_level_accuracy([[0, 1, 2, 2], [1, 0, 1, -1]], [[0, 1, 2, 0], [1, 1, 1, 0]]).round(3).tolist()
    [0.75, 0.667]
    """
    true, guesses = _both(labels, predictions)
    shares = [ratio(int((a == b).sum()), int((a != MISSING).sum())) for a, b in zip(true, guesses, strict=True)]
    return np.asarray(shares, dtype=np.float64)


def high_level_accuracy(labels: Any, predictions: Any) -> float:
    r"""The share of samples for which every task is predicted right: never more than any task's own accuracy.

    $$\mathrm{acc} = \frac{1}{n} \sum_i \prod_t [\hat y_{it} = y_{it}]$$

    Samples with a missing label in any task are left out. Undefined (nan) without samples.

    Parameters
    ----------
    labels : sequence of n class numbers per task, or (n, T) matrix
        What is right; -1 is missing.
    predictions : sequence of n class numbers per task, or (n, T) matrix
        What was predicted.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> high_level_accuracy([[0, 1, 2, 2], [1, 0, 1, 1]], [[0, 1, 2, 0], [1, 1, 1, 1]])
    0.5
    """
    true, guesses = _both(labels, predictions)
    labelled = np.logical_and.reduce([column != MISSING for column in true])
    right = np.logical_and.reduce([a == b for a, b in zip(true, guesses, strict=True)])
    return ratio(int((labelled & right).sum()), int(labelled.sum()))


def _both(labels: Any, predictions: Any) -> tuple[tuple[IntArray, ...], tuple[IntArray, ...]]:
    true = as_labels(labels)
    guesses = as_labels(predictions, samples=len(true[0]) if true else None, what="predictions")
    if not true or len(guesses) != len(true):
        raise InvalidInput(f"predictions: {len(guesses)} tasks were given for the {len(true)} tasks of the labels.")
    for task, column in enumerate(guesses):
        if len(column) and column.min() < 0:
            raise InvalidInput(
                f"predictions, task {task}: {column.min()} is not a class; every sample needs a prediction."
            )
    return true, guesses
