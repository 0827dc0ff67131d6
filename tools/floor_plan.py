"""The floor plan as a program: what lies where in the package, and what imports what."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tools.import_graph import Import, imports, module_name

__all__ = ["ENGINE_ROOMS", "MOST_MODULES", "ROOMS", "import_graph", "violations"]

ROOMS = ("problem", "answer", "examine", "metrics", "subjects", "generate", "panels")
ENGINE_ROOMS = {
    "insight": ("leakage", "columns", "fits", "published", "search", "features"),
    "formula": ("expression", "equivalence", "competition", "discovery"),
    "drift": ("logs", "detection", "documents", "explanation"),
    "cases": ("explanation", "neighbors"),
    "conformal": ("calibration", "sets", "regions"),
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
    modules = {module_name(path.relative_to(package.parent)): path for path in package.rglob("*.py")}
    return {name: set(_own(imports(path), modules)) - {name} for name, path in modules.items()}


def _own(statements: Iterable[Import], modules: Collection[str]) -> Iterator[str]:
    for source, member, _ in statements:
        if (module := f"{source}.{member}") in modules:
            yield module
        elif source in modules:
            yield source
