"""Drawing with replacement: the indices, how many, and how far into the tails an interval reaches."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from assay.core import InvalidInput
from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import demand_confidence

__all__ = [
    "FloatArray",
    "Grid",
    "IntArray",
    "check_resampling",
    "draw_indices",
    "expanded_quantile",
    "grid_for",
    "resampled_sums",
]


FEWEST_RESAMPLES = 100  # below this the tail quantiles are single draws
DRAWS_AT_ONCE = 2_000_000  # bounds the memory of one block of indices to 16 MB
FEW_COLUMNS = 3  # below this many, gathering is quicker than counting and multiplying
WHOLE = 52  # bits of a float that count whole numbers, one kept back
DECIMALS = 12  # beyond that, values of at most 1 in size hold rounding only


class Grid(NamedTuple):
    """Values of at most 1 in size, in whole steps so fine that the sum of so many of them is still exact."""

    bits: int
    decimals: int  # means of values on the grid are right to these

    def steps(self, values: FloatArray) -> FloatArray:
        """The values as whole numbers of steps."""
        return np.rint(np.ldexp(values, self.bits))

    def mean(self, sums: FloatArray, counts: FloatArray | int) -> FloatArray:
        """Means from sums of steps; nan for a count of 0."""
        means = np.full(np.shape(sums), np.nan)
        np.divide(np.ldexp(sums, -self.bits), counts, out=means, where=np.asarray(counts) > 0)
        return np.round(means, self.decimals)


def grid_for(size: int) -> Grid:
    """The finest grid on which the sum of ``size`` values is exact in any order of summation.

    >>> grid_for(1000), grid_for(1_000_000)
    (Grid(bits=42, decimals=11), Grid(bits=32, decimals=8))
    """
    bits = WHOLE - max(0, size - 1).bit_length()
    return Grid(bits, min(DECIMALS, int(bits * math.log10(2)) - 1))


def check_resampling(*, confidence: float, resamples: int, seed: int) -> None:
    """Refuse options that no bootstrap can honour.

    >>> check_resampling(confidence=95, resamples=2000, seed=0)
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: confidence must lie between 0 and 1 (0.95 for 95 %), got 95.
    """
    demand_confidence(confidence)
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


def resampled_sums(columns: FloatArray, *, resamples: int, seed: int) -> FloatArray:
    """Sums down each column over rows drawn with replacement; one row per resample, the same draws for all columns.

    The columns hold steps of a :class:`Grid`: no sum is rounded, so neither the company of other columns nor threads
    nor the machine move a digit.
    """
    size, count = columns.shape
    sums = np.empty((resamples, count))
    filled = 0
    for block in draw_indices(size, resamples=resamples, seed=seed):
        rows = slice(filled, filled + len(block))
        if count < FEW_COLUMNS:
            for place, column in enumerate(np.ascontiguousarray(columns.T)):
                sums[rows, place] = column[block].sum(axis=1)
        else:
            times = np.array([np.bincount(row, minlength=size) for row in block], dtype=np.float64)
            np.matmul(times, columns, out=sums[rows])
        filled += len(block)
    return sums


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
