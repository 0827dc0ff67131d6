"""Problems with tasks of numbers: written, read back and checked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.conformal import ConformalTask, ConformalTruth, Numbers, NumberTask, load, write_problem
from assay.core import InvalidInput
from assay.intake.arrays import read_npz, write_npz


def price(**changes: Any) -> NumberTask:
    rng = np.random.default_rng(1)
    truth, new = rng.normal(size=40), rng.normal(size=5)
    parts: dict[str, Any] = {
        "name": "price",
        "calibration": Numbers(predicted=truth, scale=np.full(40, 0.5)),
        "truth": truth + 0.5 * rng.normal(size=40),
        "test": Numbers(predicted=new, scale=np.full(5, 0.25)),
    }
    return NumberTask(**{**parts, **changes})


def mixed(**changes: Any) -> ConformalTask:
    rng = np.random.default_rng(2)
    task = ConformalTask(
        calibration_probabilities=(rng.dirichlet(np.ones(3), 40),),
        calibration_labels=(rng.integers(0, 3, 40),),
        test_probabilities=(rng.dirichlet(np.ones(3), 5),),
        task_names=("kind",),
        alpha=0.1,
        numbers=(price(),),
    )
    return replace(task, **changes)


TRUTH = ConformalTruth(labels=(np.array([0, 1, 2, 0, 1]),), numbers=(np.array([0.5, np.nan, 1.0, 2.0, -1.0]),))
ALONE = ConformalTruth(numbers=TRUTH.numbers)


def test_a_problem_with_both_kinds_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    write_problem(tmp_path / "a", id="a", task=mixed(guarantee="joint"), truth=TRUTH, tags={})
    problem = load(tmp_path / "a")
    assert repr(problem.task) == (
        "ConformalTask(1 task of 3 classes, 1 task of numbers, 40 calibration and 5 test samples, alpha 0.1, joint)"
    )
    (number,), (expected,) = problem.task.numbers, mixed().numbers
    assert (number.name, sorted(number.test.parts)) == ("price", ["predicted", "scale"])
    np.testing.assert_array_equal(number.calibration.scale, expected.calibration.scale)
    np.testing.assert_array_equal(number.truth, expected.truth)
    np.testing.assert_array_equal(problem.truth.numbers[0], TRUTH.numbers[0])
    assert list(problem.task.calibration_predictions) == list(problem.task.calibration_truth) == ["kind", "price"]
    write_problem(tmp_path / "b" / "a", id="a", task=problem.task, truth=problem.truth, tags={})
    assert load(tmp_path / "b" / "a").digest == problem.digest


def test_numbers_alone_are_a_problem_and_classes_alone_name_no_numbers(tmp_path: Path) -> None:
    write_problem(tmp_path / "a", id="a", task=ConformalTask(numbers=(price(),), alpha=0.1), truth=ALONE, tags={})
    task = load(tmp_path / "a").task
    assert (task.classes, task.calibration_samples, task.test_samples) == ((), 40, 5)
    classes = mixed(numbers=())
    write_problem(tmp_path / "b", id="b", task=classes, truth=ConformalTruth(labels=TRUTH.labels), tags={})
    assert "number_names" not in json.loads((tmp_path / "b" / "problem.json").read_text())
    assert sorted(read_npz(tmp_path / "b" / "test.npz")) == ["probabilities_0"]


def test_quantiles_without_a_value_get_their_middle(tmp_path: Path) -> None:
    task = price(
        calibration=Numbers(low=np.zeros(40), high=np.ones(40)), test=Numbers(low=np.zeros(5), high=np.full(5, 4.0))
    )
    write_problem(tmp_path / "a", id="a", task=ConformalTask(numbers=(task,), alpha=0.1), truth=ALONE, tags={})
    arrays = read_npz(tmp_path / "a" / "test.npz")
    write_npz(tmp_path / "a" / "test.npz", {name: array for name, array in arrays.items() if name != "predicted_0"})
    assert load(tmp_path / "a").task.numbers[0].test.predicted.tolist() == [2.0] * 5


REFUSED: dict[str, tuple[dict[str, Any], ConformalTruth, str]] = {
    "too few": (
        {"numbers": (price(truth=np.r_[np.arange(18.0), np.full(22, np.nan)]),)},
        TRUTH,
        "18 calibration samples are too few .* Give at least 19",
    ),
    "constant": ({"numbers": (price(truth=np.ones(40)),)}, TRUTH, "nearly all calibration numbers are 1"),
    "infinite truth": (
        {},
        replace(TRUTH, numbers=(np.array([0, 1, np.inf, 0, 1.0]),)),
        "numbers_0: must be finite.*sample 2",
    ),
    "no truth": ({}, replace(TRUTH, numbers=(np.full(5, np.nan),)), "there is no true number at all"),
    "truth of no task": ({}, replace(TRUTH, numbers=()), "numbers of 0 tasks for 1 task"),
    "other parts": (
        {"numbers": (price(test=Numbers(predicted=np.zeros(5))),)},
        TRUTH,
        "calibration samples have predicted, scale, the test samples predicted",
    ),
    "other samples": (
        {"numbers": (price(test=Numbers(predicted=np.zeros(6), scale=np.ones(6))),)},
        replace(TRUTH, numbers=(np.zeros(6),)),
        "6 test samples, the first task has 5",
    ),
    "the same name": ({"task_names": ("price",)}, TRUTH, "two tasks are called 'price'"),
    "no common sample": (
        {"guarantee": "joint"},
        replace(TRUTH, labels=(np.array([-1, 0, -1, -1, -1]),)),
        "joint coverage needs samples with labels in all tasks",
    ),
    "labels alone": (
        {"test_probabilities": (), "task_names": ()},
        TRUTH,
        "probabilities or labels of classes, but test.npz has none",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_problem_that_does_not_fit_together_is_refused(case: str, tmp_path: Path) -> None:
    changes, truth, message = REFUSED[case]
    with pytest.raises(InvalidInput, match=message):
        write_problem(tmp_path / "a", id="a", task=mixed(**changes), truth=truth, tags={})
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"scale": [1.0]}, "predicted: is missing"),
        ({"predicted": [1.0], "low": [0.0]}, "low and high belong together"),
        ({"predicted": [1.0], "scale": [0.0]}, "scale: must be positive"),
        ({"predicted": [1.0, 2.0], "low": [0.0], "high": [1.0]}, "low: 1 numbers were given for 2"),
        ({"predicted": [np.nan]}, "must be finite"),
    ],
)
def test_predictions_that_are_none_are_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Numbers(**parts)


def test_a_file_without_an_array_is_told_which(tmp_path: Path) -> None:
    write_problem(tmp_path / "a", id="a", task=mixed(), truth=TRUTH, tags={})
    arrays = read_npz(tmp_path / "a" / "calibration.npz")
    write_npz(
        tmp_path / "a" / "calibration.npz", {name: array for name, array in arrays.items() if name != "numbers_0"}
    )
    with pytest.raises(InvalidInput, match=r"calibration.npz: array 'numbers_0', the true numbers of 'price'"):
        load(tmp_path / "a")
    manifest = json.loads((tmp_path / "a" / "problem.json").read_text())
    (tmp_path / "a" / "problem.json").write_text(json.dumps({**manifest, "number_names": "price"}))
    with pytest.raises(InvalidInput, match="'number_names': must be a list of texts"):
        load(tmp_path / "a")
