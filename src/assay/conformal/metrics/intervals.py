"""Metrics of intervals in the unit of each task: coverage, width, interval score; and the coverage of a stream.

Regression tasks are scored among themselves: none of these numbers is averaged with those of sets of classes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from assay.conformal.metrics.counted import Overall, demand_overall
from assay.conformal.metrics.interval_input import (
    IntervalsLike,
    as_interval_tasks,
    as_number_columns,
    interval_hits,
    mean_known,
)
from assay.conformal.regions.region import as_numbers
from assay.conformal.sets.checks import FloatArray, as_alpha
from assay.core import InvalidInput
from assay.core.checks import demand_whole

__all__ = [
    "interval_coverage",
    "interval_score",
    "interval_width",
    "rolling_coverage",
    "taskwise_interval_coverage",
    "taskwise_interval_width",
]


def taskwise_interval_coverage(intervals: IntervalsLike, truth: Any) -> FloatArray:
    r"""Per task, the share of intervals that hold the true number; a missing one (nan) leaves its task.

    $$\mathrm{cov}_t = \frac{|\{i : l_{it} \le y_{it} \le u_{it}\}|}{n_t}$$

    Parameters
    ----------
    intervals : Intervals, (n, 2) array, or a mapping or sequence of them
        One task, or several by name or position.
    truth : array of n numbers, (n, T) matrix, or a mapping or sequence of arrays
        As the intervals.

    Returns
    -------
    array of one number per task
        From 0 to 1, or nan.

    Examples
    --------
    >>> taskwise_interval_coverage([[0, 2], [0, 2]], [1.0, 3.0]).tolist()
    [0.5]
    """
    return np.asarray([mean_known(hits) for hits in interval_hits(intervals, truth)])


def interval_coverage(intervals: IntervalsLike, truth: Any, *, overall: Overall = "mean") -> float:
    r"""One coverage of all regression tasks: the mean of theirs, or the share of samples of which all are covered.

    $$\frac{1}{T} \sum_t \mathrm{cov}_t \text{ (mean)}, \qquad
    \frac{1}{n} \sum_i \prod_t [l_{it} \le y_{it} \le u_{it}] \text{ (joint)}$$

    Parameters
    ----------
    intervals : Intervals, (n, 2) array, or a mapping or sequence of them
        One task, or several by name or position.
    truth : array of n numbers, (n, T) matrix, or a mapping or sequence of arrays
        As the intervals; nan is missing.
    overall : "mean" or "joint", default "mean"
        The mean over tasks, or all tasks at once, of samples that have all truths.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> two = [[[0, 2], [0, 2]], [[0, 9], [0, 9]]]
    >>> interval_coverage(two, [[1, 3], [1, 3]]), interval_coverage(two, [[1, 3], [1, 3]], overall="joint")
    (0.75, 0.5)
    """
    demand_overall(overall)
    hits = interval_hits(intervals, truth)
    return (
        mean_known(np.stack(hits).min(axis=0))
        if overall == "joint"
        else float(np.mean([mean_known(task) for task in hits]))
    )


def taskwise_interval_width(intervals: IntervalsLike) -> FloatArray:
    r"""Per task, the mean width, in the unit of the task; an empty interval has 0.

    $$w_t = \frac{1}{n} \sum_i \max(u_{it} - l_{it}, 0)$$

    Parameters
    ----------
    intervals : Intervals, (n, 2) array, or a mapping or sequence of them
        One task, or several by name or position.

    Returns
    -------
    array of one number per task
        Infinite where an interval is; nan without samples.

    Examples
    --------
    >>> taskwise_interval_width([[0, 2], [0, 4], [3, 1]]).tolist()
    [2.0]
    """
    return np.asarray([mean_known(task.width) for task in as_interval_tasks(intervals)])


def interval_width(intervals: IntervalsLike) -> float:
    r"""The mean width of the intervals of one task; of several, which have no common unit, use ``relative_width``.

    $$w = \frac{1}{n} \sum_i \max(u_i - l_i, 0)$$

    Parameters
    ----------
    intervals : Intervals or (n, 2) array
        The intervals of one task.

    Returns
    -------
    float
        In the unit of the task; smaller is better.

    Examples
    --------
    >>> interval_width([[0, 2], [0, 4]])
    3.0
    """
    widths = taskwise_interval_width(intervals)
    if len(widths) != 1:
        raise InvalidInput(
            f"intervals: {len(widths)} tasks have no common unit; use relative_width, or taskwise_interval_width."
        )
    return float(widths[0])


def interval_score(intervals: IntervalsLike, truth: Any, *, alpha: float | Fraction) -> float:
    r"""Width and misses in one number, the interval (Winkler) score of one task; a proper score of the quantiles.

    $$\frac{1}{n} \sum_i (u_i - l_i) + \frac{2}{\alpha} (l_i - y_i)_+ + \frac{2}{\alpha} (y_i - u_i)_+$$

    Parameters
    ----------
    intervals : Intervals or (n, 2) array
        The intervals of one task.
    truth : array of n numbers
        nan is missing.
    alpha : float or Fraction
        The share of errors that is allowed.

    Returns
    -------
    float
        In the unit of the task; smaller is better.

    Examples
    --------
    >>> interval_score([[0, 2], [0, 2]], [1.0, 2.5], alpha=0.5)
    3.0
    """
    penalty = float(2 / as_alpha(alpha))
    tasks = as_interval_tasks(intervals)
    if len(tasks) != 1:
        raise InvalidInput(f"intervals: {len(tasks)} tasks have no common unit; score one at a time.")
    low, high = tasks[0]
    (column,) = as_number_columns(intervals, truth, "truth")
    values = as_numbers(column, "truth", samples=len(low))
    with np.errstate(invalid="ignore"):
        outside = np.maximum(low - values, 0) + np.maximum(values - high, 0)
        scores = high - low + penalty * outside
    # infinity minus infinity: neither an unbounded interval nor an infinitely far miss has a finite score
    return mean_known(np.where(np.isnan(scores) & ~np.isnan(values), np.inf, scores))


def rolling_coverage(hits: Any, window: int) -> FloatArray:
    r"""The coverage of every stretch of a stream, in order: does it hold all the time, or only on average?

    $$c_t = \frac{1}{W} \sum_{i = t}^{t + W - 1} \mathrm{hit}_i$$

    Parameters
    ----------
    hits : array of n numbers
        1 where a sample is covered, 0 where not, as ``Regions.covered`` gives them; nan is missing.
    window : int
        The length W of a stretch.

    Returns
    -------
    array of n - W + 1 numbers
        Over the hits that are known; nan where none is.

    Examples
    --------
    >>> rolling_coverage([1, 1, 0, 0], 2).tolist()
    [1.0, 0.5, 0.0]
    """
    demand_whole(window, "window", least=1)
    values = as_numbers(hits, "hits")
    if len(values) < window:
        return np.empty(0)
    known = ~np.isnan(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(known, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(known)])
    there = counts[window:] - counts[:-window]
    covered: FloatArray = (sums[window:] - sums[:-window]) / np.where(there > 0, there, np.nan)
    return covered
