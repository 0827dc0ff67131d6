"""A problem: the task that the subject sees, the truth that only examination sees, and its manifest on disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from assay.core.digest import Json, digest_folder
from assay.core.errors import InvalidInput
from assay.core.folders import demand_closed

__all__ = ["AnyProblem", "Manifest", "Problem", "Tags", "find_problems", "read_json", "read_manifest", "write_json"]

TaskT_co = TypeVar("TaskT_co", covariant=True)
TruthT_co = TypeVar("TruthT_co", covariant=True)

Tags: TypeAlias = Mapping[str, str | float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem(Generic[TaskT_co, TruthT_co]):
    """One task with its hidden truth; the digest is that of its content, so an edited problem is a new problem."""

    id: str
    digest: str
    task: TaskT_co
    truth: TruthT_co
    tags: Tags = field(default_factory=dict)


AnyProblem: TypeAlias = Problem[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a plan must know of a problem folder without loading its data."""

    id: str
    digest: str
    tags: Tags
    content: Mapping[str, object]  # the whole of the JSON file, for the track's own keys


def read_json(path: Path) -> dict[str, object]:
    """A JSON object from a file, or an error that names file, line and column."""
    if not path.is_file():  # also of a pipe or a folder, which cannot be read
        raise InvalidInput(f"{path}: there is no such file.")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: not UTF-8 text ({error.reason} at byte {error.start}).") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{path}: not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from None
    except RecursionError:
        raise InvalidInput(f"{path}: not usable JSON: nested too deeply.") from None
    except ValueError as error:  # a number of too many digits
        raise InvalidInput(f"{path}: not usable JSON: {error}.") from None
    if not isinstance(content, dict):
        raise InvalidInput(f"{path}: must hold a JSON object, found {type(content).__name__}.")
    return content


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


def write_json(path: Path, content: Mapping[str, Json]) -> None:
    """Write a JSON file of a problem folder; equal content gives equal bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def find_problems(path: Path, *, marker: str = "problem.json") -> tuple[Path, ...]:
    """The problem folders at a path: the folder itself, or those directly inside it, sorted by name."""
    if not path.is_dir():
        raise InvalidInput(f"{path}: there is no such folder of problems.")
    if (path / marker).is_file():
        return (path,)
    found = tuple(sorted(child for child in path.iterdir() if (child / marker).is_file()))
    if not found:
        raise InvalidInput(f"{path}: no problem folder here. Each one must hold a file {marker!r}.")
    return found
