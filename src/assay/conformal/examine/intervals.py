"""Intervals of an answer against the true numbers: what the metrics and the report need to know of each task."""

from __future__ import annotations

import numpy as np

from assay.conformal.answer.intervals import IntervalLists
from assay.conformal.examine.evidence import IntervalEvidence
from assay.conformal.metrics.volumes import marginal_interval, taskwise_relative_width
from assay.conformal.problem.types import ConformalTask, ConformalTruth
from assay.conformal.regions.region import Intervals, hit_counts, region_hits
from assay.conformal.sets.checks import FloatArray
from assay.core import SubjectFailed

__all__ = ["check_intervals", "interval_evidence"]


def check_intervals(intervals: IntervalLists, task: ConformalTask) -> dict[str, Intervals]:
    """The intervals of the task's numbers in its order; a malformed answer where they do not fit."""
    names = [entry.name for entry in task.numbers]
    if set(intervals) != set(names):
        there = ", ".join(map(repr, intervals)) or "none"
        expected = ", ".join(map(repr, names)) or "none"
        raise SubjectFailed(
            "malformed answer", f"intervals were given for {there}; the tasks of numbers are {expected}."
        )
    for name, ends in intervals.items():
        if (count := len(ends["low"])) != task.test_samples:
            raise SubjectFailed(
                "malformed answer", f"task {name!r}: {count} intervals were given for {task.test_samples} samples."
            )
    return {name: Intervals(np.asarray(intervals[name]["low"]), np.asarray(intervals[name]["high"])) for name in names}


def interval_evidence(
    intervals: dict[str, Intervals], task: ConformalTask, truth: ConformalTruth
) -> tuple[tuple[IntervalEvidence, ...], list[FloatArray]]:
    """What was found of each task, and which samples it covers: 1, 0, or nan where the truth is missing."""
    evidence, hits = [], []
    for entry, numbers in zip(task.numbers, truth.numbers, strict=True):
        own = intervals[entry.name]
        inside = region_hits(own, numbers)
        hits_here, known = hit_counts(inside)
        low, high = marginal_interval(entry.truth, task.alpha)
        with np.errstate(over="ignore"):  # bounds as large as floats are wide enough to be called infinite
            width, (share,) = float(own.width.mean()), taskwise_relative_width(own, entry.truth, task.alpha).tolist()
        evidence.append(
            IntervalEvidence(
                name=entry.name,
                known=known,
                hits=hits_here,
                calibration=int((~np.isnan(entry.truth)).sum()),
                width=width,
                marginal_width=high - low,
                relative_width=share,
                empty=int((own.low > own.high).sum()),
                unbounded=int((np.isinf(own.low) | np.isinf(own.high)).sum()),
                error=float(np.nanmean(np.abs(entry.test.predicted - numbers))),
            )
        )
        hits.append(inside)
    return tuple(evidence), hits
