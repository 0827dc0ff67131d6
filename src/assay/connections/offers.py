"""Problems as they are offered to agents: under names that say nothing of what they were made for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.core import AnyTrack, InvalidInput, UnknownName, get_track
from assay.core.contract.contract import Contract
from assay.core.files.folders import user_path
from assay.harness.plan import materialise_builtin
from assay.harness.setup.problems import problem_folders, problem_manifest

__all__ = ["Offered", "example_of", "find_offers", "read_source"]

_BUILTIN = "builtin"


@dataclass(frozen=True, slots=True)
class Offered:
    """A problem under the name that tells nothing of it."""

    name: str
    track: AnyTrack
    id: str
    folder: Path


def read_source(text: str) -> tuple[str, str]:
    """Track and problems of ``TRACK`` or ``TRACK=PROBLEMS``.

    >>> read_source("formula"), read_source("formula=mine")
    (('formula', 'builtin'), ('formula', 'mine'))
    """
    track, equals, path = text.partition("=")
    if equals and not path:
        raise InvalidInput(f"{text!r}: write the problems after '=', as in {track}=FOLDER, or {track} alone.")
    return track, path or _BUILTIN


def find_offers(track: str, path: str, out: Path) -> Iterator[Offered]:
    """The problems of a track: built-in ones, which are written into ``out`` as a run does, one of them, a folder."""
    known = get_track(track)
    place = user_path(path)
    if path == _BUILTIN:
        place = materialise_builtin(known, out)
    elif not place.exists() and len(place.parts) == 1:
        folders = problem_folders(materialise_builtin(known, out), known)
        builtin = {problem_manifest(folder, known).id: folder for folder in folders}
        if path not in builtin:
            raise UnknownName(f"folder, or built-in problem of track {track!r},", path, list(builtin))
        place = builtin[path]
    for folder in problem_folders(place, known):
        manifest = problem_manifest(folder, known)
        if Path(manifest.id).name != manifest.id:
            raise InvalidInput(f"{folder}: its id {manifest.id!r} cannot be the name of a file. Give it a plain id.")
        yield Offered(f"{track}-{manifest.digest[:8]}", known, manifest.id, folder.resolve())


def example_of(contract: Contract) -> str:
    """The JSON that a program would write, without the words before it."""
    return contract.program[contract.program.find("{") :]
