"""How sure a measured coverage is: exact and bootstrap intervals, and whether it is compatible with 1 - α."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np

from assay.conformal.calibration.quantile import conformal_rank
from assay.conformal.metrics.counted import Overall, Source, demand_overall, with_labels
from assay.conformal.metrics.hits import covered, jointly_covered, label_matrix
from assay.conformal.sets.checks import MISSING, as_alpha
from assay.conformal.sets.counts import SetCounts
from assay.core import Interval, InvalidInput, UnknownName
from assay.core.checks import as_whole, demand_confidence

__all__ = ["CoverageTest", "coverage_interval", "coverage_test", "share_interval", "taskwise_coverage_interval"]

_AT_ONCE = 2_000_000  # numbers of one block of resamples


class CoverageTest(NamedTuple):
    """A coverage beside its nominal level; ``p_below`` is small when it is too low, ``p_value`` when it is off.

    Parameters
    ----------
    coverage : float
        The share of covered samples.
    nominal : float
        What was promised, 1 - α.
    p_below : float
        Small when the coverage is too low.
    p_value : float
        Small when the coverage is off in either direction.
    samples : int
        How many samples it rests on.

    Examples
    --------
    >>> coverage_test(9, 10, alpha=0.1).coverage
    0.9
    """

    coverage: float
    nominal: float
    p_below: float
    p_value: float
    samples: int


def share_interval(hits: int, samples: int, *, confidence: float = 0.95) -> Interval:
    r"""A share with its exact binomial interval (Clopper and Pearson).

    $$\bigl[B^{-1}_{h,\,n-h+1}(\tfrac{1-c}{2}),\; B^{-1}_{h+1,\,n-h}(\tfrac{1+c}{2})\bigr]$$

    with $B^{-1}_{a,b}$ the quantile function of the Beta distribution. From 0 to 1 without samples.

    Parameters
    ----------
    hits : int
        How many samples are covered.
    samples : int
        The number of all samples.
    confidence : float, default 0.95
        The confidence of the interval.

    Returns
    -------
    Interval
        The share and its bounds.

    Examples
    --------
    >>> [round(bound, 3) for bound in share_interval(9, 10)]
    [0.9, 0.555, 0.997]
    >>> share_interval(0, 0)
    nan [0.000, 1.000]
    """
    demand_confidence(confidence)
    if not 0 <= hits <= samples:
        raise InvalidInput(f"hits must lie between 0 and the {samples} samples, got {hits!r}.")
    if not samples:
        return Interval(float("nan"), 0.0, 1.0)
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = float(betaincinv(hits, samples - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, samples - hits, 1 - tail)) if hits < samples else 1.0
    return Interval(hits / samples, low, high)


def taskwise_coverage_interval(sets: Source, labels: Any = None, *, confidence: float = 0.95) -> tuple[Interval, ...]:
    r"""Per task, the coverage with its exact binomial interval.

    $$\bigl[B^{-1}_{h_t,\,n_t-h_t+1}(\tfrac{1-c}{2}),\; B^{-1}_{h_t+1,\,n_t-h_t}(\tfrac{1+c}{2})\bigr]$$

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or the counts of both sets and labels.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; -1 is missing.
    confidence : float, default 0.95
        The confidence of the intervals.

    Returns
    -------
    tuple of one Interval per task
        The coverage and its bounds.

    Examples
    --------
    >>> interval, = taskwise_coverage_interval([[[1, 0]] * 10], [[0] * 9 + [1]])
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.555, 0.997)
    """
    counts = with_labels(sets, labels)
    return tuple(share_interval(task.hits, task.labelled, confidence=confidence) for task in counts.tasks)


def coverage_interval(
    sets: Source,
    labels: Any = None,
    *,
    overall: Overall = "mean",
    method: Literal["auto", "exact", "bootstrap"] = "auto",
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    r"""The overall coverage with its interval: exact where it is a share of samples, else by bootstrap over samples.

    $$\mathrm{exact:}\ \bigl[B^{-1}_{h,\,n-h+1}(\tfrac{1-c}{2}),\; B^{-1}_{h+1,\,n-h}(\tfrac{1+c}{2})\bigr], \qquad
    \mathrm{bootstrap:}\ \bigl[\hat F^{-1}(\tfrac{1-c}{2}),\; \hat F^{-1}(\tfrac{1+c}{2})\bigr]$$

    Tasks of one sample hit and miss together, so the mean over several tasks is no share of independent trials and only
    the bootstrap knows its spread; joint coverage, and that of a single task, is one and gets the exact interval.

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        The sets; counts already hold the labels, but allow no bootstrap.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; -1 is missing.
    overall : "mean" or "joint", default "mean"
        The mean over tasks, or all tasks at once.
    method : "auto", "exact" or "bootstrap", default "auto"
        How the bounds are found.
    confidence : float, default 0.95
        The confidence of the interval.
    resamples : int, default 2000
        The resamples of the bootstrap.
    seed : int, default 0
        The seed of the bootstrap.

    Returns
    -------
    Interval
        The coverage and its bounds.

    Raises
    ------
    InvalidInput
        When the exact interval of a mean is asked for, or a bootstrap of counts.

    Examples
    --------
    >>> coverage_interval([[[1, 0]] * 10], [[0] * 9 + [1]])
    0.900 [0.555, 0.997]
    """
    demand_overall(overall)
    demand_confidence(confidence)
    if method not in ("auto", "exact", "bootstrap"):
        raise UnknownName("interval method", str(method), ("auto", "exact", "bootstrap"))
    counts = with_labels(sets, labels)
    a_share = overall == "joint" or len(counts.tasks) == 1
    if method == "exact" and not a_share:
        raise InvalidInput('the mean over tasks has no exact interval: use method="bootstrap", or overall="joint".')
    if a_share and method != "bootstrap":
        return share_interval(counts.covered, counts.known, confidence=confidence)
    if isinstance(sets, SetCounts):
        raise InvalidInput("a bootstrap needs sets and labels: counts do not say which tasks missed together.")
    if resamples < 100:
        raise InvalidInput(f"resamples must be at least 100 (2000 is the default), got {resamples!r}.")
    return _bootstrap(sets, labels, overall, confidence, resamples, seed)


def _bootstrap(sets: Any, labels: Any, overall: Overall, confidence: float, resamples: int, seed: int) -> Interval:
    labelled = label_matrix(sets, labels) != MISSING
    if overall == "joint":
        whole = labelled.all(axis=1)
        hits = jointly_covered(sets, labels)[whole, None]
        labelled = np.ones((int(whole.sum()), 1), dtype=np.bool_)
    else:
        hits = covered(sets, labels)
    if not len(hits) or not labelled.any(axis=0).all():
        return Interval(float("nan"), float("nan"), float("nan"))
    # samples with equal outcomes are interchangeable: drawing their counts is drawing them
    outcomes, counts = np.unique(np.concatenate([hits, labelled], axis=1), axis=0, return_counts=True)
    hit, there = np.split(outcomes.astype(np.float64), 2, axis=1)
    value = float(((counts @ hit) / (counts @ there)).mean())
    rng = np.random.default_rng(as_whole(seed, "seed"))
    rows = max(1, _AT_ONCE // len(counts))
    means = []
    for start in range(0, resamples, rows):
        resampled = rng.multinomial(len(hits), counts / counts.sum(), size=min(rows, resamples - start))
        with np.errstate(invalid="ignore"):
            means.append(((resampled @ hit) / (resampled @ there)).mean(axis=1))
    resampled_means = np.concatenate(means)
    low, high = np.quantile(resampled_means[~np.isnan(resampled_means)], [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(value, float(min(low, value)), float(max(high, value)))


def coverage_test(hits: int, samples: int, *, alpha: float | Fraction, calibration: int | None = None) -> CoverageTest:
    r"""Whether so many hits are compatible with a coverage of 1 - α.

    $$p_\mathrm{below} = P(H \leq h), \qquad H \sim \mathrm{Binomial}(n, 1 - \alpha) \ \text{ or } \
    H \sim \mathrm{BetaBinomial}(n, k, m + 1 - k), \quad k = \lceil (m + 1)(1 - \alpha) \rceil$$

    A threshold taken from m calibration samples covers a share that is itself random, Beta(k, m + 1 - k): with
    ``calibration=m`` that is accounted for, and a method that does everything right is not blamed for its draw. The
    two-sided ``p_value`` is twice the smaller tail. Undefined (nan) without samples.

    Parameters
    ----------
    hits : int
        How many samples are covered.
    samples : int
        The number of all samples.
    alpha : float or Fraction
        The share of errors that is allowed.
    calibration : int, optional
        From how many samples the threshold was taken.

    Returns
    -------
    CoverageTest
        The coverage beside its nominal level, with ``p_below`` and ``p_value``.

    Raises
    ------
    InvalidInput
        When there are more hits than samples.

    Examples
    --------
    >>> test = coverage_test(850, 1000, alpha=0.1)
    >>> test.p_below < 0.001, coverage_test(850, 1000, alpha=0.1, calibration=50).p_below > 0.05
    (True, True)
    """
    level = as_alpha(alpha)
    nominal = 1 - float(level)
    hits, samples = as_whole(hits, "hits"), as_whole(samples, "samples")
    if calibration is not None:
        calibration = as_whole(calibration, "calibration")
    if not 0 <= hits <= samples:
        raise InvalidInput(f"hits must lie between 0 and the {samples} samples, got {hits!r}.")
    if not samples:
        return CoverageTest(float("nan"), nominal, float("nan"), float("nan"), 0)
    from scipy import stats

    rank = 0 if calibration is None else conformal_rank(calibration, level)
    if calibration is None:
        law = stats.binom(samples, nominal)
    elif rank > calibration:  # the threshold is infinite: everything is covered
        law = stats.binom(samples, 1.0)
    else:
        law = stats.betabinom(samples, rank, calibration + 1 - rank)
    below, above = float(law.cdf(hits)), float(law.sf(hits - 1))
    return CoverageTest(hits / samples, nominal, min(below, 1.0), min(1.0, 2 * min(below, above)), samples)
