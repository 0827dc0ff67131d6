"""The isolation of a subject's process: which variables, files and network it may use."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from assay.core import InvalidInput, Json, UnknownName
from assay.core.files.folders import user_path
from assay.core.files.near import near_path
from assay.harness.process.container import container_reason
from assay.harness.sources import SourceFile, file_source, is_installed, module_source
from assay.harness.subject_ref import SubjectRef

__all__ = [
    "CONFINED",
    "CONTAINER",
    "LEVELS",
    "NONE",
    "SOURCE",
    "Isolation",
    "copied_source",
    "demand_apart",
    "demand_hidden",
    "demand_level",
    "hidden_places",
    "import_folders",
    "readable_hint",
]

CONFINED: Final = "confined"
CONTAINER: Final = "container"
NONE: Final = "none"
LEVELS: Final = (CONFINED, CONTAINER, NONE)
SOURCE: Final = "source"  # a copy of the subject's own files, in its working folder
_MOST_HIDDEN: Final = 200
_LONGEST_PATH: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """By default a subject reads the interpreter and its own source, writes a folder of its own, and has no network.

    The level ``container`` puts all of that into a container in which nothing else exists; ``none`` is a process with
    limits that can read whatever the user can.
    """

    environment: tuple[str, ...] = ()  # names of variables that it may see
    level: str = CONFINED
    network: bool = False
    readable: tuple[str, ...] = ()  # further files and folders

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise UnknownName("isolation", self.level, LEVELS)

    def to_json(self) -> dict[str, Json]:
        """As a stored cell has it."""
        return {
            "environment": list(self.environment),
            "isolation": self.level,
            "network": self.network,
            "readable": list(self.readable),
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Isolation:
        """From a stored cell."""
        return cls(
            environment=tuple(body["environment"]),
            level=body["isolation"],
            network=body["network"],
            readable=tuple(body["readable"]),
        )


def demand_hidden(readable: Sequence[str], folder: Path, problems: Sequence[Path]) -> tuple[str, ...]:
    """The absolute paths that a subject may read; none may hold a problem, whose truth would be readable."""
    paths = []
    for text in readable:
        path = (folder / user_path(text)).resolve()
        if not path.exists():
            raise InvalidInput(f"readable path {text!r}: file or folder not found.{near_path(path)}")
        shown = next((problem for problem in problems if _overlap(problem.resolve(), path)), None)
        if shown is not None:
            raise InvalidInput(f"readable path {text!r}: the problem {shown} would be readable with its truth.")
        paths.append(str(path))
    return tuple(paths)


def demand_level(level: str) -> None:
    """Refuse containers where this machine cannot run them, with the reason."""
    if level == CONTAINER and (reason := container_reason()) is not None:
        raise InvalidInput(
            f"isolation 'container' is not available here: {reason}. Use 'confined', which needs no package."
        )


def import_folders() -> list[Path]:
    """The folders of PYTHONPATH."""
    named = [Path(text) for text in os.environ.get("PYTHONPATH", "").split(os.pathsep) if text]
    return [path.resolve() for path in named if path.exists()]


def hidden_places(folders: Iterable[Path]) -> tuple[Path, ...]:
    """Few places that hold all these folders, which no subject may see: of very many the folders around them."""
    places = {folder.resolve() for folder in folders}
    while len(places) > _MOST_HIDDEN:
        places = {place.parent for place in places}
    return tuple(sorted(place for place in places if places.isdisjoint(place.parents)))


def demand_apart(ref: SubjectRef, hidden: Sequence[Path]) -> None:
    """Refuse a subject whose own files lie in a problem or in the results: the truth would come into its sight."""
    if ref.kind == "command":
        files = list(ref.program().paths.values())
    else:
        source = _own_source(ref)
        files = [] if source is None else [*source.files().values(), *source.captured_data().values()]
    for path in files:
        if shown := next((folder for folder in hidden if path.resolve().is_relative_to(folder)), None):
            raise InvalidInput(
                f"subject {ref.name!r}: its file {path.name} lies in {shown}, and so the truth is in its sight. "
                "Keep the subject's files apart."
            )


def _own_source(ref: SubjectRef) -> SourceFile | None:
    if ref.kind == "file":
        return file_source(Path(ref.target), ref.attribute)
    if ref.kind == "module" and not is_installed(Path(ref.root)):
        return module_source(ref.target, ref.attribute, [ref.root])
    return None


def copied_source(ref: SubjectRef, target: Path, readable: Sequence[str] = ()) -> SubjectRef:
    """The subject with its own Python files in another folder, so that nothing beside them comes into sight.

    What it may read of the folder that they come from is linked at the same place beside them.
    """
    source = _own_source(ref)
    if source is None:
        return ref
    for name, path in {**source.files(), **source.captured_data()}.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target / name)
    for place in map(Path, readable):
        if source.root.is_relative_to(place):
            _link(source.root, target)
        elif place.is_relative_to(source.root):
            _link(place, target / place.relative_to(source.root))
    moved = str(target / source.path.relative_to(source.root)) if ref.kind == "file" else ref.target
    return replace(ref, root=str(target), target=moved)


def readable_hint(refused: object, scratch: Path, root: str, readable: Sequence[str], hidden: Sequence[Path]) -> str:
    """How to allow the file that a confined subject failed to open; nothing where that cannot help, or must not.

    ``refused`` is what its process said, ``scratch`` the subject's working folder, ``root`` where its source lies.
    """
    if not isinstance(refused, str) or not refused.isprintable() or len(refused) > _LONGEST_PATH:
        return ""
    named = path = Path(os.path.normpath(refused))
    if named.is_relative_to(scratch / SOURCE):
        path = Path(root) / named.relative_to(scratch / SOURCE)
        lead = f"{path.name} is next to the subject: allow it"
    elif named.is_relative_to(scratch):
        path = Path.cwd() / named.relative_to(scratch)
        lead = f"subjects start in a folder of their own: name the file by its whole path, {path}, and allow it"
    else:
        lead = "it cannot be seen: allow it"
    try:
        path = path.resolve()
        is_readable = any(path.is_relative_to(place) for place in readable) and not named.is_relative_to(scratch)
        if is_readable or not os.access(path, os.R_OK) or any(_overlap(place, path) for place in hidden):
            return ""
    except (OSError, ValueError, RuntimeError):
        return ""
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f'; {lead} with readable="{shown}", --readable {shown}'


def _link(path: Path, place: Path) -> None:
    """Show a file or folder at another place, beside what is there already."""
    if place.is_dir() and not place.is_symlink():
        for child in path.iterdir():
            _link(child, place / child.name)
    elif not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(path)


def _overlap(problem: Path, path: Path) -> bool:
    return problem.is_relative_to(path) or path.is_relative_to(problem)
