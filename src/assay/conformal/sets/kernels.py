"""Counting and thresholding at memory speed: one pass over boolean sets, packed sets, or probabilities.

Imported only when data are large enough to pay for it; the same counts in plain NumPy stand in :mod:`counts`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

__all__ = ["count_matrix", "count_packed", "pack_above"]

F = TypeVar("F", bound=Callable[..., Any])

_U0, _U1, _U2, _U3 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)


def _compiled(function: F) -> F:
    """Machine code, kept on disk where there is a place for it."""
    return _compile(function, fastmath=False)


def _compiled_sums(function: F) -> F:
    """The same, and sums may be taken in any order; comparisons stay exact, nan stays nan."""
    return _compile(function, fastmath={"reassoc", "contract", "nsz"})


def _compile(function: F, **options: Any) -> F:
    try:
        decorated: F = numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no folder to keep it in: compile anew in every process
        decorated = numba.njit(nogil=True, **options)(function)
    return decorated


@_compiled
def count_matrix(matrix: Any, labels: Any, by_class: Any, by_size: Any, size: Any, hit: Any) -> int:
    """Counts of one task from 0/1 bytes; gives the first sample whose label is out of range, or -1.

    ``by_class`` is flat [class, missed or hit], ``by_size`` flat [size, missed or hit or unknown]; ``size`` and ``hit``
    are filled per sample unless they are empty.
    """
    samples, classes = matrix.shape
    keep = len(size) > 0
    most = np.uint64(classes)
    for row in range(samples):
        label = labels[row]
        if np.uint64(label + 1) > most:  # one comparison for both ends: what is below -1 is huge without a sign
            return row
        flags = matrix[row]
        total = np.uint16(0)  # twice as many are summed at once as in 32 bits
        for column in range(classes):
            total = np.uint16(total + np.uint16(flags[column]))
        if label < 0:
            inside = _U2
            by_size[np.uint64(total) * _U3 + _U2] += 1
        else:
            place = np.uint64(label)
            inside = np.uint64(flags[place])
            by_class[place * _U2 + inside] += 1
            by_size[np.uint64(total) * _U3 + inside] += 1
        if keep:
            size[row] = total
            hit[row] = inside
    return -1


@_compiled
def _ones(word: Any) -> Any:
    """How many bits of a word are set; the compiler makes one instruction of it."""
    word = word - ((word >> _U1) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> _U2) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@_compiled
def count_packed(words: Any, classes: int, labels: Any, by_class: Any, by_size: Any, size: Any, hit: Any) -> int:
    """The same from packed words."""
    samples, width = words.shape
    keep = len(size) > 0
    most = np.uint64(classes)
    for row in range(samples):
        label = labels[row]
        if np.uint64(label + 1) > most:  # one comparison for both ends: what is below -1 is huge without a sign
            return row
        total = _U0
        for column in range(width):
            total += _ones(words[row, column])
        if label < 0:
            inside = _U2
            by_size[total * _U3 + _U2] += 1
        else:
            place = np.uint64(label)
            inside = (words[row, place >> np.uint64(6)] >> (place & np.uint64(63))) & _U1
            by_class[place * _U2 + inside] += 1
            by_size[total * _U3 + inside] += 1
        if keep:
            size[row] = total
            hit[row] = inside
    return -1


@_compiled_sums
def pack_above(probabilities: Any, lowest: Any, tolerance: Any, words: Any) -> int:
    """Pack which probabilities reach their class's lowest one; gives the first row that is no distribution, or -1."""
    samples, classes = probabilities.shape
    width = words.shape[1]
    flags = np.zeros(width * 64, dtype=np.uint8)
    eights = flags.view(np.uint64)
    gather = np.uint64(0x0102040810204080)  # brings the lowest bits of eight bytes together in the top byte
    zero = tolerance * 0
    for row in range(samples):
        total = zero
        below = 0
        for column in range(classes):
            value = probabilities[row, column]
            total += value
            below += value < 0
            flags[column] = value >= lowest[column]
        if not abs(total - 1) <= tolerance or below:
            return row
        for word in range(width):
            bits = _U0
            for part in range(8):
                bits |= ((eights[word * 8 + part] * gather) >> np.uint64(56)) << np.uint64(8 * part)
            words[row, word] = bits
    return -1
