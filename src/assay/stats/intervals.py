"""Bootstrap intervals for the means of samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Interval, InvalidInput, UnknownName
from assay.stats.means import exact_mean
from assay.stats.resampling import FloatArray, check_resampling, expanded_quantile, grid_for, resampled_sums

__all__ = ["IntervalMethod", "bootstrap_interval", "bootstrap_intervals", "negated"]

IntervalMethod: TypeAlias = Literal["bca", "percentile"]

MOST_RESAMPLED = 5000  # values up to which means are resampled; beyond, the expansion is more precise than 2,000 draws
VALUES_AT_ONCE = 32_000_000  # 256 MB of values, and as much again while they are counted


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

    More than 5,000 values are not resampled: the limit of the same interval is computed from their first three moments.

    Bounds are nan for fewer than two values and where a value is infinite; equal values give equal bounds.

    >>> interval = bootstrap_interval([0.2, 0.4, 0.4, 0.9])
    >>> [round(bound, 3) for bound in interval]
    [0.475, 0.25, 0.9]
    >>> bootstrap_interval([0.5, 0.5])
    0.500 [0.500, 0.500]
    >>> bootstrap_interval([0.5])
    0.500 [nan, nan]
    """
    (interval,) = bootstrap_intervals([values], confidence=confidence, method=method, resamples=resamples, seed=seed)
    return interval


def bootstrap_intervals(
    samples: Sequence[ArrayLike],
    *,
    confidence: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = 2000,
    seed: int = 0,
) -> list[Interval]:
    """:func:`bootstrap_interval` of each sample, those of equal size with the same draws: the same digits, sooner.

    >>> bootstrap_intervals([[0.5, 0.5], [0.2, 0.4, 0.4, 0.9]])[1] == bootstrap_interval([0.2, 0.4, 0.4, 0.9])
    True
    """
    check_resampling(confidence=confidence, resamples=resamples, seed=seed)
    if method not in get_args(IntervalMethod):
        raise UnknownName("interval method", method, get_args(IntervalMethod))
    ordered = [_ordered(sample) for sample in samples]
    intervals = [_without_resampling(sample, confidence, method) for sample in ordered]
    by_size: dict[int, dict[bytes, list[int]]] = {}  # equal samples are resampled once
    for place, sample in enumerate(ordered):
        if intervals[place] is None:
            by_size.setdefault(sample.size, {}).setdefault(sample.tobytes(), []).append(place)
    for size, alike in by_size.items():
        grid = grid_for(size)
        for batch in _batches(list(alike.values()), size):
            centred = [_centred(ordered[places[0]]) for places in batch]
            columns = np.stack([grid.steps(entry.deviations) for entry in centred], axis=1)
            means = grid.mean(resampled_sums(columns, resamples=resamples, seed=seed), size)
            for entry, places, column in zip(centred, batch, means.T, strict=True):
                levels = _levels(entry.deviations, column, confidence, method)
                bounds = entry.mean + entry.spread * np.quantile(column, levels)
                interval = entry.interval(*bounds.tolist())
                for place in places:
                    intervals[place] = interval
    return [interval for interval in intervals if interval is not None]


def negated(interval: Interval) -> Interval:
    """The interval of the same difference, taken the other way.

    >>> negated(Interval(0.0, -0.25, 0.5))
    0.000 [-0.500, 0.250]
    """
    value, low, high = interval
    return Interval(0 - value, 0 - high, 0 - low)  # so that no difference does not read as -0


class _Centred(NamedTuple):
    """A sample without location and scale: third powers neither overflow nor vanish, and rounding has a known size."""

    mean: float
    spread: float
    lowest: float
    highest: float
    deviations: FloatArray

    def interval(self, low: float, high: float) -> Interval:
        """The mean with these bounds, on either side of it and within the range of the values."""
        return Interval(self.mean, max(min(low, self.mean), self.lowest), min(max(high, self.mean), self.highest))


def _batches(samples: list[list[int]], size: int) -> Iterator[list[list[int]]]:
    """So many samples at a time that their values stay below half a gigabyte."""
    most = max(1, VALUES_AT_ONCE // size)
    for start in range(0, len(samples), most):
        yield samples[start : start + most]


def _ordered(values: ArrayLike) -> FloatArray:
    sample = np.sort(np.asarray(values, dtype=np.float64))  # arrival order must not move a digit
    if sample.ndim != 1:
        raise InvalidInput(f"an interval needs one row of values, got an array of shape {sample.shape}.")
    if np.isnan(sample).any():
        raise InvalidInput(f"{int(np.isnan(sample).sum())} of {sample.size} values are nan: drop and count them first.")
    return sample


def _without_resampling(sample: FloatArray, confidence: float, method: IntervalMethod) -> Interval | None:
    """The interval where resampling is impossible, pointless or too slow; None where samples are resampled."""
    if sample.size < 2:
        return Interval(float(sample[0]) if sample.size else math.nan, math.nan, math.nan)
    lowest, highest = float(sample[0]), float(sample[-1])
    if lowest == highest:
        return Interval(lowest, lowest, highest)
    mean = exact_mean(sample)
    if math.isinf(highest - lowest) or not math.isfinite(mean):
        return Interval(mean, math.nan, math.nan)
    return _expanded(_centred(sample), confidence, method) if sample.size > MOST_RESAMPLED else None


def _expanded(sample: _Centred, confidence: float, method: IntervalMethod) -> Interval:
    r"""The interval that endless resampling of very many values would give, up to terms of order 1/n.

    $$\bar x + s\,(z + a\,(z^2 - 1)) \text{ (percentile)}, \qquad \bar x + s\,(z + a\,(2 z^2 + 1)) \text{ (bca)}$$

    with $s$ the standard deviation of a resampled mean and $a$ a sixth of its skewness.
    """
    size = sample.deviations.size
    squares = float(np.sum(sample.deviations**2))
    step = math.sqrt(squares) / size
    skew = float(np.sum(sample.deviations**3)) / (6 * squares**1.5)
    quantile = expanded_quantile(size, confidence)
    bounds = []
    for z in (-quantile, quantile):
        correction = skew * (z * z - 1 if method == "percentile" else 2 * z * z + 1)
        bounds.append(sample.mean + sample.spread * step * (z + correction))
    return sample.interval(*bounds)


def _centred(sample: FloatArray) -> _Centred:
    mean, lowest, highest = exact_mean(sample), float(sample[0]), float(sample[-1])
    spread = max(highest - mean, mean - lowest)
    return _Centred(mean, spread, lowest, highest, (sample - mean) / spread)


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
        # past the pole the corrected level lies outside the distribution: take its end
        corrected = bias + shift / slack if slack > 0 else math.copysign(math.inf, shift)
        levels.append(float(ndtr(corrected)))
    return levels
