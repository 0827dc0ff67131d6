"""The conformal quantile: an order statistic whose rank is computed with whole numbers."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
import numpy.typing as npt

from assay.conformal.sets.checks import FloatArray, IntArray, as_alpha
from assay.core import InvalidInput

__all__ = ["conformal_quantile", "conformal_rank", "smallest_calibration", "worst_ranks"]


def conformal_rank(samples: int, alpha: float | Fraction) -> int:
    r"""Which order statistic of that many calibration scores is the threshold; more than there are means infinity.

    $$k = \lceil (n + 1)(1 - \alpha) \rceil$$

    The level is taken as the simplest fraction that the number stands for, so no rounding moves the rank.

    >>> conformal_rank(564, 0.1), conformal_rank(35, 0.2), conformal_rank(2, 1 / 3), conformal_rank(8, 0.1)
    (509, 29, 2, 9)
    """
    return ceil((samples + 1) * (1 - as_alpha(alpha)))


def conformal_quantile(scores: npt.ArrayLike, alpha: float | Fraction) -> float:
    r"""The smallest threshold under which a new score falls with probability of at least 1 - α.

    $$\hat q = s_{(k)}, \qquad k = \lceil (n + 1)(1 - \alpha) \rceil, \qquad \hat q = \infty \text{ for } k > n$$

    Parameters
    ----------
    scores : sequence of n numbers
        Nonconformity scores of held-out samples.
    alpha : float or Fraction
        The share of errors that is allowed.

    Returns
    -------
    float
        The threshold; infinite when there are too few scores.

    Raises
    ------
    InvalidInput
        When α does not lie between 0 and 1, or a score is nan.

    Examples
    --------
    >>> conformal_quantile([0.4, 0.1, 0.3, 0.2], 0.2)
    0.4
    >>> conformal_quantile([0.4, 0.1, 0.3], 0.2)
    inf
    >>> conformal_quantile([], 0.2)
    inf
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1:
        raise InvalidInput(f"scores: must be one row of numbers, got shape {values.shape}.")
    if np.isnan(values).any():
        raise InvalidInput("scores: hold nan; every score must be a number.")
    return _at(values, conformal_rank(len(values), alpha))


def _at(values: FloatArray, rank: int) -> float:
    """The rank-th smallest, counted from 1; infinite beyond the last."""
    return float(np.partition(values, rank - 1)[rank - 1]) if rank <= len(values) else float("inf")


def worst_ranks(scores: FloatArray) -> tuple[FloatArray, IntArray]:
    """Scores [rows, samples] in order, row by row, and the worst rank of each sample, counted from 1."""
    ordered = np.sort(scores, axis=1)
    ranks = [1 + np.searchsorted(row, own, side="left") for row, own in zip(ordered, scores, strict=True)]
    return ordered, np.max(ranks, axis=0)


def smallest_calibration(alpha: float | Fraction) -> int:
    r"""How many calibration samples a finite threshold needs.

    $$n_\min = \lceil 1/\alpha - 1 \rceil$$

    >>> [smallest_calibration(alpha) for alpha in (0.01, 0.05, 0.1, 0.2, 0.25, 0.5)]
    [99, 19, 9, 4, 3, 1]
    """
    return ceil(1 / as_alpha(alpha) - 1)
