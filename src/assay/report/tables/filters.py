"""The tags that the page filters by, with the headline's leaderboard for each of their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

from assay.report.tables.groups import UNTAGGED, Group, grouped, tag_names, value_order
from assay.report.tables.summary import Bootstrap
from assay.report.track_records import TrackRecords
from assay.stats.record_table import decode_label

__all__ = ["MOST_VALUES", "Filter", "filters", "tag_values"]

MOST_VALUES = 12  # a tag with more values than this names problems rather than kinds of problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """One tag with a leaderboard of the headline per value."""

    tag: str
    groups: tuple[Group, ...]


def tag_values(results: TrackRecords) -> dict[str, tuple[str, ...]]:
    """The tags that sort problems into a few groups, with their values in order."""
    problems, texts = results.table.labels["problem"], results.table.labels["tags"]
    tags_of = [decode_label("tags", text) for text in texts.values]
    of_problem = dict(zip(problems.codes.tolist(), texts.codes.tolist(), strict=True))
    values_of = {}
    for tag in tag_names(results):
        values = {str(tags_of[code].get(tag, UNTAGGED)) for code in set(of_problem.values())}
        if 2 <= len(values) <= MOST_VALUES and len(values) < len(of_problem):
            values_of[tag] = tuple(sorted(values, key=value_order))
    return values_of


def filters(results: TrackRecords, **bootstrap: Unpack[Bootstrap]) -> tuple[Filter, ...]:
    """Every tag that filters, with the headline's leaderboard on each part; places are within the part."""
    return tuple(Filter(tag=tag, groups=grouped(results, tag, metrics=(), **bootstrap)) for tag in tag_values(results))
