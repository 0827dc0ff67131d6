"""Conformal credibility by nearest neighbours: how usual would this query be if the prediction were its label?"""

from __future__ import annotations

import numpy as np

from assay.cases.neighbors.checks import FloatArray, LabelArray, demand_k
from assay.cases.neighbors.index import CaseIndex
from assay.cases.neighbors.scaling import fit_scaling

__all__ = ["credibility"]


def credibility(
    train_X: FloatArray, train_y: LabelArray, query_X: FloatArray, predicted: LabelArray, *, k: int = 5
) -> FloatArray:
    r"""Share of the training cases that are at least as strange in their own class as the query in the predicted one.

    $$p = \frac{1 + |\{i : a_i \ge a\}|}{n + 1}, \qquad
    a = \frac{\sum_{j \le k} d_j^\mathrm{same}}{\sum_{j \le k} d_j^\mathrm{same} + \sum_{j \le k} d_j^\mathrm{other}}$$

    over the k nearest cases of the predicted class and of all other classes; for a training case itself, its own label
    stands for the prediction and it is left out of its own neighbourhood. The strangeness of the training cases is not
    computed again with the query among them, so the p-values are those of a large case base. Where a class has fewer
    than k cases, k times their mean distance stands for the sum. A class without a
    (further) case is as strange as can be: a = 1; with only one class, a = 0; where all distances are 0, a = 1/2.

    Parameters
    ----------
    train_X : array of shape (cases, features)
        The training cases.
    train_y : array of one class per case
        Their labels.
    query_X : array of shape (n, features)
        The queries.
    predicted : array of n classes
        What was predicted.
    k : int, default 5
        How many neighbours of either kind.

    Returns
    -------
    array of n numbers
        From 0 to 1, higher for more trust.

    Examples
    --------
    >>> cases, labels = np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]]), np.array([0, 0, 0, 1, 1, 1])
    >>> credibility(cases, labels, np.array([[1.0], [9.0]]), np.array([0, 0]), k=2).round(3).tolist()
    [1.0, 0.143]
    """
    demand_k(k)
    scaling = fit_scaling(train_X)
    cases, queries = scaling.apply(train_X), scaling.apply(query_X)
    usual = np.sort(_strangeness(cases, train_y, cases, train_y, k, themselves=True))
    strangeness = _strangeness(cases, train_y, queries, predicted, k, themselves=False)
    at_least = len(usual) - np.searchsorted(usual, strangeness, side="left")
    p: FloatArray = (1 + at_least) / (len(usual) + 1)
    return p


def _strangeness(
    cases: FloatArray, y: LabelArray, queries: FloatArray, labels: LabelArray, k: int, *, themselves: bool
) -> FloatArray:
    strange = np.ones(len(queries))
    for label in np.unique(labels):
        inside = labels == label
        same = _reach(cases[y == label], queries[inside], k, skip=int(themselves))
        other = _reach(cases[y != label], queries[inside], k, skip=0)
        total = same + other
        with np.errstate(invalid="ignore"):
            ratio = np.divide(same, total, out=np.full(len(total), 0.5), where=total > 0)
        strange[inside] = np.where(np.isinf(same), 1.0, np.where(np.isinf(other), 0.0, ratio))
    return strange


def _reach(members: FloatArray, queries: FloatArray, k: int, *, skip: int) -> FloatArray:
    """Sum of the distances to the k nearest members; the nearest ``skip`` are the query itself, at distance 0.

    Where there are fewer than k, the sum is brought to k by their mean; where there is none, it is infinite.
    """
    there = min(k, len(members) - skip)
    if there < 1:
        return np.full(len(queries), np.inf)
    distances = CaseIndex(members).query(queries, there + skip).distances[:, skip:]
    total: FloatArray = distances.mean(axis=1) * k
    return total
