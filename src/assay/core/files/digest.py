"""Content digests: what a thing is, independent of where it lies and when it was made."""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from assay.core.errors import InvalidInput
from assay.core.files.folders import is_file, walk

__all__ = [
    "Json",
    "canonical_json",
    "digest_bytes",
    "digest_files",
    "digest_folder",
    "digest_implementation",
    "digest_json",
    "digest_source",
    "implementation",
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
        with files[name].open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
        total.update(f"{name}\0{content}\n".encode())
    return total.hexdigest()


def digest_folder(folder: Path) -> str:
    """Digest of a folder's content, hidden files and byte code left out."""
    files: dict[str, Path] = {}
    try:
        for number, path in enumerate(walk(folder)):
            if number >= _MOST_FILES:  # the root of a disk, most likely
                raise InvalidInput(f"{folder}: holds more than {_MOST_FILES:,} files and folders; give a smaller one.")
            inside = path.relative_to(folder)
            if is_file(path) and not any(_ignored(part) for part in inside.parts):
                files[inside.as_posix()] = path
        return digest_files(files)
    except OSError as error:
        place = error.filename or folder
        raise InvalidInput(f"{place}: cannot be read ({error.strerror}), and is part of {folder}.") from None


def _ignored(part: str) -> bool:
    return part.startswith(".") or part == "__pycache__" or part.endswith(".pyc")


def digest_source(*modules: ModuleType) -> str:
    """Digest of the code of modules: an edited implementation is a new one.

    Where a module lies, what it is called, its comments and docstrings do not count: code that only moves stays equal.
    """
    return _digest_code(Path(inspect.getsourcefile(module) or "") for module in modules)


@cache
def digest_implementation(module: str) -> str:
    """Digest of a module's code and of all that it imports, directly or not, from its own track."""
    return _digest_code(implementation(module).values())


def implementation(module: str) -> dict[str, Path]:
    """The files of a module and of all that it imports, directly or not, from its own track, by module name.

    Of ``assay.cases.subjects.builtin.trust`` that is the code below ``assay.cases`` that it can reach.
    """
    package = ".".join(module.split(".")[:2])
    files: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in files or (path := _source_file(name)) is None:
            continue
        files[name] = path
        if name != package:  # the public names of a track reach everything
            waiting += [target for target in _imports(path) if target.startswith(f"{package}.")]
    files.pop(package, None)
    return files


def _source_file(module: str) -> Path | None:
    try:
        found = find_spec(module)
    except ModuleNotFoundError:  # a name inside a module, not a module
        return None
    return Path(found.origin) if found is not None and found.origin else None


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _digest_code(paths: Iterable[Path]) -> str:
    codes = sorted(digest_bytes("".join(_written(_code(path))).encode()) for path in paths)
    return digest_bytes("\n".join(codes).encode())


def _code(path: Path) -> ast.Module:
    """The tree of a source file without docstrings."""
    tree = ast.parse(path.read_bytes())
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            del node.body[0]
    return tree


def _written(node: object) -> Iterator[str]:
    """A tree as text, the same under every Python: empty fields are left out, and imports, which name places."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.AST):
        yield f"{type(node).__name__}("
        for name, value in ast.iter_fields(node):
            if value is not None and value != [] and name != "kind":
                yield f"{name}="
                yield from _written(value)
        yield ")"
    elif isinstance(node, list):
        for entry in node:
            yield from _written(entry)
    else:
        yield f"{node!r},"
