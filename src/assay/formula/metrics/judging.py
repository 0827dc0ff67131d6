"""Ranks into one score: the default, and the rules of two competitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput

__all__ = [
    "competition_2022_accuracy",
    "competition_2022_scores",
    "competition_2022_simplicity",
    "competition_2023_scores",
    "dense_rank_values",
    "pareto_front",
    "property_judgement",
]

# criterion -> one row per data set, one column per subject; higher is better
Table: TypeAlias = Mapping[str, npt.ArrayLike]

_DECIMALS = 3


def dense_rank_values(values: Sequence[float] | npt.NDArray[np.float64], *, last: int = 1) -> list[int]:
    r"""Points by dense ranks: equals share a rank, and no rank is left out after them.

    $$v = N - k + 1$$

    where N is the number of subjects and k the dense rank, 1 for the highest value. With ``last=0`` it is N - k. What
    is not a number counts as minus infinity, behind every finite value.

    Parameters
    ----------
    values : sequence of float
        A value per subject; higher is better.
    last : int, default 1
        What the last of N different values is worth.

    Returns
    -------
    list of int
        What each subject's rank is worth, in the order of the values.

    Examples
    --------
    >>> dense_rank_values([0.9, 0.7, 0.9, 0.1])
    [4, 3, 4, 2]
    >>> dense_rank_values([0.9, 0.7, 0.9, 0.1], last=0)
    [3, 2, 3, 1]
    """
    numbers = np.where(np.isnan(np.asarray(values, dtype=np.float64)), -np.inf, np.asarray(values, dtype=np.float64))
    order = np.unique(numbers)[::-1]
    ranks = {value: place + 1 for place, value in enumerate(order.tolist())}
    return [len(numbers) - ranks[value] + last for value in numbers.tolist()]


def _stack(criteria: Table) -> dict[str, npt.NDArray[np.float64]]:
    arrays = {name: np.atleast_2d(np.asarray(values, dtype=np.float64)) for name, values in criteria.items()}
    shapes = {array.shape for array in arrays.values()}
    if len(shapes) != 1 or not all(array.size for array in arrays.values()):
        listed = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InvalidInput(f"every criterion needs one row per data set and one column per subject, got {listed}.")
    return arrays


def _harmonic(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The harmonic mean over the first axis; 0 where a point is 0."""
    with np.errstate(divide="ignore"):
        means: npt.NDArray[np.float64] = len(points) / np.sum(1.0 / points, axis=0)
    return means


def property_judgement(accuracy: npt.ArrayLike, simplicity: npt.ArrayLike, properties: npt.ArrayLike) -> list[float]:
    r"""The default: per data set the harmonic mean of the rank values of accuracy, simplicity and property.

    $$S_s = \frac{1}{D} \sum_d \frac{3}{1/a_{ds} + 1/c_{ds} + 1/p_{ds}}$$

    Values are rounded to 3 decimals before they are ranked; rank values are N - k + 1 by dense ranks. One row per data
    set, one column per subject, higher is better.

    Parameters
    ----------
    accuracy : array-like of shape (data sets, subjects)
        R² of every subject on every data set.
    simplicity : array-like of shape (data sets, subjects)
        Higher for smaller models, such as minus the number of nodes.
    properties : array-like of shape (data sets, subjects)
        The score of the property that the data set was made for.

    Returns
    -------
    list of float
        A score per subject; higher is better.

    Examples
    --------
    >>> property_judgement([[0.9, 0.8]], [[-3, -1]], [[1.0, 1.0]])
    [1.5, 1.5]
    """
    return _rank_mean({"accuracy": accuracy, "simplicity": simplicity, "properties": properties}, last=1)


def _rank_mean(criteria: Table, *, last: int) -> list[float]:
    per_set: list[npt.NDArray[np.float64]] = []
    for rows in zip(*_stack(criteria).values(), strict=True):
        points = [dense_rank_values(np.round(row, _DECIMALS), last=last) for row in rows]
        per_set.append(_harmonic(np.array(points, dtype=np.float64)))
    return [float(value) for value in np.mean(per_set, axis=0)]


def competition_2022_accuracy(mse: float, variance: float) -> float:
    r"""R² to 3 decimals as the 2022 competition computed it; a variance of 0 counts as 1e-9.

    $$\mathrm{round}(1 - \mathrm{mse} / \mathrm{var}, 3)$$

    Parameters
    ----------
    mse : float
        Mean squared error on the test rows.
    variance : float
        Variance of the target on the test rows.

    Returns
    -------
    float
        R² with 3 decimals.

    Examples
    --------
    >>> competition_2022_accuracy(0.0123456, 1.0)
    0.988
    """
    return round(1.0 - mse / (variance or 1e-9), _DECIMALS)


def competition_2022_simplicity(nodes: int) -> float:
    r"""Simplicity by the number of nodes n of the simplified model.

    $$-\mathrm{round}(\log_5 n, 1)$$

    Parameters
    ----------
    nodes : int
        The number of nodes.

    Returns
    -------
    float
        At most 0; higher is simpler.

    Examples
    --------
    >>> competition_2022_simplicity(25), competition_2022_simplicity(1)
    (-2.0, 0.0)
    """
    if nodes < 1:
        raise InvalidInput(f"a model has at least one node, got {nodes}.")
    return 0.0 - round(float(np.log(nodes) / np.log(5)), 1)


def competition_2022_scores(
    accuracy: npt.ArrayLike, simplicity: npt.ArrayLike, properties: npt.ArrayLike
) -> list[float]:
    r"""The 2022 competition: as the default, but the last place is worth 0, which makes its harmonic mean 0.

    $$S_s = \frac{1}{D} \sum_d \frac{3}{1/(N - k^a_{ds}) + 1/(N - k^c_{ds}) + 1/(N - k^p_{ds})}$$

    The values are means over the repetitions, one row per data set and one column per subject.

    Parameters
    ----------
    accuracy : array-like of shape (data sets, subjects)
        R² of every subject on every data set.
    simplicity : array-like of shape (data sets, subjects)
        Higher for smaller models, such as minus the number of nodes.
    properties : array-like of shape (data sets, subjects)
        The score of the property that the data set was made for.

    Returns
    -------
    list of float
        A score per subject; higher is better.

    Examples
    --------
    >>> competition_2022_scores([[0.9, 0.8, 0.7]], [[-1, -2, -3]], [[1, 1, 0]])
    [2.0, 1.2, 0.0]
    """
    return _rank_mean({"accuracy": accuracy, "simplicity": simplicity, "properties": properties}, last=0)


def competition_2023_scores(accuracy: npt.ArrayLike, nodes: npt.ArrayLike) -> list[float]:
    r"""The 2023 competition: harmonic mean of the rank values of R² and of size over all n data sets.

    $$S_s = \frac{2n}{\sum_{d=1}^{n} \left(1/a_{ds} + 1/c_{ds}\right)}$$

    R² is not rounded, sizes are node counts of the model as it was submitted, not simplified; rank values are
    N - k + 1 by dense ranks. One row per data set, one column per subject.

    Parameters
    ----------
    accuracy : array-like of shape (data sets, subjects)
        R² of every subject on every data set.
    nodes : array-like of shape (data sets, subjects)
        The size of every model.

    Returns
    -------
    list of float
        A score per subject; higher is better.

    Examples
    --------
    >>> competition_2023_scores([[0.9, 0.8], [0.7, 0.7]], [[5, 3], [9, 4]])
    [1.3333333333333333, 1.6]
    """
    arrays = _stack({"accuracy": accuracy, "nodes": nodes})
    points = [dense_rank_values(row) for row in arrays["accuracy"]]
    points += [dense_rank_values(-row) for row in arrays["nodes"]]
    return [float(value) for value in _harmonic(np.array(points, dtype=np.float64))]


def pareto_front(accuracy: npt.ArrayLike, nodes: npt.ArrayLike) -> list[int]:
    r"""The models that no other beats in both accuracy and size, by position, smallest first.

    $$\{i : \nexists j : a_j \ge a_i,\; c_j \le c_i,\; (a_j, c_j) \ne (a_i, c_i)\}$$

    Of equal models the first stands for all. A model without accuracy is on no front.

    Parameters
    ----------
    accuracy : array-like of shape (models,)
        Higher is better.
    nodes : array-like of shape (models,)
        The size of every model; lower is better.

    Returns
    -------
    list of int
        Positions of the models on the front.

    Examples
    --------
    >>> pareto_front([0.5, 0.9, 0.9, 0.4], [3, 9, 20, 3])
    [0, 1]
    """
    a, c = np.asarray(accuracy, dtype=np.float64), np.asarray(nodes, dtype=np.float64)
    if a.ndim != 1 or a.shape != c.shape:
        raise InvalidInput(f"accuracy and nodes must be two lists of one length, got shapes {a.shape} and {c.shape}.")
    order = sorted((i for i in range(len(a)) if not np.isnan(a[i])), key=lambda i: (c[i], -a[i], i))
    front: list[int] = []
    for place in order:
        if not front or a[place] > a[front[-1]]:
            front.append(place)
    return front
