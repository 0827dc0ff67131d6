"""How often the sets hold the truth, class by class, and how far that lies from what was promised."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import numpy as np

from assay.conformal.examine.evidence import ConformalEvidence
from assay.conformal.metrics.counted import Source, demand_overall, of_classes, with_labels
from assay.conformal.metrics.hits import jointly_covered, label_matrix
from assay.conformal.sets.checks import MISSING, FloatArray, as_alpha
from assay.conformal.sets.counts import SetCounts, TaskCounts
from assay.core import InvalidInput, Metric

__all__ = ["class_coverage", "coverage_gap", "taskwise_coverage_gap"]


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


_OWN: tuple[Metric[ConformalEvidence], ...] = (
    Metric(
        "worst_class_coverage",
        lambda evidence: float(np.nanmin(np.concatenate(class_coverage(evidence.counts)))),
        class_coverage,
        oracle=1.0,
    ),
    Metric(
        "coverage_gap",
        lambda evidence: coverage_gap(evidence.counts, alpha=evidence.alpha),
        coverage_gap,
        goal="min",
        floor=lambda problem: max(1 - problem.task.alpha, problem.task.alpha),
        limits=(0, 1),
    ),
)

METRICS = tuple(map(of_classes, _OWN))
