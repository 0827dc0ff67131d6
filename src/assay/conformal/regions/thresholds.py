"""Thresholds of scores: for each task or for all at once, with weights of samples, exact in finite samples."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import log2
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.conformal.calibration.quantile import conformal_quantile, worst_ranks
from assay.conformal.sets.checks import FloatArray, IntArray, as_alpha, to_numpy
from assay.core import InvalidInput

__all__ = [
    "JointChoice",
    "JointMethod",
    "find_thresholds",
    "joint_method",
    "sample_weights",
    "weighted_quantile",
]

JointMethod: TypeAlias = Literal["max-rank", "bonferroni"]
JointChoice: TypeAlias = Literal["auto", "max-rank", "bonferroni"]

_MISSES = 10  # that a row is allowed, from which on max-rank is worth its extra rank
_BITS = 62  # of whole numbers that weights become, their sum included


def weighted_quantile(
    scores: npt.ArrayLike, alpha: float | Fraction, *, weights: npt.ArrayLike, new_weights: npt.ArrayLike
) -> FloatArray:
    r"""The threshold of each new sample under a covariate shift with known likelihood ratios.

    $$\hat q(x) = \inf\left\{q : \sum_{i : s_i \le q} w_i \ge (1 - \alpha)\Bigl(\sum_i w_i + w(x)\Bigr)\right\}$$

    A new sample's own weight stands at infinity, which makes the coverage at least 1 - α in finite samples. Weights are
    compared as whole numbers (of about 50 bits), so equal weights give exactly :func:`conformal_quantile`.

    Parameters
    ----------
    scores : array of n numbers
        The scores of the calibration samples.
    alpha : float or Fraction
        The share of errors that is allowed.
    weights : array of n numbers
        Test density over calibration density at each calibration sample, up to a common factor.
    new_weights : array of m numbers
        The same at the new samples.

    Returns
    -------
    array of m numbers
        Infinite where the calibration samples do not weigh enough.

    Raises
    ------
    InvalidInput
        When a weight is negative or not finite, or all are 0.

    Examples
    --------
    >>> weighted_quantile([1.0, 2.0, 3.0], 0.25, weights=[1, 1, 1], new_weights=[1, 9]).tolist()
    [3.0, inf]
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or np.isnan(values).any():
        raise InvalidInput("scores: must be one row of numbers without nan.")
    old = sample_weights(weights, len(values), "weights")
    new = sample_weights(new_weights, None, "new_weights")
    return _lookup(np.sort(values), _needed(values, old, new, as_alpha(alpha)))


def find_thresholds(
    scores: FloatArray,
    owners: Sequence[int],
    alpha: Fraction,
    *,
    joint: JointMethod | None,
    weights: FloatArray | None = None,
    new_weights: FloatArray | None = None,
) -> FloatArray:
    r"""Thresholds [rows, 1], or [rows, m] with weights, of scores [rows, samples] whose row r belongs to a task.

    Task by task (``joint`` is None) rows of one task share its α. Jointly, ``bonferroni`` shares α among all rows, and
    ``max-rank`` takes one rank for all rows: with $M_i = \max_r (1 + |\{j : s_{rj} < s_{ri}\}|)$ and $R$ the (weighted)
    conformal quantile of $M$, the thresholds are $s_{r,(R+1)}$. Ranks among n + 1 samples are at most one above those
    among n, and are (weighted) exchangeable, so that the coverage is at least 1 - α.

    A score of nan is missing: it leaves its task, and jointly its sample.
    """
    rows = len(scores)
    columns = 1 if new_weights is None else len(new_weights)
    thresholds = np.empty((rows, columns))
    if joint == "max-rank":
        complete = ~np.isnan(scores).any(axis=0)
        ordered, worst = worst_ranks(scores[:, complete])
        rank = _quantiles(worst.astype(np.float64), alpha, None if weights is None else weights[complete], new_weights)
        ends = np.concatenate([ordered, np.full((rows, 1), np.inf)], axis=1)  # rank n is the place behind the last
        return ends[:, np.minimum(rank, ordered.shape[1]).astype(np.int64)]
    for row in range(rows):
        share = alpha / (rows if joint == "bonferroni" else owners.count(owners[row]))
        there = ~np.isnan(scores).any(axis=0) if joint else ~np.isnan(scores[row])
        thresholds[row] = _quantiles(
            scores[row, there], share, None if weights is None else weights[there], new_weights
        )
    return thresholds


def joint_method(method: str, samples: int, rows: int, alpha: Fraction) -> JointMethod:
    """The method that is meant: ``auto`` looks at numbers of samples and rows alone, which keeps every promise.

    The one rank more that ``max-rank`` takes is dear where a row's share of the errors is a few samples.

    >>> joint_method("auto", 99, 5, Fraction(1, 10)), joint_method("auto", 999, 5, Fraction(1, 10))
    ('bonferroni', 'max-rank')
    """
    if method == "auto":
        return "max-rank" if (samples + 1) * alpha >= _MISSES * rows else "bonferroni"
    return "bonferroni" if method == "bonferroni" else "max-rank"


def _quantiles(
    scores: FloatArray, alpha: Fraction, weights: FloatArray | None, new_weights: FloatArray | None
) -> FloatArray:
    if weights is not None and new_weights is not None:
        return _lookup(np.sort(scores), _needed(scores, weights, new_weights, alpha))
    return np.asarray([conformal_quantile(scores, alpha)])


def _lookup(ordered: FloatArray, places: IntArray) -> FloatArray:
    thresholds: FloatArray = np.append(ordered, np.inf)[places]
    return thresholds


def _needed(scores: FloatArray, weights: FloatArray, new_weights: FloatArray, alpha: Fraction) -> IntArray:
    """Per new sample, how many of the smallest scores stay below the first whose cumulated weight is enough."""
    largest = float(max(weights.max(initial=0.0), new_weights.max(initial=0.0)))
    if not largest > 0:
        raise InvalidInput("weights: are all zero; at least one sample must count.")
    unit = 2.0 ** int(_BITS - log2(len(weights) + 2))
    whole = np.rint(weights / largest * unit).astype(np.int64)
    cumulated = np.cumsum(whole[np.argsort(scores, kind="stable")])
    total = int(whole.sum()) + np.rint(new_weights / largest * unit).astype(np.int64)
    simple = alpha.denominator < 2**31  # else products leave 64 bits, and Python's whole numbers are taken
    total = total if simple else total.astype(object)
    quotient, rest = total // alpha.denominator, total % alpha.denominator
    enough = total - (quotient * alpha.numerator + rest * alpha.numerator // alpha.denominator)
    return np.searchsorted(cumulated, enough.astype(np.int64), side="left")


def sample_weights(weights: Any, samples: int | None, what: str) -> FloatArray:
    """One finite weight of at least 0 per sample."""
    array = to_numpy(weights)
    if array.ndim != 1 or array.dtype.kind not in "fiub" or (samples is not None and len(array) != samples):
        expected = "per sample" if samples is None else f"for each of the {samples} samples"
        raise InvalidInput(f"{what}: give one number {expected}, got {array.dtype} of shape {array.shape}.")
    array = array.astype(np.float64)
    if not np.isfinite(array).all() or (array < 0).any():
        where = int(np.argmax(~np.isfinite(array) | (array < 0)))
        raise InvalidInput(f"{what}: must be finite and not negative, got {array[where]:g} at sample {where}.")
    return array
