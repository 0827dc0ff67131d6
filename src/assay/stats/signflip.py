"""The paired test: whether such differences could be the play of chance signs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from assay.core import InvalidInput
from assay.stats.resampling import FloatArray

__all__ = ["sign_flip_p_value"]

PATTERNS = 9999  # with the observed one they make 10,000
DECIMALS = 10  # differences are at most 1 in size, so what lies beyond is rounding
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
    given = np.asarray(differences, dtype=np.float64)
    if given.ndim != 1:
        raise InvalidInput(f"a paired test needs one row of differences, got an array of shape {given.shape}.")
    if np.isnan(given).any():
        raise InvalidInput(f"{int(np.isnan(given).sum())} of {given.size} differences are nan: drop them first.")
    if given.size < 2 or np.isinf(given).any():
        return math.nan
    moving = np.sort(given[given != 0])  # a zero has no sign to flip; arrival order must not move a digit
    if moving.size < 2:
        return 1.0  # either sign of a single one is as far from zero
    from scipy.stats import permutation_test

    result = permutation_test(
        (moving / np.abs(moving).max(),),
        _rounded_sum,
        permutation_type="samples",
        vectorized=True,
        n_resamples=PATTERNS,
        batch=max(1, SIGNS_AT_ONCE // moving.size),
        random_state=np.random.default_rng(seed),
    )
    return float(result.pvalue)


def _rounded_sum(differences: FloatArray, axis: int) -> FloatArray:
    # 0.1 + 0.2 - 0.3 must tie with 0: unrounded sums break such ties by chance and move p-values by percents
    total: FloatArray = np.round(np.sum(differences, axis=axis), DECIMALS)
    return total
