"""One line per subject: mean with interval, what it rests on, mean rank."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np

from assay.core import Interval
from assay.stats.clusters import cluster_count, mean_intervals
from assay.stats.intervals import IntervalMethod
from assay.stats.ranks import mean_ranks, places
from assay.stats.resampling import FloatArray, IntArray
from assay.stats.scores import ScoreTable

__all__ = ["SubjectSummary", "summarise", "summarise_all"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectSummary:
    """A subject's leaderboard line; ``mean`` counts failures as the floor, ``scored_only`` leaves them out.

    ``lost_as_floor`` is the mean with the floor for every lost cell as well; places and ranks rest on it, and without
    lost cells it is the mean. ``problems`` and ``scored_problems`` are the numbers of problems behind ``mean`` and
    ``scored_only``; ``cells``, ``failed`` and ``undefined`` count records, ``lost`` cells without one. ``clusters``
    is the number of clusters that the problems behind ``mean`` form; 0 where no two of them share one.
    """

    subject: str
    mean: Interval
    scored_only: Interval
    problems: int
    scored_problems: int
    cells: int
    failed: int
    undefined: int
    mean_rank: float
    lost_as_floor: Interval
    lost: int
    clusters: int = 0


def summarise(
    table: ScoreTable,
    *,
    confidence: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[SubjectSummary, ...]:
    """Every subject with its intervals, best mean first by the table's goal, ties by name, nan means last.

    Lost cells count with the floor in that order. Problems are the sampling unit: seeds of one problem resemble each
    other, so they are averaged first and problems are resampled. On a single problem nothing is known about others,
    however many seeds it has: the bounds are nan. Where problems share a cluster, clusters are the sampling unit.
    """
    (summary,) = summarise_all([table], confidence=confidence, method=method, resamples=resamples, seed=seed)
    return summary


def summarise_all(
    tables: Sequence[ScoreTable],
    *,
    confidence: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = 2000,
    seed: int = 0,
) -> list[tuple[SubjectSummary, ...]]:
    """:func:`summarise` of each table: the same digits, sooner, since problems are drawn once for all of them."""
    samples: list[FloatArray] = []
    clusters: list[IntArray | None] = []
    for table in tables:
        for scores in (*table.finished, *table.scored_only, *table.with_floor[table.lost > 0]):
            defined = ~np.isnan(scores)
            samples.append(scores[defined])
            clusters.append(None if table.clusters is None else table.clusters[defined])
    intervals = iter(
        mean_intervals(samples, clusters, confidence=confidence, method=method, resamples=resamples, seed=seed)
    )
    sizes = iter(_Size(sample.size, cluster_count(codes)) for sample, codes in zip(samples, clusters, strict=True))
    return [_summaries(table, _within(_take(intervals, table), table), _take(sizes, table)) for table in tables]


def _within(intervals: list[Interval], table: ScoreTable) -> list[Interval]:
    """Clip bounds to the range of the metric, which a mean cannot leave; bootstrap bounds never leave it."""
    if table.clusters is None:
        return intervals
    lowest, highest = (table.worst, table.best) if table.goal == "max" else (table.best, table.worst)
    if lowest is None or (table.with_floor < lowest).any():  # not the end of the range if scores exceed it
        lowest = -math.inf
    if highest is None or (table.with_floor > highest).any():
        highest = math.inf
    return [Interval(mean, max(low, lowest), min(high, highest)) for mean, low, high in intervals]


class _Size(NamedTuple):
    problems: int
    clusters: int


def _take(entries: Iterator[T], table: ScoreTable) -> list[T]:
    """The next ones: for each row with and without failures, then for each with lost cells."""
    return list(islice(entries, 2 * len(table.subjects) + int(np.sum(table.lost > 0))))


def _summaries(table: ScoreTable, intervals: list[Interval], sizes: list[_Size]) -> tuple[SubjectSummary, ...]:
    ranks = mean_ranks(table)
    count = len(table.subjects)
    cautious = dict(zip(np.flatnonzero(table.lost).tolist(), intervals[2 * count :], strict=True))
    summaries = [
        SubjectSummary(
            subject=subject,
            mean=intervals[row],
            scored_only=intervals[count + row],
            problems=sizes[row].problems,
            scored_problems=sizes[count + row].problems,
            cells=int(table.cells[row]),
            failed=int(table.failed[row]),
            undefined=int(table.undefined[row]),
            mean_rank=float(ranks[row]),
            lost_as_floor=cautious.get(row, intervals[row]),
            lost=int(table.lost[row]),
            clusters=sizes[row].clusters,
        )
        for row, subject in enumerate(table.subjects)
    ]
    order = np.argsort(places([row.lost_as_floor.value for row in summaries], table.goal), kind="stable")
    return tuple(summaries[row] for row in order)
