"""Coverage: how much of what the experts know is in the solution's columns."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput, UnknownName
from assay.insight.metrics.chance import beyond_chance
from assay.insight.metrics.performance import rho

__all__ = [
    "BestCoverer",
    "best_coverer",
    "correlation_coverage",
    "incremental_coverage",
    "incremental_performance_coverage",
    "predictive_coverage",
    "single_column_predictive_coverage",
    "weighted_mean",
]


class BestCoverer(NamedTuple):
    """The solution column that covers a ground-truth column best: its position and its value.

    Attributes
    ----------
    position : int
        The solution column, counted from 0; -1 when there is none.
    value : float
        Its value; nan when there is none.

    Examples
    --------
    >>> BestCoverer(position=1, value=0.7).value
    0.7
    """

    position: int
    value: float


def incremental_coverage(
    without: float,
    with_column: float,
    *,
    alone: float | None = None,
    chance: float = 0.0,
    rho_order: Literal["before", "difference"] | str = "before",
) -> float:
    r"""How little a ground-truth column adds to the solution's columns.

    $$1 - \max\left( \rho(P(S \cup \{c\})) - \rho(P(S)),\ 0 \right)$$

    Columns without information dilute the model of S ∪ {c}, and would be mistaken for coverage. With ``alone`` the
    ground-truth column adds at least what it reaches without them, and with ``chance`` ρ(P(S)) is counted beyond it.

    Parameters
    ----------
    without : float
        Performance of the solution's columns alone.
    with_column : float
        Performance with the ground-truth column added.
    alone : float, optional
        Performance of the ground-truth column alone.
    chance : float, default 0.0
        What the solution's columns reach by chance, after ρ.
    rho_order : {"before", "difference"}, default "before"
        Whether ρ is taken of both performances or, as the literal reading has it, of their difference; then no gain
        below one half counts.

    Returns
    -------
    float
        A number from 0 to 1, or nan where a performance is; with ``chance`` a little less than 0 is possible.

    Examples
    --------
    >>> incremental_coverage(0.75, 0.8)
    0.89...
    >>> incremental_coverage(0.5, 0.6, alone=0.8)
    0.39...
    >>> incremental_coverage(0.8, 0.75)
    1.0
    >>> incremental_coverage(0.75, 0.8, rho_order="difference")
    1.0
    """
    if rho_order not in (readings := ("before", "difference")):
        raise UnknownName("rho_order", rho_order, readings)
    reached = [with_column] if alone is None else [with_column, alone]
    if any(map(math.isnan, [without, *reached])):
        return math.nan
    best = max(reached)
    gain = rho(best) - beyond_chance(rho(without), chance) if rho_order == "before" else rho(best - without)
    return 1 - max(gain, 0.0)


def incremental_performance_coverage(coverages: npt.ArrayLike) -> float:
    r"""The smallest incremental coverage of a ground-truth column: every insight must be covered.

    $$\min_{c \in C} \left( 1 - \max(\rho(P(S \cup \{c\})) - \rho(P(S)), 0) \right)$$

    Undefined (nan) when one of them is, or when there is none.

    Parameters
    ----------
    coverages : array-like of shape (ground-truth columns,)
        The incremental coverage of every ground-truth column.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Examples
    --------
    >>> incremental_performance_coverage([0.9, 1.0, 0.4])
    0.4
    """
    row = _row(coverages)
    return float(row.min()) if len(row) else math.nan


def weighted_mean(values: npt.ArrayLike, weights: npt.ArrayLike, *, eligibility: float = 0.0) -> float:
    r"""The mean over ground-truth columns, each counting as much as it matters for the target.

    $$\frac{\sum_c w_c v_c}{\sum_c w_c}, \quad w_c > \text{ELIGIBILITY_THRESHOLD}$$

    Columns whose value is undefined leave the mean. When no column is eligible, all count equally. Undefined (nan) when
    a weight is, or when nothing is left.

    Parameters
    ----------
    values : array-like of shape (ground-truth columns,)
        A value per ground-truth column.
    weights : array-like of shape (ground-truth columns,)
        How much each ground-truth column matters for the target.
    eligibility : float, default 0.0
        Columns of at most this weight do not count.

    Returns
    -------
    float
        The mean, or nan.

    Raises
    ------
    InvalidInput
        There is not one weight per value.

    Examples
    --------
    >>> weighted_mean([1.0, 0.0], [0.75, 0.25])
    0.75
    >>> weighted_mean([1.0, 0.0], [0.0, 0.0])
    0.5
    """
    every, importance = _row(values), _row(weights)
    if len(every) != len(importance):
        raise InvalidInput(f"a weighted mean needs a weight per value, got {len(every)} and {len(importance)}.")
    if np.isnan(importance).any():
        return math.nan
    eligible = importance > eligibility
    if not eligible.any():
        eligible, importance = np.full(len(every), True), np.ones(len(every))
    counted = eligible & ~np.isnan(every)
    if not counted.any():
        return math.nan
    every, importance = every[counted], importance[counted]
    with np.errstate(over="ignore"):
        if not np.isfinite(importance.sum()):
            importance = importance / importance.max()
    return float((every * importance).sum() / importance.sum())


def predictive_coverage(
    performances: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    eligibility: float = 0.0,
    chance: npt.ArrayLike | None = None,
) -> float:
    r"""How well all the solution's columns together predict the ground-truth columns.

    $$\frac{\sum_c w_c\, \rho(P(S \to c))}{\sum_c w_c}, \qquad w_c = \rho(P(\{c\} \to \text{target}))$$

    Parameters
    ----------
    performances : array-like of shape (ground-truth columns,)
        How well the solution's columns predict each ground-truth column, as an AUC or R² on its scale.
    weights : array-like of shape (ground-truth columns,)
        How much each ground-truth column matters for the target.
    eligibility : float, default 0.0
        Columns of at most this weight do not count.
    chance : array-like of shape (ground-truth columns,), optional
        What columns without information reach for each, which is left out.

    Returns
    -------
    float
        A number from 0 to 1, or nan; below 0 where less than ``chance`` is reached.

    Raises
    ------
    InvalidInput
        There is not one weight per performance.

    Examples
    --------
    >>> predictive_coverage([1.0, 0.5], [0.5, 0.5])
    0.5
    """
    values = [rho(value) for value in _row(performances)]
    return weighted_mean(_beyond(values, chance), weights, eligibility=eligibility)


def best_coverer(values: npt.ArrayLike) -> BestCoverer:
    r"""The solution column of the largest value, the first of equals; undefined ones never win.

    $$\arg\max_{s \in S} v_s$$

    Parameters
    ----------
    values : array-like of shape (solution columns,)
        What each solution column reaches for one ground-truth column.

    Returns
    -------
    BestCoverer
        Position and value of the best one.

    Examples
    --------
    >>> best_coverer([0.2, 0.7, 0.7])
    BestCoverer(position=1, value=0.7)
    >>> best_coverer([float("nan")])
    BestCoverer(position=-1, value=nan)
    """
    row = _row(values)
    if not len(row) or np.isnan(row).all():
        return BestCoverer(-1, math.nan)
    position = int(np.nanargmax(row))
    return BestCoverer(position, float(row[position]))


def single_column_predictive_coverage(
    performances: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    eligibility: float = 0.0,
    chance: npt.ArrayLike | None = None,
) -> float:
    r"""How well the best single solution column predicts each ground-truth column.

    $$\frac{\sum_c w_c \max_{s \in S} \rho(P(\{s\} \to c))}{\sum_c w_c},
      \qquad w_c = \rho(P(\{c\} \to \text{target}))$$

    Parameters
    ----------
    performances : array-like of shape (ground-truth columns, solution columns)
        How well each solution column alone predicts each ground-truth column.
    weights : array-like of shape (ground-truth columns,)
        How much each ground-truth column matters for the target.
    eligibility : float, default 0.0
        Columns of at most this weight do not count.
    chance : array-like of shape (ground-truth columns,), optional
        What columns without information reach for each, which is left out.

    Returns
    -------
    float
        A number from 0 to 1, or nan; below 0 where less than ``chance`` is reached.

    Examples
    --------
    >>> single_column_predictive_coverage([[0.5, 0.75], [1.0, 0.5]], [0.5, 0.5])
    0.75
    """
    best = [best_coverer(row).value for row in _table(performances)]
    return predictive_coverage(best, weights, eligibility=eligibility, chance=chance)


def correlation_coverage(
    correlations: npt.ArrayLike,
    weights: npt.ArrayLike,
    *,
    threshold: float = 0.0,
    eligibility: float = 0.0,
    chance: npt.ArrayLike | None = None,
) -> float:
    r"""How strongly the best single solution column goes with each ground-truth column.

    $$\frac{\sum_c w_c \max_{s \in S} |r_s(c, s)|}{\sum_c w_c}, \qquad w_c = |r_s(c, \text{target})|$$

    Parameters
    ----------
    correlations : array-like of shape (ground-truth columns, solution columns)
        Rank correlations of ground-truth and solution columns.
    weights : array-like of shape (ground-truth columns,)
        How much each ground-truth column matters for the target.
    threshold : float, default 0.0
        Correlations below it count as 0.
    eligibility : float, default 0.0
        Columns of at most this weight do not count.
    chance : array-like of shape (ground-truth columns,), optional
        What columns without information reach for each, which is left out.

    Returns
    -------
    float
        A number from 0 to 1, or nan; below 0 where less than ``chance`` is reached.

    Raises
    ------
    InvalidInput
        The shapes do not fit together.

    Examples
    --------
    >>> correlation_coverage([[0.1, -0.6], [0.1, 0.0]], [0.5, 0.5], threshold=0.15)
    0.3
    """
    best = [best_coverer(np.abs(row)).value for row in _table(correlations)]
    counted = [value if math.isnan(value) or value >= threshold else 0.0 for value in best]
    return weighted_mean(_beyond(counted, chance), weights, eligibility=eligibility)


def _beyond(values: list[float], chance: npt.ArrayLike | None) -> list[float]:
    if chance is None:
        return values
    parts = _row(chance)
    if len(parts) != len(values):
        raise InvalidInput(f"coverage needs a chance per ground-truth column, got {len(parts)} for {len(values)}.")
    return [beyond_chance(value, float(part)) for value, part in zip(values, parts, strict=True)]


def _row(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    row = np.asarray(values, dtype=np.float64)
    if row.ndim != 1:
        raise InvalidInput(f"coverage needs one value per ground-truth column, got an array of shape {row.shape}.")
    return row


def _table(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2:
        raise InvalidInput(
            f"coverage needs a row per ground-truth column and a column per solution column, got shape {table.shape}."
        )
    return table
