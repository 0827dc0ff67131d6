"""What columns without information reach by chance, so that coverage can leave it out."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput

__all__ = ["auc_spread", "beyond_chance", "chance_of_best"]

_STEPS = 400
_MOST = 0.5  # of the unit that can be chance: beyond that a test part is too small to tell anything


def auc_spread(classes: npt.ArrayLike, values: npt.ArrayLike | None = None) -> float:
    r"""The standard deviation of the AUC of scores that know nothing, given the classes of the test rows.

    $$\sigma^2 = \frac{1}{C (C - 1)} \sum_k \frac{n + 1}{12\, n_k (n - n_k)}
      \left( 1 - \frac{\sum_t (t^3 - t)}{n^3 - n} \right)$$

    For two classes this is the variance of the Mann-Whitney statistic, exact for scores independent of the classes.
    For more, the one-vs-rest AUCs of C classes are averaged; their scores and their classes exclude each other, and
    the two correlations of about -1/(C - 1) are taken into account. 0 with fewer than two classes.

    Parameters
    ----------
    classes : array-like of shape (n,)
        The class of each test row.
    values : array-like of shape (n,) or (n, columns), optional
        What the scores are computed from: rows of equal values have equal scores, t of them in a tie.

    Returns
    -------
    float
        A standard deviation, on the scale of an AUC.

    Raises
    ------
    InvalidInput
        There is not one value per row.

    Examples
    --------
    >>> auc_spread([0, 0, 1, 1])
    0.32...
    >>> auc_spread([0, 0, 1, 1], [7, 7, 7, 7])
    0.0
    """
    labels = np.asarray(classes)
    counts = np.unique(labels, return_counts=True)[1].astype(np.float64)
    n, number = float(len(labels)), len(counts)
    if number < 2:
        return 0.0
    free = 1.0
    if values is not None:
        table = np.asarray(values)
        if len(table) != len(labels):
            raise InvalidInput(f"auc_spread needs a value per row, got {len(table)} and {len(labels)}.")
        ties = np.unique(table, axis=0, return_counts=True)[1].astype(np.float64)
        free = 1.0 - float((ties**3 - ties).sum()) / (n**3 - n)
    variance = float(((n + 1) / (12 * counts * (n - counts))).sum()) / (number * (number - 1))
    return math.sqrt(max(variance * free, 0.0))


def chance_of_best(spreads: Sequence[float], *, both_sides: bool = False, threshold: float = 0.0) -> float:
    r"""The expected best value of columns that know nothing, where values below 0 or a threshold count as 0.

    $$e = \mathbb{E} \left[ \max(0, \sigma_1 Z_1, \dots, \sigma_K Z_K) \right]
      = \int_0^1 \Big( 1 - \prod_s \Phi(z / \sigma_s) \Big) dz$$

    with independent normal Z and values of at most 1; never more than one half.

    Parameters
    ----------
    spreads : sequence of float
        The standard deviation of each column's value by chance; those of 0, of constant columns, do not matter.
    both_sides : bool, default False
        Whether the size of the values counts whatever their sign, as for correlations.
    threshold : float, default 0.0
        Values below it count as 0.

    Returns
    -------
    float
        A number from 0 to one half.

    Examples
    --------
    >>> chance_of_best([0.1])  # half of the normal distribution: 0.1 / sqrt(2 pi)
    0.039...
    >>> chance_of_best([0.1] * 20) > chance_of_best([0.1] * 2)
    True
    >>> chance_of_best([])
    0.0
    """
    free = [float(spread) for spread in spreads if spread > 0]
    if not free:
        return 0.0
    top = min(1.0, 9 * max(free))
    if top <= threshold:
        return 0.0
    points = np.linspace(threshold, top, _STEPS)
    below = np.ones(_STEPS)
    for spread in free:
        part = np.array([math.erf(point / spread / math.sqrt(2)) for point in points])
        below *= part if both_sides else (1 + part) / 2
    beyond = 1 - below
    area = float(((beyond[1:] + beyond[:-1]) / 2 * np.diff(points)).sum())
    return min(threshold * float(beyond[0]) + area, _MOST)


def beyond_chance(value: float, chance: float) -> float:
    r"""A value with chance left out: 0 is what columns without information reach on average, 1 stays 1.

    $$\frac{v - e}{1 - e}$$

    As for the adjusted Rand index, what is worse than chance is below 0: only so is the mean of chance 0.

    Parameters
    ----------
    value : float
        A value of at most 1.
    chance : float
        Its expectation by chance, below 1.

    Returns
    -------
    float
        At most 1, or nan where the value is.

    Examples
    --------
    >>> beyond_chance(0.6, 0.2), beyond_chance(1.0, 0.2), beyond_chance(0.2, 0.2)
    (0.49..., 1.0, 0.0)
    """
    if chance >= 1:
        raise InvalidInput(f"chance must lie below 1, got {chance!r}: beyond it nothing could be reached.")
    return (value - chance) / (1 - chance)
