"""The functions of a track that describe its records: imported by their address when a report needs them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from assay.core import AnyTrack, InvalidInput, Record

__all__ = ["beside_panels", "function_at", "track_story"]


def function_at(track: AnyTrack, address: str, what: str) -> Callable[..., Any]:
    """The function at ``module:name``, which the track has for its panels or its story."""
    module, _, attribute = address.partition(":")
    try:
        function: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InvalidInput(f"track {track.name!r}: its {what} {address!r} cannot be found ({error}).") from error
    return function


def beside_panels(track: AnyTrack, name: str) -> Callable[..., Any] | None:
    """A function that the track has in the module of its panels; None where it has none."""
    if track.panels is None:
        return None
    try:
        module = importlib.import_module(track.panels.partition(":")[0])
    except ImportError:  # the panels themselves say so, in their place
        return None
    return getattr(module, name, None)


def track_story(track: AnyTrack, records: Sequence[Record]) -> tuple[str, ...]:
    """The lines of a track about these records; none where it has none, or where they cannot be told."""
    if track.story is None or not records:
        return ()
    tell = function_at(track, track.story, "story")
    try:
        return tuple(map(str, tell(records)))
    except Exception as error:  # noqa: BLE001 - whatever a track's story raises, the numbers must still be shown
        return (f"What was answered cannot be told: {type(error).__name__}: {error}",)
