"""How much the sets leave open: their sizes, and how many decide."""

from __future__ import annotations

from math import prod

import numpy as np
import numpy.typing as npt

from assay.conformal.examine.evidence import ConformalEvidence
from assay.conformal.metrics.counted import (
    Overall,
    Source,
    demand_overall,
    of_classes,
    ratio,
    sizes_of,
    weighted_mean,
)
from assay.conformal.metrics.weights import class_count_weights
from assay.conformal.sets.checks import FloatArray, IntArray
from assay.core import AnyProblem, Metric

__all__ = [
    "efficiency",
    "hardest_tasks",
    "informativeness",
    "size_histogram",
    "taskwise_efficiency",
    "taskwise_informativeness",
    "weighted_efficiency",
    "weighted_informativeness",
]


def taskwise_efficiency(sets: Source) -> FloatArray:
    r"""Per task, the average number of labels in a set; lower is more precise.

    $$\mathrm{eff}_t = \frac{1}{n} \sum_i |S_{it}|$$

    Empty sets count as 0. Undefined (nan) without samples.

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or counts.

    Returns
    -------
    array of one number per task
        Smaller is better, or nan.

    Examples
    --------
    >>> taskwise_efficiency([[[1, 0, 0], [1, 1, 1]], [[0, 1], [0, 0]]]).tolist()
    [2.0, 0.5]
    """
    counts = sizes_of(sets)
    return np.asarray([ratio(task.total_size, task.samples) for task in counts.tasks], dtype=np.float64)


def efficiency(sets: Source, *, overall: Overall = "mean") -> float:
    r"""One average set size of all tasks: the mean of theirs, or the size of the product of the sets.

    $$\frac{1}{T} \sum_t \mathrm{eff}_t \text{ (mean)}, \qquad \frac{1}{n} \sum_i \prod_t |S_{it}| \text{ (joint)}$$

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or counts.
    overall : "mean" or "joint", default "mean"
        The mean over tasks, or of the products of the sizes.

    Returns
    -------
    float
        Smaller is better; nan without samples.

    Examples
    --------
    >>> sets = [[[1, 0, 0], [1, 1, 1]], [[0, 1], [1, 1]]]
    >>> efficiency(sets), efficiency(sets, overall="joint")
    (1.75, 3.5)
    """
    demand_overall(overall)
    counts = sizes_of(sets)
    return ratio(counts.volume, counts.samples) if overall == "joint" else float(taskwise_efficiency(counts).mean())


def taskwise_informativeness(sets: Source) -> FloatArray:
    r"""Per task, the share of sets that hold exactly one label; higher is more decisive.

    $$\mathrm{inf}_t = \frac{|\{i : |S_{it}| = 1\}|}{n}$$

    Undefined (nan) without samples.

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or counts.

    Returns
    -------
    array of one number per task
        From 0 to 1, or nan.

    Examples
    --------
    >>> taskwise_informativeness([[[1, 0, 0], [1, 1, 1]], [[0, 1], [0, 1]]]).tolist()
    [0.5, 1.0]
    """
    counts = sizes_of(sets)
    return np.asarray([ratio(int(task.sizes[1]), task.samples) for task in counts.tasks], dtype=np.float64)


def informativeness(sets: Source, *, overall: Overall = "mean") -> float:
    r"""One share of singletons of all tasks: the mean of theirs, or of samples where every set is a singleton.

    $$\frac{1}{T} \sum_t \mathrm{inf}_t \text{ (mean)}, \qquad
    \frac{1}{n} \sum_i \prod_t [|S_{it}| = 1] \text{ (joint)}$$

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or counts.
    overall : "mean" or "joint", default "mean"
        The mean over tasks, or all tasks at once.

    Returns
    -------
    float
        From 0 to 1, higher is better; nan without samples.

    Examples
    --------
    >>> sets = [[[1, 0, 0], [1, 1, 1]], [[0, 1], [0, 1]]]
    >>> informativeness(sets), informativeness(sets, overall="joint")
    (0.75, 0.5)
    """
    demand_overall(overall)
    counts = sizes_of(sets)
    return (
        ratio(counts.single, counts.samples) if overall == "joint" else float(taskwise_informativeness(counts).mean())
    )


def weighted_efficiency(sets: Source, weights: npt.ArrayLike) -> float:
    r"""The weighted average of the tasks' efficiencies.

    $$\frac{\sum_t w_t \, \mathrm{eff}_t}{\sum_t w_t}$$

    Weights are finite, not negative and not all zero; helpers make them by class count, importance, difficulty, data
    share or confidence.

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or counts.
    weights : sequence of one number per task
        Finite, not negative and not all zero.

    Returns
    -------
    float
        Smaller is better, or nan.

    Examples
    --------
    >>> weighted_efficiency([[[1, 0, 0], [1, 1, 1]], [[0, 1], [0, 1]]], [3, 1])
    1.75
    """
    return weighted_mean(taskwise_efficiency(sets), weights)


def weighted_informativeness(sets: Source, weights: npt.ArrayLike) -> float:
    r"""The weighted average of the tasks' informativeness.

    $$\frac{\sum_t w_t \, \mathrm{inf}_t}{\sum_t w_t}$$

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or counts.
    weights : sequence of one number per task
        Finite, not negative and not all zero.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> weighted_informativeness([[[1, 0, 0], [1, 1, 1]], [[0, 1], [0, 1]]], [3, 1])
    0.625
    """
    return weighted_mean(taskwise_informativeness(sets), weights)


def size_histogram(sets: Source) -> tuple[IntArray, ...]:
    r"""Per task, how many sets have 0, 1, ... C labels.

    $$n_t(k) = |\{i : |S_{it}| = k\}|$$

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or counts.

    Returns
    -------
    tuple of one array per task
        How many sets have 0, 1, ... C classes.

    Examples
    --------
    >>> [counts.tolist() for counts in size_histogram([[[1, 0, 0], [1, 1, 1]], [[0, 1], [0, 0]]])]
    [[0, 1, 0, 1], [1, 1, 0]]
    """
    return tuple(task.sizes for task in sizes_of(sets).tasks)


def hardest_tasks(sets: Source) -> IntArray:
    r"""The tasks in order, hardest first: by the share of sets that do not decide, then by mean size.

    $$t_1, t_2, \ldots : \quad 1 - \mathrm{inf}_{t_1} \geq 1 - \mathrm{inf}_{t_2} \geq \ldots$$

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or counts.

    Returns
    -------
    array of task numbers
        The hardest first.

    Examples
    --------
    >>> hardest_tasks([[[1, 0, 0], [0, 1, 0]], [[1, 1], [0, 1]]]).tolist()
    [1, 0]
    """
    counts = sizes_of(sets)
    order = np.lexsort((-taskwise_efficiency(counts), taskwise_informativeness(counts)))
    return order.astype(np.int64)


def _weighted_classes(problem: AnyProblem) -> float:
    classes = problem.task.classes
    return float(class_count_weights(classes) @ np.asarray(classes))


_OWN: tuple[Metric[ConformalEvidence], ...] = (
    Metric(
        "efficiency",
        lambda evidence: efficiency(evidence.counts),
        efficiency,
        goal="min",
        floor=lambda problem: float(np.mean(problem.task.classes)),
        oracle=1.0,
    ),
    Metric(
        "product_size",
        lambda evidence: efficiency(evidence.counts, overall="joint"),
        efficiency,
        goal="min",
        floor=lambda problem: float(prod(problem.task.classes)),
        oracle=1.0,
    ),
    Metric("informativeness", lambda evidence: informativeness(evidence.counts), informativeness, oracle=1.0),
    Metric(
        "joint_informativeness",
        lambda evidence: informativeness(evidence.counts, overall="joint"),
        informativeness,
        oracle=1.0,
    ),
    Metric(
        "weighted_efficiency",
        lambda evidence: weighted_efficiency(evidence.counts, class_count_weights(evidence.counts.classes)),
        weighted_efficiency,
        goal="min",
        floor=_weighted_classes,
        oracle=1.0,
    ),
    Metric(
        "weighted_informativeness",
        lambda evidence: weighted_informativeness(evidence.counts, class_count_weights(evidence.counts.classes)),
        weighted_informativeness,
        oracle=1.0,
    ),
)

METRICS = tuple(map(of_classes, _OWN))
