"""The same leaderboard for each value of a tag: difficulty, domain, noise level."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from assay.core import UnknownName
from assay.report.tables.leaderboard import leaderboard
from assay.report.tables.standings import Leaderboard
from assay.report.tables.summary import Bootstrap
from assay.report.track_records import TrackRecords
from assay.stats.record_table import decode_label, encode

__all__ = ["UNTAGGED", "Group", "grouped", "has_tag", "parts_by_tag", "tag_names", "value_order"]

UNTAGGED = "(untagged)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The problems of one tag value, and who did how well on them."""

    value: str
    problems: int
    defined: int  # of these, on so many someone has a value of the headline
    board: Leaderboard


def grouped(
    results: TrackRecords,
    tag: str,
    *,
    metrics: Sequence[str] | None = None,
    **bootstrap: Unpack[Bootstrap],
) -> tuple[Group, ...]:
    """One group per value of the tag, sorted; problems without it come last. Places are within a group."""
    if not has_tag(results, tag):
        raise UnknownName(f"tag of the problems of track {results.track.name!r}", tag, tag_names(results))
    groups = []
    for value, part in parts_by_tag(results, tag):
        board = leaderboard(part, metrics=metrics, **bootstrap)
        problems = len(part.table.labels["problem"].values)
        groups.append(Group(value=value, problems=problems, defined=part.defined_problems, board=board))
    return tuple(groups)


def parts_by_tag(results: TrackRecords, tag: str) -> Iterator[tuple[str, TrackRecords]]:
    """Each value of a tag with the results of its problems, in the order of values."""
    texts, codes = results.table.labels["tags"]
    values = encode([str(decode_label("tags", text).get(tag, UNTAGGED)) for text in texts])
    of_row = values.codes[codes]
    for value in sorted(values.values, key=value_order):
        losses = tuple(loss for loss in results.losses if str(loss[0].tags.get(tag, UNTAGGED)) == value)
        yield value, results.part(np.flatnonzero(of_row == values.values.index(value)), losses)


def tag_names(results: TrackRecords) -> list[str]:
    """The tags that problems of a run have."""
    return sorted({name for text in results.table.labels["tags"].values for name in decode_label("tags", text)})


def has_tag(results: TrackRecords, tag: str) -> bool:
    """Whether any problem of a run has this tag."""
    return tag in tag_names(results)


def value_order(value: str) -> tuple[bool, bool, float, str]:
    """Numbers by size, before texts; what has no value comes last."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    is_text = math.isnan(number)
    return value == UNTAGGED, is_text, 0.0 if is_text else number, value
