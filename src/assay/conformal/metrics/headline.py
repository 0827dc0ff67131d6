"""The headline: how much of the classes the sets leave open, provided that they cover what they promise."""

from __future__ import annotations

from math import prod

import numpy as np

from assay.conformal.examine.evidence import ConformalEvidence
from assay.conformal.metrics.counted import Overall, Source, demand_overall, ratio, sizes_of
from assay.core import Metric

__all__ = ["relative_size"]


def relative_size(sets: Source, *, overall: Overall = "mean") -> float:
    r"""The mean set size as a share of the classes; an empty set, which is never right, counts as a full one.

    $$\frac{1}{T} \sum_t \frac{1}{n C_t} \sum_i s_{it} \text{ (mean)}, \qquad
    \frac{1}{n} \sum_i \prod_t \frac{s_{it}}{C_t} \text{ (joint)}, \qquad
    s_{it} = |S_{it}| \text{ or } C_t \text{ where it is } 0$$

    In the joint form a sample with an empty set in any task counts as 1. As the track's headline, an answer whose
    coverage is significantly below 1 - α gets the floor 1.

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


def _relative_size(evidence: ConformalEvidence) -> float:
    """Sets that do not cover what they promise are worth no more than full ones."""
    if evidence.undercovers:
        return 1.0
    return relative_size(evidence.counts, overall="joint" if evidence.guarantee == "joint" else "mean")


METRICS: tuple[Metric[ConformalEvidence], ...] = (
    Metric("relative_size", _relative_size, relative_size, goal="min", floor=1.0),
)
