"""What a problem of the conformal track is made of: the task that a subject sees, and the truth that decides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from assay.conformal.problem.numbers import Numbers, NumberTask
from assay.conformal.regions.checks import TaskGuarantee
from assay.conformal.regions.classes import Classes
from assay.conformal.regions.region import Prediction
from assay.conformal.sets.checks import FloatArray, IntArray
from assay.core.display import counted

__all__ = ["ConformalTask", "ConformalTruth", "TaskGuarantee"]

_SHOWN = 8  # numbers of classes in a display


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConformalTask:
    """What a subject of the conformal track sees: a model's predictions, with the truth for calibration only.

    Parameters
    ----------
    calibration_probabilities : tuple of (m, C) matrices, one per task of classes
        The calibration probabilities of the samples to calibrate with.
    calibration_labels : tuple of arrays of m class numbers, one per task of classes
        Their labels; -1 is missing.
    test_probabilities : tuple of (n, C) matrices, one per task of classes
        The test probabilities of the samples to give sets for.
    alpha : float
        The share of errors that is allowed.
    guarantee : "taskwise" or "joint"
        What must be covered with probability 1 - α: each task, or all tasks of a sample at once.
    task_names : tuple of str
        One per task of classes, or none.
    calibration_groups, test_groups : array of group numbers, optional
        None where a problem has no groups.
    numbers : tuple of NumberTask
        The tasks that predict numbers, beside those of classes or alone.

    Examples
    --------
    >>> import numpy as np
    >>> task = ConformalTask(
    ...     calibration_probabilities=(np.array([[0.9, 0.1], [0.2, 0.8]]),),
    ...     calibration_labels=(np.array([0, 1]),),
    ...     test_probabilities=(np.array([[0.6, 0.4]]),),
    ...     alpha=0.1,
    ... )
    >>> task
    ConformalTask(1 task of 2 classes, 2 calibration and 1 test samples, alpha 0.1, taskwise)
    """

    calibration_probabilities: tuple[FloatArray, ...] = ()  # per task [samples, C]
    calibration_labels: tuple[IntArray, ...] = ()  # per task [samples], -1 is missing
    test_probabilities: tuple[FloatArray, ...] = ()
    alpha: float
    guarantee: TaskGuarantee = "taskwise"
    task_names: tuple[str, ...] = ()
    calibration_groups: IntArray | None = None
    test_groups: IntArray | None = None
    numbers: tuple[NumberTask, ...] = ()

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.classes[:_SHOWN])) + (", ..." if len(self.classes) > _SHOWN else "")
        tasks = [f"{counted(len(self.classes), 'task')} of {shown} classes"] if self.classes else []
        tasks += [f"{counted(len(self.numbers), 'task')} of numbers"] if self.numbers else []
        return (
            f"ConformalTask({', '.join(tasks)}, {self.calibration_samples} calibration and {self.test_samples} test "
            f"samples, alpha {self.alpha:g}, {self.guarantee})"
        )

    @property
    def calibration_samples(self) -> int:
        """How many samples there are to calibrate with."""
        return len(self.calibration_labels[0] if self.calibration_labels else self.numbers[0].calibration)

    @property
    def test_samples(self) -> int:
        """How many samples want sets and intervals."""
        return len(self.test_probabilities[0] if self.test_probabilities else self.numbers[0].test)

    @property
    def calibration_predictions(self) -> dict[str, Prediction]:
        """All tasks by name, as :func:`assay.conformal.regions.calibrate_regions` takes them: classes, then numbers."""
        return self._predictions(self.calibration_probabilities, [task.calibration for task in self.numbers])

    @property
    def calibration_truth(self) -> dict[str, Any]:
        """What is right for the calibration samples, by the same names."""
        classes = zip(self.task_names, self.calibration_labels, strict=True)
        return {**dict(classes), **{task.name: task.truth for task in self.numbers}}

    @property
    def test_predictions(self) -> dict[str, Prediction]:
        """The same predictions of the test samples."""
        return self._predictions(self.test_probabilities, [task.test for task in self.numbers])

    def _predictions(self, matrices: Iterable[FloatArray], numbers: Iterable[Numbers]) -> dict[str, Prediction]:
        classes = {name: Classes(matrix) for name, matrix in zip(self.task_names, matrices, strict=True)}
        return {
            **classes,
            **{task.name: prediction.best() for task, prediction in zip(self.numbers, numbers, strict=True)},
        }

    @property
    def classes(self) -> tuple[int, ...]:
        """The number of classes of each task."""
        return tuple(matrix.shape[1] for matrix in self.test_probabilities)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConformalTruth:
    """What only examination sees of a problem: the truth of the test samples.

    Parameters
    ----------
    labels : tuple of arrays of n class numbers, one per task of classes
        -1 is missing.
    numbers : tuple of arrays of n numbers, one per task of numbers
        nan is missing.

    Examples
    --------
    >>> import numpy as np
    >>> ConformalTruth(labels=(np.array([0, 1]),)).labels[0].tolist()
    [0, 1]
    """

    labels: tuple[IntArray, ...] = ()
    numbers: tuple[FloatArray, ...] = ()

    def __repr__(self) -> str:
        columns = (*self.labels, *self.numbers)
        samples = counted(len(columns[0]) if columns else 0, "sample")
        return f"ConformalTruth({samples}, {counted(len(columns), 'task')})"
