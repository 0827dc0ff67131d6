"""Coverage: how much of what the experts know is in the solution's columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput, UnknownName
from assay.insight.metrics.performance import rho

__all__ = [
    "BestCoverer",
    "best_coverer",
    "correlation_coverage",
    "coverage",
    "incremental_coverage",
    "incremental_performance_coverage",
    "predictive_coverage",
    "single_column_predictive_coverage",
    "weighted_mean",
]


class BestCoverer(NamedTuple):
    """The solution column that covers a ground-truth column best: its position and its value."""

    position: int
    value: float


def incremental_coverage(
    without: float, with_column: float, *, rho_order: Literal["before", "difference"] | str = "before"
) -> float:
    r"""How little a ground-truth column adds to the solution's columns.

    $$1 - \max\left( \rho(P(S \cup \{c\})) - \rho(P(S)),\ 0 \right)$$

    ``rho_order="difference"`` is the literal reading, with ρ of the difference; then no gain below one half counts.

    >>> incremental_coverage(0.75, 0.8)
    0.89...
    >>> incremental_coverage(0.8, 0.75)
    1.0
    >>> incremental_coverage(0.75, 0.8, rho_order="difference")
    1.0
    """
    if math.isnan(without) or math.isnan(with_column):
        return math.nan
    gain = rho(with_column) - rho(without) if rho_order == "before" else rho(with_column - without)
    return 1 - max(gain, 0.0)


def incremental_performance_coverage(coverages: npt.ArrayLike) -> float:
    r"""The smallest incremental coverage of a ground-truth column: every insight must be covered.

    $$\min_{c \in C} \left( 1 - \max(\rho(P(S \cup \{c\})) - \rho(P(S)), 0) \right)$$

    Undefined (nan) when one of them is.

    >>> incremental_performance_coverage([0.9, 1.0, 0.4])
    0.4
    """
    return float(np.min(_row(coverages)))


def weighted_mean(values: npt.ArrayLike, weights: npt.ArrayLike, *, eligibility: float = 0.0) -> float:
    r"""The mean over ground-truth columns, each counting as much as it matters for the target.

    $$\frac{\sum_c w_c v_c}{\sum_c w_c}, \quad w_c > \text{ELIGIBILITY\_THRESHOLD}$$

    Columns whose value is undefined leave the mean. When no column is eligible, all count equally. Undefined (nan) when
    a weight is, or when nothing is left.

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
    return float((every[counted] * importance[counted]).sum() / importance[counted].sum())


def predictive_coverage(performances: npt.ArrayLike, weights: npt.ArrayLike, *, eligibility: float = 0.0) -> float:
    r"""How well all the solution's columns together predict the ground-truth columns.

    $$\frac{\sum_c w_c\, \rho(P(S \to c))}{\sum_c w_c}, \qquad w_c = \rho(P(\{c\} \to \text{target}))$$

    >>> predictive_coverage([1.0, 0.5], [0.5, 0.5])
    0.5
    """
    return weighted_mean([rho(value) for value in _row(performances)], weights, eligibility=eligibility)


def best_coverer(values: npt.ArrayLike) -> BestCoverer:
    r"""The solution column of the largest value, the first of equals; undefined ones never win.

    $$\arg\max_{s \in S} v_s$$

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
    performances: npt.ArrayLike, weights: npt.ArrayLike, *, eligibility: float = 0.0
) -> float:
    r"""How well the best single solution column predicts each ground-truth column.

    $$\frac{\sum_c w_c \max_{s \in S} \rho(P(\{s\} \to c))}{\sum_c w_c},
      \qquad w_c = \rho(P(\{c\} \to \text{target}))$$

    ``performances`` has a row per ground-truth column and a column per solution column.

    >>> single_column_predictive_coverage([[0.5, 0.75], [1.0, 0.5]], [0.5, 0.5])
    0.75
    """
    best = [best_coverer(row).value for row in _table(performances)]
    return predictive_coverage(best, weights, eligibility=eligibility)


def correlation_coverage(
    correlations: npt.ArrayLike, weights: npt.ArrayLike, *, threshold: float = 0.0, eligibility: float = 0.0
) -> float:
    r"""How strongly the best single solution column goes with each ground-truth column.

    $$\frac{\sum_c w_c \max_{s \in S} |r_s(c, s)|}{\sum_c w_c}, \qquad w_c = |r_s(c, \text{target})|$$

    Correlations below the threshold count as 0. ``correlations`` has a row per ground-truth column.

    >>> correlation_coverage([[0.1, -0.6], [0.1, 0.0]], [0.5, 0.5], threshold=0.15)
    0.3
    """
    best = [best_coverer(np.abs(row)).value for row in _table(correlations)]
    counted = [value if math.isnan(value) or value >= threshold else 0.0 for value in best]
    return weighted_mean(counted, weights, eligibility=eligibility)


def coverage(metrics: Mapping[str, float], weights: Mapping[str, float]) -> float:
    r"""The combined coverage: the weighted sum of the coverage metrics.

    $$0.3 \cdot \text{incremental} + 0.7 \cdot \text{single column}$$

    by the document's weights. A metric of weight 0 does not matter; undefined (nan) when one that counts is.

    >>> coverage({"incremental_performance_coverage": 0.5, "single_column_predictive_coverage": 1.0},
    ...          {"incremental_performance_coverage": 0.3, "single_column_predictive_coverage": 0.7})
    0.85
    """
    total = 0.0
    for name, weight in weights.items():
        if weight > 0:
            if name not in metrics:
                raise UnknownName("coverage metric", name, metrics)
            total += weight * metrics[name]
    return total


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
