"""Sort packed keys exactly as scikit-learn's trees sort their samples, equal values included.

The order that the sort leaves among equal values decides in which order targets are summed, and thereby the last bits
of every sum. A key holds the rank of a value in its high half and the row in its low half; only ranks are compared.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.insight.fits.forest.kernels.compiled import compiled

__all__ = ["ROOM", "introsort"]

ROOM = (128, 5)  # for the parts that wait: at most one per level, and there are at most 2 log2(n) levels


@compiled
def _sift_down(keys: npt.NDArray[np.int64], root: int, end: int) -> None:
    while True:
        child, largest = 2 * root + 1, root
        if child < end and keys[largest] >> 32 < keys[child] >> 32:
            largest = child
        if child + 1 < end and keys[largest] >> 32 < keys[child + 1] >> 32:
            largest = child + 1
        if largest == root:
            return
        keys[root], keys[largest] = keys[largest], keys[root]
        root = largest


@compiled
def _heapsort(keys: npt.NDArray[np.int64]) -> None:
    size = len(keys)
    for root in range((size - 2) // 2, -1, -1):
        _sift_down(keys, root, size)
    for end in range(size - 1, 0, -1):
        keys[0], keys[end] = keys[end], keys[0]
        _sift_down(keys, 0, end)


@compiled
def _median(a: int, b: int, c: int) -> int:
    if a < b:
        if b < c:
            return b
        return c if a < c else a
    if b < c:
        return a if a < c else c
    return b


@compiled
def _split(keys: npt.NDArray[np.int64], start: int, end: int, pivot: int) -> tuple[np.int64, np.int64]:
    """Move what is below the pivot to the front and what is above to the back; where the equal ones begin and end.

    No step depends on a guess of the processor: each moves one key by arithmetic. Unsigned positions spare the test for
    negative ones. One number beyond ``end`` is read, never used.
    """
    one = np.uint64(1)
    i, left, right = np.uint64(start), np.uint64(start), np.uint64(end)
    first_equal, first_above = pivot << 32, (pivot + 1) << 32
    key = keys[i]
    while i < right:
        following, last, front = keys[i + one], keys[right - one], keys[left]
        below, above = key < first_equal, key >= first_above
        keys[left if below else i] = key
        keys[right - one] = key if above else last
        keys[i] = last if above else (front if below else key)
        key = last if above else following
        left += np.uint64(below)
        right -= np.uint64(above)
        i += np.uint64(not above)
    return np.int64(left), np.int64(right)


@compiled
def introsort(keys: npt.NDArray[np.int64], size: int, low: int, high: int, waiting: npt.NDArray[np.int64]) -> None:
    """Sort the first ``size`` keys in place by rank; there is one more. All ranks lie between ``low`` and ``high``.

    ``waiting`` has the shape ``ROOM``.
    """
    start, end, depth = 0, size, 0
    while end >> (depth + 1):
        depth += 1
    depth *= 2
    top = 0
    while True:
        while end - start > 1:
            if depth <= 0:
                _heapsort(keys[start:end])
                break
            if low == high:  # nothing moves among equal values
                break
            if end - start == 2:
                if keys[start] >> 32 > keys[start + 1] >> 32:
                    keys[start], keys[start + 1] = keys[start + 1], keys[start]
                break
            depth -= 1
            pivot = _median(keys[start] >> 32, keys[start + (end - start) // 2] >> 32, keys[end - 1] >> 32)
            equal = _split(keys, start, end, pivot)
            left, right = int(equal[0]), int(equal[1])
            if left - start > 1:
                waiting[top, 0], waiting[top, 1], waiting[top, 2] = start, left, depth
                waiting[top, 3], waiting[top, 4] = low, pivot - 1
                top += 1
            start, low = right, pivot + 1
        if top == 0:
            return
        top -= 1
        start, end, depth = waiting[top, 0], waiting[top, 1], waiting[top, 2]
        low, high = waiting[top, 3], waiting[top, 4]
