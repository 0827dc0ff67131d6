"""The track's metrics: which number of the evidence, which direction, and what a failed subject gets."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import prod

import numpy as np

from assay.conformal.examine.examination import SMALLEST_SLICE
from assay.conformal.metrics import (
    class_count_weights,
    class_coverage,
    coverage,
    coverage_gap,
    efficiency,
    empty_rate,
    informativeness,
    relative_size,
    singleton_accuracy,
    size_stratified_coverage,
    taskwise_coverage,
    weighted_efficiency,
    weighted_informativeness,
    worst_slice_coverage,
)
from assay.conformal.problem.task import ConformalEvidence
from assay.conformal.sets.checks import MISSING
from assay.conformal.sets.counts import SetCounts
from assay.core import AnyProblem, Metric

__all__ = ["METRICS"]


def _of(function: Callable[[SetCounts], float]) -> Callable[[ConformalEvidence], float]:
    return lambda evidence: function(evidence.counts)


def _relative_size(evidence: ConformalEvidence) -> float:
    """The headline: sets that do not cover what they promise are worth no more than full ones."""
    if evidence.undercovers:
        return 1.0
    return relative_size(evidence.counts, overall="joint" if evidence.guarantee == "joint" else "mean")


def _gap(evidence: ConformalEvidence) -> float:
    return coverage_gap(evidence.counts, alpha=evidence.alpha)


def _worst_class(counts: SetCounts) -> float:
    return float(np.nanmin(np.concatenate(class_coverage(counts))))


def _weighted_classes(problem: AnyProblem) -> float:
    classes = problem.task.classes
    return float(class_count_weights(classes) @ np.asarray(classes))


def _stratified_floor(problem: AnyProblem) -> float:
    """Undefined where no size can have enough labelled sets."""
    return 0.0 if max(int((y != MISSING).sum()) for y in problem.truth.labels) >= SMALLEST_SLICE else math.nan


def _slice_floor(problem: AnyProblem) -> float:
    """Undefined without groups, and where none is large enough; as in the metric, joint slices need all labels."""
    groups = problem.task.test_groups
    if groups is None:
        return math.nan
    known = np.stack(problem.truth.labels) != MISSING
    judged = known.all(axis=0) if problem.task.guarantee == "joint" else np.ones(len(groups), dtype=np.bool_)
    for group in np.unique(groups):
        inside = (groups == group) & judged
        if inside.sum() >= SMALLEST_SLICE and known[:, inside].any(axis=1).all():
            return 0.0
    return math.nan


METRICS: tuple[Metric[ConformalEvidence], ...] = (
    Metric("relative_size", _relative_size, relative_size, goal="min", floor=1.0),
    Metric("coverage", _of(coverage), coverage, oracle=1.0),
    Metric(
        "joint_coverage",
        _of(lambda counts: coverage(counts, overall="joint")),
        coverage,
        floor=lambda problem: 0.0 if _complete(problem) else math.nan,
        oracle=1.0,
    ),
    Metric(
        "worst_task_coverage", _of(lambda counts: float(taskwise_coverage(counts).min())), taskwise_coverage, oracle=1.0
    ),
    Metric("worst_class_coverage", _of(_worst_class), class_coverage, oracle=1.0),
    Metric(
        "coverage_gap",
        _gap,
        coverage_gap,
        goal="min",
        floor=lambda problem: max(1 - problem.task.alpha, problem.task.alpha),
    ),
    Metric(
        "size_stratified_coverage",
        _of(lambda counts: size_stratified_coverage(counts, smallest=SMALLEST_SLICE)),
        size_stratified_coverage,
        floor=_stratified_floor,
        oracle=1.0,
    ),
    Metric(
        "worst_slice_coverage",
        lambda evidence: evidence.worst_slice,
        worst_slice_coverage,
        floor=_slice_floor,
        oracle=1.0,
    ),
    Metric(
        "efficiency",
        _of(efficiency),
        efficiency,
        goal="min",
        floor=lambda problem: float(np.mean(problem.task.classes)),
        oracle=1.0,
    ),
    Metric(
        "product_size",
        _of(lambda counts: efficiency(counts, overall="joint")),
        efficiency,
        goal="min",
        floor=lambda problem: float(prod(problem.task.classes)),
        oracle=1.0,
    ),
    Metric("informativeness", _of(informativeness), informativeness, oracle=1.0),
    Metric(
        "joint_informativeness",
        _of(lambda counts: informativeness(counts, overall="joint")),
        informativeness,
        oracle=1.0,
    ),
    Metric(
        "weighted_efficiency",
        _of(lambda counts: weighted_efficiency(counts, class_count_weights(counts.classes))),
        weighted_efficiency,
        goal="min",
        floor=_weighted_classes,
        oracle=1.0,
    ),
    Metric(
        "weighted_informativeness",
        _of(lambda counts: weighted_informativeness(counts, class_count_weights(counts.classes))),
        weighted_informativeness,
        oracle=1.0,
    ),
    Metric("empty_rate", _of(empty_rate), empty_rate, goal="min", floor=1.0, oracle=0.0),
    Metric("singleton_accuracy", _of(singleton_accuracy), singleton_accuracy, oracle=1.0),
)


def _complete(problem: AnyProblem) -> bool:
    """Whether some test sample has labels in all tasks."""
    return bool((np.stack(problem.truth.labels) != MISSING).all(axis=0).any())
