"""The smallest sets: how many are empty, and how often a single class is right."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.conformal.examine.evidence import ConformalEvidence
from assay.conformal.metrics.counted import Overall, Source, demand_overall, of_classes, ratio, sizes_of, with_labels
from assay.conformal.sets.checks import FloatArray
from assay.core import Metric

__all__ = ["empty_rate", "singleton_accuracy", "taskwise_empty_rate", "taskwise_singleton_accuracy"]


def taskwise_empty_rate(sets: Source) -> FloatArray:
    r"""Per task, the share of empty sets: they cover nothing, whatever the truth.

    $$\frac{|\{i : S_{it} = \emptyset\}|}{n}$$

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
    >>> taskwise_empty_rate([[[0, 0], [1, 0]], [[0, 1], [1, 0]]]).tolist()
    [0.5, 0.0]
    """
    counts = sizes_of(sets)
    return np.asarray([ratio(int(task.sizes[0]), task.samples) for task in counts.tasks], dtype=np.float64)


def empty_rate(sets: Source, *, overall: Overall = "mean") -> float:
    r"""The mean share of empty sets over tasks, or the share of samples with an empty set in some task.

    $$\frac{1}{T} \sum_t \frac{|\{i : S_{it} = \emptyset\}|}{n} \text{ (mean)}, \qquad
    \frac{|\{i : \exists t : S_{it} = \emptyset\}|}{n} \text{ (joint)}$$

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or counts.
    overall : "mean" or "joint", default "mean"
        The mean over tasks, or all tasks at once.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> sets = [[[0, 0], [1, 0]], [[0, 1], [1, 0]]]
    >>> empty_rate(sets), empty_rate(sets, overall="joint")
    (0.25, 0.5)
    """
    demand_overall(overall)
    counts = sizes_of(sets)
    return ratio(counts.empty, counts.samples) if overall == "joint" else float(taskwise_empty_rate(counts).mean())


def taskwise_singleton_accuracy(sets: Source, labels: Any = None) -> FloatArray:
    r"""Per task, how often a singleton is right.

    $$\frac{|\{i : S_{it} = \{y_{it}\}\}|}{|\{i : |S_{it}| = 1\}|}$$

    Undefined (nan) without singletons.

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or the counts of both sets and labels.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; -1 is missing.

    Returns
    -------
    array of one number per task
        From 0 to 1, or nan.

    Examples
    --------
    >>> taskwise_singleton_accuracy([[[1, 0], [1, 0], [1, 1]]], [[0, 1, 1]]).tolist()
    [0.5]
    """
    tasks = with_labels(sets, labels).tasks
    return np.asarray([ratio(int(t.by_size[1, 1]), int(t.by_size[1, :2].sum())) for t in tasks], dtype=np.float64)


def singleton_accuracy(sets: Source, labels: Any = None) -> float:
    r"""How often a singleton is right, on average over the tasks that have singletons.

    $$\frac{1}{|T'|} \sum_{t \in T'} \frac{|\{i : S_{it} = \{y_{it}\}\}|}{|\{i : |S_{it}| = 1\}|}$$

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or the counts of both sets and labels.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; -1 is missing.

    Returns
    -------
    float
        From 0 to 1, or nan.

    Examples
    --------
    >>> singleton_accuracy([[[1, 0], [1, 0], [1, 1]], [[1, 1], [1, 1], [1, 1]]], [[0, 1, 1], [0, 0, 0]])
    0.5
    """
    values = taskwise_singleton_accuracy(sets, labels)
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


_OWN: tuple[Metric[ConformalEvidence], ...] = (
    Metric("empty_rate", lambda evidence: empty_rate(evidence.counts), empty_rate, goal="min", floor=1.0, oracle=0.0),
    Metric("singleton_accuracy", lambda evidence: singleton_accuracy(evidence.counts), singleton_accuracy, oracle=1.0),
)

METRICS = tuple(map(of_classes, _OWN))
