"""Predicted and true numbers of several tasks from whatever a user has: a table, an npz file, or arrays by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.conformal.metrics.interval_input import as_interval_tasks
from assay.conformal.problem.numbers import PARTS, Numbers, NumberTask, numbers_of
from assay.conformal.regions.region import Intervals, as_numbers
from assay.conformal.sets.checks import FloatArray
from assay.core import InvalidInput, UnknownName
from assay.intake.arrays import read_npz
from assay.intake.new_problem import as_reading
from assay.intake.table.options import TableOptions
from assay.intake.table.reading import TableReading

__all__ = ["NumberSamples", "number_tasks", "read_intervals", "read_numbers", "read_truth"]

_TRUTH = "truth"


@dataclass(frozen=True, slots=True)
class NumberSamples:
    """What a model says of numbers and what is true, of the same samples, by task."""

    predictions: Mapping[str, Numbers]
    truth: Mapping[str, FloatArray]

    def __len__(self) -> int:
        return len(next(iter(self.predictions.values())))

    def take(self, rows: Any) -> NumberSamples:
        """Some of the samples."""
        return NumberSamples(
            {name: numbers.take(rows) for name, numbers in self.predictions.items()},
            {name: values[rows] for name, values in self.truth.items()},
        )


def read_numbers(material: Any, *, options: TableOptions, readings: list[TableReading]) -> NumberSamples:
    """Tasks of numbers, from columns ``price`` (the truth), ``price:predicted``, ``:scale``, ``:low`` and ``:high``.

    Of a mapping each task is a mapping with ``truth`` and the same names. Other columns are left out.
    """
    if isinstance(material, Mapping) and all(isinstance(entry, Mapping) for entry in material.values()):
        columns, where = _flat(material), "numbers"
    else:
        columns, where = _columns(material, options=options, readings=readings)
    split = (column.rpartition(":") for column in columns)
    tasks = list(dict.fromkeys(task for task, colon, part in split if colon and part in PARTS))
    if not tasks:
        there = ", ".join(columns) or "none"
        raise InvalidInput(
            f"{where}: there is no predicted number. Name the columns price:predicted (or price:low and price:high) "
            f"with the truth in price; the columns are {there}."
        )
    predictions, truth = {}, {}
    for task in tasks:
        if task not in columns:
            raise InvalidInput(f"{where}: column {task!r} with the true numbers of {task!r} is missing.")
        parts = {part: columns[f"{task}:{part}"] for part in PARTS if f"{task}:{part}" in columns}
        predictions[task] = numbers_of(parts, "", f"{where}, task {task!r}")
        truth[task] = as_numbers(columns[task], f"{where}, {task!r}", samples=len(predictions[task]))
    sizes = {task: len(numbers) for task, numbers in predictions.items()}
    if len(set(sizes.values())) > 1:
        texts = ", ".join(f"{task!r} {size}" for task, size in sizes.items())
        raise InvalidInput(f"{where}: the tasks have different numbers of samples: {texts}.")
    return NumberSamples(predictions, truth)


def _columns(material: Any, *, options: TableOptions, readings: list[TableReading]) -> tuple[dict[str, Any], str]:
    """The arrays of an npz file, or those columns of a table that hold numbers, by name."""
    if isinstance(material, str | Path) and Path(material).suffix == ".npz":
        return dict(read_npz(Path(material))), str(material)
    reading = as_reading(material, options)
    readings.append(reading)
    frame = reading.frame
    columns = {}
    for name in map(str, frame.columns):
        if frame[name].dtype.kind in "iufb":
            columns[name] = frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
        elif name.rpartition(":")[2] in PARTS or any(str(other).startswith(f"{name}:") for other in frame.columns):
            raise InvalidInput(f"{reading.source}: column {name!r} must hold numbers, found {frame[name].iloc[0]!r}.")
    return columns, reading.source


def _flat(tasks: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for task, entry in tasks.items():
        for part, values in entry.items():
            if part not in (*PARTS, _TRUTH):
                raise InvalidInput(f"numbers, task {task!r}: {part!r} is none of {', '.join((*PARTS, _TRUTH))}.")
            columns[str(task) if part == _TRUTH else f"{task}:{part}"] = values
    return columns


def number_tasks(calibration: NumberSamples, new: NumberSamples, where: str) -> tuple[NumberTask, ...]:
    """Calibration and test samples as tasks, matched by name."""
    if set(calibration.predictions) != set(new.predictions):
        raise InvalidInput(
            f"{where}: the tasks are {', '.join(map(repr, new.predictions))}, those of the calibration samples "
            f"{', '.join(map(repr, calibration.predictions))}. Tasks are matched by name."
        )
    return tuple(
        NumberTask(name=name, calibration=numbers, truth=calibration.truth[name], test=new.predictions[name])
        for name, numbers in calibration.predictions.items()
    )


def read_intervals(path: Path, *, options: TableOptions) -> tuple[dict[str, Intervals], dict[str, FloatArray]]:
    """Intervals by task from columns ``price:low`` and ``price:high``, and the truth in ``price`` where it is there.

    An empty cell of a table is no bound. An array of an npz file may also hold both bounds, as (n, 2).
    """
    columns, where = _columns(path, options=options, readings=[])
    intervals: dict[str, Intervals] = {}
    for name, values in columns.items():
        task, colon, part = name.rpartition(":")
        if np.ndim(values) >= 2:
            (intervals[name],) = as_interval_tasks(values)
        elif colon and part == "low":
            if f"{task}:high" not in columns:
                raise InvalidInput(f"{where}: {name!r} has no upper bounds: column '{task}:high' is missing.")
            low, high = (as_numbers(columns[f"{task}:{end}"], f"{where}, '{task}:{end}'") for end in ("low", "high"))
            if path.suffix != ".npz":  # tables have no infinite numbers: an empty cell is no bound
                low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
            if len(low) != len(high) or np.isnan(low).any() or np.isnan(high).any():
                raise InvalidInput(f"{where}: {task!r} needs a lower and an upper bound of every sample, inf for none.")
            intervals[task] = Intervals(low, high)
    if not intervals:
        raise InvalidInput(
            f"{where}: there is no interval. Name the columns price:low and price:high, with the truth in price; the "
            f"columns are {', '.join(columns) or 'none'}."
        )
    return intervals, {name: columns[name] for name in intervals if name in columns and np.ndim(columns[name]) == 1}


def read_truth(path: Path, names: Sequence[str], *, options: TableOptions) -> dict[str, FloatArray]:
    """The true numbers of these tasks, a column each."""
    columns, where = _columns(path, options=options, readings=[])
    for name in names:
        if name not in columns:
            raise InvalidInput(f"{where}: {UnknownName('column', name, columns)}")
    return {name: as_numbers(columns[name], f"{where}, {name!r}") for name in names}
