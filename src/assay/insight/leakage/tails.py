"""Tails of counts, as exact tests need them: loading a statistics library takes longer than checking a solution."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, lgamma, log, log1p
from typing import Final

__all__ = ["binomial_tail", "fisher_greater"]

_LARGE: Final = 1e200
_NOTHING: Final = 1e-18


def fisher_greater(right: int, wrong: int, hits: int, misses: int) -> float:
    """Fisher's exact test, one-sided: the p-value of the first row's share being greater by chance.

    >>> round(fisher_greater(8, 2, 1, 5), 6)
    0.024476
    """
    sample, successes, total = right + wrong, right + hits, right + wrong + hits + misses
    last = min(sample, successes)
    if right <= max(0, sample + successes - total):
        return 1.0
    first = _log_choose(successes, right) + _log_choose(total - successes, wrong) - _log_choose(total, sample)
    ratios = (
        (successes - k) * (sample - k) / ((k + 1) * (total - successes - sample + k + 1)) for k in range(right, last)
    )
    return _tail(first, ratios)


def binomial_tail(least: int, trials: int, chance: float) -> float:
    """The probability of at least so many successes.

    >>> round(binomial_tail(9, 10, 0.5), 6)
    0.010742
    """
    if least <= 0 or (chance >= 1 and least <= trials):
        return 1.0
    if least > trials or chance <= 0:
        return 0.0
    first = _log_choose(trials, least) + least * log(chance) + (trials - least) * log1p(-chance)
    odds = chance / (1 - chance)
    return _tail(first, ((trials - k) / (k + 1) * odds for k in range(least, trials)))


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _tail(first: float, ratios: Iterable[float]) -> float:
    """The sum of terms: the first as a logarithm, each further one as its ratio to the one before."""
    total = term = 1.0
    scale = first
    for ratio in ratios:
        term *= ratio
        total += term
        if total > _LARGE:  # the terms still rise: far from the tail
            scale += log(total)
            term, total = term / total, 1.0
        elif term < total * _NOTHING:
            break
    return min(exp(scale + log(total)), 1.0)
