"""Anytime-valid comparisons: e-processes and confidence sequences by betting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Interval, InvalidInput
from assay.core.checks import demand_confidence
from assay.stats.resampling import FloatArray

__all__ = ["BETS", "confidence_sequence", "e_process", "fewest_units", "together"]

# shares of what can be staked at most: small ones find small differences, large ones find large differences soon
BETS: Final = (0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 0.96)
_STEPS = 40  # halvings of a bound
_LARGEST = 700.0  # power of e that a float holds


def e_process(differences: ArrayLike) -> FloatArray:
    r"""The evidence against a mean of 0 after each of some differences from [-1, 1], along the last axis.

    $$E_t = \tfrac12 \max_{s = \pm 1}\; \frac{1}{J} \sum_j \prod_{i \le t} (1 + s\,\lambda_j d_i)$$

    The wealth of a gambler who stakes the same shares on either side of every fair game. If each difference has mean 0
    given those before it, then the chance that it ever reaches 1/a is at most a, however long one looks (Ville 1939):
    one may stop whenever one likes. Undefined differences (nan) count as 0.

    >>> e_process([1.0, 1.0, 1.0]).round(3).tolist()
    [0.659, 0.922, 1.375]
    >>> e_process([1.0, -1.0]).round(3).tolist()
    [0.659, 0.395]
    """
    values = np.nan_to_num(np.asarray(differences, dtype=np.float64), nan=0.0)
    if values.size and np.abs(values).max() > 1:
        raise InvalidInput(
            f"differences must lie between -1 and 1, got {values.flat[np.abs(values).argmax()]:g}: divide them by the "
            "range of the score."
        )
    return np.maximum(_wealth(values), _wealth(-values)) / 2


def _wealth(values: FloatArray) -> FloatArray:
    """The mean over the bets of what each has become, after every value."""
    total: FloatArray = np.zeros_like(values)
    with np.errstate(over="ignore"):
        for bet in BETS:
            total += np.exp(np.cumsum(np.log1p(bet * values), axis=-1))
    return total / len(BETS)


def confidence_sequence(differences: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """The mean of differences from [-1, 1] with an interval that holds at every number of them at once.

    It holds the means that :func:`e_process` has not refuted, when the values are taken relative to them: stopping
    when it leaves 0, or at any other time, does not spoil it. It is wider than an interval for a number that was fixed
    beforehand.

    >>> confidence_sequence([0.5] * 30)
    0.500 [0.244, 0.585]
    """
    demand_confidence(confidence)
    values = np.asarray(differences, dtype=np.float64)
    values = values[~np.isnan(values)]
    if values.size and np.abs(values).max() > 1:
        e_process(values)  # raises the error
    if not values.size:
        return Interval(math.nan, -1.0, 1.0)
    bar = 2 / (1 - confidence)
    return Interval(float(values.mean()), _lower(values, bar), -_lower(-values, bar))


def _lower(values: FloatArray, bar: float) -> float:
    """The smallest mean that the bets on larger values have not refuted; what they won falls as the mean grows."""
    low, high = -1.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        refuted = _last_wealth((values - middle) / (1 + middle)) >= bar
        low, high = (middle, high) if refuted else (low, middle)
    return low


def _last_wealth(games: FloatArray) -> float:
    logarithms = np.log1p(np.outer(BETS, games)).sum(axis=1)
    return float(np.exp(np.minimum(logarithms, _LARGEST)).mean())


def together(values: Sequence[float] | FloatArray) -> FloatArray:
    r"""Evidence of several hypotheses, each corrected for all of them: the closure of averaging.

    $$E^*_k = \min_{S \ni k} \frac{1}{|S|} \sum_{i \in S} E_i$$

    The chance that any true hypothesis is ever refuted at 1/a is at most a, however the hypotheses depend on each other
    (Vovk and Wang 2021).

    >>> together([100.0, 60.0, 0.5]).tolist()
    [50.25, 30.25, 0.5]
    """
    evidence = np.asarray(values, dtype=np.float64)
    smallest = np.sort(evidence)
    sums = np.concatenate([[0.0], np.cumsum(smallest)])
    corrected = np.empty_like(evidence)
    for place, own in enumerate(evidence):
        # the minimum over sets of each size is that with the smallest others; its own value may be among the smallest
        rest = sums[: evidence.size]
        sizes = np.arange(1, evidence.size + 1)
        among = smallest[: evidence.size - 1] >= own if evidence.size > 1 else np.array([], dtype=bool)
        means = (own + rest) / sizes
        if among.any():
            first = int(np.argmax(among))  # from here on its own value is one of the smallest: take the next instead
            means[first + 1 :] = sums[first + 2 : evidence.size + 1] / sizes[first + 1 :]
        corrected[place] = means.min()
    return corrected


def fewest_units(level: float, pairs: int = 1) -> int:
    """How many problems, or clusters of them, a pair needs at least to be decided at a level.

    >>> fewest_units(0.05), fewest_units(0.05, pairs=10)
    (8, 12)
    """
    unit = 1
    while float(e_process(np.ones(unit))[-1]) / pairs < 1 / level:
        unit += 1
    return unit
