"""Counting and thresholding at memory speed: one pass over boolean sets, packed sets, or probabilities.

Imported only when data are large enough to pay for it; the same counts in plain NumPy stand in :mod:`counts`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

__all__ = ["LANES", "count_lanes", "count_matrix", "count_packed", "pack_above", "pack_by_mass", "pack_by_rank"]

F = TypeVar("F", bound=Callable[..., Any])

LANES = 255  # words of a row whose bytes can be added up side by side without overflow

_U0, _U1, _U2, _U3 = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
_PROBES = 16  # bounds that are tried before the few values that are left between them are sorted
_GATHER = np.uint64(0x0102040810204080)  # brings the lowest bits of eight bytes together in the top byte


def _compiled(function: F) -> F:
    """Machine code, kept on disk where there is a place for it."""
    return _compile(function, fastmath=False)


def _compiled_sums(function: F) -> F:
    """The same, and sums may be taken in any order; comparisons stay exact, nan stays nan."""
    return _compile(function, fastmath={"reassoc", "contract", "nsz"})


def _compile(function: F, **options: Any) -> F:
    try:
        decorated: F = numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # no folder to keep it in: compile again in every process
        decorated = numba.njit(nogil=True, **options)(function)
    return decorated


@_compiled
def count_matrix(matrix: Any, labels: Any, by_class: Any, by_size: Any, size: Any, hit: Any) -> int:
    """Counts of one task from 0/1 bytes; gives the first sample whose label is out of range, or -1.

    ``by_class`` is flat [class, missed or hit], ``by_size`` flat [size, missed or hit or unknown]; ``size`` and ``hit``
    are filled per sample unless they are None.
    """
    samples, classes = matrix.shape
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
        if size is not None:  # decided when compiled
            size[row] = total
            hit[row] = inside
    return -1


@_compiled
def count_lanes(words: Any, matrix: Any, labels: Any, by_class: Any, by_size: Any, size: Any, hit: Any) -> int:
    """The same where four 0/1 bytes at a time are summed as one word, each in its own byte: up to ``LANES`` words."""
    samples, width = words.shape
    most = np.uint64(matrix.shape[1])
    for row in range(samples):
        label = labels[row]
        if np.uint64(label + 1) > most:
            return row
        lanes = np.uint32(0)
        for column in range(width):
            lanes = np.uint32(lanes + words[row, column])
        pairs = (np.uint64(lanes) & np.uint64(0x00FF00FF)) + (
            (np.uint64(lanes) >> np.uint64(8)) & np.uint64(0x00FF00FF)
        )
        total = (pairs & np.uint64(0xFFFF)) + (pairs >> np.uint64(16))
        if label < 0:
            inside = _U2
            by_size[total * _U3 + _U2] += 1
        else:
            place = np.uint64(label)
            inside = np.uint64(matrix[row, place])
            by_class[place * _U2 + inside] += 1
            by_size[total * _U3 + inside] += 1
        if size is not None:
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
        if size is not None:
            size[row] = total
            hit[row] = inside
    return -1


@_compiled
def _pack_row(eights: Any, words: Any) -> None:
    """Flags of 0 and 1, eight at a time, as bits."""
    for word in range(len(words)):
        bits = _U0
        for part in range(8):
            bits |= ((eights[word * 8 + part] * _GATHER) >> np.uint64(56)) << np.uint64(8 * part)
        words[word] = bits


@_compiled_sums
def pack_above(probabilities: Any, lowest: Any, tolerance: Any, words: Any) -> int:
    """Pack which probabilities reach their class's lowest one; gives the first row that is no distribution, or -1."""
    samples, classes = probabilities.shape
    width = words.shape[1]
    flags = np.zeros(width * 64, dtype=np.uint8)
    eights = flags.view(np.uint64)
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
        _pack_row(eights, words[row])
    return -1


@_compiled_sums
def _pack_row_above(values: Any, lowest: Any, tolerance: float, flags: Any, eights: Any, words: Any) -> bool:
    """One row by one bound for all classes; false when it is no distribution."""
    total = 0.0
    below = 0
    for column in range(len(values)):
        value = values[column]
        total += value
        below += value < 0
        flags[column] = value >= lowest
    _pack_row(eights, words)
    return abs(total - 1) <= tolerance and below == 0


@_compiled
def _lowest_by_mass(ordered: Any, limit: float, penalties: Any, uniform: float) -> Any:
    """The least of the likeliest values, ascending in ``ordered``, whose cumulated score is within the limit.

    Values are added from the largest on, equal ones together, as the score does, and no further than needed: scores
    never fall from one value to the next smaller one. A negative ``uniform`` stands for a score without randomness.
    """
    classes = len(ordered)
    lowest = np.inf
    upper = 0.0
    rank = 0
    while rank < classes:
        value = ordered[classes - 1 - rank]
        lower = upper
        upper += value
        rank += 1  # also past what equals nothing, which is refused later
        while rank < classes and ordered[classes - 1 - rank] == value:
            upper += value
            rank += 1
        score = upper if uniform < 0 else lower + uniform * (upper - lower)
        if not score + penalties[rank] <= limit:
            break
        lowest = value
    return lowest


@_compiled
def pack_by_mass(
    probabilities: Any, ordered: Any, limits: Any, penalties: Any, uniform: Any, tolerance: float, words: Any
) -> int:
    """Pack the classes whose mass with all likelier ones is within their row's limit; gives the first bad row, or -1.

    ``penalties`` are by rank from 0 on; ``uniform`` is empty or has a number per row.
    """
    flags = np.zeros(words.shape[1] * 64, dtype=np.uint8)
    eights = flags.view(np.uint64)
    for row in range(len(probabilities)):
        draw = uniform[row] if len(uniform) else -1.0
        lowest = _lowest_by_mass(ordered[row], limits[row], penalties, draw)
        if not _pack_row_above(probabilities[row], lowest, tolerance, flags, eights, words[row]):
            return row
    return -1


@_compiled
def _lowest_by_rank(values: Any, rank: int, bits: Any, number: Any, between: Any) -> Any:
    """The bound that at most ``rank`` values reach, as many as can be without parting equal ones.

    Bounds are tried by their bits, whose order is that of the numbers: counting is faster than sorting. Where values
    are equal no bound may be reached by ``rank`` of them: those that are left between the bounds are sorted.
    ``number`` is the view of ``bits`` as a number, and holds the bound of the row before, which is tried first.
    """
    middle = np.int64(bits[0])
    number[0] = 0
    low, above_low = np.int64(bits[0]), len(values)
    number[0] = 2.0  # more than any
    high, above_high = np.int64(bits[0]), 0
    if not low < middle < high:
        number[0] = 2.0**-12 / rank
        middle = np.int64(bits[0])
    for _ in range(_PROBES):
        bits[0] = middle
        bound = number[0]
        above = 0
        for column in range(len(values)):
            above += values[column] >= bound
        if above == rank:
            return bound
        if above > rank:
            low, above_low = middle, above
        else:
            high, above_high = middle, above
        share = (above_low - rank) / (above_low - above_high)
        middle = low + np.int64((high - low) * min(max(share, 0.1), 0.9))
    bits[0] = high
    bound = number[0]
    bits[0] = low
    least = number[0]
    count = 0
    for column in range(len(values)):
        if least <= values[column] < bound:
            place = count
            while place > 0 and between[place - 1] < values[column]:
                between[place] = between[place - 1]
                place -= 1
            between[place] = values[column]
            count += 1
    missing = rank - above_high  # 0 to found, of the largest
    while missing > 0 and missing < count and between[missing - 1] == between[missing]:
        missing -= 1
    return between[missing - 1] if missing > 0 else bound


@_compiled
def pack_by_rank(
    probabilities: Any, limits: Any, tolerance: float, bits: Any, number: Any, between: Any, words: Any
) -> int:
    """Pack the classes whose rank is within their row's limit; gives the first row that is no distribution, or -1."""
    classes = probabilities.shape[1]
    flags = np.zeros(words.shape[1] * 64, dtype=np.uint8)
    eights = flags.view(np.uint64)
    for row in range(len(probabilities)):
        if limits[row] >= classes:
            number[0] = -np.inf
        elif limits[row] < 1:
            number[0] = np.inf
        else:
            number[0] = _lowest_by_rank(probabilities[row], int(limits[row]), bits, number, between)
        lowest = number[0]  # of the type of the probabilities
        if not _pack_row_above(probabilities[row], lowest, tolerance, flags, eights, words[row]):
            return row
    return -1
