"""Three ways to order the rows of a node; where more than one applies they agree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from assay.insight.fits.forest.kernels.introsort import ROOM
from assay.insight.fits.forest.kernels.tree_order import insert_rows, place_rows, place_singles

Codes = npt.NDArray[np.uint32]


def placed(column: Codes, rows: Codes) -> Codes:
    rows = rows.copy()
    keys, room = np.empty(len(rows) + 1, dtype=np.int64), np.empty(ROOM, dtype=np.int64)
    place_rows(column, rows, keys, room, int(column[rows].min()), int(column[rows].max()))
    return rows


@given(st.integers(0, 2**32 - 1), st.integers(1, 200))
def test_without_equal_values_every_way_gives_the_one_order(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    column = rng.permutation(300).astype(np.uint32)
    rows = rng.permutation(300)[:size].astype(np.uint32)
    expected = rows[np.argsort(column[rows])]
    assert np.array_equal(placed(column, rows), expected)
    singles, present = rows.copy(), np.zeros(300 // 64 + 1, dtype=np.uint64)
    place_singles(column, singles, np.empty(300, dtype=np.uint32), present, 0, 299)
    assert np.array_equal(singles, expected)
    assert not present.any(), "left clean for the next column"
    inserted = rows.copy()
    assert insert_rows(column, inserted, np.empty(size, dtype=np.int64))
    assert np.array_equal(inserted, expected)


def test_insertion_declines_equal_values_and_moves_nothing() -> None:
    column = np.array([5, 2, 9, 2], dtype=np.uint32)
    rows = np.array([2, 3, 0, 1], dtype=np.uint32)
    assert not insert_rows(column, rows, np.empty(4, dtype=np.int64))
    assert rows.tolist() == [2, 3, 0, 1]


def test_the_order_among_equal_values_depends_on_the_order_before() -> None:
    column = np.array([0, 1, 0, 1, 0, 1, 0, 1], dtype=np.uint32)
    straight = placed(column, np.arange(8, dtype=np.uint32))
    turned = placed(column, np.arange(8, dtype=np.uint32)[::-1])
    assert np.array_equal(column[straight], column[turned])
    assert not np.array_equal(straight, turned)
