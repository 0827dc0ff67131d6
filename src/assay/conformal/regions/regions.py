"""The regions of several tasks, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.conformal.regions.checks import TaskGuarantee, as_truth, check_names
from assay.conformal.regions.region import Intervals, Prediction, Region, region_hits
from assay.conformal.sets.checks import BoolArray, FloatArray
from assay.core import UnknownName
from assay.core.display import counted

__all__ = ["NEW", "Regions", "regions_at"]

NEW = 1  # seed of randomised scores of new samples


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Regions(Mapping[str, Region]):
    """A region per task and sample, by the name of the task: intervals of numbers, boolean matrices of classes.

    Made by :meth:`RegionCalibration.predict`.

    Parameters
    ----------
    tasks : mapping of str to Intervals or boolean arrays
        The regions; (n, C) for classes, (n, L, 2) for labels.
    alpha : float
        The share of errors that is allowed.
    guarantee : "taskwise" or "joint"
        What is covered with probability 1 - α.

    Examples
    --------
    >>> from assay.conformal.regions import Values, calibrate_regions
    >>> calibration = calibrate_regions({"price": Values([1.0, 2.0, 3.0])}, {"price": [2.0, 2.0, 5.0]}, alpha=0.25)
    >>> regions = calibration.predict({"price": Values([4.0])})
    >>> low, high = regions["price"]
    >>> low.round(6).tolist(), high.round(6).tolist(), regions.covered({"price": [7.0]}).tolist()
    ([2.0], [6.0], [0.0])
    """

    tasks: Mapping[str, Region]
    alpha: float
    guarantee: TaskGuarantee

    def __getitem__(self, name: str) -> Region:
        if name not in self.tasks:
            raise UnknownName("task", name, self.tasks)
        return self.tasks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)

    def __repr__(self) -> str:
        first = next(iter(self.tasks.values()))
        samples = counted(len(first.low if isinstance(first, Intervals) else first), "sample")
        return f"Regions({samples}, tasks {', '.join(self.tasks)}, alpha {self.alpha:g}, {self.guarantee})"

    @property
    def intervals(self) -> dict[str, Intervals]:
        """Of the tasks that predict numbers."""
        return {name: region for name, region in self.tasks.items() if isinstance(region, Intervals)}

    @property
    def sets(self) -> dict[str, BoolArray]:
        """Of the tasks that predict classes; every label of a task of labels is a task ``name[l]`` of two classes."""
        sets: dict[str, BoolArray] = {}
        for name, region in self.tasks.items():
            if isinstance(region, Intervals):
                continue
            if region.ndim == 3:
                sets |= {f"{name}[{label}]": region[:, label] for label in range(region.shape[1])}
            else:
                sets[name] = region
        return sets

    def hits(self, truth: Any) -> dict[str, FloatArray]:
        """Per task 1 where the region holds the truth, 0 where it does not, nan where the truth is missing."""
        truth = as_truth(truth)
        check_names(self.tasks, truth, "truth")
        return {name: region_hits(region, truth[name]) for name, region in self.tasks.items()}

    def covered(self, truth: Any) -> FloatArray:
        """1 where all tasks of a sample are covered, 0 where one is not, nan where a truth is missing."""
        all_hits: FloatArray = np.stack(list(self.hits(truth).values())).min(axis=0)
        return all_hits


def regions_at(
    limits: FloatArray,
    tasks: Mapping[str, Prediction],
    rows: Mapping[str, int],
    *,
    alpha: float,
    guarantee: TaskGuarantee,
) -> Regions:
    """The regions under thresholds [rows, samples], of which the tasks have so many rows each, in their order."""
    regions, start = {}, 0
    for name, count in rows.items():
        regions[name] = tasks[name].region(limits[start : start + count], NEW)
        start += count
    return Regions(tasks=regions, alpha=alpha, guarantee=guarantee)
