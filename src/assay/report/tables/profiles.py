"""One subject over all metrics, with its failures: what it is good at, and where it breaks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.core import Record
from assay.report.tables.standings import Leaderboard, MetricColumn, Standing
from assay.report.track_records import TrackRecords
from assay.stats import SubjectSummary

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
    return tuple(_profile(row, board, results.where("subject", row.subject)) for row in board.rows)


def _profile(row: Standing, board: Leaderboard, own: TrackRecords) -> Profile:
    failed = own.where("status", "failed")
    kinds = {kind or "unknown": count for kind, count in failed.table.labels["error_kind"].counts().items()}
    return Profile(
        standing=row,
        lines=tuple(_line(row, column, board) for column in board.columns),
        isolation=own.table.labels["isolation"].values,
        digests=own.table.labels["subject_digest"].values,
        failures=tuple(failed.records[:FAILURES_LISTED]),
        kinds=tuple(sorted(kinds.items(), key=lambda entry: (-entry[1], entry[0]))),
    )


def _line(row: Standing, column: MetricColumn, board: Leaderboard) -> MetricLine:
    value = row.metrics[column.name].lost_as_floor.value
    others = [other.metrics[column.name].lost_as_floor.value for other in board.rows if other is not row]
    defined_others = [other for other in others if not math.isnan(other)]
    better = [other for other in defined_others if (other > value if column.goal == "max" else other < value)]
    defined = not math.isnan(value)
    return MetricLine(
        column=column,
        summary=row.metrics[column.name],
        place=1 + len(better) if defined else None,
        tied=value in defined_others,
        ranked=len(defined_others) + defined,
        others=tuple(defined_others),
    )
