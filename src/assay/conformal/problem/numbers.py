"""Tasks that predict numbers: what a model says of calibration and test samples, checked, and as arrays of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.conformal.metrics.volumes import marginal_interval
from assay.conformal.regions.numbers import Quantiles, Values
from assay.conformal.regions.region import as_numbers
from assay.conformal.sets.checks import FloatArray, as_alpha
from assay.core import InvalidInput
from assay.core.display import counted

__all__ = ["PARTS", "NumberTask", "Numbers", "check_numbers", "number_arrays", "numbers_of", "read_number_tasks"]

PARTS = ("predicted", "scale", "low", "high")
Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Numbers:
    """What a model says of the numbers of some samples: a value, and perhaps a scale or two quantiles of each.

    Parameters
    ----------
    predicted : array of n numbers, optional
        The predicted values; by default the middle of the quantiles.
    scale : array of n positive numbers, optional
        How uncertain each value is, in any unit.
    low, high : arrays of n numbers, optional
        Two quantiles, as quantile regression gives them.

    Examples
    --------
    >>> Numbers(low=[0.0, 2.0], high=[1.0, 6.0]).predicted.tolist()
    [0.5, 4.0]
    >>> Numbers(predicted=[1.0, 2.0]).best()
    Values(predicted=array([1., 2.]), scale=None, symmetric=True)
    """

    predicted: Any = None
    scale: Any = None
    low: Any = None
    high: Any = None

    def __post_init__(self) -> None:
        if (self.low is None) != (self.high is None):
            raise InvalidInput("quantiles: low and high belong together; give both or neither.")
        if self.predicted is None and self.low is None:
            raise InvalidInput("predicted: is missing; give predicted numbers, or the quantiles low and high.")
        if self.low is not None:
            quantiles = Quantiles(self.low, self.high)
            object.__setattr__(self, "low", quantiles.low)
            object.__setattr__(self, "high", quantiles.high)
            if self.predicted is None:
                object.__setattr__(self, "predicted", (quantiles.low + quantiles.high) / 2)
        values = Values(self.predicted, scale=self.scale)
        object.__setattr__(self, "predicted", values.predicted)
        object.__setattr__(self, "scale", values.scale)
        if self.low is not None and len(self.low) != len(values.predicted):
            raise InvalidInput(f"low: {len(self.low)} numbers were given for {len(values.predicted)} samples.")

    def __len__(self) -> int:
        return len(self.predicted)

    def best(self) -> Values | Quantiles:
        """The richest that the model gives: quantiles, else values with their scale, else values."""
        return Values(self.predicted, self.scale) if self.low is None else Quantiles(self.low, self.high)

    def take(self, rows: Any) -> Numbers:
        """Some of the samples."""
        return Numbers(**{name: part[rows] for name, part in self.parts.items()})

    @property
    def parts(self) -> dict[str, FloatArray]:
        """The arrays that there are, by name."""
        return {name: part for name in PARTS if (part := getattr(self, name)) is not None}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NumberTask:
    """One task of a problem that predicts numbers.

    Parameters
    ----------
    name : str
        The name of the task; answers give their intervals by it.
    calibration : Numbers
        What the model says of the calibration samples.
    truth : array of m numbers
        What is right for them; nan is missing.
    test : Numbers
        What the model says of the samples to give intervals for.

    Examples
    --------
    >>> NumberTask(
    ...     name="price", calibration=Numbers(predicted=[1.0]), truth=[1.5], test=Numbers(predicted=[2.0, 3.0])
    ... )
    NumberTask('price', 1 calibration and 2 test samples, predicted)
    """

    name: str
    calibration: Numbers
    truth: Any
    test: Numbers

    def __repr__(self) -> str:
        sizes = f"{len(self.calibration)} calibration and {len(self.test)} test samples"
        return f"NumberTask({self.name!r}, {sizes}, {', '.join(self.test.parts)})"


def check_numbers(
    tasks: Sequence[NumberTask], truths: Sequence[Any], *, alpha: float, where: str
) -> tuple[tuple[NumberTask, ...], tuple[FloatArray, ...]]:
    """Tasks and test truths that fit together and whose widths can be measured, or an error that says what does not."""
    if len(truths) != len(tasks):
        raise InvalidInput(
            f"{where}, truth/labels.npz: numbers of {counted(len(truths), 'task')} for {counted(len(tasks), 'task')}."
        )
    checked, hidden = [], []
    for place, (task, right) in enumerate(zip(tasks, truths, strict=True)):
        named = f"{where}, number task {task.name!r}"
        if set(task.calibration.parts) != set(task.test.parts):
            raise InvalidInput(
                f"{named}: the calibration samples have {', '.join(task.calibration.parts)}, the test samples "
                f"{', '.join(task.test.parts)}; give the same of both."
            )
        truth = _truth(task.truth, len(task.calibration), f"{named}, calibration.npz, numbers_{place}")
        hidden.append(_truth(right, len(task.test), f"{named}, truth/labels.npz, numbers_{place}"))
        _demand_scale(truth, alpha, named)
        checked.append(NumberTask(name=task.name, calibration=task.calibration, truth=truth, test=task.test))
    return tuple(checked), tuple(hidden)


def _truth(values: Any, samples: int, what: str) -> FloatArray:
    numbers = as_numbers(values, what, samples=samples)
    if np.isinf(numbers).any():
        sample = int(np.isinf(numbers).argmax())
        raise InvalidInput(f"{what}: must be finite, or nan where it is missing; sample {sample} is infinite.")
    if np.isnan(numbers).all():
        raise InvalidInput(f"{what}: there is no true number at all.")
    return numbers


def _demand_scale(truth: FloatArray, alpha: float, named: str) -> None:
    """The width of the marginal interval, by which widths are measured, is finite and not 0."""
    low, high = marginal_interval(truth, alpha)
    if not isfinite(high - low):
        needed = ceil(2 / as_alpha(alpha)) - 1
        raise InvalidInput(
            f"{named}: {counted(int((~np.isnan(truth)).sum()), 'calibration sample')} are too few for the interval "
            f"without a model at alpha {alpha:g}, by which widths are measured. Give at least {needed}."
        )
    if high <= low:
        raise InvalidInput(
            f"{named}: nearly all calibration numbers are {low:g}, so that widths cannot be measured. Leave it out, or "
            "give its values as classes."
        )


def number_arrays(tasks: Sequence[NumberTask]) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """The arrays of calibration.npz and of test.npz."""
    calibration: dict[str, FloatArray] = {}
    test: dict[str, FloatArray] = {}
    for place, task in enumerate(tasks):
        calibration |= {f"{name}_{place}": part for name, part in task.calibration.parts.items()}
        calibration[f"numbers_{place}"] = task.truth
        test |= {f"{name}_{place}": part for name, part in task.test.parts.items()}
    return calibration, test


def read_number_tasks(names: Sequence[str], calibration: Arrays, test: Arrays, where: str) -> tuple[NumberTask, ...]:
    """The tasks that the manifest names, from the arrays of both files."""
    tasks = []
    for place, name in enumerate(names):
        if f"numbers_{place}" not in calibration:
            there = ", ".join(sorted(calibration)) or "nothing"
            raise InvalidInput(
                f"{where}, calibration.npz: array 'numbers_{place}', the true numbers of {name!r}, is missing. The "
                f"file holds: {there}."
            )
        tasks.append(
            NumberTask(
                name=name,
                calibration=numbers_of(calibration, f"_{place}", f"{where}, calibration.npz, number task {name!r}"),
                truth=calibration[f"numbers_{place}"],
                test=numbers_of(test, f"_{place}", f"{where}, test.npz, number task {name!r}"),
            )
        )
    return tuple(tasks)


def numbers_of(arrays: Mapping[str, Any], suffix: str, where: str) -> Numbers:
    """The predictions among named arrays: ``predicted``, ``scale``, ``low`` and ``high`` with a suffix."""
    parts = {name: arrays[f"{name}{suffix}"] for name in PARTS if f"{name}{suffix}" in arrays}
    try:
        return Numbers(**parts)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None
