"""The paired test: whether such differences could be the play of chance signs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from assay.core import InvalidInput
from assay.stats.resampling import FloatArray, grid_for

__all__ = ["sign_flip_p_value", "sign_flip_p_values", "smallest_p_value"]

PATTERNS = 9999  # with the observed one they make 10,000
ENUMERATED = 13  # up to so many differences all patterns of signs are tried, 8,192 at most
SIGNS_AT_ONCE = 2_000_000  # bounds the memory of one batch


def sign_flip_p_value(differences: ArrayLike, *, seed: int = 0) -> float:
    r"""Two-sided p-value of the hypothesis that each difference is as likely as its negative.

    $$p = P\Bigl(\bigl|\textstyle\sum_i s_i d_i\bigr| \ge \bigl|\sum_i d_i\bigr|\Bigr),
    \quad s_i = \pm 1 \text{ with equal chance}$$

    Exact, over all patterns of signs, for up to 13 differences that are not zero; else over 9,999 random patterns,
    with the observed one counted in. Undefined (nan) for fewer than two differences or an infinite one.

    >>> sign_flip_p_value([0.1, 0.2, 0.3])
    0.25
    >>> sign_flip_p_value([0.0, 0.0])
    1.0
    >>> sign_flip_p_value([0.3])
    nan
    """
    (p_value,) = sign_flip_p_values([differences], seed=seed)
    return p_value


def smallest_p_value(differences: int) -> float:
    """The smallest p-value that so many differences can have, all of one sign; nan for fewer than two.

    >>> smallest_p_value(3), smallest_p_value(6), smallest_p_value(1000)
    (0.25, 0.03125, 0.0002)
    """
    if differences < 2:
        return math.nan
    return 2.0 / 2**differences if differences <= ENUMERATED else 2 / (PATTERNS + 1)


def sign_flip_p_values(samples: Sequence[ArrayLike], *, seed: int = 0) -> list[float]:
    """:func:`sign_flip_p_value` of each sample, those of equal size with the same patterns: the same digits, sooner.

    >>> sign_flip_p_values([[0.1, 0.2, 0.3], [0.3]])
    [0.25, nan]
    """
    moving = [_moving(sample) for sample in samples]
    p_values = [math.nan if sample is None else 1.0 for sample in moving]
    by_size: dict[int, dict[int, FloatArray]] = {}
    for place, sample in enumerate(moving):
        if sample is not None and sample.size >= 2:  # either sign of a single one is as far from zero
            by_size.setdefault(sample.size, {})[place] = sample / np.abs(sample).max()
    for size, scaled in by_size.items():
        columns = np.stack(list(scaled.values()), axis=1)
        values = _enumerated(columns) if size <= ENUMERATED else _sampled(columns, seed)
        for place, value in zip(scaled, values, strict=True):
            p_values[place] = value
    return p_values


def _moving(differences: ArrayLike) -> FloatArray | None:
    """The differences other than zero, sorted; None where the test is undefined."""
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1:
        raise InvalidInput(f"a paired test needs one row of differences, got an array of shape {values.shape}.")
    if np.isnan(values).any():
        raise InvalidInput(f"{int(np.isnan(values).sum())} of {values.size} differences are nan: drop them first.")
    if values.size < 2 or np.isinf(values).any():
        return None
    return np.sort(values[values != 0])  # arrival order must not move a digit


def _enumerated(columns: FloatArray) -> list[float]:
    """Over all patterns of signs: exact."""
    size = len(columns)
    signs = 1.0 - 2.0 * ((np.arange(2**size)[:, np.newaxis] >> np.arange(size)) & 1)
    grid = grid_for(size)
    sums = grid.mean(signs @ grid.steps(columns), 1)  # rounded: 0.1 + 0.2 - 0.3 must tie with 0
    return [float(value) for value in np.mean(np.abs(sums) >= np.abs(sums[0]), axis=0)]


def _sampled(columns: FloatArray, seed: int) -> list[float]:
    """Over random patterns, the observed one counted in on both sides."""
    size = len(columns)
    grid = grid_for(size)
    steps = grid.steps(columns)
    observed = grid.mean(steps.sum(axis=0), 1)
    generator = np.random.default_rng(seed)
    above, below = np.ones(columns.shape[1]), np.ones(columns.shape[1])
    rows_at_once = max(1, SIGNS_AT_ONCE // size)
    for start in range(0, PATTERNS, rows_at_once):
        rows = min(rows_at_once, PATTERNS - start)
        signs = 1.0 - 2.0 * generator.integers(0, 2, size=(rows, size), dtype=np.int8)
        sums = grid.mean(signs @ steps, 1)
        above += np.sum(sums >= observed, axis=0)
        below += np.sum(sums <= observed, axis=0)
    return [float(value) for value in np.minimum(1.0, 2 * np.minimum(above, below) / (PATTERNS + 1))]
