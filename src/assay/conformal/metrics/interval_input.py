"""Intervals and numbers in every form in which they are given, as one array per task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from assay.conformal.regions.region import Intervals, as_numbers, region_hits
from assay.conformal.sets.checks import FloatArray, to_numpy
from assay.core import InvalidInput

__all__ = ["IntervalsLike", "as_interval_tasks", "as_number_columns", "interval_hits", "mean_known"]

IntervalsLike: TypeAlias = "Intervals | Mapping[str, Intervals] | Any"


def as_interval_tasks(intervals: IntervalsLike) -> list[Intervals]:
    """One per task, from every form in which intervals are given; all of the same samples."""
    if isinstance(intervals, Intervals):
        return [intervals]
    tasks = [_one(entry, task) for task, entry in enumerate(_entries(intervals))]
    for number, task in enumerate(tasks):
        if len(task.low) != len(tasks[0].low):
            raise InvalidInput(
                f"intervals: task {number} has {len(task.low)} samples, task 0 has {len(tasks[0].low)}; give all "
                "tasks an interval per sample."
            )
    return tasks


def _entries(intervals: Any) -> list[Any]:
    if isinstance(intervals, Mapping):
        return list(intervals.values())
    if (
        isinstance(intervals, list | tuple)
        and intervals
        and (isinstance(intervals[0], Intervals) or np.ndim(to_numpy(intervals[0])) == 2)
    ):
        return list(intervals)
    return [intervals]


def _one(entry: Any, task: int) -> Intervals:
    if isinstance(entry, Intervals):
        return entry
    array = to_numpy(entry)
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]  # one level, as MAPIE gives it
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "fiu":
        raise InvalidInput(
            f"intervals, task {task}: give Intervals(low, high) or an (n, 2) array of low and high, got "
            f"{array.dtype} of shape {array.shape}."
        )
    pairs = array.astype(np.float64)
    return Intervals(pairs[:, 0], pairs[:, 1])


def as_number_columns(intervals: IntervalsLike, values: Any, what: str) -> list[FloatArray]:
    """The numbers of each task, by name where both have names."""
    tasks = len(as_interval_tasks(intervals))
    if isinstance(intervals, Mapping):
        missing = [name for name in intervals if not isinstance(values, Mapping) or name not in values]
        if missing:
            raise InvalidInput(f"{what}: is missing for task {missing[0]!r}; give a mapping with the same names.")
        columns = [values[name] for name in intervals]
    elif isinstance(values, Mapping):
        raise InvalidInput(f"{what}: has names, the intervals have none; give both by name, or neither.")
    elif tasks == 1 and np.ndim(to_numpy(values)) == 1:
        columns = [values]
    elif isinstance(values, list | tuple):
        columns = list(values)
    else:
        matrix = to_numpy(values)
        columns = [matrix] if matrix.ndim < 2 else list(matrix.T)
    if len(columns) != tasks:
        raise InvalidInput(f"{what}: {len(columns)} tasks were given where {tasks} are expected.")
    return [as_numbers(column, f"{what}, task {task}") for task, column in enumerate(columns)]


def interval_hits(intervals: IntervalsLike, truth: Any) -> list[FloatArray]:
    """Per task 1 where an interval holds its number, 0 where not, nan where the number is missing."""
    numbers = as_number_columns(intervals, truth, "truth")
    return [region_hits(task, column) for task, column in zip(as_interval_tasks(intervals), numbers, strict=True)]


def mean_known(values: FloatArray) -> float:
    """The mean of what is not nan; nan of nothing."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")
