"""Whether a score between 0 and 1 means what it says: the chance that the prediction is right."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from assay.cases.examine.evidence import CasesEvidence
from assay.cases.metrics.arrays import as_judged, as_numbers, as_unit
from assay.cases.metrics.reading import floor_with
from assay.cases.neighbors.checks import FloatArray
from assay.core import InvalidInput, Metric, MetricFamily
from assay.core.checks import as_whole, demand_whole

__all__ = [
    "brier",
    "cross_recalibrated",
    "expected_calibration_error",
    "recalibrate",
    "recalibrated_brier",
    "recalibrated_calibration_error",
]


BINS = 15


def expected_calibration_error(scores: npt.ArrayLike, wrong: npt.ArrayLike, *, bins: int = BINS) -> float:
    r"""Mean distance between score and share of right predictions, over bins of equal width.

    $$\mathrm{ECE} = \sum_b \frac{|B_b|}{n} \left| \frac{|\{q \in B_b : \hat y_q = y_q\}|}{|B_b|} -
    \frac{1}{|B_b|} \sum_{q \in B_b} s_q \right|$$

    Bin b holds the scores from b/bins to below (b+1)/bins, the last one also 1. Undefined (nan) without predictions.

    Parameters
    ----------
    scores : sequence of n numbers
        Higher for more trust in the prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.
    bins : int, default 15
        How many, of equal width.

    Returns
    -------
    float
        From 0, which is best, to 1, or nan.

    Examples
    --------
    >>> expected_calibration_error([1.0, 0.0], [False, True])
    0.0
    >>> expected_calibration_error([0.75, 0.75], [False, True])
    0.25
    >>> expected_calibration_error([], [])
    nan
    """
    s, is_wrong = as_unit(scores, wrong)
    demand_whole(bins, "bins", least=1)
    if not len(s):
        return float("nan")
    place = np.minimum((s * bins).astype(np.int64), bins - 1)
    surplus = np.bincount(place, weights=s - ~is_wrong, minlength=bins)  # sum of scores minus number of right ones
    return float(np.abs(surplus).sum() / len(s))


def brier(scores: npt.ArrayLike, wrong: npt.ArrayLike) -> float:
    r"""Mean squared distance between the score and 1 for a right, 0 for a wrong prediction.

    $$\mathrm{Brier} = \frac{1}{n} \sum_q \left(s_q - [\hat y_q = y_q]\right)^2$$

    Undefined (nan) without predictions.

    Parameters
    ----------
    scores : sequence of n numbers
        Higher for more trust in the prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.

    Returns
    -------
    float
        From 0, which is best, to 1, or nan.

    Examples
    --------
    >>> brier([1.0, 0.0], [False, True])
    0.0
    >>> brier([0.5, 0.5], [False, True])
    0.25
    """
    s, is_wrong = as_unit(scores, wrong)
    return float(((s - ~is_wrong) ** 2).mean()) if len(s) else float("nan")


def recalibrate(scores: npt.ArrayLike, wrong: npt.ArrayLike, new_scores: npt.ArrayLike) -> FloatArray:
    r"""New scores as probabilities of being right, by the best rising curve through the judged ones.

    $$f = \arg\min_{f\,\mathrm{rising}} \sum_q \left(f(s_q) - [\hat y_q = y_q]\right)^2$$

    Between judged scores the curve runs straight, beyond them it is flat (isotonic regression). Only the order and the
    spacing of the scores count, not their range.

    Parameters
    ----------
    scores : sequence of n numbers
        Higher for more trust in the prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.
    new_scores : sequence of numbers
        Whatever is to be moved.

    Returns
    -------
    array of numbers
        From 0 to 1, one per new score.

    Examples
    --------
    >>> recalibrate([1.0, 2.0, 3.0, 4.0], [True, False, True, False], [0.0, 1.5, 2.5, 9.0]).tolist()
    [0.0, 0.25, 0.5, 1.0]
    """
    from scipy.optimize import isotonic_regression

    s, is_wrong = as_judged(scores, wrong, what="scores")
    new = as_numbers(new_scores, what="new_scores")
    if not len(s):
        raise InvalidInput("scores: there are none; recalibration needs at least one judged prediction.")
    places, codes, counts = np.unique(s, return_inverse=True, return_counts=True)
    shares = np.bincount(codes, weights=~is_wrong) / counts
    curve = isotonic_regression(shares, weights=counts.astype(np.float64)).x
    moved: FloatArray = np.clip(np.interp(new, places, curve), 0.0, 1.0)
    return moved


def cross_recalibrated(scores: npt.ArrayLike, wrong: npt.ArrayLike, *, folds: int = 5, seed: int = 0) -> FloatArray:
    r"""Scores recalibrated without their own verdict: each fold by the curve through the other folds.

    $$\tilde s_q = f_{-\phi(q)}(s_q)$$

    where $$\phi(q)$$ is the fold of q, drawn by the seed with right and wrong predictions spread evenly, and $$f$$ the
    curve of :func:`recalibrate`. All are nan where there are fewer than two right or two wrong predictions; with fewer
    than ``folds`` of either, there are as many folds as the rarer has.

    Parameters
    ----------
    scores : sequence of n numbers
        Higher for more trust in the prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.
    folds : int, default 5
        How many parts, at least 2.
    seed : int, default 0
        The seed of everything that is drawn.

    Returns
    -------
    array of n numbers
        From 0 to 1, or nan.

    Examples
    --------
    >>> cross_recalibrated([0.0, 0.0, 7.0, 7.0], [True, True, False, False]).tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    s, is_wrong = as_judged(scores, wrong, what="scores")
    demand_whole(folds, "folds", least=2)
    folds = min(folds, int(is_wrong.sum()), int((~is_wrong).sum()))
    moved = np.full(len(s), np.nan)
    if folds < 2:
        return moved
    rng = np.random.default_rng(as_whole(seed, "seed"))
    fold = np.empty(len(s), dtype=np.int64)
    for group in (np.flatnonzero(is_wrong), np.flatnonzero(~is_wrong)):
        fold[rng.permutation(group)] = np.arange(len(group)) % folds
    for part in range(folds):
        inside = fold == part
        moved[inside] = recalibrate(s[~inside], is_wrong[~inside], s[inside])
    return moved


def recalibrated_calibration_error(scores: npt.ArrayLike, wrong: npt.ArrayLike, *, seed: int = 0) -> float:
    r"""Expected calibration error after isotonic recalibration by five-fold cross-validation.

    $$\mathrm{ECE}(\tilde s), \qquad \tilde s_q = f_{-\phi(q)}(s_q)$$

    with the curves of :func:`cross_recalibrated`. What remains is what no rising curve could repair, and the noise of
    few predictions. Undefined (nan) with fewer than two right or two wrong predictions.

    Parameters
    ----------
    scores : sequence of n numbers
        Higher for more trust in the prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.
    seed : int, default 0
        The seed of everything that is drawn.

    Returns
    -------
    float
        From 0, which is best, to 1, or nan.

    Examples
    --------
    >>> recalibrated_calibration_error([0.5, 0.5, 0.9, 0.9], [True, True, False, False])
    0.0
    >>> recalibrated_calibration_error([0.5, 0.9], [True, False])
    nan
    """
    moved = cross_recalibrated(scores, wrong, seed=seed)
    return float("nan") if np.isnan(moved).any() else expected_calibration_error(moved, wrong)


def recalibrated_brier(scores: npt.ArrayLike, wrong: npt.ArrayLike, *, seed: int = 0) -> float:
    r"""Brier score after isotonic recalibration by five-fold cross-validation.

    $$\mathrm{Brier}(\tilde s), \qquad \tilde s_q = f_{-\phi(q)}(s_q)$$

    with the curves of :func:`cross_recalibrated`. Undefined (nan) with fewer than two right or two wrong predictions.

    Parameters
    ----------
    scores : sequence of n numbers
        Higher for more trust in the prediction.
    wrong : sequence of n booleans
        Which predictions are wrong.
    seed : int, default 0
        The seed of everything that is drawn.

    Returns
    -------
    float
        From 0, which is best, to 1, or nan.

    Examples
    --------
    >>> recalibrated_brier([0.5, 0.5, 0.9, 0.9], [True, True, False, False])
    0.0
    """
    moved = cross_recalibrated(scores, wrong, seed=seed)
    return float("nan") if np.isnan(moved).any() else brier(moved, wrong)


def _of_probabilities(metric: Callable[..., float]) -> Callable[[CasesEvidence], float]:
    """Calibration has a meaning only for scores that may be probabilities."""

    def function(evidence: CasesEvidence) -> float:
        may_be = ((evidence.scores >= 0) & (evidence.scores <= 1)).all()
        return metric(evidence.scores, evidence.wrong) if may_be else math.nan

    return function


def _ece(name: str, bins: int) -> Metric[CasesEvidence]:
    return Metric(
        name,
        _of_probabilities(partial(expected_calibration_error, bins=bins)),
        expected_calibration_error,
        goal="min",
        floor=1.0,
        oracle=0.0,
    )


FAMILIES: tuple[MetricFamily[CasesEvidence], ...] = (
    MetricFamily(name="ece", parameter="bins", make=lambda bins: _ece(f"ece@{bins}", bins), example=10),
)

METRICS: tuple[Metric[CasesEvidence], ...] = (
    _ece("ece", BINS),
    Metric("brier", _of_probabilities(brier), brier, goal="min", floor=1.0, oracle=0.0),
    Metric(
        "ece_recalibrated",
        _of_probabilities(recalibrated_calibration_error),
        recalibrated_calibration_error,
        goal="min",
        floor=floor_with(1.0, right=2, wrong=2),
        oracle=0.0,
        limits=(0, 1),
    ),
    Metric(
        "brier_recalibrated",
        _of_probabilities(recalibrated_brier),
        recalibrated_brier,
        goal="min",
        floor=floor_with(1.0, right=2, wrong=2),
        oracle=0.0,
        limits=(0, 1),
    ),
)
