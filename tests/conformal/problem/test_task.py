from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.conformal import ConformalTask, ConformalTruth, load, write_problem
from assay.core import InvalidInput, digest_folder
from assay.intake.arrays import read_npz, write_npz

RNG = np.random.default_rng(0)
TASK = ConformalTask(
    calibration_probabilities=(RNG.dirichlet(np.ones(3), 20), RNG.dirichlet(np.ones(2), 20)),
    calibration_labels=(RNG.integers(0, 3, 20), RNG.integers(-1, 2, 20)),
    test_probabilities=(RNG.dirichlet(np.ones(3), 10), RNG.dirichlet(np.ones(2), 10)),
    alpha=0.1,
    guarantee="joint",
    task_names=("kind", "colour"),
    calibration_groups=np.arange(20) % 2,
    test_groups=np.arange(10) % 2,
)
TRUTH = ConformalTruth(labels=(RNG.integers(0, 3, 10), RNG.integers(0, 2, 10)))


def write(folder: Path, **changes: Any) -> None:
    truth = changes.pop("labels", TRUTH.labels)
    write_problem(
        folder, id="p", task=replace(TASK, **changes), truth=ConformalTruth(labels=truth), tags={"family": "t"}
    )


def test_a_problem_comes_back_as_it_was_written_and_with_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / name)
    assert digest_folder(tmp_path / "a") == digest_folder(tmp_path / "b")
    problem = load(tmp_path / "a")
    assert (problem.id, problem.tags, problem.task.alpha, problem.task.guarantee) == (
        "p",
        {"family": "t"},
        0.1,
        "joint",
    )
    assert problem.task.task_names == ("kind", "colour")
    assert problem.task.classes == (3, 2)
    for name in ("calibration_probabilities", "calibration_labels", "test_probabilities"):
        for matrix, expected in zip(getattr(problem.task, name), getattr(TASK, name), strict=True):
            np.testing.assert_array_equal(matrix, expected)
    np.testing.assert_array_equal(problem.task.test_groups, TASK.test_groups)
    assert not any("label" in name for name in read_npz(tmp_path / "a" / "test.npz"))


def test_names_and_groups_are_optional(tmp_path: Path) -> None:
    write(tmp_path / "a", task_names=(), calibration_groups=None, test_groups=None)
    problem = load(tmp_path / "a")
    assert problem.task.task_names == ("task 0", "task 1")
    assert problem.task.test_groups is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alpha": 0.0}, "problem.json: alpha must lie strictly between"),
        ({"guarantee": "both"}, "must be taskwise or joint"),
        ({"task_names": ("one",)}, "1 task_names for 2 tasks"),
        ({"test_probabilities": TASK.test_probabilities[:1]}, "classes where"),
        (
            {"test_probabilities": (np.ones((10, 3)), TASK.test_probabilities[1])},
            "test.npz, probabilities, task 0: row 0",
        ),
        ({"calibration_labels": (np.full(20, 3), TASK.calibration_labels[1])}, "calibration.npz, labels, task 0: 3"),
        ({"calibration_labels": (np.full(20, -1), TASK.calibration_labels[1])}, "task 0 has no label at all"),
        ({"labels": (np.zeros(9, dtype=int), TRUTH.labels[1])}, "9 labels were given for 10 samples"),
        ({"labels": (np.full(10, -1), TRUTH.labels[1])}, "truth/labels.npz: task 0 has no label"),
        ({"test_groups": None}, "in both calibration.npz and test.npz"),
        ({"test_groups": np.zeros(3, dtype=int)}, "each of the 10 samples"),
        (
            {"labels": (np.where(np.arange(10) < 5, -1, 0), np.where(np.arange(10) < 5, 0, -1))},
            "joint coverage needs samples with labels in all tasks",
        ),
    ],
)
def test_what_does_not_fit_is_named(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=message):
        write(tmp_path / "a", **changes)


def test_missing_and_damaged_files_are_named(tmp_path: Path) -> None:
    write(tmp_path / "a")
    (tmp_path / "a" / "test.npz").write_bytes(b"no npz")
    with pytest.raises(InvalidInput, match=r"test\.npz: cannot be read as npz"):
        load(tmp_path / "a")
    write_npz(tmp_path / "a" / "test.npz", {"p": np.zeros((1, 2))})
    with pytest.raises(InvalidInput, match="'probabilities_0' is missing. The file holds: p"):
        load(tmp_path / "a")
    (tmp_path / "a" / "test.npz").unlink()
    with pytest.raises(InvalidInput, match=r"test\.npz: file not found"):
        load(tmp_path / "a")
    np.save(tmp_path / "a" / "test.npy", np.zeros(3))
    (tmp_path / "a" / "test.npy").rename(tmp_path / "a" / "test.npz")
    with pytest.raises(InvalidInput, match="holds a single array; write it with np.savez"):
        load(tmp_path / "a")


def test_names_in_the_problem_file_are_texts(tmp_path: Path) -> None:
    write(tmp_path / "a")
    path = tmp_path / "a" / "problem.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "task_names": [1, 2]}))
    with pytest.raises(InvalidInput, match="'task_names': must be a list of texts"):
        load(tmp_path / "a")


def test_ten_tasks_and_more_stay_in_their_order(tmp_path: Path) -> None:
    probabilities = tuple(np.tile(np.eye(2)[t % 2], (6, 1)) for t in range(12))
    labels = tuple(np.full(6, t % 2) for t in range(12))
    task = ConformalTask(
        calibration_probabilities=probabilities, calibration_labels=labels, test_probabilities=probabilities, alpha=0.2
    )
    write_problem(tmp_path / "a", id="a", task=task, truth=ConformalTruth(labels=labels), tags={})
    problem = load(tmp_path / "a")
    assert [int(y[0]) for y in problem.truth.labels] == [t % 2 for t in range(12)]
