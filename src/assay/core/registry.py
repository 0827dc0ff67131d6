"""Tracks by name, through the entry points ``assay.tracks``; listing names imports no track."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points

from assay.core.errors import InvalidInput, UnknownName
from assay.core.track import AnyTrack, Track
from assay.version import DISTRIBUTION

__all__ = ["GROUP", "get_track", "is_track", "track_names"]

GROUP = "assay.tracks"


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


@cache
def _own_entries() -> dict[str, EntryPoint]:
    """The tracks of our own distribution; those of others need a look into every installed package."""
    try:
        own = distribution(DISTRIBUTION).entry_points
    except PackageNotFoundError:
        return {}
    return {entry.name: entry for entry in own if entry.group == GROUP}


def is_track(name: str) -> bool:
    """Whether a track of that name is installed; quick for our own."""
    return name in _own_entries() or name in _entries()


def track_names() -> tuple[str, ...]:
    """The names of all installed tracks, sorted."""
    return tuple(sorted(_entries()))


@cache
def get_track(name: str) -> AnyTrack:
    """The track of that name, imported now."""
    entry = _own_entries().get(name) or _entries().get(name)
    if entry is None:
        raise UnknownName("track", str(name), _entries())
    try:
        track = entry.load()
    except (ImportError, AttributeError) as error:
        raise InvalidInput(f"track {name!r} ({entry.value}) cannot be imported: {error}.") from error
    if not isinstance(track, Track) or track.name != name:
        raise InvalidInput(f"track {name!r}: {entry.value} is not a Track of that name.")
    return track
