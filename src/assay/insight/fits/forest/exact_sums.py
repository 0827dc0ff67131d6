"""Targets whose sums are free of rounding."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["sums_are_exact"]


def sums_are_exact(target: npt.NDArray[np.float64], *, finest: int = 4) -> bool:
    """Whether any weighted sum of these values or their squares is free of rounding, so that its order is nothing.

    Whole numbers, halves, ... down to ``finest`` binary digits after the point, not too large for the number of rows.

    >>> sums_are_exact(np.array([1.0, 2.5])), sums_are_exact(np.array([0.1, 0.2])), sums_are_exact(np.array([1e9, 0.0]))
    (True, False, False)
    """
    largest = float(np.abs(target).max(initial=0.0))
    for digits in range(finest + 1):
        scale = 2.0**digits
        if largest * scale * largest * scale * target.size >= 2.0**53:
            return False
        scaled = target * scale
        if bool((scaled == np.rint(scaled)).all()):
            return True
    return False
