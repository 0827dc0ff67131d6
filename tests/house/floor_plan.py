"""The floor plan as a program: what lies where in the package, and what imports what."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOMS = ("problem", "answer", "examine", "metrics", "subjects", "generate", "panels")
ENGINE_ROOMS = {
    "insight": ("leakage", "columns", "fits", "published", "search"),
    "formula": ("expression", "equivalence", "competition", "discovery"),
    "drift": ("logs", "detection", "documents", "explanation"),
    "cases": ("explanation", "neighbors"),
    "conformal": ("calibration", "sets", "intervals"),
}
MOST_MODULES = 15


def violations(package: Path) -> list[str]:
    """Everything in the package's folder that the plan does not allow, a sentence each."""
    return [*_misplaced(package), *_crowded(package), *_cycles(package)]


def _misplaced(package: Path) -> Iterator[str]:
    for track, engines in ENGINE_ROOMS.items():
        rooms = {_room(path) for path in (package / track).iterdir() if _counts(path)}
        yield from (f"{track}: the room {room!r} is missing" for room in ROOMS if room not in rooms)
        for stray in sorted(rooms - {*ROOMS, *engines}):
            yield f"{track}: {stray!r} is neither a room of the floor plan nor a declared engine room"


def _room(path: Path) -> str:
    return path.name if path.is_dir() else path.stem


def _counts(path: Path) -> bool:
    return path.name not in ("__init__.py", "__pycache__") and (path.is_dir() or path.suffix == ".py")


def _crowded(package: Path) -> Iterator[str]:
    for folder in sorted({path.parent for path in package.rglob("*.py")}):
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        if len(modules) > MOST_MODULES:
            yield f"{folder.relative_to(package)}: {len(modules)} modules, at most {MOST_MODULES}"


def _cycles(package: Path) -> Iterator[str]:
    try:
        TopologicalSorter(import_graph(package)).prepare()
    except CycleError as error:
        yield f"import cycle: {' -> '.join(reversed(error.args[1]))}"


def import_graph(package: Path) -> dict[str, set[str]]:
    """Which modules of a package each of its modules imports, at its top, inside functions, or for types alone."""
    modules = {_name(path, package): path for path in package.rglob("*.py")}
    return {name: set(_imports(path, modules.keys())) - {name} for name, path in modules.items()}


def _name(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(path: Path, modules: Collection[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in modules else node.module for name in names if node.module in modules)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
