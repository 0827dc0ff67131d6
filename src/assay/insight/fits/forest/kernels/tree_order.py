"""Put the rows of a node into the order in which scikit-learn's sort leaves them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.insight.fits.forest.kernels.compiled import compiled
from assay.insight.fits.forest.kernels.introsort import introsort
from assay.insight.fits.forest.kernels.tree_draws import lowest_bit

__all__ = ["insert_rows", "place_rows", "place_singles"]

_ONE = np.uint64(1)
_ROW = (1 << 32) - 1


@compiled
def place_rows(
    column: npt.NDArray[np.uint32],
    rows: npt.NDArray[np.uint32],
    keys: npt.NDArray[np.int64],
    room: npt.NDArray[np.int64],
    low: int,
    high: int,
) -> None:
    """Order the node's rows by the column as the original does; all codes lie between ``low`` and ``high``."""
    size = len(rows)
    for p in range(size):
        keys[p] = (np.int64(column[rows[p]]) << 32) | rows[p]
    introsort(keys, size, low, high, room)
    for p in range(size):
        rows[p] = keys[p] & _ROW


@compiled
def place_singles(
    column: npt.NDArray[np.uint32],
    rows: npt.NDArray[np.uint32],
    holder: npt.NDArray[np.uint32],
    present: npt.NDArray[np.uint64],
    low: int,
    high: int,
) -> None:
    """Order the node's rows by a column that holds no value twice: there is only one such order."""
    for row in rows:
        code = column[row]
        holder[code] = row
        present[code >> 6] |= _ONE << np.uint64(code & 63)
    p = 0
    for word in range(low >> 6, (high >> 6) + 1):
        bits = present[word]
        present[word] = 0
        while bits:
            alone = bits & (~bits + _ONE)
            bits ^= alone
            rows[p] = holder[(word << 6) + lowest_bit(alone)]
            p += 1


@compiled
def insert_rows(column: npt.NDArray[np.uint32], rows: npt.NDArray[np.uint32], keys: npt.NDArray[np.int64]) -> bool:
    """Sort few rows by insertion unless two are equal: without equals every sort leaves the same order."""
    size = len(rows)
    for p in range(size):
        key = (np.int64(column[rows[p]]) << 32) | rows[p]
        q = p
        while q > 0 and keys[q - 1] > key:
            keys[q] = keys[q - 1]
            q -= 1
        keys[q] = key
    for p in range(1, size):
        if keys[p - 1] >> 32 == keys[p] >> 32:
            return False
    for p in range(size):
        rows[p] = keys[p] & _ROW
    return True
