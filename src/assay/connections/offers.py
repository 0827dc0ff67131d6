"""Problems as they are offered to agents: under names that reveal nothing about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core import AnyTrack, InvalidInput, UnknownName, get_track
from assay.core.contract.contract import Contract
from assay.core.files.folders import user_path
from assay.harness.plan import materialise_builtin
from assay.harness.setup.problems import problem_folders, problem_manifest

__all__ = ["ATTRIBUTES", "Offered", "example_of", "find_offers", "read_source", "task_files", "write_answer"]

_BUILTIN = "builtin"
_INLINE = 20_000  # characters of a file that is shown; longer ones are read from the folder
_HEAD = 1_000
ATTRIBUTES = "solution_attributes.json"  # in the folder that is an answer of the insight track


@dataclass(frozen=True, slots=True)
class Offered:
    """A problem under a name that reveals nothing about it."""

    name: str
    track: AnyTrack
    id: str
    folder: Path
    digest: str


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
    definition = get_track(track)
    place = user_path(path)
    if path == _BUILTIN:
        place = materialise_builtin(definition, out)
    elif not place.exists() and len(place.parts) == 1:
        folders = problem_folders(materialise_builtin(definition, out), definition)
        builtin = {problem_manifest(folder, definition).id: folder for folder in folders}
        if path not in builtin:
            raise UnknownName(f"folder, or built-in problem of track {track!r},", path, list(builtin))
        place = builtin[path]
    for folder in problem_folders(place, definition):
        manifest = problem_manifest(folder, definition)
        if Path(manifest.id).name != manifest.id:
            raise InvalidInput(f"{folder}: its id {manifest.id!r} cannot be the name of a file. Give it a plain id.")
        name = f"{track}-{manifest.digest[:8]}"
        yield Offered(name, definition, manifest.id, folder.resolve(), manifest.digest)


def example_of(contract: Contract) -> str:
    """The JSON that a program would write, without the words before it."""
    return contract.program[contract.program.find("{") :]


def task_files(folder: Path) -> Iterator[dict[str, Any]]:
    """The files of a task: name, size, and the text of short ones or the beginning of long ones."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        entry: dict[str, Any] = {"name": path.relative_to(folder).as_posix(), "bytes": path.stat().st_size}
        try:
            with path.open(encoding="utf-8") as file:
                text = file.read(_INLINE + 1)
        except UnicodeDecodeError:
            yield entry
            continue
        yield {**entry, "text": text} if len(text) <= _INLINE else {**entry, "begins": text[:_HEAD]}


def write_answer(track: AnyTrack, folder: Path, problem: str, text: str) -> None:
    """An answer as a folder of precomputed answers holds it."""
    path = folder / f"{problem}{track.answer_suffix}" if track.answer_suffix else folder / problem / ATTRIBUTES
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
