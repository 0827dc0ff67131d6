"""One line per subject: mean with interval, what it rests on, mean rank."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.core import Interval
from assay.stats.intervals import IntervalMethod, bootstrap_interval
from assay.stats.ranks import mean_ranks
from assay.stats.resampling import FloatArray
from assay.stats.scores import ScoreTable

__all__ = ["SubjectSummary", "summarise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectSummary:
    """A subject's leaderboard line; ``mean`` counts failures as the floor, ``scored_only`` leaves them out.

    ``problems`` and ``scored_problems`` are the numbers of problems behind the two means; ``cells``, ``failed`` and
    ``undefined`` count records.
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


def summarise(
    table: ScoreTable,
    *,
    confidence: float = 0.95,
    method: IntervalMethod = "bca",
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[SubjectSummary, ...]:
    """Every subject with its intervals, best mean first by the table's goal, ties by name, nan means last.

    Problems are the sampling unit: seeds of one problem resemble each other, so they are averaged first and problems
    are resampled. On a single problem nothing is known about others, however many seeds it has: the bounds are nan.
    """

    def interval(scores: FloatArray) -> tuple[Interval, int]:
        present = scores[~np.isnan(scores)]
        found = bootstrap_interval(present, confidence=confidence, method=method, resamples=resamples, seed=seed)
        return found, present.size

    ranks = mean_ranks(table)
    summaries = []
    for row, subject in enumerate(table.subjects):
        mean, problems = interval(table.with_floor[row])
        scored_only, scored_problems = interval(table.scored_only[row])
        summaries.append(
            SubjectSummary(
                subject=subject,
                mean=mean,
                scored_only=scored_only,
                problems=problems,
                scored_problems=scored_problems,
                cells=int(table.cells[row]),
                failed=int(table.failed[row]),
                undefined=int(table.undefined[row]),
                mean_rank=float(ranks[row]),
            )
        )
    direction = -1.0 if table.goal == "max" else 1.0

    def standing(summary: SubjectSummary) -> tuple[bool, float, str]:
        mean = summary.mean.value
        return math.isnan(mean), 0.0 if math.isnan(mean) else direction * mean, summary.subject

    return tuple(sorted(summaries, key=standing))
