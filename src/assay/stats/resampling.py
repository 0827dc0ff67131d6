"""Drawing with replacement: the indices, how many, and how far into the tails an interval reaches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.core import InvalidInput

__all__ = ["FloatArray", "IntArray", "check_resampling", "draw_indices", "expanded_quantile"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

FEWEST_RESAMPLES = 100  # below this the tail quantiles are single draws
DRAWS_AT_ONCE = 2_000_000  # bounds the memory of one block of indices to 16 MB


def check_resampling(*, confidence: float, resamples: int, seed: int) -> None:
    """Refuse options that no bootstrap can honour.

    >>> check_resampling(confidence=95, resamples=2000, seed=0)
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: confidence must lie between 0 and 1 (0.95 for 95 %), got 95.
    """
    if not 0 < confidence < 1:
        raise InvalidInput(f"confidence must lie between 0 and 1 (0.95 for 95 %), got {confidence!r}.")
    if resamples < FEWEST_RESAMPLES:
        raise InvalidInput(f"resamples must be at least {FEWEST_RESAMPLES} (2000 is the default), got {resamples!r}.")
    if seed < 0:
        raise InvalidInput(f"seed must be a whole number of at least 0, got {seed!r}.")


def draw_indices(size: int, *, resamples: int, seed: int) -> Iterator[IntArray]:
    """Blocks of rows, each row ``size`` indices drawn with replacement; all rows together are ``resamples`` many.

    >>> sum(len(block) for block in draw_indices(5, resamples=250, seed=0))
    250
    """
    generator = np.random.default_rng(seed)
    rows_at_once = max(1, DRAWS_AT_ONCE // max(size, 1))
    for start in range(0, resamples, rows_at_once):
        rows = min(rows_at_once, resamples - start)
        yield generator.integers(0, size, size=(rows, size))


def expanded_quantile(size: int, confidence: float) -> float:
    r"""The normal quantile that a bootstrap of few values must use to reach its confidence.

    $$z = \sqrt{n/(n-1)} \; t_{n-1,\,(1+c)/2}$$

    A bootstrap behaves like a normal interval with the variance's divisor n: too narrow twice over. Reading the
    bootstrap distribution at $\Phi(\pm z)$ repairs both (T. Hesterberg, What Teachers Should Know About the Bootstrap,
    The American Statistician 69(4), 2015, on the "expanded percentile interval").

    >>> round(expanded_quantile(10, 0.95), 3), round(expanded_quantile(10_000, 0.95), 3)
    (2.385, 1.96)
    """
    from scipy.special import stdtrit

    return -math.sqrt(size / (size - 1)) * float(stdtrit(size - 1, (1 - confidence) / 2))
