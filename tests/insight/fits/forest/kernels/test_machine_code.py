from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pytest

from assay.insight.fits.forest.kernels.machine_code import NotKept, describe, emit, load, processor

pytestmark = pytest.mark.skipif(not processor(), reason="machine code does not stand alone here")

Floats = npt.NDArray[np.float64]


def emitted(function: Any, arguments: Sequence[Any]) -> bytes:
    just_in_time: Any = numba.njit(error_model="numpy")
    array = just_in_time(function)
    types = tuple(map(numba.typeof, arguments))
    array.compile(types)
    return emit(array.overloads[types], arguments)


def running(table: Floats, factor: np.float32, keep: bool, room: tuple[Floats, npt.NDArray[np.uint8]]) -> int:
    """Sums of the rows, times a factor, into the room; how many rows there are."""
    out, sizes = room
    out[:] = 0.0
    for row in range(table.shape[0]):
        part = table[row]
        for column in range(part.size):
            out[row] += part[column]
        out[row] *= factor
        sizes[row] = keep
    return len(table)


def test_code_that_stands_alone_computes_what_was_compiled() -> None:
    table = np.random.default_rng(0).normal(size=(5, 3))
    first, second = (
        (table, np.float32(1.5), True, (np.empty(5), np.zeros(5, dtype=np.uint8))),
        (table, np.float32(1.5), True, (np.empty(5), np.zeros(5, dtype=np.uint8))),
    )
    alone = load(emitted(running, first), first, gives=True)
    assert alone(*first) == running(*second) == 5
    assert np.array_equal(first[3][0], second[3][0])
    assert np.array_equal(first[3][1], np.ones(5))


def test_code_that_needs_the_compilers_memory_is_refused() -> None:
    def allocates(size: int) -> int:
        array = np.ones(size)
        return int(array[size - 1])

    with pytest.raises(NotKept, match="it needs 'NRT_"):
        emitted(allocates, (3,))


def test_code_that_gives_anything_but_a_whole_number_is_refused() -> None:
    with pytest.raises(NotKept, match="it returns float64"):
        emitted(lambda value: value / 2, (3,))


def test_a_file_of_which_a_byte_has_changed_is_not_run() -> None:
    code = bytearray(emitted(lambda value: value + 1, (3,)))
    assert load(bytes(code), (3,), gives=True)(4) == 5
    code[len(code) // 2] ^= 1
    with pytest.raises(NotKept, match="damaged"):
        load(bytes(code), (3,), gives=True)


@pytest.mark.parametrize("argument", [np.zeros((4, 4))[:, :2], "text", (1, None), np.int64(3)], ids=repr)
def test_arguments_of_other_kinds_are_left_to_the_compiler(argument: object) -> None:
    assert describe((1, argument)) == ""
