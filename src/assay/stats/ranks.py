"""Mean ranks over problems, and the range of each place on the leaderboard under resampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Goal
from assay.stats.clusters import cluster_count
from assay.stats.means import row_means
from assay.stats.resampling import FloatArray, IntArray, check_resampling, expanded_quantile, grid_for, resampled_sums
from assay.stats.rounding import level_rounding
from assay.stats.scores import ScoreTable

__all__ = ["RankRange", "mean_ranks", "mean_scores", "places", "rank_ranges"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRange:
    """A subject's place on the leaderboard (1 is best, equals share) and the range it takes when problems vary."""

    subject: str
    place: int
    best: int
    worst: int


def places(means: ArrayLike, goal: Goal) -> list[int]:
    """The place of each mean, 1 for the best; those that differ by rounding only share one, undefined ones the last.

    >>> places([0.3, np.nan, 0.1 + 0.2, 0.9], "max")
    [2, 4, 2, 1]
    """
    column = np.asarray(means, dtype=np.float64)[:, np.newaxis]
    return [int(place) for place in _ranks(column, goal, "min")[:, 0]]


def mean_scores(table: ScoreTable) -> FloatArray:
    """The mean over problems per subject, failed as floor; nan where a subject has no value at all."""
    return row_means(table.with_floor)


def mean_ranks(table: ScoreTable) -> FloatArray:
    r"""The mean over problems of each subject's rank, 1 for the best by the table's goal.

    $$\bar r_s = \frac{1}{|P|} \sum_{p \in P} \operatorname{rank}_p(s)$$

    Equal scores, and those that differ by rounding only, share the mean of their ranks; subjects without a value on a
    problem share its last ranks. Problems where nobody has a value do not count; without any other problem the mean
    ranks are nan.
    """
    scored = table.with_floor[:, ~np.isnan(table.with_floor).all(axis=0)]
    if scored.size == 0:
        return np.full(len(table.subjects), np.nan)
    ranks: FloatArray = _ranks(scored, table.goal, "average").mean(axis=1)
    return ranks


def rank_ranges(
    table: ScoreTable, *, confidence: float = 0.95, resamples: int = 2000, seed: int = 0
) -> tuple[RankRange, ...]:
    """The bootstrap range, over problems, of every subject's place by mean score; best place first, ties by name.

    The range is read as widely as it can be: a tie counts as its better place at the best end and as its worse place
    at the worst end. As for the intervals of few problems, the share that is cut off at either end is smaller than
    that of a normal distribution: t's quantile instead of the normal one. With fewer than two problems nothing is
    known, and the range is the whole leaderboard. Problems of one cluster are drawn together.
    """
    check_resampling(confidence=confidence, resamples=resamples, seed=seed)
    count = len(table.subjects)
    own = places(mean_scores(table), table.goal)
    scored = ~np.isnan(table.with_floor).all(axis=0)
    scores = table.with_floor[:, scored]
    clusters = np.arange(scores.shape[1])
    if table.clusters is not None and cluster_count(table.clusters[scored]):
        clusters = np.unique(table.clusters[scored], return_inverse=True)[1]
    units = int(clusters.max(initial=-1)) + 1
    best, worst = np.ones(count), np.full(count, float(count))
    if units >= 2:
        from scipy.special import ndtr

        means = _resampled_means(scores, clusters, resamples=resamples, seed=seed)
        tail = float(ndtr(-expanded_quantile(units, confidence)))
        best = np.quantile(_ranks(means, table.goal, "min"), tail, axis=1, method="inverted_cdf")
        worst = np.quantile(_ranks(means, table.goal, "max"), 1 - tail, axis=1, method="inverted_cdf")
    ranges = (
        RankRange(subject=subject, place=own[row], best=int(best[row]), worst=int(worst[row]))
        for row, subject in enumerate(table.subjects)
    )
    return tuple(sorted(ranges, key=lambda entry: (entry.place, entry.subject)))


def _ranks(scores: FloatArray, goal: Goal, ties: Literal["average", "min", "max"]) -> FloatArray:
    """Ranks down each column, 1 for the best, equal where rounding alone differs, nan last and equal to each other."""
    scores = level_rounding(scores)
    # distinct values in order, nan as the last of them: after every number, infinities too
    _, levels = np.unique(-scores if goal == "max" else scores, return_inverse=True)
    levels = levels.reshape(scores.shape)
    order = np.argsort(levels, axis=0)
    ascending = np.take_along_axis(levels, order, axis=0)
    begins = np.ones(scores.shape, dtype=np.bool_)  # the first of equal ones
    begins[1:] = ascending[1:] != ascending[:-1]
    ends = np.ones(scores.shape, dtype=np.bool_)
    ends[:-1] = begins[1:]
    rows = np.arange(len(scores))[:, np.newaxis]
    first = np.maximum.accumulate(np.where(begins, rows, 0), axis=0) + 1.0
    last = np.minimum.accumulate(np.where(ends, rows, len(scores))[::-1], axis=0)[::-1] + 1.0
    ranks: FloatArray = np.empty(scores.shape)
    ordered = {"min": first, "max": last, "average": (first + last) / 2}[ties]
    np.put_along_axis(ranks, order, ordered, axis=0)
    return ranks


def _resampled_means(scores: FloatArray, clusters: IntArray, *, resamples: int, seed: int) -> FloatArray:
    """Means per subject over the same resampled clusters of problems; nan where a subject has none of them."""
    present = ~np.isnan(scores)
    finite = np.isfinite(scores)
    filled = np.where(finite, scores, 0.0)
    scale = max(1e-300, float(np.abs(filled).max(initial=0.0)))
    infinite = [] if finite[present].all() else [scores == np.inf, scores == -np.inf]
    sizes = np.bincount(clusters)
    grid = grid_for(sizes.size * int(sizes.max()))
    columns = np.concatenate([grid.steps(filled / scale), present, *infinite]).T  # one draw of problems for them all
    if sizes.max() > 1:  # whole steps: the sum of a cluster is exact
        together = np.zeros((sizes.size, columns.shape[1]))
        np.add.at(together, clusters, columns)
        columns = together
    sums, counts, *ends = np.split(
        resampled_sums(columns, resamples=resamples, seed=seed).T, columns.shape[1] // len(scores)
    )
    means = grid.mean(sums, counts)
    if infinite:  # an infinite score makes the mean infinite; opposite ones have none
        above, below = (end > 0 for end in ends)
        means[above], means[below], means[above & below] = np.inf, -np.inf, np.nan
    return means
