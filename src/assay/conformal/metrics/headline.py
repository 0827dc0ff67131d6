"""The headlines: how much sets and intervals leave open, provided that they cover what they promise."""

from __future__ import annotations

from math import prod

import numpy as np

from assay.conformal.examine.evidence import ConformalEvidence
from assay.conformal.metrics.counted import Overall, Source, demand_overall, of_classes, ratio, sizes_of
from assay.conformal.metrics.volumes import relative_width
from assay.core import Metric

__all__ = ["relative_size"]


def relative_size(sets: Source, *, overall: Overall = "mean") -> float:
    r"""The mean set size as a share of the classes; an empty set, which is never right, counts as a full one.

    $$\frac{1}{T} \sum_t \frac{1}{n C_t} \sum_i s_{it} \text{ (mean)}, \qquad
    \frac{1}{n} \sum_i \prod_t \frac{s_{it}}{C_t} \text{ (joint)}, \qquad
    s_{it} = |S_{it}| \text{ or } C_t \text{ where it is } 0$$

    In the joint form a sample with an empty set in any task counts as 1. As the track's headline, an answer whose
    coverage is significantly below 1 - α gets the floor 1; so does one that gives up the numbers of a problem with both
    kinds of tasks, where all must be covered at once: whose relative width is 1. Undefined without classes.

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or counts.
    overall : "mean" or "joint", default "mean"
        The mean over tasks, or all tasks at once.

    Returns
    -------
    float
        Smaller is better, or nan.

    Examples
    --------
    >>> sets = [[[1, 0, 0, 0], [0, 0, 0, 0]], [[0, 1], [0, 1]]]
    >>> relative_size(sets), relative_size(sets, overall="joint")
    (0.5625, 0.5625)
    """
    demand_overall(overall)
    counts = sizes_of(sets)
    if overall == "joint":
        whole = prod(counts.classes)
        return ratio(counts.volume + counts.empty * whole, counts.samples * whole)
    shares = [
        ratio(task.total_size + int(task.sizes[0]) * task.classes, task.samples * task.classes) for task in counts.tasks
    ]
    return float(np.mean(shares))


def _worthless(evidence: ConformalEvidence) -> bool:
    """Whether an answer covers less than it promises, or bought one kind of tasks with the other.

    Where all tasks must be covered at once, errors that are allowed could all be spent on one kind: answers that say
    nothing of the other, of which the model knows something, are worth no more than those that say nothing at all.
    """
    both = bool(evidence.intervals) and bool(evidence.counts.tasks) and evidence.guarantee == "joint"
    return evidence.undercovers or (both and max(_size(evidence), _width(evidence)) >= 1.0)


def _size(evidence: ConformalEvidence) -> float:
    return relative_size(evidence.counts, overall="joint" if evidence.guarantee == "joint" else "mean")


def _width(evidence: ConformalEvidence) -> float:
    return float(np.mean([min(entry.relative_width, 1.0) for entry in evidence.intervals]))


def _relative_size(evidence: ConformalEvidence) -> float:
    """Sets that do not cover what they promise are worth no more than full ones."""
    return 1.0 if _worthless(evidence) else _size(evidence)


def _relative_width(evidence: ConformalEvidence) -> float:
    """Intervals that do not cover what they promise, or are wider than without a model, are worth what these are."""
    if not evidence.intervals:
        return float("nan")
    return 1.0 if _worthless(evidence) else _width(evidence)


METRICS: tuple[Metric[ConformalEvidence], ...] = (
    of_classes(Metric("relative_size", _relative_size, relative_size, goal="min", floor=1.0, limits=(0, 1))),
    Metric(
        "relative_width",
        _relative_width,
        relative_width,
        goal="min",
        floor=lambda problem: 1.0 if problem.task.numbers else float("nan"),
        limits=(0, 1),
    ),
)
