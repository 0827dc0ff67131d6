"""The charts that a track brings, drawn from its records."""

from __future__ import annotations

from collections.abc import Sequence

from assay.core import Panel, Record
from assay.report.story import function_at
from assay.report.track_records import TrackRecords

__all__ = ["track_panels"]

MOST_ORDERED = 50_000


def track_panels(results: TrackRecords, order: Sequence[str] = ()) -> tuple[Panel, ...]:
    """The panels of a track; where drawing fails, a panel with the error takes their place.

    Records are sorted by subject, in the leaderboard's order if it is given: charts draw them in this order.
    """
    address = results.track.panels
    if address is None or not results.records:
        return ()
    draw = function_at(results.track, address, "panels")
    try:
        return tuple(Panel(*panel) for panel in draw(_by_subject(results.records, order)))
    except Exception as error:  # noqa: BLE001 - whatever a track's chart raises, the numbers must still be shown
        return (Panel("Charts", "", f"The charts of this track could not be drawn: {type(error).__name__}: {error}"),)


def _by_subject(records: Sequence[Record], order: Sequence[str]) -> Sequence[Record]:
    if len(records) > MOST_ORDERED:  # they would all have to be in memory at once
        return records
    place = {subject: position for position, subject in enumerate(order)}
    return sorted(records, key=lambda record: (place.get(record.subject, len(place)), record.subject))
