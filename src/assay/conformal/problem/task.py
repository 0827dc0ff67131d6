"""Problems of the conformal track: calibration data and test probabilities, and the test labels that decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from assay.conformal.answer.answer import ConformalAnswer, decode, encode
from assay.conformal.sets.checks import MISSING, FloatArray, IntArray, as_alpha, as_labels, as_probabilities
from assay.core import InvalidInput, Json, Problem, Tags, read_manifest
from assay.core.display import counted
from assay.core.files.text import write_json
from assay.intake.arrays import read_npz, write_npz

__all__ = [
    "ConformalAnswer",
    "ConformalTask",
    "ConformalTruth",
    "Wanted",
    "decode",
    "encode",
    "load",
    "write_problem",
]

Wanted: TypeAlias = Literal["taskwise", "joint"]

_TRACK = "conformal"
_SHOWN = 8  # numbers of classes in a display
_WANTED = ("taskwise", "joint")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConformalTask:
    """What a subject of the conformal track sees: a classifier's probabilities, with labels for calibration only.

    Parameters
    ----------
    calibration_probabilities : tuple of (m, C) matrices, one per task
        Of the samples to calibrate with.
    calibration_labels : tuple of arrays of m class numbers, one per task
        Their labels; -1 is missing.
    test_probabilities : tuple of (n, C) matrices, one per task
        Of the samples to give sets for.
    alpha : float
        The share of errors that is allowed.
    guarantee : "taskwise" or "joint"
        What must be covered with probability 1 - α: each task, or all tasks of a sample at once.
    task_names : tuple of str
        One per task, or none.
    calibration_groups, test_groups : array of group numbers, optional
        None where a problem has no groups.

    Examples
    --------
    >>> task = ConformalTask(
    ...     calibration_probabilities=(np.array([[0.9, 0.1], [0.2, 0.8]]),),
    ...     calibration_labels=(np.array([0, 1]),),
    ...     test_probabilities=(np.array([[0.6, 0.4]]),),
    ...     alpha=0.1,
    ... )
    >>> task
    ConformalTask(1 task of 2 classes, 2 calibration and 1 test samples, alpha 0.1, taskwise)
    """

    calibration_probabilities: tuple[FloatArray, ...]  # per task [samples, C]
    calibration_labels: tuple[IntArray, ...]  # per task [samples], -1 is missing
    test_probabilities: tuple[FloatArray, ...]
    alpha: float
    guarantee: Wanted = "taskwise"
    task_names: tuple[str, ...] = ()
    calibration_groups: IntArray | None = None
    test_groups: IntArray | None = None

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.classes[:_SHOWN])) + (", ..." if len(self.classes) > _SHOWN else "")
        calibration, test = len(self.calibration_labels[0]), len(self.test_probabilities[0])
        return (
            f"ConformalTask({counted(len(self.classes), 'task')} of {shown} classes, {calibration} calibration and "
            f"{test} test samples, alpha {self.alpha:g}, {self.guarantee})"
        )

    @property
    def classes(self) -> tuple[int, ...]:
        """The number of classes of each task."""
        return tuple(matrix.shape[1] for matrix in self.test_probabilities)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConformalTruth:
    """What only examination sees of a problem: the labels of the test samples.

    Parameters
    ----------
    labels : tuple of arrays of n class numbers, one per task
        -1 is missing.

    Examples
    --------
    >>> ConformalTruth(labels=(np.array([0, 1]),)).labels[0].tolist()
    [0, 1]
    """

    labels: tuple[IntArray, ...]

    def __repr__(self) -> str:
        samples = counted(len(self.labels[0]) if self.labels else 0, "sample")
        return f"ConformalTruth({samples}, {counted(len(self.labels), 'task')})"


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
    task, labels = _checked(
        ConformalTask(
            calibration_probabilities=_numbered(calibration, "probabilities", f"{where}, calibration.npz"),
            calibration_labels=_numbered(calibration, "labels", f"{where}, calibration.npz"),
            test_probabilities=_numbered(test, "probabilities", f"{where}, test.npz"),
            alpha=cast("float", manifest.content.get("alpha", 0.1)),
            guarantee=cast("Wanted", manifest.content.get("guarantee", "taskwise")),
            task_names=_names(manifest.content.get("task_names", []), where),
            calibration_groups=calibration.get("groups"),
            test_groups=test.get("groups"),
        ),
        ConformalTruth(labels=_numbered(truth, "labels", f"{where}, truth/labels.npz")),
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
        Of the problem.
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
    (folder / "truth").mkdir(parents=True, exist_ok=True)
    write_json(folder / "problem.json", manifest)
    calibration: dict[str, npt.NDArray[Any]] = {}
    test: dict[str, npt.NDArray[Any]] = {}
    for number, matrix in enumerate(task.calibration_probabilities):
        calibration[f"probabilities_{number}"] = matrix
        calibration[f"labels_{number}"] = task.calibration_labels[number]
        test[f"probabilities_{number}"] = task.test_probabilities[number]
    if task.calibration_groups is not None and task.test_groups is not None:
        calibration["groups"], test["groups"] = task.calibration_groups, task.test_groups
    write_npz(folder / "calibration.npz", calibration)
    write_npz(folder / "test.npz", test)
    write_npz(folder / "truth" / "labels.npz", {f"labels_{t}": column for t, column in enumerate(truth.labels)})


def _numbered(arrays: Mapping[str, npt.NDArray[Any]], name: str, where: str) -> tuple[npt.NDArray[Any], ...]:
    """``name_0``, ``name_1``, ... in the order of the numbers."""
    numbered: list[npt.NDArray[Any]] = []
    while f"{name}_{len(numbered)}" in arrays:
        numbered.append(arrays[f"{name}_{len(numbered)}"])
    if not numbered:
        there = ", ".join(sorted(arrays)) or "nothing"
        raise InvalidInput(f"{where}: array '{name}_0' is missing. The file holds: {there}.")
    return tuple(numbered)


def _names(names: Any, where: str) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise InvalidInput(f"{where}, problem.json, 'task_names': must be a list of texts, got {names!r}.")
    return tuple(names)


def _checked(task: ConformalTask, truth: ConformalTruth, where: str) -> tuple[ConformalTask, ConformalTruth]:
    """A task and its truth that agree with each other, or an error that says where they do not."""
    test = as_probabilities(task.test_probabilities, what=f"{where}, test.npz, probabilities")
    classes = [matrix.shape[1] for matrix in test]
    known = as_probabilities(
        task.calibration_probabilities, classes=classes, what=f"{where}, calibration.npz, probabilities"
    )
    if not len(known[0]) or not len(test[0]):
        raise InvalidInput(f"{where}: calibration.npz and test.npz must hold at least one sample each.")
    columns = as_labels(
        task.calibration_labels, classes, samples=len(known[0]), what=f"{where}, calibration.npz, labels"
    )
    labels = as_labels(truth.labels, classes, samples=len(test[0]), what=f"{where}, truth/labels.npz")
    for part, given in (("calibration.npz", columns), ("truth/labels.npz", labels)):
        _demand_known(given, task.guarantee, f"{where}, {part}")
    if task.guarantee not in _WANTED:
        raise InvalidInput(f"{where}, problem.json, 'guarantee': must be taskwise or joint, got {task.guarantee!r}.")
    try:
        as_alpha(task.alpha)
    except InvalidInput as error:
        raise InvalidInput(f"{where}, problem.json: {error}") from None
    names = task.task_names or tuple(f"task {number}" for number in range(len(classes)))
    if len(names) != len(classes):
        raise InvalidInput(f"{where}, problem.json: {len(names)} task_names for {len(classes)} tasks.")
    groups = _groups(task.calibration_groups, len(known[0]), where), _groups(task.test_groups, len(test[0]), where)
    if (groups[0] is None) != (groups[1] is None):
        raise InvalidInput(f"{where}: groups must be in both calibration.npz and test.npz, or in neither.")
    checked = ConformalTask(
        calibration_probabilities=tuple(matrix.astype(np.float64) for matrix in known),
        calibration_labels=columns,
        test_probabilities=tuple(matrix.astype(np.float64) for matrix in test),
        alpha=float(task.alpha),
        guarantee=task.guarantee,
        task_names=names,
        calibration_groups=groups[0],
        test_groups=groups[1],
    )
    return checked, ConformalTruth(labels=labels)


def _demand_known(labels: tuple[IntArray, ...], guarantee: str, where: str) -> None:
    known = np.stack(labels) != MISSING
    if not known.any(axis=1).all():
        raise InvalidInput(f"{where}: task {int(np.argmin(known.any(axis=1)))} has no label at all.")
    if guarantee == "joint" and not known.all(axis=0).any():
        raise InvalidInput(f"{where}: joint coverage needs samples with labels in all tasks, and there is none.")


def _groups(groups: Any, samples: int, where: str) -> IntArray | None:
    if groups is None:
        return None
    array = np.asarray(groups)
    if array.shape != (samples,) or array.dtype.kind not in "iu":
        raise InvalidInput(f"{where}, groups: must be one whole number for each of the {samples} samples.")
    return array.astype(np.int64)
