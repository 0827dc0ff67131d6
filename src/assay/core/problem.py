"""A problem: the task that the subject sees, the truth that only examination sees, and its manifest on disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from assay.core.display import object_html, shortened
from assay.core.errors import InvalidInput
from assay.core.files.digest import digest_folder
from assay.core.files.folders import demand_closed
from assay.core.files.text import read_json

__all__ = ["AnyProblem", "Manifest", "Problem", "Tags", "find_problems", "read_manifest"]

_TAGS = 4  # of a repr

TaskT_co = TypeVar("TaskT_co", covariant=True)
TruthT_co = TypeVar("TruthT_co", covariant=True)

Tags: TypeAlias = Mapping[str, str | float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem(Generic[TaskT_co, TruthT_co]):
    """One task with its hidden truth; the digest is that of its content, so an edited problem is a new problem.

    Parameters
    ----------
    id : str
        Its name in records and tables.
    digest : str
        Of its content.
    task : object
        What the subject sees; each track has its own type.
    truth : object
        What only examination sees.
    tags : mapping, optional
        Texts or numbers by name, for grouped statistics.
    track : str, optional
        Of which it is a problem; empty when it was not loaded from a folder.

    Examples
    --------
    >>> Problem(id="sum", digest="5f3a", task=[1, 2], truth=3, tags={"family": "sums"})
    Problem('sum', task list, tags family='sums')
    """

    id: str
    digest: str
    task: TaskT_co
    truth: TruthT_co
    tags: Tags = field(default_factory=dict)
    track: str = ""  # the track's name; empty for a problem that was not loaded from a folder

    def __repr__(self) -> str:
        # never the truth, which must not be seen by chance, nor a whole task
        tags = [f"{shortened(name, 20)}={shortened(repr(tag), 20)}" for name, tag in islice(self.tags.items(), _TAGS)]
        suffix = f", tags {', '.join([*tags, *(['...'] if len(self.tags) > _TAGS else [])])}" if tags else ""
        return f"Problem({shortened(self.id)!r}, task {type(self.task).__name__}{suffix})"

    def _repr_html_(self) -> str:
        facts = {"task": type(self.task).__name__, "digest": self.digest, **dict(islice(self.tags.items(), 4 * _TAGS))}
        return object_html(f"Problem {self.id}", facts)


AnyProblem: TypeAlias = Problem[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a plan must know of a problem folder without loading its data."""

    id: str
    digest: str
    tags: Tags
    content: Mapping[str, object]  # the whole of the JSON file, for the track's own keys


def read_manifest(folder: Path, *, track: str, marker: str = "problem.json") -> Manifest:
    """Read a problem folder's JSON file: id (the folder's name by default), track, tags."""
    path = folder / marker
    demand_closed(folder)
    content = read_json(path)
    declared = content.get("track", track)
    if declared != track:
        raise InvalidInput(f"{path}: this is a problem of track {declared!r}, not of {track!r}.")
    identity = content.get("id", folder.name)
    if not isinstance(identity, str) or not identity or "\n" in identity:
        raise InvalidInput(f"{path}: 'id' must be a non-empty line of text, got {identity!r}.")
    tags = content.get("tags", {})
    if not isinstance(tags, dict) or not all(isinstance(tag, str | int | float) for tag in tags.values()):
        raise InvalidInput(f"{path}: 'tags' must map names to texts or numbers, got {tags!r}.")
    return Manifest(id=identity, digest=digest_folder(folder), tags=tags, content=content)


def find_problems(path: Path, *, marker: str = "problem.json") -> tuple[Path, ...]:
    """The problem folders at a path: the folder itself, or those directly inside it, sorted by name."""
    if not path.is_dir():
        raise InvalidInput(f"{path}: problem folder not found.")
    if (path / marker).is_file():
        return (path,)
    folders = tuple(sorted(child for child in path.iterdir() if (child / marker).is_file()))
    if not folders:
        deeper = next((child for child in sorted(path.iterdir()) if any(child.glob(f"*/{marker}"))), None)
        nearby = "" if deeper is None else f" Did you mean {str(deeper)!r}?"
        raise InvalidInput(f"{path}: no problem folder here. Each one must hold a file {marker!r}.{nearby}")
    return folders
