"""The order in which a tree looks at its columns: a small generator and a permutation carried from node to node."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assay.insight.forest.compiled import compiled

__all__ = ["advance", "lowest_bit", "settle_constants"]

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
def settle_constants(order: npt.NDArray[np.int64], known: npt.NDArray[np.int64], inherited: int, found: int) -> None:
    """Restore the order of inherited constant columns and remember those found at this node, for its children."""
    for i in range(inherited):
        order[i] = known[i]
    for i in range(inherited, inherited + found):
        known[i] = order[i]
