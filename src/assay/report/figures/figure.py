"""A chart with the numbers it is drawn from, and what all charts of a track share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.charts import Mark, subject_marks
from assay.report.tables.standings import Leaderboard, Standing
from assay.report.track_records import TrackRecords
from assay.report.wording import ARROWS

__all__ = ["MOST_SUBJECTS", "Basis", "Figure", "cell_place", "listed_rows", "plain_value"]

MOST_ROWS = 12_000  # of numbers that a reader can download with one chart
MOST_SUBJECTS = 40  # in one chart; the others are in the tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart; ``columns`` and ``rows`` are its numbers as a reader downloads them, of very many those listed."""

    key: str
    title: str
    svg: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What the charts of a track are drawn from: records, leaderboard, listed problems and marks."""

    results: TrackRecords
    board: Leaderboard
    listed: Sequence[str]
    marks: Mapping[str, Mark]

    @classmethod
    def of(cls, results: TrackRecords, board: Leaderboard, listed: Sequence[str]) -> Basis:
        """The basis of a leaderboard; marks are by name, so that a subject looks the same everywhere."""
        return cls(results=results, board=board, listed=listed, marks=subject_marks(row.subject for row in board.rows))

    @property
    def rows(self) -> tuple[Standing, ...]:
        """The subjects that are drawn, in the leaderboard's order."""
        return self.board.rows[:MOST_SUBJECTS]

    @property
    def headline(self) -> str:
        """The headline with its direction, as axes are titled."""
        return f"{self.board.headline} {ARROWS[self.board.columns[0].goal]}"

    @property
    def goal_words(self) -> str:
        """Where better is, on an axis to the right."""
        return "further right is better" if self.board.columns[0].goal == "max" else "further left is better"

    def cut_words(self, count: int) -> str:
        """What is said where not all subjects are drawn; else empty."""
        every = len(self.board.rows)
        return f" The first {count} of {every} subjects are drawn." if count < every else ""


def listed_rows(basis: Basis, rows: Sequence[tuple[Any, ...]], problem: int) -> tuple[tuple[Any, ...], ...]:
    """The numbers of a chart that stand in the page: of very many those of the listed problems, else all."""
    if len(rows) <= MOST_ROWS:
        return tuple(rows)
    listed = frozenset(basis.listed)
    return tuple(row for row in rows if row[problem] in listed)


def cell_place(problem: int, subject: int) -> str:
    """The address of a cell by the places of its problem and its subject in the page's data."""
    return f"{problem},{subject}"


def plain_value(value: float) -> float | None:
    """A number as exports hold it: undefined is empty."""
    return None if math.isnan(value) else value
