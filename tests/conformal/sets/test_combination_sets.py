from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.conformal import CombinationSets, PredictionSets, count_sets, coverage, efficiency, informativeness
from assay.conformal.metrics import coverage_interval, jointly_covered, relative_size, worst_slice_coverage
from assay.core import InvalidInput

CLASSES = (3, 2)
SETS = [[[2, 0], [0, 1]], [], {"product": [[0, 1], [0, 1]]}, [[1, 1]]]
LABELS = [[0, 0, 1, 1], [0, 1, 1, 1]]


def sets() -> CombinationSets:
    return CombinationSets.from_labels(SETS, classes=CLASSES)


def test_sizes_members_and_projections_are_those_of_the_lists() -> None:
    combinations = sets()
    assert combinations.sizes().tolist() == [2, 0, 4, 1]
    assert combinations.labels(0) == [(0, 1), (2, 0)]
    assert combinations.labels(2) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert combinations.project().labels(0) == [[0, 2], [], [0, 1], [1]]
    assert combinations.contains(LABELS).tolist() == [False, False, True, True]
    assert combinations.contains([[0, 0, -1, 1], [1, 1, 1, -1]]).tolist() == [True, False, False, False]


def test_metrics_count_combinations_together_and_projections_task_by_task() -> None:
    combinations = sets()
    assert coverage(combinations, LABELS, overall="joint") == 0.5
    assert coverage(combinations, LABELS) == 0.75  # the first sample is covered in each task, but not by a combination
    assert efficiency(combinations, overall="joint") == 7 / 4
    assert informativeness(combinations, overall="joint") == 0.25
    assert relative_size(combinations, overall="joint") == (2 + 6 + 4 + 1) / 24  # an empty set counts as everything
    assert jointly_covered(combinations, LABELS).tolist() == [False, False, True, True]
    assert coverage_interval(combinations, LABELS, overall="joint", method="bootstrap").value == 0.5
    assert worst_slice_coverage(combinations, LABELS, ["a", "a", "b", "b"]).coverage == 0.0


def test_slices_parts_and_equality_work_as_on_arrays() -> None:
    combinations = sets()
    assert CombinationSets.concatenate([combinations[:1], combinations[1:]]) == combinations
    assert combinations[[2, 0]].labels(1) == combinations.labels(0)
    assert combinations[np.array([False, False, True, False])].sizes().tolist() == [4]
    assert combinations != combinations[[1, 0, 2, 3]]
    parts = count_sets(combinations[:2], [y[:2] for y in LABELS]) + count_sets(
        combinations[2:], [y[2:] for y in LABELS]
    )
    assert parts == count_sets(combinations, LABELS)


def test_a_product_with_an_empty_task_holds_nothing() -> None:
    product = PredictionSets.from_labels([[[0, 1]], [[]]], classes=CLASSES)
    combinations = CombinationSets.from_products(product)
    assert combinations.sizes().tolist() == [0]
    assert combinations.project().sizes().tolist() == [[0, 0]]
    assert count_sets(combinations).empty == 1


def test_displays_say_the_size() -> None:
    single = CombinationSets.from_labels([[[0, 1], [2, 0]], {"product": [[0, 1], [1]]}, []], classes=(3, 2))
    assert [repr(single[row]).partition(": ")[2] for row in range(3)] == [
        "(0, 1), (2, 0))",
        "every combination of {0, 1}, {1})",
        "none)",
    ]
    many = PredictionSets.full(1, [500, 2])
    assert len(repr(many)) < 150
    assert len(repr(CombinationSets.from_products(many))) < 180
    assert repr(PredictionSets.from_labels({"colour": [[0, 2]]}, classes={"colour": 3})).endswith(
        "1 task: colour {0, 2})"
    )
    assert repr(sets()) == "CombinationSets(4 samples, 2 tasks, mean size 1.75)"
    assert "largest set" in sets()._repr_html_()


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([[[0, 2]]], r"sample 0: \[0, 2\] is outside"),
        ([[], [[0, 1], [0, 1]]], r"sample 1: \[0, 1\] is named twice"),
        ([[[0]]], "2 class numbers, one per task"),
        ([[[0, 0.5]]], "class numbers"),
        ([{"product": [[0]]}], "each of the 2 tasks"),
        ([{"box": []}], "a product is"),
    ],
)
def test_mistakes_are_named(entries: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        CombinationSets.from_labels(entries, classes=CLASSES)


def test_parts_that_do_not_fit_are_refused() -> None:
    combinations = sets()
    for numbers, starts in (([3, 1], [0, 2, 2, 2, 2]), ([9], [0, 1, 1, 1, 1]), ([1], [0, 0, 0, 0, 0])):
        with pytest.raises(InvalidInput, match="combinations"):
            CombinationSets(
                numbers=np.array(numbers),
                starts=np.array(starts),
                products=combinations.products,
                is_product=combinations.is_product,
            )
    with pytest.raises(InvalidInput, match="joint"):
        CombinationSets.from_labels([[]], classes=(3,) * 40)


def test_a_sample_is_counted_from_the_end_as_in_a_list() -> None:
    for lists in ([[[0, 1]], [[1, 1], [2, 0]]], [[[0, 1]], {"product": [[1, 2], [0]]}]):
        sets = CombinationSets.from_labels(lists, classes=(3, 2))
        assert sets.labels(-1) == sets.labels(1) != sets.labels(0) == sets.labels(-2)
        with pytest.raises(IndexError):
            sets.labels(2)
