"""Numbers as pandas 1.2 to 2.x read them from text, the last digit included.

The published scores were computed on values that those releases parsed; they divide a rounded whole number by a power
of ten, so a text of seventeen digits may come out one step beside the number it says. Ranks see that: values that are
equal by one parser differ by the other.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["as_once_parsed"]

_DIGITS = 17  # further ones were not looked at
_EXACT = 15  # so many digits always make an exact whole number
_LARGEST_POWER = 308


def as_once_parsed(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """What an older parser makes of the shortest texts that say these numbers.

    >>> as_once_parsed(np.array([0.5, 1.1, float("nan")])).tolist()
    [0.5, 1.1, nan]
    """
    distinct, where = np.unique(values, return_inverse=True)
    parsed = distinct.copy()
    for place, value in enumerate(distinct.tolist()):
        text = repr(value)
        if len(text) > _EXACT and "n" not in text:  # neither nan nor inf, and long enough to matter
            parsed[place] = _parse(text)
    return np.asarray(parsed[where].reshape(values.shape), dtype=np.float64)


def _parse(text: str) -> float:
    mantissa, _, exponent = text.lstrip("-").partition("e")
    whole, _, decimals = mantissa.partition(".")
    digits = (whole + decimals)[:_DIGITS]
    number = float(int(digits[:_EXACT]))
    for digit in digits[_EXACT:]:
        number = number * 10.0 + int(digit)
    power = int(exponent or 0) - min(len(decimals), max(_DIGITS - len(whole), 0)) + max(len(whole) - _DIGITS, 0)
    if power > 0:
        number *= float(f"1e{power}")
    elif power >= -_LARGEST_POWER:
        number /= float(f"1e{-power}")
    else:
        number = number / float(f"1e{-_LARGEST_POWER - power}") / float(f"1e{_LARGEST_POWER}")
    return -number if text.startswith("-") else number
