"""Problems of the conformal track: calibration data and test predictions, and the test labels that decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import numpy.typing as npt

from assay.conformal.answer.answer import ConformalAnswer, decode, encode
from assay.conformal.problem.numbers import check_numbers, number_arrays, read_number_tasks
from assay.conformal.problem.types import ConformalTask, ConformalTruth, TaskGuarantee
from assay.conformal.sets.checks import BoolArray, IntArray, as_alpha, as_labels, as_probabilities, where_known
from assay.core import InvalidInput, Json, Problem, Tags, read_manifest
from assay.core.files.text import write_json
from assay.intake.arrays import read_npz, write_npz

__all__ = [
    "ConformalAnswer",
    "ConformalTask",
    "ConformalTruth",
    "TaskGuarantee",
    "decode",
    "encode",
    "load",
    "write_problem",
]

_TRACK = "conformal"


def load(folder: str | Path) -> Problem[ConformalTask, ConformalTruth]:
    """Read and check one problem folder.

    Parameters
    ----------
    folder : str or Path
        With ``problem.json``, ``calibration.npz``, ``test.npz`` and ``truth/labels.npz``.

    Returns
    -------
    Problem
        Of a :class:`ConformalTask` and a :class:`ConformalTruth`.

    Raises
    ------
    InvalidInput
        When a file is missing, damaged or does not fit the others; the message names it.

    Examples
    --------
    >>> import tempfile
    >>> from assay.conformal import generate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, problems=1, seed=1, families=["correlated"], calibration=60, test=30)
    ...     load(f"{folder}/generated-1-000-correlated-taskwise").truth.labels[0].shape
    (30,)
    """
    folder = Path(folder)
    manifest = read_manifest(folder, track=_TRACK)
    where = f"problem {manifest.id!r} ({folder})"
    calibration, test = read_npz(folder / "calibration.npz"), read_npz(folder / "test.npz")
    truth = read_npz(folder / "truth" / "labels.npz")
    number_names = _names(manifest.content.get("number_names", []), where, "number_names")
    needed = 0 if number_names else 1
    task, labels = _checked(
        ConformalTask(
            calibration_probabilities=_numbered(calibration, "probabilities", f"{where}, calibration.npz", needed),
            calibration_labels=_numbered(calibration, "labels", f"{where}, calibration.npz", needed),
            test_probabilities=_numbered(test, "probabilities", f"{where}, test.npz", needed),
            alpha=cast("float", manifest.content.get("alpha", 0.1)),
            guarantee=cast("TaskGuarantee", manifest.content.get("guarantee", "taskwise")),
            task_names=_names(manifest.content.get("task_names", []), where, "task_names"),
            calibration_groups=calibration.get("groups"),
            test_groups=test.get("groups"),
            numbers=read_number_tasks(number_names, calibration, test, where),
        ),
        ConformalTruth(
            labels=_numbered(truth, "labels", f"{where}, truth/labels.npz", needed),
            numbers=_numbered(truth, "numbers", f"{where}, truth/labels.npz", len(number_names)),
        ),
        where,
    )
    return Problem(id=manifest.id, digest=manifest.digest, task=task, truth=labels, tags=manifest.tags, track=_TRACK)


def write_problem(folder: str | Path, *, id: str, task: ConformalTask, truth: ConformalTruth, tags: Tags) -> None:
    """Write one problem folder, checked as when it is read; the same problem gives the same bytes.

    Parameters
    ----------
    folder : str or Path
        Is created.
    id : str
        The id of the problem.
    task : ConformalTask
        What a subject sees.
    truth : ConformalTruth
        What only examination sees; written under ``truth/``.
    tags : mapping
        Texts or numbers by name, for grouped statistics.

    Raises
    ------
    InvalidInput
        When task and truth do not fit together.

    Examples
    --------
    >>> import tempfile
    >>> task = ConformalTask(
    ...     calibration_probabilities=(np.array([[0.9, 0.1], [0.2, 0.8]]),),
    ...     calibration_labels=(np.array([0, 1]),),
    ...     test_probabilities=(np.array([[0.6, 0.4]]),),
    ...     alpha=0.1,
    ... )
    >>> truth = ConformalTruth(labels=(np.array([1]),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_problem(f"{folder}/mine", id="mine", task=task, truth=truth, tags={})
    ...     load(f"{folder}/mine").id
    'mine'
    """
    folder = Path(folder)
    task, truth = _checked(task, truth, f"problem {id!r} ({folder})")
    manifest: dict[str, Json] = {
        "id": id,
        "track": _TRACK,
        "tags": dict(tags),
        "alpha": task.alpha,
        "guarantee": task.guarantee,
        "task_names": list(task.task_names),
    }
    if task.numbers:
        manifest["number_names"] = [entry.name for entry in task.numbers]
    (folder / "truth").mkdir(parents=True, exist_ok=True)
    write_json(folder / "problem.json", manifest)
    calibration: dict[str, npt.NDArray[Any]] = {}
    test: dict[str, npt.NDArray[Any]] = {}
    for number, matrix in enumerate(task.calibration_probabilities):
        calibration[f"probabilities_{number}"] = matrix
        calibration[f"labels_{number}"] = task.calibration_labels[number]
        test[f"probabilities_{number}"] = task.test_probabilities[number]
    calibration_numbers, new_numbers = number_arrays(task.numbers)
    calibration |= calibration_numbers
    test |= new_numbers
    if task.calibration_groups is not None and task.test_groups is not None:
        calibration["groups"], test["groups"] = task.calibration_groups, task.test_groups
    write_npz(folder / "calibration.npz", calibration)
    write_npz(folder / "test.npz", test)
    hidden: dict[str, npt.NDArray[Any]] = {f"labels_{t}": column for t, column in enumerate(truth.labels)}
    hidden |= {f"numbers_{t}": column for t, column in enumerate(truth.numbers)}
    write_npz(folder / "truth" / "labels.npz", hidden)


def _numbered(
    arrays: Mapping[str, npt.NDArray[Any]], name: str, where: str, needed: int
) -> tuple[npt.NDArray[Any], ...]:
    """``name_0``, ``name_1``, ... in the order of the numbers; so many are needed at least."""
    numbered: list[npt.NDArray[Any]] = []
    while f"{name}_{len(numbered)}" in arrays:
        numbered.append(arrays[f"{name}_{len(numbered)}"])
    if len(numbered) < needed:
        there = ", ".join(sorted(arrays)) or "nothing"
        raise InvalidInput(f"{where}: array '{name}_{len(numbered)}' is missing. The file holds: {there}.")
    return tuple(numbered)


def _names(names: Any, where: str, key: str) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise InvalidInput(f"{where}, problem.json, {key!r}: must be a list of texts, got {names!r}.")
    return tuple(names)


def _checked(task: ConformalTask, truth: ConformalTruth, where: str) -> tuple[ConformalTask, ConformalTruth]:
    """A task and its truth that agree with each other, or an error that says where they do not."""
    if task.guarantee not in get_args(TaskGuarantee):
        raise InvalidInput(f"{where}, problem.json, 'guarantee': must be taskwise or joint, got {task.guarantee!r}.")
    try:
        as_alpha(task.alpha)
    except InvalidInput as error:
        raise InvalidInput(f"{where}, problem.json: {error}") from None
    calibration: tuple[npt.NDArray[np.floating[Any]], ...] = ()
    test: tuple[npt.NDArray[np.floating[Any]], ...] = ()
    columns: tuple[IntArray, ...] = ()
    labels: tuple[IntArray, ...] = ()
    if task.test_probabilities or not task.numbers:
        test = as_probabilities(task.test_probabilities, what=f"{where}, test.npz, probabilities")
        classes = [matrix.shape[1] for matrix in test]
        calibration = as_probabilities(
            task.calibration_probabilities, classes=classes, what=f"{where}, calibration.npz, probabilities"
        )
        if not len(calibration[0]) or not len(test[0]):
            raise InvalidInput(f"{where}: calibration.npz and test.npz must hold at least one sample each.")
        columns = as_labels(
            task.calibration_labels, classes, samples=len(calibration[0]), what=f"{where}, calibration.npz, labels"
        )
        labels = as_labels(truth.labels, classes, samples=len(test[0]), what=f"{where}, truth/labels.npz")
    elif task.calibration_probabilities or task.calibration_labels or truth.labels:
        raise InvalidInput(f"{where}: there are probabilities or labels of classes, but test.npz has none.")
    numbers, right = check_numbers(task.numbers, truth.numbers, alpha=task.alpha, where=where)
    names = task.task_names or tuple(f"task {number}" for number in range(len(test)))
    if len(names) != len(test):
        raise InvalidInput(f"{where}, problem.json: {len(names)} task_names for {len(test)} tasks.")
    everybody = (*names, *(entry.name for entry in numbers))
    if numbers and (twice := {name for name in everybody if everybody.count(name) > 1}):
        raise InvalidInput(f"{where}, problem.json: two tasks are called {min(twice)!r}; give each a name of its own.")
    checked = ConformalTask(
        calibration_probabilities=tuple(matrix.astype(np.float64) for matrix in calibration),
        calibration_labels=columns,
        test_probabilities=tuple(matrix.astype(np.float64) for matrix in test),
        alpha=float(task.alpha),
        guarantee=task.guarantee,
        task_names=names,
        numbers=numbers,
    )
    _demand_samples(checked, where)
    for part, there in (
        ("calibration.npz", where_known(columns, [entry.truth for entry in numbers])),
        ("truth/labels.npz", where_known(labels, right)),
    ):
        _demand_labels(there, task.guarantee, f"{where}, {part}")
    groups = (
        _groups(task.calibration_groups, checked.calibration_samples, where),
        _groups(task.test_groups, checked.test_samples, where),
    )
    if (groups[0] is None) != (groups[1] is None):
        raise InvalidInput(f"{where}: groups must be in both calibration.npz and test.npz, or in neither.")
    checked = replace(checked, calibration_groups=groups[0], test_groups=groups[1])
    return checked, ConformalTruth(labels=labels, numbers=right)


def _demand_samples(task: ConformalTask, where: str) -> None:
    """Numbers of as many samples as the other tasks have."""
    for entry in task.numbers:
        for part, count, expected in (
            ("calibration", len(entry.calibration), task.calibration_samples),
            ("test", len(entry.test), task.test_samples),
        ):
            if count != expected or not count:
                raise InvalidInput(
                    f"{where}, number task {entry.name!r}: {count} {part} samples, the first task has {expected}."
                )


def _demand_labels(labelled: BoolArray, guarantee: str, where: str) -> None:
    if not labelled.any(axis=1).all():
        raise InvalidInput(f"{where}: task {int(np.argmin(labelled.any(axis=1)))} has no label at all.")
    if guarantee == "joint" and not labelled.all(axis=0).any():
        raise InvalidInput(f"{where}: joint coverage needs samples with labels in all tasks, and there is none.")


def _groups(groups: Any, samples: int, where: str) -> IntArray | None:
    if groups is None:
        return None
    array = np.asarray(groups)
    if array.shape != (samples,) or array.dtype.kind not in "iu":
        raise InvalidInput(f"{where}, groups: must be one whole number for each of the {samples} samples.")
    return array.astype(np.int64)
