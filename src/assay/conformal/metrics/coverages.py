"""How often the sets hold the truth: over all samples, and by class."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import numpy as np

from assay.conformal.examine.evidence import ConformalEvidence
from assay.conformal.metrics.counted import Overall, Source, demand_overall, of_classes, ratio, with_labels
from assay.conformal.sets.checks import MISSING, BoolArray, FloatArray, IntArray, as_alpha, as_labels, where_known
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.counts import SetCounts, TaskCounts
from assay.conformal.sets.named import in_order, names_of
from assay.conformal.sets.prediction_sets import as_matrices
from assay.core import AnyProblem, InvalidInput, Metric, MetricFamily

__all__ = [
    "class_coverage",
    "coverage",
    "coverage_at_least",
    "coverage_gap",
    "covered",
    "jointly_covered",
    "taskwise_coverage",
    "taskwise_coverage_gap",
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
        1.0 or 0.0, or nan.

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


def class_coverage(sets: Source, labels: Any = None) -> tuple[FloatArray, ...]:
    r"""Per task and class, the share of samples of that class whose set holds it; nan for an absent class.

    $$\mathrm{cov}_{t,c} = \frac{|\{i : y_{it} = c, c \in S_{it}\}|}{|\{i : y_{it} = c\}|}$$

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or the counts of both sets and labels.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; -1 is missing.

    Returns
    -------
    tuple of one array per task
        A number per class.

    Examples
    --------
    >>> class_coverage([[[1, 0, 0], [1, 1, 0], [1, 0, 0]]], [[0, 1, 1]])[0].tolist()
    [1.0, 0.5, nan]
    """
    return tuple(_class_coverage(task) for task in with_labels(sets, labels).tasks)


def _class_coverage(task: TaskCounts) -> FloatArray:
    with np.errstate(invalid="ignore"):
        shares: FloatArray = task.by_class[:, 1] / task.by_class.sum(axis=1)
    return shares


def taskwise_coverage_gap(sets: Source, labels: Any = None, *, alpha: float | Fraction) -> FloatArray:
    r"""Per task, how far the coverage of a class lies from 1 - α, on average over the classes that occur.

    $$\mathrm{gap}_t = \frac{1}{|C_t|} \sum_{c \in C_t} \left| \mathrm{cov}_{t,c} - (1 - \alpha) \right|$$

    As a share, not in percent. Undefined (nan) without labels.

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or the counts of both sets and labels.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; -1 is missing.
    alpha : float or Fraction
        The share of errors that is allowed.

    Returns
    -------
    array of one number per task
        From 0, which is best, to 1, or nan.

    Examples
    --------
    >>> taskwise_coverage_gap([[[1, 0, 0], [1, 1, 0], [1, 0, 0]]], [[0, 1, 1]], alpha=0.1).round(3).tolist()
    [0.25]
    """
    nominal = 1 - float(as_alpha(alpha))
    return np.asarray([_mean_gap(each, nominal) for each in class_coverage(sets, labels)], dtype=np.float64)


def coverage_gap(
    sets: Source,
    labels: Any = None,
    *,
    alpha: float | Fraction,
    overall: Literal["mean", "classes", "pooled", "joint"] = "mean",
) -> float:
    r"""One class-conditional coverage gap of all tasks.

    $$\frac{1}{T} \sum_t \mathrm{gap}_t \text{ (mean)}, \qquad
    \frac{\sum_t C_t \, \mathrm{gap}_t}{\sum_t C_t} \text{ (classes)}$$

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or the counts of both sets and labels.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; -1 is missing.
    alpha : float or Fraction
        The share of errors that is allowed.
    overall : "mean", "classes", "pooled" or "joint", default "mean"
        "pooled" is one mean over the classes of all tasks that occur; "joint" takes every combination of classes that
        occurs as a class, covered when all tasks are.

    Returns
    -------
    float
        As a share, not in percent; nan without labels.

    Examples
    --------
    >>> sets, labels = [[[1, 0], [1, 1]], [[0, 1], [0, 1]]], [[0, 1], [1, 0]]
    >>> [round(coverage_gap(sets, labels, alpha=0.1, overall=way), 3) for way in ("mean", "joint")]
    [0.3, 0.5]
    """
    demand_overall(overall, ("mean", "classes", "pooled", "joint"))
    nominal = 1 - float(as_alpha(alpha))
    if overall == "joint":
        return _joint_gap(sets, labels, nominal)
    counts = with_labels(sets, labels)
    if overall == "pooled":
        return _mean_gap(np.concatenate(class_coverage(counts)), nominal)
    gaps = taskwise_coverage_gap(counts, alpha=alpha)
    weights = np.asarray(counts.classes if overall == "classes" else [1] * len(gaps), dtype=np.float64)
    return float(weights @ gaps / weights.sum())


def _mean_gap(coverages: FloatArray, nominal: float) -> float:
    present = coverages[~np.isnan(coverages)]
    return float(np.abs(present - nominal).mean()) if len(present) else float("nan")


def _joint_gap(sets: Source, labels: Any, nominal: float) -> float:
    if isinstance(sets, SetCounts):
        raise InvalidInput("the joint gap needs sets and labels: counts hold no combinations of classes.")
    hits, rows = jointly_covered(sets, labels), label_matrix(sets, labels)
    labelled = (rows != MISSING).all(axis=1)
    if not labelled.any():
        return float("nan")
    _, place = np.unique(rows[labelled], axis=0, return_inverse=True)
    place = place.ravel()
    share = np.bincount(place, weights=hits[labelled]) / np.bincount(place)
    return _mean_gap(share, nominal)


def label_matrix(sets: Any, labels: Any) -> IntArray:
    """The labels in the order of the tasks of the sets, (n, T); -1 is missing."""
    return np.stack(as_labels(in_order(labels, names_of(sets), what="labels", like="the sets")), axis=1)


def covered(sets: Any, labels: Any) -> BoolArray:
    r"""Sample by sample and task by task, whether the set holds the label; False for a missing label.

    $$h_{it} = [y_{it} \in S_{it}]$$

    Parameters
    ----------
    sets : PredictionSets, CombinationSets, or sequence of (n, C) matrices
        One boolean matrix per task; of combinations what they leave open in each task.
    labels : sequence of n class numbers per task, or (n, T) matrix
        What is right; -1 is missing.

    Returns
    -------
    boolean array of shape (n, T)
        Which sets hold the true label.

    Examples
    --------
    >>> covered([[[1, 0], [1, 1]], [[0, 1], [0, 1]]], [[0, 1], [1, 0]]).tolist()
    [[True, True], [True, False]]
    """
    if isinstance(sets, CombinationSets):
        sets = sets.project()
    matrices = as_matrices(sets)
    labels = in_order(labels, names_of(sets), what="labels", like="the sets")
    columns = as_labels(labels, [matrix.shape[1] for matrix in matrices], samples=len(matrices[0]))
    rows = np.arange(len(matrices[0]))
    hits = [m[rows, np.maximum(y, 0)] & (y != MISSING) for m, y in zip(matrices, columns, strict=True)]
    return np.stack(hits, axis=1)


def jointly_covered(sets: Any, labels: Any) -> BoolArray:
    r"""Sample by sample, whether all labels are covered at once; False where one is missing.

    $$h_i = \prod_t [y_{it} \in S_{it}] \text{ (product sets)}, \qquad h_i = [(y_{i1}, \ldots, y_{iT}) \in S_i]
    \text{ (combinations)}$$

    Parameters
    ----------
    sets : PredictionSets, CombinationSets, or sequence of (n, C) matrices
        One boolean matrix per task, or sets of combinations.
    labels : sequence of n class numbers per task, or (n, T) matrix
        What is right; -1 is missing.

    Returns
    -------
    boolean array of shape (n,)
        Which samples are covered in every task.

    Examples
    --------
    >>> from assay.conformal import CombinationSets
    >>> jointly_covered([[[1, 0], [1, 1]], [[0, 1], [0, 1]]], [[0, 1], [1, 0]]).tolist()
    [True, False]
    >>> jointly_covered(CombinationSets.from_labels([[[0, 1], [1, 0]]], classes=(2, 2)), [[1], [1]]).tolist()
    [False]
    """
    if isinstance(sets, CombinationSets):
        return sets.contains(labels)
    hits: BoolArray = np.logical_and.reduce(covered(sets, labels), axis=1)
    return hits


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
    of_classes(
        Metric(
            "worst_class_coverage",
            lambda evidence: float(np.nanmin(np.concatenate(class_coverage(evidence.counts)))),
            class_coverage,
            oracle=1.0,
        )
    ),
    of_classes(
        Metric(
            "coverage_gap",
            lambda evidence: coverage_gap(evidence.counts, alpha=evidence.alpha),
            coverage_gap,
            goal="min",
            floor=lambda problem: max(1 - problem.task.alpha, problem.task.alpha),
            limits=(0, 1),
        )
    ),
)
