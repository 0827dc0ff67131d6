"""What all trees share: the generator, the order of constant columns, the way of test rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.insight.fits.forest.kernels.tree_draws import advance, lowest_bit, send_test_rows, settle_constants


@given(st.integers(0, 2**32 - 1))
def test_a_draw_is_that_of_scikit_learn(state: int) -> None:
    reference = pytest.importorskip("sklearn.utils._random")._our_rand_r_py
    assert advance(state) & 0x7FFFFFFF == reference(state)
    assert 0 < advance(state) < 2**32


def test_every_single_bit_is_found() -> None:
    assert [lowest_bit(np.uint64(1 << position)) for position in range(64)] == list(range(64))


def test_inherited_constants_return_to_their_order_and_found_ones_are_remembered() -> None:
    order, constants = np.array([4, 1, 3, 0, 2]), np.array([1, 4, -1, -1, -1])
    settle_constants(order, constants, 2, 1)
    assert order.tolist() == [1, 4, 3, 0, 2]
    assert constants.tolist() == [1, 4, 3, -1, -1]


def test_test_rows_at_the_threshold_go_left() -> None:
    column = np.array([2.0, 1.5, 1.0, 1.6, -1.0], dtype=np.float32)
    rows = np.arange(5, dtype=np.uint32)
    assert send_test_rows(column, rows, np.float32(1.0), np.float32(2.0)) == 3
    assert sorted(rows[:3].tolist()) == [1, 2, 4]
