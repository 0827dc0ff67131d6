"""How often the sets hold the truth: in each task, on average and in all tasks at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.conformal.examine.evidence import ConformalEvidence
from assay.conformal.metrics.counted import Overall, Source, demand_overall, ratio, with_labels
from assay.conformal.sets.checks import BoolArray, FloatArray, where_known
from assay.core import AnyProblem, Metric, MetricFamily

__all__ = [
    "coverage",
    "coverage_at_least",
    "taskwise_coverage",
]


def taskwise_coverage(sets: Source, labels: Any = None) -> FloatArray:
    r"""Per task, the share of sets that hold the true label.

    $$\mathrm{cov}_t = \frac{|\{i : y_{it} \in S_{it}\}|}{|\{i : y_{it} \neq -1\}|}$$

    Undefined (nan) without labels.

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or the counts of both sets and labels.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; a missing one (-1) leaves the counts of its task.

    Returns
    -------
    array of one number per task
        From 0 to 1.

    Examples
    --------
    >>> taskwise_coverage([[[1, 0], [1, 1]], [[0, 1], [0, 1]]], [[0, 1], [1, 0]]).tolist()
    [1.0, 0.5]
    """
    counts = with_labels(sets, labels)
    return np.asarray([ratio(task.hits, task.labelled) for task in counts.tasks], dtype=np.float64)


def coverage(sets: Source, labels: Any = None, *, overall: Overall = "mean") -> float:
    r"""One coverage of all tasks: the mean of theirs, or the share of samples that are covered in every task.

    $$\overline{\mathrm{cov}} = \frac{1}{T} \sum_t \mathrm{cov}_t \text{ (mean)}, \qquad
    \frac{1}{n} \sum_i \prod_t [y_{it} \in S_{it}] \text{ (joint)}$$

    Joint coverage is over the samples whose labels are all known. Sets with a guarantee of 1 - α in each task may have
    a joint coverage as low as 1 - Tα.

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or the counts of both sets and labels.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; -1 is missing.
    overall : "mean" or "joint", default "mean"
        The mean over tasks, or all tasks at once.

    Returns
    -------
    float
        From 0 to 1, nan without labels.

    Examples
    --------
    >>> sets, labels = [[[1, 0], [1, 1]], [[0, 1], [0, 1]]], [[0, 1], [1, 0]]
    >>> coverage(sets, labels), coverage(sets, labels, overall="joint")
    (0.75, 0.5)
    """
    demand_overall(overall)
    counts = with_labels(sets, labels)
    if overall == "joint":
        return ratio(counts.covered, counts.known)
    return float(taskwise_coverage(counts).mean())


def coverage_at_least(sets: Source, labels: Any = None, *, level: float, overall: Overall = "mean") -> float:
    r"""Share of the tasks whose coverage reaches a level; with ``"joint"`` 1 when the joint coverage does, else 0.

    $$\frac{1}{T} \sum_t [\mathrm{cov}_t \ge \ell]$$

    Over several problems the mean is the share of tasks, or of problems, that reach it. A task without labels does not
    count. Undefined (nan) when no task has any.

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or the counts of both sets and labels.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; -1 is missing.
    level : float
        The coverage that must be reached.
    overall : "mean" or "joint", default "mean"
        The mean over tasks, or all tasks at once.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> sets, labels = [[[1, 0], [1, 1]], [[0, 1], [0, 1]]], [[0, 1], [1, 0]]
    >>> coverage_at_least(sets, labels, level=0.9), coverage_at_least(sets, labels, level=0.5)
    (0.5, 1.0)
    >>> coverage_at_least(sets, labels, level=0.9, overall="joint")
    0.0
    """
    demand_overall(overall)
    counts = with_labels(sets, labels)
    if overall == "joint":
        return _share_at_least(np.asarray([coverage(counts, overall="joint")]), level)
    return _share_at_least(taskwise_coverage(counts), level)


def _share_at_least(coverages: FloatArray, level: float) -> float:
    defined = coverages[~np.isnan(coverages)]
    return float((defined >= level).mean()) if len(defined) else float("nan")


def task_coverages(evidence: ConformalEvidence) -> FloatArray:
    """Of every task, those of classes before those of numbers."""
    numbers = [entry.coverage for entry in evidence.intervals]
    return np.concatenate([taskwise_coverage(evidence.counts), numbers])


def mean_coverage(evidence: ConformalEvidence) -> float:
    """The mean over tasks of any kind: a hit is a hit, of a set or of an interval."""
    return float(task_coverages(evidence).mean())


def _joint_coverage(evidence: ConformalEvidence) -> float:
    return ratio(*evidence.jointly)


def known_truths(problem: AnyProblem) -> BoolArray:
    """Where the truth of the test samples is known, [task, sample]."""
    return where_known(problem.truth.labels, problem.truth.numbers)


def _joint_floor(problem: AnyProblem) -> float:
    """Undefined where no test sample has labels in all tasks."""
    return 0.0 if known_truths(problem).all(axis=0).any() else float("nan")


def _at_least(level: float) -> Metric[ConformalEvidence]:
    return Metric(
        f"coverage@{level:.15g}",
        lambda evidence: _share_at_least(task_coverages(evidence), level),
        coverage_at_least,
        oracle=1.0,
    )


def _joint_at_least(level: float) -> Metric[ConformalEvidence]:
    return Metric(
        f"joint_coverage@{level:.15g}",
        lambda evidence: _share_at_least(np.asarray([_joint_coverage(evidence)]), level),
        coverage_at_least,
        floor=_joint_floor,
        oracle=1.0,
        limits=(0, 1),
    )


FAMILIES: tuple[MetricFamily[ConformalEvidence], ...] = (
    MetricFamily(name="coverage", parameter="level", make=_at_least, example=0.95, whole=False, least=0, most=1),
    MetricFamily(
        name="joint_coverage", parameter="level", make=_joint_at_least, example=0.95, whole=False, least=0, most=1
    ),
)

METRICS: tuple[Metric[ConformalEvidence], ...] = (
    Metric("coverage", mean_coverage, coverage, oracle=1.0),
    Metric(
        "joint_coverage",
        _joint_coverage,
        coverage,
        floor=_joint_floor,
        oracle=1.0,
        limits=(0, 1),
    ),
    Metric(
        "worst_task_coverage",
        lambda evidence: float(task_coverages(evidence).min()),
        taskwise_coverage,
        oracle=1.0,
    ),
)
