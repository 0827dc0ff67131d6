"""An answer confronted with the truth: nothing is taken from the answer but its sets."""

from __future__ import annotations

from math import prod

import numpy as np

from assay.conformal.answer.answer import ConformalAnswer
from assay.conformal.examine.evidence import NO_SETS, SMALLEST_SLICE, ConformalEvidence
from assay.conformal.examine.intervals import check_intervals, interval_evidence
from assay.conformal.metrics import (
    class_coverage,
    coverage_test,
    covered,
    efficiency,
    empty_rate,
    hardest_tasks,
    high_level_accuracy,
    jointly_covered,
    low_level_accuracy,
    share_interval,
    taskwise_coverage_interval,
    taskwise_efficiency,
    taskwise_informativeness,
)
from assay.conformal.metrics.coverages import mean_coverage
from assay.conformal.metrics.slices import worst_group
from assay.conformal.problem.task import ConformalTask, ConformalTruth
from assay.conformal.regions.region import Intervals, hit_counts
from assay.conformal.sets.checks import MISSING, FloatArray, where_known
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.counts import count_sets
from assay.conformal.sets.prediction_sets import PredictionSets
from assay.core import InvalidInput, Json, Problem, Settings, SubjectFailed
from assay.core.checks import demand_fraction
from assay.core.display import counted

__all__ = ["SETTINGS", "describe", "examine", "oracle"]

_SHOWN = 8  # shapes in a message

SETTINGS: Settings = {"significance": 0.01}


def examine(
    problem: Problem[ConformalTask, ConformalTruth], answer: ConformalAnswer, settings: Settings
) -> ConformalEvidence:
    """Check sets and intervals against the task, count them against the truth, and test whether they cover enough."""
    significance = float(settings.get("significance", SETTINGS["significance"]))
    demand_fraction(significance, "setting 'significance'")
    task, truth = problem.task, problem.truth
    intervals, numbers = interval_evidence(check_intervals(answer.intervals, task), task, truth)
    counts, hits, together = NO_SETS, numbers, numbers
    if task.classes or answer.sets or answer.combinations is not None:
        sets = _sets(answer, task)
        counts = count_sets(sets, truth.labels)
        labelled = np.stack(truth.labels) != MISSING
        hits = [*np.where(labelled, covered(sets, truth.labels).T, np.nan), *numbers]
        together = [np.where(labelled.all(axis=0), jointly_covered(sets, truth.labels), np.nan), *numbers]
    each, everything = np.stack(hits), np.stack(together).min(axis=0)
    p_below = _p_below(task, each, everything)
    covered_by_all, complete = hit_counts(everything)
    guesses = [matrix.argmax(axis=1) for matrix in task.test_probabilities]
    worst = float("nan")
    if task.test_groups is not None:
        joint = task.guarantee == "joint"
        judged = everything[None] if joint else each
        worst = worst_group(judged, task.test_groups, smallest=SMALLEST_SLICE, only_known=joint).coverage
    return ConformalEvidence(
        counts=counts,
        alpha=task.alpha,
        guarantee=task.guarantee,
        undercovers=p_below < significance,
        p_below=p_below,
        accuracy=tuple(low_level_accuracy(truth.labels, guesses).tolist()) if guesses else (),
        joint_accuracy=high_level_accuracy(truth.labels, guesses) if guesses else float("nan"),
        worst_slice=worst,
        task_names=task.task_names,
        intervals=intervals,
        covered=covered_by_all,
        known=complete,
    )


def _p_below(task: ConformalTask, hits: FloatArray, everything: FloatArray) -> float:
    """How likely so low a coverage is for a method that keeps its promise, its calibration's luck included.

    Hits are 1, 0, or nan where the truth is missing. Of several tasks the worst counts, multiplied by their number
    (Bonferroni).
    """
    rows, labelled = hits, where_known(task.calibration_labels, [entry.truth for entry in task.numbers])
    if task.guarantee == "joint":
        rows, labelled = everything[None], np.logical_and.reduce(labelled, axis=0)[None]
    tests = [
        coverage_test(*hit_counts(row), alpha=task.alpha, calibration=int(there.sum())).p_below
        for row, there in zip(rows, labelled, strict=True)
    ]
    return min(1.0, len(tests) * min(tests))


def _sets(answer: ConformalAnswer, task: ConformalTask) -> PredictionSets | CombinationSets:
    samples = task.test_samples
    if answer.combinations is not None:
        if len(answer.combinations) != samples:
            raise _malformed(f"combinations of {len(answer.combinations)} samples were given for {samples}")
        try:
            return CombinationSets.from_labels(answer.combinations, classes=task.classes)
        except InvalidInput as error:
            raise _malformed(str(error).rstrip(".")) from None
    if len(answer.sets) != len(task.classes):
        content = (
            f"sets of {counted(len(answer.sets), 'task')} were given" if answer.sets else "an empty list was given"
        )
        shapes = [matrix.shape for matrix in task.test_probabilities]
        expected = ", ".join(map(str, shapes[:_SHOWN])) + (", ..." if len(shapes) > _SHOWN else "")
        raise _malformed(f"{content}; give one boolean matrix per task, {len(shapes)} in all, of shape {expected}")
    for number, rows in enumerate(answer.sets):
        if len(rows) != samples:
            raise _malformed(f"task {number}: {len(rows)} sets were given for {samples} samples")
    try:
        return PredictionSets.from_labels(answer.sets, classes=task.classes)
    except InvalidInput as error:
        raise _malformed(str(error).rstrip(".")) from None


def _malformed(message: str) -> SubjectFailed:
    return SubjectFailed("malformed answer", f"{message}.")


def oracle(problem: Problem[ConformalTask, ConformalTruth]) -> ConformalAnswer:
    """The truth as an answer: the label or number alone; where it is missing, what the model says."""
    columns = [
        np.where(labels == MISSING, matrix.argmax(axis=1), labels)
        for labels, matrix in zip(problem.truth.labels, problem.task.test_probabilities, strict=True)
    ]
    points = {
        entry.name: np.where(np.isnan(numbers), entry.test.predicted, numbers)
        for entry, numbers in zip(problem.task.numbers, problem.truth.numbers, strict=True)
    }
    return ConformalAnswer(
        sets=tuple(tuple((int(label),) for label in column) for column in columns),
        intervals={name: Intervals(values, values) for name, values in points.items()},
    )


def describe(evidence: ConformalEvidence) -> dict[str, Json]:
    """What a report can draw: coverages with intervals, sizes, classes, and accuracy before conformal prediction."""
    details: dict[str, Json] = {
        "alpha": evidence.alpha,
        "nominal": 1 - evidence.alpha,
        "guarantee": evidence.guarantee,
        "undercovers": evidence.undercovers,
        "p_below": evidence.p_below,
        "joint_coverage": list(share_interval(*evidence.jointly)),
        "mean_coverage": mean_coverage(evidence),
        "tasks": [],
    }
    if evidence.counts.tasks:
        details |= _describe_sets(evidence)
    if evidence.intervals:
        details["intervals"] = [
            {
                "name": entry.name,
                "coverage": list(share_interval(entry.hits, entry.known)),
                "width": entry.width,
                "marginal_width": entry.marginal_width,
                "relative_width": entry.relative_width,
                "empty": entry.empty,
                "unbounded": entry.unbounded,
                "mean_absolute_error": entry.error,
            }
            for entry in evidence.intervals
        ]
    return details


def _describe_sets(evidence: ConformalEvidence) -> dict[str, Json]:
    counts = evidence.counts
    return {
        "samples": counts.samples,
        "mean_size": efficiency(counts),
        "product_size": efficiency(counts, overall="joint"),
        "full_product": prod(counts.classes),
        "empty_rate": empty_rate(counts),
        "high_level_accuracy": evidence.joint_accuracy,
        "hardest_tasks": [evidence.task_names[task] for task in hardest_tasks(counts).tolist()],
        "tasks": [
            {
                "name": name,
                "classes": task.classes,
                "coverage": list(interval),
                "size": size,
                "informativeness": decided,
                "low_level_accuracy": accuracy,
                "class_coverage": each.tolist(),
                "sizes": task.sizes.tolist(),
            }
            for name, task, interval, size, decided, accuracy, each in zip(
                evidence.task_names,
                counts.tasks,
                taskwise_coverage_interval(counts),
                taskwise_efficiency(counts).tolist(),
                taskwise_informativeness(counts).tolist(),
                evidence.accuracy,
                class_coverage(counts),
                strict=True,
            )
        ],
    }
