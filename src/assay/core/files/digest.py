"""Content digests: what a thing is, independent of where it lies and when it was made."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from assay.core.errors import InvalidInput
from assay.core.files.closure import code_digest, reach
from assay.core.files.folders import is_file, walk
from assay.core.files.libraries import library_versions

__all__ = [
    "Json",
    "canonical_json",
    "content_files",
    "digest_bytes",
    "digest_file",
    "digest_files",
    "digest_folder",
    "digest_implementation",
    "digest_json",
    "digest_source",
    "implementation_parts",
]

_MOST_FILES = 200_000

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


def canonical_json(value: Json) -> str:
    """One text per value: sorted keys, no spaces; NaN is refused because it equals nothing.

    >>> canonical_json({"b": 1, "a": [True, None]})
    '{"a":[true,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_bytes(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def digest_json(value: Json) -> str:
    """Digest of a value's canonical JSON.

    >>> digest_json({"a": 1, "b": 2}) == digest_json({"b": 2, "a": 1})
    True
    """
    return digest_bytes(canonical_json(value).encode())


def digest_files(files: Mapping[str, Path]) -> str:
    """Digest of named files: names and bytes, in the order of the names."""
    total = hashlib.sha256()
    for name in sorted(files):
        total.update(f"{name}\0{digest_file(files[name])}\n".encode())
    return total.hexdigest()


def digest_file(path: Path) -> str:
    """Digest of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def content_files(folder: Path) -> dict[str, Path]:
    """The files that count as a folder's content, by path below it: hidden files and byte code are left out."""
    files: dict[str, Path] = {}
    for number, path in enumerate(walk(folder)):
        if number >= _MOST_FILES:  # the root of a disk, most likely
            raise InvalidInput(f"{folder}: holds more than {_MOST_FILES:,} files and folders; give a smaller one.")
        inside = path.relative_to(folder)
        if is_file(path) and not any(_ignored(part) for part in inside.parts):
            files[inside.as_posix()] = path
    return files


def digest_folder(folder: Path) -> str:
    """Digest of a folder's content."""
    try:
        return digest_files(content_files(folder))
    except OSError as error:
        place = error.filename or folder
        raise InvalidInput(f"{place}: cannot be read ({error.strerror}), and is part of {folder}.") from None


def _ignored(part: str) -> bool:
    return part.startswith(".") or part == "__pycache__" or part.endswith(".pyc")


def digest_source(*modules: ModuleType) -> str:
    """Digest of the code of modules: an edited implementation is a new one.

    Where a module lies, what it is called, its comments and docstrings do not count: code that only moves stays equal.
    """
    return _together(code_digest(Path(inspect.getsourcefile(module) or "")) for module in modules)


def digest_implementation(module: str, *libraries: str) -> str:
    """Digest of the code that a module can reach inside the package, and of the versions of these libraries.

    What modules are called does not count, so that code may move.
    """
    return _together([*_code_parts(module).values(), *(f"{n} {v}" for n, v in library_versions(libraries).items())])


def implementation_parts(module: str, *libraries: str) -> dict[str, str]:
    """What that digest is made of: the digest of each module's code, and the version of each library."""
    return {**_code_parts(module), **library_versions(libraries)}


@cache
def _code_parts(module: str) -> dict[str, str]:
    return reach(module).parts()


def _together(texts: Iterable[str]) -> str:
    return digest_bytes("\n".join(sorted(texts)).encode())
