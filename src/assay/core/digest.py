"""Content digests: what a thing is, independent of where it lies and when it was made."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from assay.core.errors import InvalidInput

__all__ = ["Json", "canonical_json", "digest_bytes", "digest_files", "digest_folder", "digest_json", "digest_source"]

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
        with files[name].open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
        total.update(f"{name}\0{content}\n".encode())
    return total.hexdigest()


def digest_folder(folder: Path) -> str:
    """Digest of a folder's content, hidden files and byte code left out."""
    files: dict[str, Path] = {}
    try:
        for number, path in enumerate(folder.rglob("*")):
            if number >= _MOST_FILES:  # the root of a disk, most likely
                raise InvalidInput(f"{folder}: holds more than {_MOST_FILES:,} files and folders; give a smaller one.")
            inside = path.relative_to(folder)
            if is_file(path) and not any(_ignored(part) for part in inside.parts):
                files[inside.as_posix()] = path
        return digest_files(files)
    except OSError as error:
        place = error.filename or folder
        raise InvalidInput(f"{place}: cannot be read ({error.strerror}), and is part of {folder}.") from None


def is_file(path: Path) -> bool:
    """Whether there is a file; a link to a name that nothing can have leads to none."""
    try:
        return path.is_file()
    except OSError:
        return False


def _ignored(part: str) -> bool:
    return part.startswith(".") or part == "__pycache__" or part.endswith(".pyc")


def digest_source(*modules: ModuleType) -> str:
    """Digest of the source files behind the modules: an edited implementation is a new one."""
    files = {module.__name__: Path(inspect.getsourcefile(module) or "") for module in modules}
    return digest_files(files)
