"""What all trees share: the order in which they look at columns, and how test rows follow a split."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from assay.insight.fits.forest.kernels.compiled import compiled

__all__ = ["advance", "lowest_bit", "note", "send_test_rows", "settle_constants"]

_LOW_32 = 0xFFFFFFFF
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)


def _bit_positions() -> npt.NDArray[np.int64]:
    table = np.zeros(64, dtype=np.int64)
    for position in range(64):
        table[((int(_DE_BRUIJN) << position) & (2**64 - 1)) >> 58] = position
    return table


_POSITIONS = _bit_positions()


@compiled
def advance(state: int) -> int:
    """The next state of a tree's generator, a shift register of 32 bits; a draw uses the lower 31 of them."""
    if state == 0:
        state = 1
    state ^= (state << 13) & _LOW_32
    state ^= state >> 17
    return state ^ ((state << 5) & _LOW_32)


@compiled
def lowest_bit(alone: np.uint64) -> int:
    """The position of the only bit that is set."""
    position: int = _POSITIONS[(alone * _DE_BRUIJN) >> np.uint64(58)]
    return position


@compiled
def note(table: Any, row: int, facts: Any) -> None:
    """Write facts into a row of a table, which is as wide."""
    for place, fact in enumerate(facts):
        table[row, place] = fact


@compiled
def settle_constants(
    order: npt.NDArray[np.int64], constants: npt.NDArray[np.int64], inherited: int, added: int
) -> None:
    """Restore the order of inherited constant columns and remember those found at this node, for its children."""
    for i in range(inherited):
        order[i] = constants[i]
    for i in range(inherited, inherited + added):
        constants[i] = order[i]


@compiled
def send_test_rows(
    column: npt.NDArray[np.float32], rows: npt.NDArray[np.uint32], below: np.float32, above: np.float32
) -> int:
    """Move the test rows that go left to the front; how many do.

    The threshold lies halfway between the training values on both sides of the cut.
    """
    threshold = float(below) / 2.0 + float(above) / 2.0
    left = 0
    for p in range(len(rows)):
        row = rows[p]
        rows[p] = rows[left]
        rows[left] = row
        left += column[row] <= threshold
    return left
