"""The size of intervals of several tasks, free of units: against the marginal interval, and as volume of a box."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from assay.conformal.metrics.counted import weighted_mean
from assay.conformal.metrics.interval_input import IntervalsLike, as_interval_tasks, as_number_columns, mean_known
from assay.conformal.regions.region import as_numbers
from assay.conformal.sets.checks import FloatArray, as_alpha
from assay.core import InvalidInput

__all__ = [
    "joint_volume",
    "marginal_interval",
    "relative_width",
    "taskwise_relative_width",
    "weighted_relative_width",
]


def marginal_interval(known: Any, alpha: float | Fraction) -> tuple[float, float]:
    r"""The interval that a level allows without any features: from calibration truths alone, with equal tails.

    $$\bigl[y_{(\lfloor (n + 1) \alpha / 2 \rfloor)},\; y_{(\lceil (n + 1)(1 - \alpha / 2) \rceil)}\bigr]$$

    Parameters
    ----------
    known : array of n numbers
        True numbers of calibration samples; nan is missing.
    alpha : float or Fraction
        The share of errors that is allowed.

    Returns
    -------
    tuple of low and high
        Infinite where there are too few numbers.

    Examples
    --------
    >>> marginal_interval(range(1, 20), 0.1)
    (1.0, 19.0)
    """
    level = as_alpha(alpha)
    values = as_numbers(known, "known")
    values = np.sort(values[~np.isnan(values)])
    low, high = floor((len(values) + 1) * level / 2), ceil((len(values) + 1) * (1 - level / 2))
    return (
        float(values[low - 1]) if low >= 1 else -np.inf,
        float(values[high - 1]) if high <= len(values) else np.inf,
    )


def taskwise_relative_width(intervals: IntervalsLike, known: Any, alpha: float | Fraction) -> FloatArray:
    r"""Per task, the mean width over the width of the marginal interval at the same level; an empty one counts as 1.

    $$r_t = \frac{1}{n} \sum_i \frac{u_{it} - l_{it}}{u^0_t - l^0_t}$$

    with $[l^0_t, u^0_t]$ the :func:`marginal_interval` of the calibration truths. An interval that is empty, which is
    never right, counts as the marginal one; so 1 is what no model at all reaches.

    Parameters
    ----------
    intervals : Intervals, (n, 2) array, or a mapping or sequence of them
        One task, or several by name or position.
    known : array of numbers, (n, T) matrix, or a mapping or sequence of arrays
        True numbers of calibration samples, as the intervals.
    alpha : float or Fraction
        The share of errors that is allowed.

    Returns
    -------
    array of one number per task
        Smaller is better; nan where the marginal interval is infinite or a point.

    Examples
    --------
    >>> taskwise_relative_width([[0, 9], [0, 18]], range(1, 20), 0.1).tolist()
    [0.75]
    """
    tasks = as_interval_tasks(intervals)
    shares = []
    for task, numbers in zip(tasks, as_number_columns(intervals, known, "known"), strict=True):
        whole = _marginal_width(numbers, alpha)
        shares.append(mean_known(np.where(task.low > task.high, whole, task.width)) / whole)
    return np.asarray(shares)


def _marginal_width(numbers: FloatArray, alpha: float | Fraction) -> float:
    """Of the marginal interval; nan where it is infinite or a point, of which nothing is a share."""
    low, high = marginal_interval(numbers, alpha)
    return high - low if low < high and np.isfinite(high - low) else np.nan


def relative_width(intervals: IntervalsLike, known: Any, alpha: float | Fraction) -> float:
    r"""The mean over regression tasks of the width as a share of the marginal interval's; scale-free.

    $$\frac{1}{T} \sum_t r_t$$

    As the headline of problems with numbers alone, no task counts more than 1, what is reached without a model, and an
    answer whose coverage is significantly below 1 - α gets the floor 1; so does one that gives up the classes of a
    problem with both kinds, where all must be covered at once. Undefined without tasks of numbers.

    Parameters
    ----------
    intervals : Intervals, (n, 2) array, or a mapping or sequence of them
        One task, or several by name or position.
    known : array of numbers, (n, T) matrix, or a mapping or sequence of arrays
        True numbers of calibration samples, as the intervals.
    alpha : float or Fraction
        The share of errors that is allowed.

    Returns
    -------
    float
        Smaller is better; 1 is what is reached without features.

    Examples
    --------
    >>> relative_width([[0, 9], [0, 18]], range(1, 20), 0.1)
    0.75
    """
    return float(np.mean(taskwise_relative_width(intervals, known, alpha)))


def weighted_relative_width(intervals: IntervalsLike, weights: Any, known: Any, alpha: float | Fraction) -> float:
    r"""The efficiency of regression tasks with weights: a weighted mean of their relative widths.

    $$\frac{\sum_t w_t r_t}{\sum_t w_t}$$

    Parameters
    ----------
    intervals : mapping or sequence of Intervals or (n, 2) arrays
        One per task.
    weights : sequence of one number per task
        Not negative, not all 0.
    known : (n, T) matrix, or a mapping or sequence of arrays
        True numbers of calibration samples, as the intervals.
    alpha : float or Fraction
        The share of errors that is allowed.

    Returns
    -------
    float
        Smaller is better.

    Examples
    --------
    >>> two = [[[0, 9]], [[0, 18]]]
    >>> weighted_relative_width(two, [3, 1], [range(1, 20), range(1, 20)], 0.1)
    0.625
    """
    return weighted_mean(taskwise_relative_width(intervals, known, alpha), weights)


def joint_volume(intervals: IntervalsLike, *, known: Any = None, alpha: float | Fraction | None = None) -> float:
    r"""The mean volume of the boxes that the intervals of all regression tasks span.

    $$\frac{1}{n} \sum_i \prod_t (u_{it} - l_{it}), \qquad
    \text{as a share: } \frac{1}{n} \sum_i \prod_t \frac{u_{it} - l_{it}}{u^0_t - l^0_t}$$

    Parameters
    ----------
    intervals : Intervals, (n, 2) array, or a mapping or sequence of them
        One task, or several by name or position.
    known : (n, T) matrix, or a mapping or sequence of arrays, optional
        True numbers of calibration samples: the volume is then a share of the marginal intervals' box.
    alpha : float or Fraction, optional
        The level of the marginal intervals; belongs to ``known``.

    Returns
    -------
    float
        Smaller is better; a box with an empty side has 0. As a share nan where a marginal interval is infinite or a
        point.

    Examples
    --------
    >>> two = [[[0, 9], [0, 9]], [[0, 1], [0, 3]]]
    >>> joint_volume(two), joint_volume(two, known=[range(1, 20), range(1, 20)], alpha=0.1)
    (18.0, 0.05555555555555555)
    """
    if (known is None) != (alpha is None):
        raise InvalidInput("known and alpha belong together: give both for a share, or neither for a volume.")
    sides = [task.width for task in as_interval_tasks(intervals)]
    if alpha is not None:
        wholes = [_marginal_width(numbers, alpha) for numbers in as_number_columns(intervals, known, "known")]
        if np.isnan(wholes).any():
            return float("nan")
        sides = [side / whole for side, whole in zip(sides, wholes, strict=True)]
    empty = np.any([side == 0 for side in sides], axis=0)
    with np.errstate(invalid="ignore"):  # an infinite side of an empty box
        return mean_known(np.where(empty, 0.0, np.prod(sides, axis=0)))
