"""How strongly two columns go together."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import cast

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput
from assay.core.checks import demand_one_kind

__all__ = ["correlation_ratio", "spearman"]


def spearman(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    r"""Spearman's rank correlation: Pearson's of the ranks, equal values sharing their mean rank.

    $$r_s = \frac{\sum_i (r_i - \bar r)(q_i - \bar q)}{\sqrt{\sum_i (r_i - \bar r)^2 \sum_i (q_i - \bar q)^2}}$$

    Undefined (nan) when a column is constant or holds a missing value.

    Parameters
    ----------
    first : array-like of shape (n,)
        A column of numbers.
    second : array-like of shape (n,)
        Another one, of the same rows.

    Returns
    -------
    float
        A number from -1 to 1, or nan.

    Examples
    --------
    >>> spearman([1, 2, 3, 4], [10, 20, 40, 30])
    0.8
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if len(a) != len(b):
        raise InvalidInput(f"a rank correlation needs two columns of equal length, got {len(a)} and {len(b)} rows.")
    if np.isnan(a).any() or np.isnan(b).any():
        return math.nan
    return centred_correlation(centred_ranks(a), centred_ranks(b))


def centred_ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Mean ranks minus their mean; whole and half numbers, so sums of them are exact."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    ends = np.append(starts[1:], len(values))
    ranks = np.empty(len(values))
    ranks[order] = np.repeat((starts + ends - 1) / 2, ends - starts)
    return ranks - (len(values) - 1) / 2


def centred_correlation(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> float:
    """Pearson's correlation of two columns whose means are zero; nan when one of them is all zero."""
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / scale if scale else math.nan


def binary_exponent(values: npt.NDArray[np.float64]) -> int:
    """The exponent of the power of two just above the largest value; dividing by that power is exact."""
    return int(np.frexp(np.abs(values).max())[1])


def correlation_ratio(values: npt.ArrayLike, classes: npt.ArrayLike) -> float:
    r"""The correlation ratio η: how much of a column's spread lies between the classes.

    $$\eta = \sqrt{\frac{\sum_k n_k (\bar x_k - \bar x)^2}{\sum_i (x_i - \bar x)^2}}$$

    Undefined (nan) when the column is constant or holds a missing or infinite value.

    Parameters
    ----------
    values : array-like of shape (n,)
        A column of numbers.
    classes : array-like of shape (n,)
        The class of every row.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Examples
    --------
    >>> correlation_ratio([1, 1, 5, 5], ["a", "a", "b", "b"])
    1.0
    >>> correlation_ratio([1, 5, 1, 5], ["a", "a", "b", "b"])
    0.0
    """
    column = np.asarray(values, dtype=np.float64)
    demand_one_kind(cast("Iterable[object]", classes), "classes")
    _, codes = np.unique(np.asarray(classes), return_inverse=True)
    if len(column) != len(codes):
        raise InvalidInput(
            f"a correlation ratio needs a class per value, got {len(column)} values, {len(codes)} classes."
        )
    if not len(column) or not np.isfinite(column).all() or column.min() == column.max():
        return math.nan
    column = np.ldexp(column, -binary_exponent(column))  # squares stay within the range of floats
    centred = column - column.mean()
    sizes = np.bincount(codes)
    means = np.bincount(codes, weights=centred) / sizes
    return math.sqrt(min(1.0, float((sizes * means**2).sum() / (centred @ centred))))
