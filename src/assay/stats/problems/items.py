"""What each problem tells about subjects, and where the variation of scores comes from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from assay.core import Record
from assay.stats.clusters import cluster_codes
from assay.stats.means import row_means
from assay.stats.record_table import RecordTable
from assay.stats.resampling import FloatArray, IntArray
from assay.stats.rounding import level_rounding
from assay.stats.scores import ScoreTable, metric_scores

__all__ = ["Item", "SolvedBy", "VarianceSplit", "item_analysis", "variance_split"]

SolvedBy: TypeAlias = Literal["all", "none", "some"]

FEWEST_SUBJECTS = 3  # two subjects correlate perfectly, whatever the problem
TWINS_FROM = 5  # subjects from which equal patterns of scores are more than chance
TWINS = 0.98  # correlation of two problems that tell the same
MOST_COMPARED = 3000  # problems whose pairs are compared: 9 million


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One problem over all subjects that have a score on it, failures as the floor.

    ``difficulty`` is its place, 1 for the hardest. ``discrimination`` is the correlation over subjects of the score
    here with the mean over all other problems: near 0 or below, the problem does not tell better subjects from worse
    ones. ``agreement`` is Kendall's tau-b of the order here with the order there; below 0, they contradict each other.
    ``solved_by`` says whether all subjects reach the best score, or none leaves the worst. ``twin`` is another problem
    that gives nearly the same scores, with ``twin_correlation``; empty where there is none. What cannot be told is nan.
    """

    problem: str
    subjects: int
    mean: float
    spread: float
    difficulty: int
    discrimination: float
    agreement: float
    solved_by: SolvedBy
    twin: str
    twin_correlation: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceSplit:
    """The variance of one subject's scores: between clusters, between problems of a cluster, between seeds.

    Nan where it cannot be told: seeds with one seed per problem (their variance is then part of that of problems),
    clusters where no problems share one, or of which there is only one.
    """

    subject: str
    clusters: float
    problems: float
    seeds: float


def item_analysis(table: ScoreTable, *, best: float | None = None, worst: float | None = None) -> tuple[Item, ...]:
    """Each problem of a table in the order of names; ``best`` and ``worst`` are the ends of the metric, where known.

    >>> from assay.core import Record
    >>> from assay.stats import score_table
    >>> def record(subject, problem, score):
    ...     return Record(key=subject + problem, answer_key="", track="cases", problem=problem, problem_digest="",
    ...                   seed=0, subject=subject, subject_digest="", status="ok", scores={"auroc": score})
    >>> scores = {"easy": (1, 1, 1), "fair": (0.9, 0.5, 0.4), "fairer": (0.8, 0.5, 0.3), "odd": (0.1, 0.2, 0.6)}
    >>> records = [record(subject, problem, own) for problem, row in scores.items() for subject, own in zip("abc", row)]
    >>> for item in item_analysis(score_table(records, "auroc"), best=1.0, worst=0.0):
    ...     rounded = round(item.discrimination, 2), round(item.agreement, 2)
    ...     print(item.problem, item.difficulty, item.solved_by, *rounded)
    easy 4 all nan nan
    fair 3 some 0.33 0.0
    fairer 2 some 0.11 0.0
    odd 1 some -0.85 -1.0
    """
    scores = table.with_floor
    sign = 1.0 if table.goal == "max" else -1.0
    means = row_means(scores.T)
    largest = float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0))
    # correlations do not depend on the unit; in this one small scores have as many decimals as large ones
    scaled = np.ldexp(scores, max(0, -math.frexp(largest)[1]))
    twins = _twins(scaled)
    present = ~np.isnan(scores)
    sums, counts = np.nansum(scaled, axis=1), present.sum(axis=1)
    items = []
    for place, problem in enumerate(table.problems):
        here = scaled[:, place]
        with np.errstate(invalid="ignore", divide="ignore"):  # infinite scores, and subjects without any other
            others = np.round(
                (sums - np.nan_to_num(here, posinf=np.inf, neginf=-np.inf)) / (counts - present[:, place]), 12
            )
        both = np.isfinite(here) & np.isfinite(others)
        own = scores[present[:, place], place]
        twin, correlation = twins[place]
        items.append(
            Item(
                problem=problem,
                subjects=own.size,
                mean=float(means[place]),
                spread=float(np.std(own, ddof=1)) if own.size > 1 and np.isfinite(own).all() else math.nan,
                difficulty=1 + int(np.sum(sign * means < sign * means[place])),
                discrimination=_correlation(here[both], others[both]),
                agreement=_tau(here[both], others[both]),
                solved_by=_solved_by(sign * own, best, worst, sign),
                twin="" if twin is None else table.problems[twin],
                twin_correlation=correlation,
            )
        )
    return tuple(items)


def _solved_by(gains: FloatArray, best: float | None, worst: float | None, sign: float) -> SolvedBy:
    if gains.size and best is not None and bool(np.all(gains >= sign * best - 1e-12)):
        return "all"
    return "none" if gains.size and worst is not None and bool(np.all(gains <= sign * worst + 1e-12)) else "some"


def _correlation(first: FloatArray, second: FloatArray) -> float:
    """Pearson's correlation; nan for fewer than three pairs or where one side does not vary."""
    if first.size < FEWEST_SUBJECTS or np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan
    return float(np.clip(np.corrcoef(first, second)[0, 1], -1.0, 1.0))


def _tau(first: FloatArray, second: FloatArray) -> float:
    """Kendall's tau-b; nan where :func:`_correlation` is."""
    if math.isnan(_correlation(first, second)):
        return math.nan
    levels = (level_rounding(values[:, np.newaxis]) for values in (first, second))
    one, other = (np.sign(values - values.T) for values in levels)
    untied = float(np.count_nonzero(one)) * np.count_nonzero(other)
    return float(np.sum(one * other) / math.sqrt(untied))


def _twins(scores: FloatArray) -> list[tuple[int | None, float]]:
    """For each problem the one whose scores correlate most with its own, from a bound on, where all have scores."""
    twins: list[tuple[int | None, float]] = [(None, math.nan)] * scores.shape[1]
    if scores.shape[0] < TWINS_FROM:
        return twins
    whole: IntArray = np.flatnonzero(np.isfinite(scores).all(axis=0) & (np.ptp(scores, axis=0) > 0))
    if not 2 <= whole.size <= MOST_COMPARED:
        return twins
    correlations = np.round(np.corrcoef(scores[:, whole].T), 9)  # among equal ones the first by name
    np.fill_diagonal(correlations, -1.0)
    for row, place in enumerate(whole.tolist()):
        nearest = int(np.argmax(correlations[row]))
        if correlations[row, nearest] >= TWINS:
            twins[place] = int(whole[nearest]), float(min(1.0, correlations[row, nearest]))
    return twins


def variance_split(
    records: Iterable[Record] | RecordTable, metric: str, *, clusters: Sequence[str] = ()
) -> tuple[VarianceSplit, ...]:
    r"""Variance components of each subject's scores, in the order of names: a nested analysis of variance.

    $$x_{cps} = \mu + C_c + P_{cp} + S_{cps}$$

    Mean squares are set equal to their expectations for unequal numbers (Searle, Casella and McCulloch, Variance
    Components, 1992, chapter 5); a negative component is 0. Failures count as the floor, undefined scores are left out.
    """
    table = records if isinstance(records, RecordTable) else RecordTable.of(records)
    scores = metric_scores(table, metric)
    codes = cluster_codes(table, clusters)
    subjects, problems = table.labels["subject"], table.labels["problem"]
    of_problem = np.zeros(len(problems.values), dtype=np.int64) if codes is None else codes
    splits = []
    for place, subject in enumerate(subjects.values):
        rows = np.flatnonzero((subjects.codes == place) & np.isfinite(scores))
        rows = rows[np.lexsort((scores[rows], problems.codes[rows]))]  # arrival order must not move a digit
        own = problems.codes[rows]
        splits.append(_split(subject, scores[rows], own, of_problem[own]))
    return tuple(splits)


def _split(subject: str, scores: FloatArray, problems: IntArray, clusters: IntArray) -> VarianceSplit:
    if scores.size < 2:
        return VarianceSplit(subject=subject, clusters=math.nan, problems=math.nan, seeds=math.nan)
    _, problem, per_problem = np.unique(problems, return_inverse=True, return_counts=True)
    _, cluster, per_cluster = np.unique(clusters, return_inverse=True, return_counts=True)
    size, problem_count, cluster_total = scores.size, per_problem.size, per_cluster.size
    home = np.zeros(problem_count, dtype=np.int64)
    home[problem] = cluster  # the cluster of each problem
    problem_means = np.bincount(problem, weights=scores) / per_problem
    cluster_means = np.bincount(cluster, weights=scores) / per_cluster
    squares_within = float(np.sum(per_problem**2 / per_cluster[home]))
    seeds, problems_part, clusters_part = math.nan, math.nan, math.nan
    if size > problem_count:
        seeds = float(np.sum((scores - problem_means[problem]) ** 2)) / (size - problem_count)
    seed_variance = 0.0 if math.isnan(seeds) else seeds
    if problem_count > cluster_total:
        between = float(np.sum(per_problem * (problem_means - cluster_means[home]) ** 2))
        usual = (size - squares_within) / (problem_count - cluster_total)
        problems_part = max(0.0, (between / (problem_count - cluster_total) - seed_variance) / usual)
    if 1 < cluster_total < problem_count:
        between = float(np.sum(per_cluster * (cluster_means - scores.mean()) ** 2)) / (cluster_total - 1)
        of_problems = (squares_within - float(np.sum(per_problem**2)) / size) / (cluster_total - 1)
        of_clusters = (size - float(np.sum(per_cluster**2)) / size) / (cluster_total - 1)
        clusters_part = max(0.0, (between - seed_variance - of_problems * problems_part) / of_clusters)
    return VarianceSplit(subject=subject, clusters=clusters_part, problems=problems_part, seeds=seeds)
