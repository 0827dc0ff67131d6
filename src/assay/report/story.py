"""What subjects answered, in the lines that a track has for it."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from assay.core import AnyTrack, InvalidInput, Record

__all__ = ["track_story"]


def track_story(track: AnyTrack, records: Sequence[Record]) -> tuple[str, ...]:
    """The lines of a track about these records; none where it has none, or where they cannot be told."""
    if track.story is None or not records:
        return ()
    module, _, attribute = track.story.partition(":")
    try:
        tell = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InvalidInput(f"track {track.name!r}: its story {track.story!r} cannot be found ({error}).") from error
    try:
        return tuple(map(str, tell(records)))
    except Exception as error:  # noqa: BLE001 - whatever a track's story raises, the numbers must still be shown
        return (f"What was answered cannot be told: {type(error).__name__}: {error}",)
