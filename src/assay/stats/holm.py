"""Holm's correction for many comparisons."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.core import InvalidInput
from assay.stats.resampling import FloatArray

__all__ = ["holm"]


def holm(p_values: ArrayLike) -> FloatArray:
    r"""Step-down adjusted p-values: comparing each with α keeps the chance of any false alarm below α.

    $$\tilde p_{(i)} = \max_{j \le i} \min\bigl(1, (m - j + 1)\, p_{(j)}\bigr)$$

    A nan (nothing could be tested) stays nan and does not count among the m.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    >>> holm([0.04, float("nan")]).tolist()
    [0.04, nan]
    """
    raw = np.asarray(p_values, dtype=np.float64)
    if raw.ndim != 1:
        raise InvalidInput(f"Holm's correction needs one row of p-values, got an array of shape {raw.shape}.")
    outside = raw[(raw < 0) | (raw > 1)]
    if outside.size:
        raise InvalidInput(f"a p-value must lie between 0 and 1, got {float(outside[0])!r}.")
    adjusted = np.full(raw.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(raw))
    order = tested[np.argsort(raw[tested], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * raw[order]))
    return adjusted
