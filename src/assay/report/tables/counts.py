"""What a track counts in its records' details, per subject; tables show it beside the score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from assay.core import Json, Record
from assay.report.track_records import TrackRecords

__all__ = ["CountedDetails", "counted_details", "counted_title"]


class CountedDetails(NamedTuple):
    """A subject's total under one title, and the first record that counts; None where none does."""

    subject: str
    title: str
    total: int
    first: Record | None


def counted_details(results: TrackRecords) -> tuple[CountedDetails, ...]:
    """The totals over each subject's records, by subject and title; empty where the track counts nothing."""
    totals: dict[tuple[str, str], CountedDetails] = {}
    for record, title, count in _counts(results):
        previous = totals.get((record.subject, title), CountedDetails(record.subject, title, 0, None))
        first = previous.first or (record if count else None)
        totals[record.subject, title] = previous._replace(total=previous.total + count, first=first)
    return tuple(totals.values())


def counted_title(total: int, title: str) -> str:
    """A number of what a title names in the plural.

    >>> counted_title(1, "functions crashed"), counted_title(2, "functions crashed")
    ('1 function crashed', '2 functions crashed')
    """
    noun, space, rest = title.partition(" ")
    return f"{total} {noun.removesuffix('s') if total == 1 else noun}{space}{rest}"


def _counts(results: TrackRecords) -> Iterator[tuple[Record, str, int]]:
    if results.track.counts:
        for record in results.records:
            for title, count in results.track.counts.items():
                yield record, title, _safe(count, record.details)


def _safe(count: Callable[[Mapping[str, Json]], int], details: Mapping[str, Json]) -> int:
    """Details of records that were made elsewhere may lack what is counted, or hold something else there."""
    try:
        return count(details)
    except (TypeError, KeyError, AttributeError, ValueError):
        return 0
