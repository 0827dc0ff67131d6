"""Predictive performance of a model on the test part, and the scale on which coverage counts it."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput
from assay.insight.metrics.association import binary_exponent

__all__ = ["auc", "macro_auc", "on_auc_scale", "r_squared", "rho"]


def auc(positive: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    r"""The area under the ROC curve: how often a positive row outranks a negative one; ties count half.

    $$\mathrm{AUC} = \frac{1}{P N} \sum_{i \in +} \sum_{j \in -}
      \left( [s_i > s_j] + \tfrac12 [s_i = s_j] \right)$$

    Undefined (nan) without positive or without negative rows, and where a score is missing.

    Parameters
    ----------
    positive : array-like of shape (n,)
        Whether each row is positive.
    scores : array-like of shape (n,)
        A score per row; higher for positive rows.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Raises
    ------
    InvalidInput
        The two differ in length, or one is no plain list.

    Examples
    --------
    >>> auc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    >>> auc([1, 1], [0.2, 0.3])
    nan
    """
    truth, values = np.asarray(positive), np.asarray(scores, dtype=np.float64)
    _demand_equal(truth, values)
    if truth.dtype.kind != "b" and not np.isin(truth, (0, 1)).all():
        raise InvalidInput("auc: the truth must say True or False, or 1 or 0, of each row; give y == the class.")
    flags = truth.astype(np.bool_)
    positives = int(flags.sum())
    negatives = len(flags) - positives
    if not positives or not negatives or np.isnan(values).any():
        return math.nan
    order = np.argsort(values, kind="stable")
    ordered, marked = values[order], flags[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))  # of each group of equal scores
    up_to = np.cumsum(marked)[last]
    here = np.diff(up_to, prepend=0)
    others = np.diff(last, prepend=-1) - here
    below = np.cumsum(others) - others
    # whole and half numbers: exact up to 2**52 pairs
    return float((here * (below + others / 2)).sum() / (positives * negatives))


def macro_auc(classes: npt.ArrayLike, probabilities: npt.ArrayLike) -> float:
    r"""One-vs-rest AUC, averaged over the classes that the test part holds.

    $$\mathrm{AUC}_{\mathrm{macro}} = \frac{1}{|K|} \sum_{k \in K} \mathrm{AUC}([y = k], p_k)$$

    Undefined (nan) when the test part holds a single class. With two classes it is the ordinary AUC.

    Parameters
    ----------
    classes : array-like of shape (n,)
        The class of each row, as a column number of ``probabilities``.
    probabilities : array-like of shape (n, classes)
        The predicted probability of every class.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Raises
    ------
    InvalidInput
        The two differ in length, or a class has no column.

    Examples
    --------
    >>> macro_auc([0, 1, 2], [[0.8, 0.1, 0.1], [0.3, 0.5, 0.2], [0.1, 0.6, 0.3]])
    0.833...
    """
    codes, table = np.asarray(classes), np.asarray(probabilities, dtype=np.float64)
    _demand_equal(codes, table[:, :1].ravel() if table.ndim > 1 else table)
    if table.ndim != 2:
        raise InvalidInput(f"macro_auc: probabilities need a row per value and a column per class, got {table.shape}.")
    present = np.unique(codes)
    if strange := [code for code in present.tolist() if code not in range(table.shape[1])]:
        raise InvalidInput(
            f"macro_auc: classes must be column numbers from 0 to {table.shape[1] - 1}, got {strange[0]!r}."
        )
    present = present.astype(np.int64)
    if len(present) == 2 and table.shape[1] == 2:
        return auc(codes == 1, table[:, 1])
    return float(np.mean([auc(codes == code, table[:, code]) for code in present])) if len(present) > 1 else math.nan


def r_squared(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    r"""The coefficient of determination.

    $$R^2 = 1 - \frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}$$

    Where all true values are equal: 1 for a perfect prediction, 0 for any other. Undefined (nan) below two rows.

    Parameters
    ----------
    truth : array-like of shape (n,)
        The true values.
    predicted : array-like of shape (n,)
        The predicted ones, in the same order.

    Returns
    -------
    float
        At most 1, or nan.

    Raises
    ------
    InvalidInput
        The two differ in length, or one is no plain list.

    Examples
    --------
    >>> r_squared([1, 2, 3], [1, 2, 2])
    0.5
    >>> r_squared([2, 2], [2, 3])
    0.0
    """
    y, p = np.asarray(truth, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    _demand_equal(y, p)
    if len(y) < 2:
        return math.nan
    if y.min() == y.max():
        return float((y == p).all())
    exponent = binary_exponent(y)
    y, p = np.ldexp(y, -exponent), np.ldexp(p, -exponent)  # squares stay within the range of floats
    residual, total = float(((y - p) ** 2).sum()), float(((y - y.mean()) ** 2).sum())
    return 1 - residual / total


def on_auc_scale(r2: float) -> float:
    r"""R² on the scale of an AUC, where chance is one half and perfection is one.

    $$s(R^2) = \frac{R^2 + 1}{2}$$

    Parameters
    ----------
    r2 : float
        A coefficient of determination.

    Returns
    -------
    float
        At most 1; one half for an R² of 0.

    Examples
    --------
    >>> on_auc_scale(0.5), on_auc_scale(0.0)
    (0.75, 0.5)
    """
    return (r2 + 1) / 2


def rho(performance: float) -> float:
    r"""Performance above chance, stretched to the whole unit; all that is below chance is equally poor.

    $$\rho(x) = 2 \max(x - 0.5,\ 0)$$

    Undefined (nan) stays undefined.

    Parameters
    ----------
    performance : float
        An AUC, or R² on its scale.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Examples
    --------
    >>> rho(0.75), rho(0.4), rho(1.0)
    (0.5, 0.0, 1.0)
    """
    return performance if math.isnan(performance) else 2 * max(performance - 0.5, 0.0)


def _demand_equal(first: npt.NDArray[np.generic], second: npt.NDArray[np.generic]) -> None:
    for array in (first, second):
        if array.ndim != 1:
            raise InvalidInput(f"values must be one list, got an array of shape {array.shape}. Pass y.ravel().")
    if len(first) != len(second):
        raise InvalidInput(f"there are {len(first)} true values and {len(second)} predictions; give one for each.")
