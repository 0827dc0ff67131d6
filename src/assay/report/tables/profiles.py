"""One subject over all metrics, with its failures: what it is good at, and where it breaks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.core import Record
from assay.report.tables.standings import Leaderboard, MetricColumn, Standing
from assay.report.track_records import TrackRecords
from assay.stats import SubjectSummary
from assay.stats.ranks import places

__all__ = ["FAILURES_LISTED", "MetricLine", "Profile", "profiles"]

FAILURES_LISTED = 50  # per subject: a page must stay readable; all of them are in the exports


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricLine:
    """A metric of the subject: its summary, its place among the others, and where the others stand."""

    column: MetricColumn
    summary: SubjectSummary
    place: int | None  # None where the subject has no value
    tied: bool
    ranked: int  # subjects that have a value
    others: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Everything the page of one subject shows."""

    standing: Standing
    lines: tuple[MetricLine, ...]
    isolation: tuple[str, ...]
    digests: tuple[str, ...]
    failures: tuple[Record, ...]  # the first of them
    kinds: tuple[tuple[str, int], ...]  # of all failures, most frequent first


def profiles(results: TrackRecords, board: Leaderboard) -> tuple[Profile, ...]:
    """A profile per subject, in the leaderboard's order."""
    lines = zip(*(_lines(column, board) for column in board.columns), strict=True)
    own = (results.where("subject", row.subject) for row in board.rows)
    return tuple(map(_profile, board.rows, lines, own))


def _profile(row: Standing, lines: tuple[MetricLine, ...], own: TrackRecords) -> Profile:
    failed = own.where("status", "failed")
    kinds = {kind or "unknown": count for kind, count in failed.table.labels["error_kind"].counts().items()}
    return Profile(
        standing=row,
        lines=lines,
        isolation=own.table.labels["isolation"].values,
        digests=own.table.labels["subject_digest"].values,
        failures=tuple(failed.records[:FAILURES_LISTED]),
        kinds=tuple(sorted(kinds.items(), key=lambda entry: (-entry[1], entry[0]))),
    )


def _lines(column: MetricColumn, board: Leaderboard) -> list[MetricLine]:
    """The line of each subject for one metric; places are shared as on the leaderboard."""
    summaries = [row.metrics[column.name] for row in board.rows]
    values = [summary.lost_as_floor.value for summary in summaries]
    own = places(values, column.goal)
    defined = [row for row, value in enumerate(values) if not math.isnan(value)]
    return [
        MetricLine(
            column=column,
            summary=summary,
            place=own[row] if row in defined else None,
            tied=row in defined and own.count(own[row]) > 1,
            ranked=len(defined),
            others=tuple(values[other] for other in defined if other != row),
        )
        for row, summary in enumerate(summaries)
    ]
