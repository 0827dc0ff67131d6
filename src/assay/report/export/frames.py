"""Results as pandas frames: records, scores, leaderboard, comparisons, problems; docs/report.md has the columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core import Interval, Record, plain
from assay.report.export.long_form import TAG, long_columns, long_rows
from assay.report.tables.standings import Leaderboard
from assay.report.tables.summary import TrackSummary
from assay.report.tables.truths import truths
from assay.report.track_records import TrackRecords

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FRAMES", "Frames", "frames", "rows_of"]

COST = "cost."
_PLACES = ("place", "best_place", "worst_place", "tier")
_OF_SUBJECT = ("leaks", "unchecked", "undecided", "median_seconds")
_AS_TEXT = ("settings", "versions", "budget", "details", "software")
FRAMES: Mapping[str, tuple[str, ...]] = {
    "records": (
        "track",
        "problem",
        "subject",
        "seed",
        "status",
        "error_kind",
        "error",
        "seconds",
        "isolation",
        "created",
        "host",
        "problem_digest",
        "subject_digest",
        "answer_key",
        "record_key",
        "settings",
        "versions",
        "budget",
        "details",
        "software",
        "withdrawn",
        "imported",
    ),
    "leaderboard": (
        "track",
        "subject",
        "metric",
        "goal",
        "is_headline",
        "is_reference",
        "place",
        "best_place",
        "worst_place",
        "tier",
        "mean",
        "mean_low",
        "mean_high",
        "problems",
        "clusters",
        "lost_as_floor",
        "lost_as_floor_low",
        "lost_as_floor_high",
        "scored_only",
        "scored_only_low",
        "scored_only_high",
        "scored_problems",
        "mean_rank",
        "cells",
        "failed",
        "undefined",
        "lost",
        "leaks",
        "unchecked",
        "undecided",
        "median_seconds",
    ),
    "comparisons": (
        "track",
        "metric",
        "goal",
        "a",
        "b",
        "difference",
        "low",
        "high",
        "problems",
        "clusters",
        "wins",
        "ties",
        "losses",
        "lost_a",
        "lost_b",
        "p_value",
        "adjusted_p_value",
    ),
    "problems": ("track", "problem", "problem_digest", "truth"),
}


class Frames(NamedTuple):
    """One frame per table; ``scores`` is the long form that CSV and Parquet hold."""

    records: pd.DataFrame
    scores: pd.DataFrame
    leaderboard: pd.DataFrame
    comparisons: pd.DataFrame
    problems: pd.DataFrame


def frames(summaries: Sequence[TrackSummary]) -> Frames:
    """Everything that the report shows, as frames."""
    import pandas as pd

    tables = rows_of(summaries)
    others = {name: pd.DataFrame(rows, columns=list(columns)) for name, (columns, rows) in tables.items()}
    tracks = [summary.results for summary in summaries]
    scores = pd.DataFrame(long_rows(tracks), columns=list(long_columns(tracks)))
    return Frames(scores=scores, **others)


def rows_of(summaries: Sequence[TrackSummary]) -> dict[str, tuple[tuple[str, ...], list[dict[str, Any]]]]:
    """The tables beside the scores: columns, and rows as mappings; what a row lacks is left out of it."""
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in FRAMES}
    for summary in summaries:
        rows["records"] += [_record(record) for record in summary.results.records]
        rows["leaderboard"] += _standings(summary.board)
        rows["comparisons"] += _comparisons(summary)
        rows["problems"] += _problems(summary.results)
    return {name: ((*fixed, *_others(rows[name], fixed)), rows[name]) for name, fixed in FRAMES.items()}


def _others(rows: Sequence[Mapping[str, Any]], fixed: Sequence[str]) -> list[str]:
    """Columns that only some runs have: tags, costs, aggregates."""
    return sorted({column for row in rows for column in row} - set(fixed))


def _record(record: Record) -> dict[str, Any]:
    body = {name: getattr(record, name) for name in FRAMES["records"] if name not in ("record_key", *_AS_TEXT)}
    texts = {name: _json(getattr(record, name)) for name in _AS_TEXT}
    costs = {COST + kind: amount for kind, amount in record.cost.items()}
    return {**body, "record_key": record.key, **texts, **costs, **_tags(record)}


def _standings(board: Leaderboard) -> list[dict[str, Any]]:
    rows = []
    for row in board.rows:
        for column in board.columns:
            summary = asdict(row.metrics[column.name])
            is_headline = column.name == board.headline
            rows.append(
                {
                    "track": board.track,
                    "metric": column.name,
                    "goal": column.goal,
                    "is_headline": is_headline,
                    "is_reference": row.reference,
                    **{name: getattr(row, name) if is_headline else None for name in _PLACES},
                    **summary,
                    **_interval("mean", summary["mean"]),
                    **_interval("scored_only", summary["scored_only"]),
                    **_interval("lost_as_floor", summary["lost_as_floor"]),
                    **{name: getattr(row, name) for name in _OF_SUBJECT},
                    **{COST + kind: amount for kind, amount in row.costs.items()},
                    **{f"aggregate.{name}": value for name, value in row.aggregates.items()},
                }
            )
    return rows


def _interval(name: str, interval: Interval) -> dict[str, float]:
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


def _comparisons(summary: TrackSummary) -> list[dict[str, Any]]:
    return [
        {
            "track": summary.results.track.name,
            **asdict(comparison),
            "difference": comparison.difference.value,
            "low": comparison.difference.low,
            "high": comparison.difference.high,
        }
        for comparison in summary.pairs.ordered
    ]


def _problems(track: TrackRecords) -> list[dict[str, Any]]:
    words = truths(track)
    first: dict[str, Record] = {}
    for record in track.records:
        first.setdefault(record.problem, record)
    return [
        {
            "track": record.track,
            "problem": record.problem,
            "problem_digest": record.problem_digest,
            "truth": words.get(record.problem, ""),
            **_tags(record),
        }
        for record in (first[problem] for problem in sorted(first))
    ]


def _tags(record: Record) -> dict[str, Any]:
    return {TAG + tag: value for tag, value in record.tags.items()}


def _json(value: Any) -> str:
    return json.dumps(plain(value), sort_keys=True, ensure_ascii=False)
