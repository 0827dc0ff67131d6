"""Problems × subjects: one metric, cell by cell."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from assay.core import Goal
from assay.report.track_records import TrackRecords
from assay.stats import score_table
from assay.stats.ranks import mean_scores, places

__all__ = ["GridCell", "GridRow", "ProblemGrid", "problem_grid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GridCell:
    """A subject on a problem: the mean over seeds, failures as the floor, and the numbers of records behind it."""

    value: float
    records: int
    failed: int
    lost: int = 0  # cells that could not be finished


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    """A problem with a cell per subject."""

    problem: str
    cells: tuple[GridCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemGrid:
    """One metric on every problem; subjects stand best mean first, lost cells as the floor, problems by name."""

    metric: str
    goal: Goal
    subjects: tuple[str, ...]
    rows: tuple[GridRow, ...]


def problem_grid(results: TrackRecords, *, metric: str | None = None) -> ProblemGrid:
    """The scores of a metric, by default the headline, per problem and subject."""
    chosen = results.metric(metric or results.headline)
    table = score_table(results.table, chosen.name, goal=chosen.goal)
    means = mean_scores(score_table(results.cautious_table, chosen.name, goal=chosen.goal))
    # the sort is stable and names are sorted, so ties stay in the order of names
    order = np.argsort(places(means, chosen.goal), kind="stable").tolist()
    (_, subjects), (_, problems) = results.table.labels["subject"], results.table.labels["problem"]
    present, failed = (
        np.bincount(subjects[rows] * len(table.problems) + problems[rows], minlength=table.with_floor.size).reshape(
            table.with_floor.shape
        )
        for rows in (slice(None), results.table.failed)
    )
    lost = Counter((cell.problem, cell.subject.name) for cell, _ in results.losses)
    return ProblemGrid(
        metric=chosen.name,
        goal=chosen.goal,
        subjects=tuple(table.subjects[row] for row in order),
        rows=tuple(
            GridRow(
                problem=problem,
                cells=tuple(
                    GridCell(
                        value=float(table.with_floor[row, column]),
                        records=int(present[row, column]),
                        failed=int(failed[row, column]),
                        lost=lost[problem, table.subjects[row]],
                    )
                    for row in order
                ),
            )
            for column, problem in enumerate(table.problems)
        ),
    )
