"""A bootstrap interval for the mean of one sample."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Interval, InvalidInput, UnknownName
from assay.stats.resampling import FloatArray, check_resampling, draw_indices, expanded_quantile

__all__ = ["IntervalMethod", "bootstrap_interval"]

IntervalMethod: TypeAlias = Literal["bca", "percentile"]

DECIMALS = 12  # deviations are at most 1 in size, so what lies beyond is rounding


def bootstrap_interval(
    values: ArrayLike,
    *,
    confidence: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    r"""The mean of the values with its bootstrap interval.

    $$\hat F^{-1}\bigl(\Phi(\pm z)\bigr) \text{ (percentile)}, \qquad
    \hat F^{-1}\Bigl(\Phi\bigl(z_0 + \tfrac{z_0 \pm z}{1 - a (z_0 \pm z)}\bigr)\Bigr) \text{ (bca)}$$

    with $\hat F$ the distribution of resampled means, $z_0$ its median bias, $a$ a sixth of the skewness of the mean,
    and $z$ the quantile expanded for small samples (see :func:`expanded_quantile`). No bound leaves the range of the
    values, so fewer than about six values cannot reach 95 %: what is measured stands in the decision on statistics.

    Bounds are nan for fewer than two values and where a value is infinite; equal values give equal bounds.

    >>> interval = bootstrap_interval([0.2, 0.4, 0.4, 0.9])
    >>> [round(bound, 3) for bound in interval]
    [0.475, 0.25, 0.9]
    >>> bootstrap_interval([0.5, 0.5])
    Interval(value=0.5, low=0.5, high=0.5)
    >>> bootstrap_interval([0.5])
    Interval(value=0.5, low=nan, high=nan)
    """
    check_resampling(confidence=confidence, resamples=resamples, seed=seed)
    if method not in get_args(IntervalMethod):
        raise UnknownName("interval method", method, get_args(IntervalMethod))
    sample = np.sort(np.asarray(values, dtype=np.float64))  # arrival order must not move a digit
    if sample.ndim != 1:
        raise InvalidInput(f"an interval needs one row of values, got an array of shape {sample.shape}.")
    if np.isnan(sample).any():
        raise InvalidInput(f"{int(np.isnan(sample).sum())} of {sample.size} values are nan: drop and count them first.")
    if sample.size < 2:
        return Interval(float(sample[0]) if sample.size else math.nan, math.nan, math.nan)
    lowest, highest = float(sample[0]), float(sample[-1])
    if lowest == highest:
        return Interval(lowest, lowest, highest)
    with np.errstate(over="ignore", invalid="ignore"):  # the outcome says it: an infinite mean, or none
        mean = float(np.mean(sample))
    if math.isinf(highest - lowest) or not math.isfinite(mean):
        return Interval(mean, math.nan, math.nan)
    # without location and scale: third powers neither overflow nor vanish, and rounding has a known size
    spread = max(highest - mean, mean - lowest)
    deviations = (sample - mean) / spread
    resampled = [deviations[block].mean(axis=1) for block in draw_indices(sample.size, resamples=resamples, seed=seed)]
    means = np.round(np.concatenate(resampled), DECIMALS)
    low, high = mean + spread * np.quantile(means, _levels(deviations, means, confidence, method))
    return Interval(mean, float(max(min(low, mean), lowest)), float(min(max(high, mean), highest)))


def _levels(deviations: FloatArray, means: FloatArray, confidence: float, method: IntervalMethod) -> list[float]:
    """The two places at which the distribution of resampled means is read."""
    from scipy.special import ndtr, ndtri

    quantile = expanded_quantile(deviations.size, confidence)
    if method == "percentile":
        return [float(ndtr(-quantile)), float(ndtr(quantile))]
    # ties with the mean count half; a share of exactly 0 or 1 would be infinitely biased
    below = (np.mean(means < 0) + np.mean(means <= 0)) / 2
    bias = float(ndtri(np.clip(below, 0.5 / means.size, 1 - 0.5 / means.size)))
    acceleration = float(np.sum(deviations**3) / (6 * np.sum(deviations**2) ** 1.5))
    levels = []
    for shift in (bias - quantile, bias + quantile):
        slack = 1 - acceleration * shift
        # past the pole the correction has left the distribution: take its end
        corrected = bias + shift / slack if slack > 0 else math.copysign(math.inf, shift)
        levels.append(float(ndtr(corrected)))
    return levels
