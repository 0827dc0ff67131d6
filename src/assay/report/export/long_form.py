"""The long form of results: a row per record and metric, for other people's tools.

| column | holds |
|---|---|
| track, problem, subject, seed | what was run |
| status | ``ok`` or ``failed`` |
| metric, value, goal | one score, empty when undefined; the goal is empty for a metric that is no more |
| error_kind, error | why the subject failed, else empty |
| seconds | how long the subject took |
| isolation | how it was kept apart |
| problem_digest, subject_digest, record_key | which content this was, and the record's own key |
| tag.NAME | a column for each tag of the problems |
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from assay.core import Record
from assay.report.track_records import TrackRecords

__all__ = ["COLUMNS", "NUMBERS", "TAG", "Value", "long_columns", "long_rows"]

Value: TypeAlias = str | int | float | None

COLUMNS = (
    "track",
    "problem",
    "subject",
    "seed",
    "status",
    "metric",
    "value",
    "goal",
    "error_kind",
    "error",
    "seconds",
    "isolation",
    "problem_digest",
    "subject_digest",
    "record_key",
)
_OF_SCORE = ("metric", "value", "goal", "record_key")
NUMBERS = frozenset({"value", "seconds"})
TAG = "tag."


def long_columns(tracks: Sequence[TrackRecords]) -> tuple[str, ...]:
    """The fixed columns, then one per tag."""
    tags = {TAG + tag for track in tracks for record in track.records for tag in record.tags}
    return (*COLUMNS, *sorted(tags))


def long_rows(tracks: Sequence[TrackRecords]) -> Iterator[dict[str, Value]]:
    """The rows in the order of the plans; an undefined value is None, and so is a tag that a problem lacks."""
    columns = long_columns(tracks)
    for track in tracks:
        for record in track.records:
            fixed: dict[str, Value] = {
                **{name: getattr(record, name) for name in COLUMNS if name not in _OF_SCORE},
                "record_key": record.key,
                **{TAG + tag: value for tag, value in record.tags.items()},
            }
            for metric in _metric_order(track, record):
                row = {**fixed, **_score(track, record, metric)}
                yield {column: row.get(column) for column in columns}


def _metric_order(track: TrackRecords, record: Record) -> list[str]:
    """The track's own order; scores of metrics that it no longer has come last."""
    current = [metric.name for metric in track.track.metrics if metric.name in record.scores]
    return [*current, *sorted(set(record.scores) - set(current))]


def _score(track: TrackRecords, record: Record, metric: str) -> dict[str, Value]:
    score = record.scores[metric]
    goals = {entry.name: entry.goal for entry in track.track.metrics}
    return {"metric": metric, "value": None if math.isnan(score) else score, "goal": goals.get(metric)}
