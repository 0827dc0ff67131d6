"""Trust Score: is the query nearer to the predicted class than to any other?"""

from __future__ import annotations

import numpy as np

from assay.cases.neighbors.checks import FloatArray, LabelArray, demand_k
from assay.cases.neighbors.index import CaseIndex
from assay.cases.neighbors.scaling import fit_scaling
from assay.core.checks import demand_share

__all__ = ["distances_to_classes", "nearest_distance_scores", "trust_scores"]

_LEAST = 1e-12  # added to the distance to the predicted class, as published
_DENSITY_K = 10  # neighbours within the class by which a case counts as central or remote


def trust_scores(
    train_X: FloatArray,
    train_y: LabelArray,
    query_X: FloatArray,
    predicted: LabelArray,
    *,
    k: int = 2,
    alpha: float = 0.0,
    bounded: bool = True,
) -> FloatArray:
    r"""Distance to the nearest other class against that to the predicted class, between 0 and 1.

    $$\frac{d_\mathrm{other}}{d_\mathrm{pred} + d_\mathrm{other}}$$

    A bounded form of the ratio of Jiang, Kim, Guan and Gupta (To Trust Or Not To Trust A Classifier, NeurIPS 2018). The
    distance to a class is that to its k-th nearest case. 0 for a predicted class without a training case; 1 where there
    is no other class.

    The order is that of the published ratio $$d_\mathrm{other} / (d_\mathrm{pred} + 10^{-12})$$ except where distances
    are zero. Where only $$d_\mathrm{pred}$$ is 0, the bounded score is 1 for all, and the ratio still tells them apart
    by $$d_\mathrm{other}$$. Where both are 0, the bounded score is 0.5, undecided, and the ratio is 0, the least trust
    of all. ``bounded=False`` gives the published ratio. Two more things differ from the published program in either
    form: features are standardised by the training cases, where it takes them as they come; and with ``alpha`` a case
    is judged by its tenth neighbour beside itself, where it counts the case as its own first neighbour.

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
    k : int, default 2
        Which neighbour's distance is that of a class.
    alpha : float, default 0
        The share of each class that is left out before: what lies most remote, by the distance to the tenth neighbour
        within the class.
    bounded : bool, default True
        Between 0 and 1; with False the published ratio, from 0 on.

    Returns
    -------
    array of n numbers
        From 0 to 1, higher for more trust.

    Examples
    --------
    >>> trust_scores(np.array([[0.0], [1.0], [4.0]]), np.array([0, 0, 1]), np.array([[1.0]]), np.array([0]), k=1)
    array([1.])
    >>> trust_scores(np.array([[0.0], [4.0]]), np.array([0, 1]), np.array([[1.0]]), np.array([1]), k=1)
    array([0.25])
    >>> trust_scores(
    ...     np.array([[0.0], [4.0]]), np.array([0, 1]), np.array([[1.0]]), np.array([0]), k=1, bounded=False
    ... ).round(6)
    array([3.])
    """
    demand_share(alpha, "alpha")
    classes, distances = distances_to_classes(train_X, train_y, query_X, k=k, alpha=alpha)
    is_predicted = classes == predicted[:, None]
    to_predicted = np.where(is_predicted, distances, np.inf).min(axis=1)
    to_other = np.where(is_predicted, np.inf, distances).min(axis=1)
    if not bounded:
        published: FloatArray = np.where(np.isinf(to_predicted), 0.0, to_other / (to_predicted + _LEAST))
        return published
    total = to_predicted + to_other
    with np.errstate(invalid="ignore"):
        ratio = np.divide(to_other, total, out=np.full(len(total), 0.5), where=total > 0)
    ratio = np.where(np.isinf(to_other), 1.0, ratio)
    scores: FloatArray = np.where(np.isinf(to_predicted), 0.0, ratio)
    return scores


def nearest_distance_scores(
    train_X: FloatArray, train_y: LabelArray, query_X: FloatArray, predicted: LabelArray
) -> FloatArray:
    r"""Minus the distance to the nearest case of the predicted class, in the standardised space.

    $$-\min_{i : y_i = \hat y} d(x, x_i)$$

    A predicted class without a training case gets minus ten times the largest distance to any class, and -1 at least.

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

    Returns
    -------
    array of n numbers
        At most 0, higher for more trust.

    Examples
    --------
    >>> nearest_distance_scores(np.array([[-1.0], [1.0]]), np.array([0, 1]), np.array([[0.5]]), np.array([1]))
    array([-0.5])
    """
    classes, distances = distances_to_classes(train_X, train_y, query_X, k=1)
    to_predicted = np.where(classes == predicted[:, None], distances, np.inf).min(axis=1)
    farthest = max(1.0, 10.0 * float(distances.max(initial=0.0)))
    scores: FloatArray = -np.where(np.isinf(to_predicted), farthest, to_predicted)
    return scores


def distances_to_classes(
    train_X: FloatArray, train_y: LabelArray, query_X: FloatArray, *, k: int, alpha: float = 0.0
) -> tuple[LabelArray, FloatArray]:
    """The sorted training classes, and the distance of each query to the k-th nearest case of each.

    A class with fewer than k cases is as far as its farthest one.
    """
    demand_k(k)
    scaling = fit_scaling(train_X)
    cases, queries = scaling.apply(train_X), scaling.apply(query_X)
    classes = np.unique(train_y)
    distances = np.empty((len(queries), len(classes)))
    for column, label in enumerate(classes):
        members = _central(cases[train_y == label], alpha)
        distances[:, column] = CaseIndex(members).query(queries, min(k, len(members))).distances[:, -1]
    return classes, distances


def _central(members: FloatArray, alpha: float) -> FloatArray:
    """The cases of a class without the share that lies most remote; ties leave the later ones out."""
    count = len(members) - int(alpha * len(members))
    if count == len(members):
        return members
    reach = CaseIndex(members).query(members, min(_DENSITY_K + 1, len(members))).distances[:, -1]
    return members[np.sort(np.argsort(reach, kind="stable")[:count])]
