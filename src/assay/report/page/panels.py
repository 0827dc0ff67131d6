"""The charts that a track brings, drawn from its records."""

from __future__ import annotations

import importlib

from assay.core import InvalidInput, Panel
from assay.report.track_records import TrackRecords

__all__ = ["track_panels"]


def track_panels(results: TrackRecords) -> tuple[Panel, ...]:
    """The panels of a track; a chart that cannot be drawn says so in its place and spoils nothing else."""
    address = results.track.panels
    if address is None or not results.records:
        return ()
    module, _, attribute = address.partition(":")
    try:
        draw = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InvalidInput(
            f"track {results.track.name!r}: its panels {address!r} cannot be found ({error})."
        ) from error
    try:
        return tuple(Panel(*panel) for panel in draw(results.records))
    except Exception as error:  # noqa: BLE001 - whatever a track's chart raises, the numbers must still be shown
        return (Panel("Charts", "", f"The charts of this track could not be drawn: {type(error).__name__}: {error}"),)
