"""Which files of the repository import which, read from their text: nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["Import", "ImportGraph", "imports", "module_name"]

PACKAGES = ("src/assay", "benchmarks", "fuzz", "tests", "tools")


class Import(NamedTuple):
    """``from source import member as name``, or ``import source``."""

    source: str
    member: str
    name: str


class ImportGraph:
    """Files and their importers; a name that a package hands on leads to the module that defines it."""

    def __init__(self, root: Path) -> None:
        paths = sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))
        self._paths = {module_name(path.relative_to(root)): path for path in paths}
        imports_of = {name: list(imports(path)) for name, path in self._paths.items()}
        self._reexports = {
            name: {entry.name: entry for entry in imports_of[name]}
            for name, path in self._paths.items()
            if path.name == "__init__.py"
        }
        self._importers: dict[Path, set[Path]] = {path: set() for path in paths}
        for name, statements in imports_of.items():
            for target in filter(None, map(self._defining, statements)):
                self._importers[self._paths[target]].add(self._paths[name])

    def distances(self, changed: Iterable[Path]) -> dict[Path, int]:
        """How many imports lie between a file and the nearest changed one, for all that depend on any."""
        level = {path for path in changed if path in self._importers}
        steps = dict.fromkeys(level, 0)
        distance = 0
        while level:
            distance += 1
            level = {importer for path in level for importer in self._importers[path]} - steps.keys()
            steps.update(dict.fromkeys(level, distance))
        return steps

    def _defining(self, entry: Import) -> str | None:
        """The module behind an import; None when it is not one of ours."""
        if (module := f"{entry.source}.{entry.member}") in self._paths:
            return module
        origin = self._reexports.get(entry.source, {}).get(entry.member)
        if origin is not None and origin.source != entry.source:
            return self._defining(origin)
        return entry.source if entry.source in self._paths else None


def module_name(path: Path) -> str:
    """The name that imports use.

    >>> module_name(Path("src/assay/core/digest.py")), module_name(Path("tests/core/__init__.py"))
    ('assay.core.digest', 'tests.core')
    """
    parts = path.with_suffix("").parts
    return ".".join(part for part in parts if part not in ("src", "__init__"))


def imports(path: Path) -> Iterator[Import]:
    """Every import statement of a file, wherever it stands."""
    return iter(_imports(path.read_bytes()))


@lru_cache(maxsize=4096)  # a copy of the tree has the same texts
def _imports(source: bytes) -> tuple[Import, ...]:
    return tuple(_statements(source))


def _statements(source: bytes) -> Iterator[Import]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (Import(node.module, alias.name, alias.asname or alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (Import(alias.name, "", "") for alias in node.names)
