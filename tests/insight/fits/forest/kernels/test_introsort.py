"""The port of the sort must leave equal values in the very order in which scikit-learn leaves them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.insight.fits.forest.kernels.introsort import ROOM, introsort

partitioner = pytest.importorskip("sklearn.tree._partitioner", reason="this scikit-learn does not show its sort")

Values = npt.NDArray[np.int64]


def theirs(values: Values) -> list[int]:
    samples = np.arange(len(values))
    partitioner._py_sort(values.astype(np.float32), samples, len(values))
    return [int(sample) for sample in samples]


def ours(values: Values) -> list[int]:
    keys = np.append((values << 32) | np.arange(len(values)), 0)
    introsort(keys, len(values), int(values.min()), int(values.max()), np.empty(ROOM, dtype=np.int64))
    return [int(key) & 0xFFFFFFFF for key in keys[:-1]]


@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.sampled_from([1, 2, 3, 7, 40, 300, 10_000]))
def test_equal_values_end_in_the_order_of_scikit_learn(seed: int, size: int, levels: int) -> None:
    values = np.random.default_rng(seed).integers(0, levels, size)
    assert ours(values) == theirs(values)


@pytest.mark.parametrize("size", [2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 64, 100, 257, 1000])
@pytest.mark.parametrize("repeat", [1, 2, 5])
def test_inputs_that_drive_the_sort_into_its_fallback_agree(size: int, repeat: int) -> None:
    half = np.arange(size) // repeat
    pipe = np.concatenate([half, half[::-1]])  # the middle is the largest, both ends the smallest
    for values in (pipe, pipe.max() - pipe, np.concatenate([half, half]), half, half[::-1].copy()):
        assert ours(values) == theirs(values)


def test_a_sorted_column_of_one_value_stays_as_it_is() -> None:
    values = np.full(50, 3)
    assert ours(values) == list(range(50)) == theirs(values)


def test_the_key_beyond_the_end_is_left_alone() -> None:
    values = np.random.default_rng(0).integers(0, 5, 40)
    keys = np.append((values << 32) | np.arange(40), 77)
    introsort(keys, 40, 0, 4, np.empty(ROOM, dtype=np.int64))
    assert keys[-1] == 77
    assert np.all(np.diff(keys[:-1] >> 32) >= 0)
