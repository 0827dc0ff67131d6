"""What is left open: intervals of numbers and sets of classes, and whether they hold the truth."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from assay.conformal.sets.checks import MISSING, BoolArray, FloatArray, IntArray, as_labels, to_numpy, without_gaps
from assay.core import InvalidInput

__all__ = [
    "Intervals",
    "Prediction",
    "Region",
    "as_classes",
    "as_label_matrix",
    "as_numbers",
    "hit_counts",
    "region_hits",
]


class Intervals(NamedTuple):
    """One interval per sample; it is empty where ``low`` is above ``high``.

    Parameters
    ----------
    low, high : arrays of n numbers
        The bounds, which belong to the interval; infinite where nothing is ruled out.

    Examples
    --------
    >>> Intervals(np.array([0.0]), np.array([2.0])).contains([1.0]).tolist()
    [True]
    """

    low: FloatArray
    high: FloatArray

    @property
    def width(self) -> FloatArray:
        """Of each interval; an empty one has 0."""
        return np.maximum(self.high - self.low, 0.0)

    def contains(self, truth: Any) -> BoolArray:
        """Whether each interval holds its number; nan is held by none."""
        values = as_numbers(truth, "truth", samples=len(self.low))
        inside: BoolArray = (self.low <= values) & (values <= self.high)
        return inside


Region: TypeAlias = "Intervals | BoolArray"


class Prediction(Protocol):
    """What calibration needs of a prediction: its size, scores of the truth, and regions.

    A truth lies in the region of some thresholds exactly when every row of its scores is at most its threshold.
    """

    @property
    def samples(self) -> int:
        """How many samples it is for."""

    @property
    def rows(self) -> int:
        """How many scores a truth gets."""

    def scores(self, truth: Any, seed: int) -> FloatArray:
        """How strange the truth is, [rows, samples]; nan where it is missing."""

    def region(self, thresholds: FloatArray, seed: int) -> Region:
        """All that is at most as strange as the thresholds [rows, samples]."""


def region_hits(region: Region, truth: Any) -> FloatArray:
    """1 where a region holds the truth, 0 where it does not, nan where the truth is missing.

    >>> region_hits(np.array([[True, False], [True, True], [True, False]]), [1, 1, -1]).tolist()
    [0.0, 1.0, nan]
    """
    if isinstance(region, Intervals):
        values = as_numbers(truth, "truth", samples=len(region.low))
        return np.where(np.isnan(values), np.nan, region.contains(values))
    if region.ndim == 2:
        labels = as_classes(truth, region.shape[1], samples=len(region))
        inside = region[np.arange(len(region)), np.maximum(labels, 0)]
        return np.where(labels == MISSING, np.nan, inside)
    yes = as_label_matrix(truth, region.shape[1], samples=len(region))
    each = np.take_along_axis(region, np.maximum(yes, 0)[:, :, None], axis=2)[:, :, 0]
    return np.where((yes == MISSING).any(axis=1), np.nan, each.all(axis=1))


def hit_counts(hits: FloatArray) -> tuple[int, int]:
    """How many truths are held, and how many are known, of hits that are 1, 0, or nan where the truth is missing.

    >>> hit_counts(np.array([1.0, 0.0, np.nan]))
    (1, 2)
    """
    return int(np.nansum(hits)), int((~np.isnan(hits)).sum())


def as_classes(truth: Any, classes: int, *, samples: int) -> IntArray:
    """The true class of each sample; -1 is missing."""
    (labels,) = as_labels([truth], [classes], samples=samples, what="truth")
    return labels


def as_label_matrix(truth: Any, labels: int, *, samples: int) -> IntArray:
    """Whether each label is true, (n, L); -1 is missing."""
    return np.stack(as_labels(np.asarray(to_numpy(truth)), [2] * labels, samples=samples, what="truth"), axis=1)


def as_numbers(values: Any, what: str, *, samples: int | None = None, finite: bool = False) -> FloatArray:
    """One row of numbers; a single column is one, too.

    >>> as_numbers([[1], [2]], "predicted").tolist()
    [1.0, 2.0]
    """
    array = without_gaps(values, np.nan)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or array.dtype.kind not in "fiub":
        remedy = " Give each column as a task of its own; probabilities of classes are Classes(probabilities)."
        if array.ndim != 2:
            remedy = " Classes are not numbers: give Classes(probabilities), and class numbers from 0 on as truth."
        raise InvalidInput(f"{what}: must be one number per sample, got {array.dtype} of shape {array.shape}.{remedy}")
    if samples is not None and len(array) != samples:
        raise InvalidInput(f"{what}: {len(array)} numbers were given for {samples} samples.")
    numbers = array.astype(np.float64)
    if finite and not np.isfinite(numbers).all():
        where = int(np.argmin(np.isfinite(numbers)))
        raise InvalidInput(f"{what}: must be finite, got {numbers[where]:g} at sample {where}.")
    return numbers
