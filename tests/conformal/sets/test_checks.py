from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from assay.conformal import calibrate
from assay.conformal.sets.checks import (
    as_alpha,
    as_class_counts,
    as_groups,
    as_labels,
    as_probabilities,
    as_weights,
    softmax,
    to_numpy,
)
from assay.core import InvalidInput


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, float("nan"), "0.1", None, True])
def test_a_level_outside_the_open_unit_interval_is_refused(alpha: Any) -> None:
    with pytest.raises(InvalidInput, match="strictly between 0 and 1"):
        as_alpha(alpha)


def test_levels_are_the_fractions_that_people_mean() -> None:
    assert as_alpha(0.05) == Fraction(1, 20)
    assert as_alpha(np.float32(0.1)) == Fraction(1, 10)
    assert as_alpha(np.float64(0.001)) == Fraction(1, 1000)
    assert as_alpha(2 / 7) == Fraction(2, 7)
    assert as_alpha(Fraction(1, 3)) == Fraction(1, 3)
    odd = 0.12345678901234567
    assert float(as_alpha(odd)) == odd


def test_labels_come_as_a_matrix_or_as_one_array_per_task() -> None:
    matrix = np.array([[0, 1], [2, 0], [1, -1]])
    by_matrix, by_task = as_labels(matrix, (3, 2)), as_labels([matrix[:, 0], matrix[:, 1].tolist()], (3, 2))
    assert all((a == b).all() for a, b in zip(by_matrix, by_task, strict=True))
    assert as_labels([0, 1, 1], (2,))[0].tolist() == [0, 1, 1]  # a single task
    assert as_labels(np.array([0.0, 1.0]), (2,))[0].dtype == np.int64


@pytest.mark.parametrize(
    ("labels", "classes", "message"),
    [
        ([[0, 3]], (3,), "3 at sample 1 is outside the 3 classes 0 to 2"),
        ([[0, -2]], (3,), "-2 at sample 1 is outside"),
        ([[0, 1], [0]], (3, 3), "task 1: 1 labels were given for 2 samples"),
        ([[0, 1]], (3, 3), "1 tasks were given where 2 are expected"),
        (np.zeros((3, 600), dtype=int), (3, 3, 3), "transpose it"),
        ([["a", "b"]], (2,), "class numbers"),
        ([[0.5, 1.0]], (2,), "class numbers"),
        (np.zeros((2, 2, 2)), (2, 2), "shape"),
    ],
)
def test_labels_that_do_not_fit_are_named(labels: Any, classes: tuple[int, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        as_labels(labels, classes)


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([[[0.5, 0.4]]], "row 0 sums to 0.9, not to 1"),
        ([[[0.33, 0.33, 0.33]]], "sums to 0.99, not to 1, as rounded .* Divide each row by its sum"),
        ([[[0.9, 0.8, 0.1], [0.2, 0.1, 0.7]]], r"\(sigmoid\) are a task each: .*regions.Labels"),
        ([[[0.5, 0.5], [np.nan, 1.0]]], "row 1 holds nan"),
        ([[[3.0, -2.0]]], "look like logits: pass logits=True"),
        ([[[1.2, -0.2]]], "not a probability"),
        ([[[0.5, 0.5]], [[1.0], [1.0]]], "task 1: has 2 samples, task 0 has 1"),
        ([], "there is no task"),
        ([np.zeros((2, 0))], "no class"),
        ([np.zeros((2, 2, 2))], r"\(n, C\) matrix"),
        ([np.array([["a"]])], r"\(n, C\) matrix"),
    ],
)
def test_what_is_no_distribution_is_refused(probabilities: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        as_probabilities(probabilities)


def test_one_column_of_shares_is_the_probability_of_class_one_and_is_never_told_to_divide() -> None:
    shares = np.array([[0.25], [1.0]])
    assert as_probabilities([shares])[0].tolist() == [[0.75, 0.25], [0.0, 1.0]]
    assert as_probabilities([np.ones((2, 1))])[0].tolist() == [[1.0], [1.0]]  # a task with one class
    assert as_probabilities([np.ones((2, 1))], classes=[2])[0].tolist() == [[0.0, 1.0], [0.0, 1.0]]
    np.testing.assert_allclose(as_probabilities([[[0.0], [2.0]]], logits=True)[0][:, 1], [0.5, 1 / (1 + np.exp(-2.0))])
    calibration = calibrate([np.array([[0.9], [0.8], [0.3], [0.1]])], [[1, 1, 0, 0]], alpha=0.25)
    assert calibration.predict_sets([np.ones((2, 1))]).labels(0) == [[1], [1]]
    with pytest.raises(InvalidInput, match="row 1 holds 1.5") as error:
        as_probabilities([[[0.5], [1.5]]])
    assert "by its sum" not in str(error.value)


def test_several_levels_are_told_where_they_are_taken() -> None:
    with pytest.raises(InvalidInput, match=r"one level, got \[0.1, 0.2\].*calibrate_regions"):
        as_alpha([0.1, 0.2])


def test_class_counts_that_disagree_are_named() -> None:
    with pytest.raises(InvalidInput, match=r"\(2,\) classes where \(3,\) are expected"):
        as_probabilities([[[0.5, 0.5]]], classes=(3,))


def test_single_precision_stays_single_and_nothing_is_copied() -> None:
    matrix = np.full((3, 4), 0.25, dtype=np.float32)
    (checked,) = as_probabilities([matrix])
    assert checked.dtype == np.float32
    assert np.shares_memory(checked, matrix)


def test_logits_become_probabilities_only_on_request() -> None:
    logits = np.array([[2.0, 0.0, -1.0]])
    (probabilities,) = as_probabilities([logits], logits=True)
    np.testing.assert_allclose(probabilities, np.exp(logits) / np.exp(logits).sum())
    with pytest.raises(InvalidInput, match="finite"):
        softmax([[np.inf, 0.0]])


class Tensor:
    """What a tensor with a gradient does: it refuses to become an array until it is detached."""

    def __init__(self, values: Any, *, detached: bool = False, on_cpu: bool = False) -> None:
        self.values, self.detached, self.on_cpu = values, detached, on_cpu

    def detach(self) -> Tensor:
        return Tensor(self.values, detached=True, on_cpu=self.on_cpu)

    def cpu(self) -> Tensor:
        return Tensor(self.values, detached=self.detached, on_cpu=True)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if not (self.detached and self.on_cpu):
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return np.asarray(self.values, dtype=dtype)


def test_tensors_are_detached_first() -> None:
    assert to_numpy(Tensor([[0.5, 0.5]])).tolist() == [[0.5, 0.5]]
    (probabilities,) = as_probabilities([Tensor(np.full((2, 2), 0.5, dtype=np.float32))])
    assert probabilities.shape == (2, 2)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1], "not negative"),
        ([0, 0], "all zero"),
        ([1, np.inf], "finite"),
        ([1], "2 tasks"),
        (["a", "b"], "number"),
    ],
)
def test_weights_that_cannot_weigh_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        as_weights(weights, 2)


@pytest.mark.parametrize("classes", [(), (0,), (2.5,), (True,)])
def test_class_counts_are_whole_numbers_of_at_least_one(classes: Any) -> None:
    with pytest.raises(InvalidInput, match="classes"):
        as_class_counts(classes)


@pytest.mark.parametrize("gap", [None, np.nan])
def test_a_sample_without_a_group_is_named(gap: Any) -> None:
    with pytest.raises(InvalidInput, match="groups: sample 1 has none"):
        as_groups([1.0, gap, 2.0], 3)
