from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.conformal import PredictionSets
from assay.core import InvalidInput

CLASSES = (3, 64, 65, 130, 1)


def matrices(seed: int, samples: int = 20) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(size=(samples, count)) < 0.4 for count in CLASSES]


@given(st.integers(0, 1000), st.integers(0, 12))
def test_packing_and_unpacking_gives_the_same_sets(seed: int, samples: int) -> None:
    set_input = matrices(seed, samples)
    packed = PredictionSets.from_matrices(set_input)
    assert all(np.array_equal(a, b) for a, b in zip(packed.matrices(), set_input, strict=True))
    lists = [packed.labels(task) for task in range(packed.tasks)]
    assert PredictionSets.from_labels(lists, classes=CLASSES) == packed
    assert packed.sizes().tolist() == [[int(m[i].sum()) for m in set_input] for i in range(samples)]
    assert len(packed) == samples


def test_the_formats_of_other_libraries_are_all_taken() -> None:
    boolean = matrices(1)
    expected = PredictionSets.from_matrices(boolean)
    assert PredictionSets.from_matrices([m[:, :, None] for m in boolean]) == expected  # MAPIE: (n, K, levels)
    assert PredictionSets.from_matrices([m.astype(np.int64) for m in boolean]) == expected  # crepes
    assert PredictionSets.from_matrices([m.astype(np.int32) for m in boolean]) == expected  # TorchCP
    assert PredictionSets.from_matrices([m.tolist() for m in boolean]) == expected
    assert PredictionSets.from_matrices(boolean[0]) == expected.task(0)


def test_sets_take_an_eighth_of_the_memory_of_booleans() -> None:
    matrix = np.ones((1000, 128), dtype=np.bool_)
    assert PredictionSets.from_matrices([matrix]).nbytes * 8 == matrix.nbytes


def test_parts_and_concatenation_fit_together() -> None:
    whole = PredictionSets.from_matrices(matrices(2))
    assert PredictionSets.concatenate([whole[:7], whole[7:]]) == whole
    assert whole[3] == whole[3:4]
    assert whole[np.arange(20) % 2 == 0] == whole[::2]
    assert whole != PredictionSets.full(20, CLASSES)
    assert whole != "sets"
    assert PredictionSets.full(2, (3,)).labels(0) == [[0, 1, 2]] * 2


@pytest.mark.parametrize(
    ("set_input", "message"),
    [
        ([[[0, 2]]], "booleans or 0 and 1 only"),
        ([[[0.5, 1.0]]], "booleans or 0 and 1 only"),
        ([[[1, 0], [1]]], "from_labels"),
        ([np.ones((2, 3, 2))], "have 2 levels"),
        ([np.ones((2, 3)), np.ones((3, 3))], "task 1: has 3 samples, task 0 has 2"),
        ([], "no task"),
        ([np.ones((2, 0))], "shape"),
    ],
)
def test_what_is_no_set_is_refused(set_input: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        PredictionSets.from_matrices(set_input)


@pytest.mark.parametrize(
    ("lists", "classes", "message"),
    [
        ([[[0, 3]]], (3,), "3 is outside the 3 classes"),
        ([[[-1]]], (3,), "-1 is outside"),
        ([[[0.5]]], (3,), "class numbers"),
        ([[[0]]], (3, 2), "1 tasks of lists for 2"),
        ([[[0]], [[0], [0]]], (3, 2), "task 1: has 2 samples"),
    ],
)
def test_lists_that_do_not_fit_are_named(lists: Any, classes: tuple[int, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        PredictionSets.from_labels(lists, classes=classes)


def test_words_and_parts_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidInput, match="words of shape"):
        PredictionSets((np.zeros((2, 1), dtype=np.uint64),), (65,))
    with pytest.raises(InvalidInput, match="do not fit"):
        PredictionSets.concatenate([PredictionSets.full(1, (2,)), PredictionSets.full(1, (3,))])
    with pytest.raises(InvalidInput, match="nothing to concatenate"):
        PredictionSets.concatenate([])
    with pytest.raises(InvalidInput, match="1 tasks of words for 2"):
        PredictionSets((np.zeros((2, 1), dtype=np.uint64),), (2, 2))
