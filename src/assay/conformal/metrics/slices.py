"""How often the sets hold the truth in parts of the samples: by set size, by slice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assay.conformal.examine.evidence import SMALLEST_SLICE, ConformalEvidence
from assay.conformal.metrics.counted import Overall, Source, demand_overall, of_classes, ratio, with_labels
from assay.conformal.metrics.coverages import known_truths
from assay.conformal.metrics.hits import covered, jointly_covered, label_matrix
from assay.conformal.sets.checks import MISSING, FloatArray, as_groups
from assay.core import AnyProblem, Metric
from assay.core.checks import demand_whole

__all__ = ["Slice", "size_coverage", "size_stratified_coverage", "worst_slice_coverage"]


def size_coverage(sets: Source, labels: Any = None) -> tuple[FloatArray, ...]:
    r"""Per task, the coverage of the sets of each size from 0 to C; nan where no set has that size.

    $$\mathrm{cov}_t(k) = \frac{|\{i : |S_{it}| = k, y_{it} \in S_{it}\}|}{|\{i : |S_{it}| = k\}|}$$

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or the counts of both sets and labels.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; -1 is missing.

    Returns
    -------
    tuple of one array per task
        A coverage per size, or nan.

    Examples
    --------
    >>> size_coverage([[[1, 0], [1, 1], [1, 0]]], [[0, 1, 1]])[0].tolist()
    [nan, 0.5, 1.0]
    """
    coverages = []
    for task in with_labels(sets, labels).tasks:
        with np.errstate(invalid="ignore"):
            coverages.append(task.by_size[:, 1] / task.by_size[:, :2].sum(axis=1))
    return tuple(coverages)


def size_stratified_coverage(sets: Source, labels: Any = None, *, smallest: int = 1) -> float:
    r"""The worst coverage of any set size in any task: where small sets are small because they are wrong.

    $$\mathrm{SSC} = \min_{t, k : n_t(k) \geq m} \mathrm{cov}_t(k)$$

    Parameters
    ----------
    sets : PredictionSets, sequence of (n, C) matrices, or SetCounts
        One boolean matrix per task, or the counts of both sets and labels.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; -1 is missing.
    smallest : int, default 1
        Sizes with fewer labelled sets are left out.

    Returns
    -------
    float
        From 0 to 1; nan when all sizes are left out.

    Examples
    --------
    >>> size_stratified_coverage([[[1, 0], [1, 1], [1, 0]]], [[0, 1, 1]])
    0.5
    """
    demand_whole(smallest, "smallest", least=1)
    worst = float("inf")
    for task in with_labels(sets, labels).tasks:
        labelled = task.by_size[:, :2].sum(axis=1)
        enough = labelled >= smallest
        if enough.any():
            worst = min(worst, float((task.by_size[enough, 1] / labelled[enough]).min()))
    return worst if worst <= 1 else float("nan")


class Slice(NamedTuple):
    """A slice of the samples with its coverage; the group's name, and how many samples it has.

    Parameters
    ----------
    coverage : float
        The share of covered samples.
    group : object
        Its name.
    samples : int
        How many it holds.

    Examples
    --------
    >>> Slice(coverage=0.5, group='b', samples=2).group
    'b'
    """

    coverage: float
    group: object
    samples: int


def worst_slice_coverage(
    sets: Any, labels: Any, groups: npt.ArrayLike, *, overall: Overall = "joint", smallest: int = 1
) -> Slice:
    r"""The group of samples that is covered worst, with its coverage.

    $$\min_{g : n_g \geq m} \mathrm{cov}\bigl(\{i : g_i = g\}\bigr)$$

    ``groups`` names a group per sample, such as a site, a decade of age or a cell of a grid over the features; those
    of fewer than ``smallest`` samples are left out. With ``overall="joint"`` all tasks must be covered.

    Parameters
    ----------
    sets : PredictionSets, or sequence of (n, C) matrices
        One boolean matrix per task.
    labels : sequence of n class numbers per task, or (n, T) matrix
        What is right; -1 is missing.
    groups : sequence of one group per sample
        Such as a site, a decade of age or a cell of a grid over the features.
    overall : "joint" or "mean", default "joint"
        All tasks at once, or the mean over tasks.
    smallest : int, default 1
        Smaller groups are left out.

    Returns
    -------
    Slice
        The group, its coverage and its size.

    Examples
    --------
    >>> worst_slice_coverage([[[1, 0], [1, 0], [1, 1]]], [[0, 1, 1]], ["a", "b", "b"])
    Slice(coverage=0.5, group='b', samples=2)
    """
    demand_overall(overall)
    hits, together = covered(sets, labels), jointly_covered(sets, labels)
    known = label_matrix(sets, labels) != MISSING
    if overall == "joint":
        rows = np.where(known.all(axis=1), together, np.nan)[None]
        return worst_group(rows, groups, smallest=smallest, only_known=True)
    return worst_group(np.where(known, hits, np.nan).T, groups, smallest=smallest)


def worst_group(hits: FloatArray, groups: npt.ArrayLike, *, smallest: int = 1, only_known: bool = False) -> Slice:
    """The group with the least mean over tasks of the coverage; hits [task, sample] are 1, 0, or nan where unknown.

    A group's size is that of its samples, or of those whose truth is known somewhere.

    >>> worst_group(np.array([[1.0, 0.0, np.nan]]), ["a", "b", "b"], only_known=True)
    Slice(coverage=0.0, group='b', samples=1)
    """
    names, known = as_groups(groups, hits.shape[1]), ~np.isnan(hits)
    worst = Slice(float("nan"), None, 0)
    for name in np.unique(names):
        inside = names == name
        if only_known:
            inside &= known.any(axis=0)
        shares = [
            ratio(int(row[inside & there].sum()), int((inside & there).sum()))
            for row, there in zip(hits, known, strict=True)
        ]
        value, count = float(np.mean(shares)), int(inside.sum())
        if count >= smallest and not np.isnan(value) and not value >= worst.coverage:
            worst = Slice(value, name.item() if isinstance(name, np.generic) else name, count)
    return worst


def _stratified_floor(problem: AnyProblem) -> float:
    """Undefined where no size can have enough labelled sets."""
    return 0.0 if max(int((y != MISSING).sum()) for y in problem.truth.labels) >= SMALLEST_SLICE else float("nan")


def _slice_floor(problem: AnyProblem) -> float:
    """Undefined without groups, and where none is large enough; as in the metric, joint slices need all labels."""
    groups = problem.task.test_groups
    if groups is None:
        return float("nan")
    known = known_truths(problem)
    judged = known.all(axis=0) if problem.task.guarantee == "joint" else np.ones(len(groups), dtype=np.bool_)
    for group in np.unique(groups):
        inside = (groups == group) & judged
        if inside.sum() >= SMALLEST_SLICE and known[:, inside].any(axis=1).all():
            return 0.0
    return float("nan")


METRICS: tuple[Metric[ConformalEvidence], ...] = (
    of_classes(
        Metric(
            "size_stratified_coverage",
            lambda evidence: size_stratified_coverage(evidence.counts, smallest=SMALLEST_SLICE),
            size_stratified_coverage,
            floor=_stratified_floor,
            oracle=1.0,
            limits=(0, 1),
        )
    ),
    Metric(
        "worst_slice_coverage",
        lambda evidence: evidence.worst_slice,
        worst_slice_coverage,
        floor=_slice_floor,
        oracle=1.0,
        limits=(0, 1),
    ),
)
