"""The problem folders that a user names; errors say what is mistyped or belongs to another track."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from assay.core import AnyTrack, InvalidInput, find_problems, get_track, read_json, track_names
from assay.core.files.near import near_path
from assay.core.problem import Manifest

__all__ = ["demand_distinct", "problem_folders", "problem_manifest"]

_WILDCARD: Final = re.compile(r"[*?\[]")


def problem_folders(path: Path, track: AnyTrack) -> tuple[Path, ...]:
    """As :func:`find_problems`; where there are none, the error names what is near, or the track they belong to."""
    try:
        return find_problems(path, marker=track.marker)
    except InvalidInput as error:
        if path.is_file():
            raise InvalidInput(f"{path}: this is a file. {_of_file(path, track)}") from error
        if not path.is_dir():
            raise InvalidInput(f"{error}{_of_pattern(path) or near_path(path)}") from error
        if (other := _other_track(path, track)) is None:
            raise
        message = f"{path}: these are problems of track {other!r}, not of {track.name!r}."
        raise InvalidInput(f"{message} {_run_with(other, path)}") from error


def problem_manifest(folder: Path, track: AnyTrack) -> Manifest:
    """The manifest of a problem folder; that of another track's problem is refused with the command that takes it."""
    try:
        return track.manifest(folder)
    except InvalidInput as error:
        try:
            declared = read_json(folder / track.marker).get("track")
        except InvalidInput:
            raise error from None
        if declared == track.name or declared not in track_names():
            raise
        raise InvalidInput(f"{error} {_run_with(str(declared), folder)}") from error


def demand_distinct(problems: Iterable[tuple[str, Path]]) -> None:
    """Refuse two problems of one id, with the folders of both."""
    first: dict[str, Path] = {}
    for name, folder in problems:
        if name in first:
            raise InvalidInput(
                f"two problems are named {name!r}: {first[name]} and {folder}. Set 'id' in one of the problem files."
            )
        first[name] = folder


def _of_file(path: Path, track: AnyTrack) -> str:
    if path.name == Path(track.marker).name:
        return f"Give the folder of the problem: {path.parents[len(Path(track.marker).parts) - 1]}."
    return (
        f"A problem is a folder with a file {track.marker!r}; one of your own material: assay {track.name} new --help."
    )


def _of_pattern(path: Path) -> str:
    """For a path with wildcards that no shell has expanded, which the quotes around it prevent."""
    named = next((place for place in (path, *path.parents) if not _WILDCARD.search(place.name)), path)
    if named == path:
        return ""
    return f" Patterns are not expanded here. Give the folder; all its problems are used: {named}."


def _run_with(track: str, path: Path) -> str:
    return (
        f"Run it with: assay run {track} --problems {shlex.quote(str(path))} or, in Python, assay.run({track!r}, ...)."
    )


def _other_track(path: Path, track: AnyTrack) -> str | None:
    """The track that can read the first problem at this path, by the names of its files and what they say."""
    for name in track_names():
        try:
            other = get_track(name)
            if other.marker != track.marker:
                other.manifest(find_problems(path, marker=other.marker)[0])
                return name
        except (InvalidInput, OSError):
            continue
    return None
