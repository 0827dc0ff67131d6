"""Which sets hold the truth, sample by sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.conformal.sets.checks import MISSING, BoolArray, IntArray, as_labels
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.named import in_order, names_of
from assay.conformal.sets.prediction_sets import as_matrices

__all__ = ["covered", "jointly_covered"]


def label_matrix(sets: Any, labels: Any) -> IntArray:
    """The labels in the order of the tasks of the sets, (n, T); -1 is missing."""
    return np.stack(as_labels(in_order(labels, names_of(sets), what="labels", like="the sets")), axis=1)


def covered(sets: Any, labels: Any) -> BoolArray:
    r"""Sample by sample and task by task, whether the set holds the label; False for a missing label.

    $$h_{it} = [y_{it} \in S_{it}]$$

    Parameters
    ----------
    sets : PredictionSets, CombinationSets, or sequence of (n, C) matrices
        One boolean matrix per task; of combinations what they leave open in each task.
    labels : sequence of n class numbers per task, or (n, T) matrix
        What is right; -1 is missing.

    Returns
    -------
    boolean array of shape (n, T)
        Which sets hold the true label.

    Examples
    --------
    >>> covered([[[1, 0], [1, 1]], [[0, 1], [0, 1]]], [[0, 1], [1, 0]]).tolist()
    [[True, True], [True, False]]
    """
    if isinstance(sets, CombinationSets):
        sets = sets.project()
    matrices = as_matrices(sets)
    labels = in_order(labels, names_of(sets), what="labels", like="the sets")
    columns = as_labels(labels, [matrix.shape[1] for matrix in matrices], samples=len(matrices[0]))
    rows = np.arange(len(matrices[0]))
    hits = [m[rows, np.maximum(y, 0)] & (y != MISSING) for m, y in zip(matrices, columns, strict=True)]
    return np.stack(hits, axis=1)


def jointly_covered(sets: Any, labels: Any) -> BoolArray:
    r"""Sample by sample, whether all labels are covered at once; False where one is missing.

    $$h_i = \prod_t [y_{it} \in S_{it}] \text{ (product sets)}, \qquad h_i = [(y_{i1}, \ldots, y_{iT}) \in S_i]
    \text{ (combinations)}$$

    Parameters
    ----------
    sets : PredictionSets, CombinationSets, or sequence of (n, C) matrices
        One boolean matrix per task, or sets of combinations.
    labels : sequence of n class numbers per task, or (n, T) matrix
        What is right; -1 is missing.

    Returns
    -------
    boolean array of shape (n,)
        Which samples are covered in every task.

    Examples
    --------
    >>> from assay.conformal import CombinationSets
    >>> jointly_covered([[[1, 0], [1, 1]], [[0, 1], [0, 1]]], [[0, 1], [1, 0]]).tolist()
    [True, False]
    >>> jointly_covered(CombinationSets.from_labels([[[0, 1], [1, 0]]], classes=(2, 2)), [[1], [1]]).tolist()
    [False]
    """
    if isinstance(sets, CombinationSets):
        return sets.contains(labels)
    hits: BoolArray = np.logical_and.reduce(covered(sets, labels), axis=1)
    return hits
