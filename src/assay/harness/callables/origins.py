"""Where objects come from: installed packages are imported, the user's own modules are copied."""

from __future__ import annotations

import ast
import site
import sys
import sysconfig
import types
from collections.abc import Iterator
from functools import cache
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec, PathFinder
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from assay.harness.callables.unavailable import SourceUnavailable

__all__ = ["Address", "address_of", "imports_in", "is_installed", "local_files", "resolve"]

_OWN = "assay"


class Address(NamedTuple):
    """How an object is imported."""

    module: str
    name: str


@cache
def _installed_folders() -> tuple[Path, ...]:
    paths = [sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    paths += [*site.getsitepackages(), site.getusersitepackages()]
    return tuple({Path(path).resolve() for path in paths})


def is_installed(module: str) -> bool:
    """Whether a module comes with Python or an installed package, and so is there in every process."""
    top = module.partition(".")[0]
    if top == _OWN or top in sys.builtin_module_names:
        return True
    spec = _spec(top)
    if spec is None or spec.origin in ("built-in", "frozen"):
        return spec is not None
    places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or ())
    return any(Path(place).resolve().is_relative_to(folder) for place in places for folder in _installed_folders())


def resolve(namespace: Any, name: str) -> Any:
    """The object behind a dotted name; None when there is none."""
    for part in name.split("."):
        namespace = getattr(namespace, part, None)
    return namespace


def address_of(value: Any) -> Address | None:
    """How an object is imported under its own name, if it can be."""
    try:
        name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
        module = getattr(value, "__module__", None)
    except Exception:  # noqa: BLE001 - objects that answer for their attributes themselves
        return None
    if not isinstance(name, str) or "<" in name or isinstance(value, ModuleType):
        return None
    if isinstance(value, MethodType | BuiltinFunctionType) and not isinstance(value.__self__, ModuleType | None):
        # a method; random.choice is one of the generator that all share, and imported as such
        module = type(value.__self__).__module__
        shared = resolve(sys.modules.get(module), value.__name__) == value and is_installed(module)
        return Address(module, value.__name__) if shared else None
    if isinstance(module, str) and _offers(module, name, value):
        return Address(module, name)
    if isinstance(value, type) and module == "builtins":  # the type of None, of functions, of modules
        return next((Address("types", name) for name, kind in vars(types).items() if kind is value), None)
    if isinstance(value, FunctionType | type) or (isinstance(module, str) and module == "__main__"):
        return None
    if callable(value) and not isinstance(module, str):  # made in C, and silent about its module
        for module in sorted(sys.modules, key=lambda text: ("._" in f".{text}", text.count("."), text)):
            if _offers(module, name, value):
                return Address(module, name)
    return None


def _offers(module: str, name: str, value: object) -> bool:
    if module == "__main__" or resolve(sys.modules.get(module), name) is not value:
        return False
    return is_installed(module) or bool(local_files(module))


def _spec(module: str) -> ModuleSpec | None:
    """Where a module lies, without importing anything."""
    loaded = sys.modules.get(module)
    spec: ModuleSpec | None = getattr(loaded, "__spec__", None)
    if spec is not None:
        return spec
    parent, _, _ = module.rpartition(".")
    if not parent:
        for importer in (BuiltinImporter, FrozenImporter):
            if spec := importer.find_spec(module):
                return spec
        return PathFinder.find_spec(module)
    around = _spec(parent)
    if around is None or around.submodule_search_locations is None:
        return None
    return PathFinder.find_spec(module, list(around.submodule_search_locations))


def _own_file(module: str) -> Path | None:
    """The file of a module of the user's own, when it lies where its name says."""
    spec = None if is_installed(module) else _spec(module)
    if spec is None or not spec.origin:
        return None
    path = Path(spec.origin)
    parts = module.split(".")
    expected = [Path(*parts, "__init__.py"), Path(*parts).with_suffix(".py")]
    return path if any(path.parts[-len(end.parts) :] == end.parts for end in expected) else None


def local_files(module: str) -> dict[str, Path]:
    """The files of a module of the user's own and of all of the user's own that it imports, by path for the import."""
    files: dict[str, Path] = {}
    waiting, seen = [module], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        path = _own_file(name)
        if path is None:
            continue
        package = path.name == "__init__.py"
        parts = name.split(".")
        files[Path(*parts, "__init__.py").as_posix() if package else f"{Path(*parts)}.py"] = path
        waiting.extend(".".join(parts[:length]) for length in range(1, len(parts)))
        try:
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError) as error:
            raise SourceUnavailable(f"module {name!r}", f"{path} cannot be read ({error})") from None
        waiting.extend(imports_in(tree, package=name if package else name.rpartition(".")[0]))
    return files


def imports_in(tree: ast.AST, package: str = "") -> Iterator[str]:
    """Every module that a tree may import, and names that may be modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                yield from (".".join(parts[:length]) for length in range(1, len(parts) + 1))
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            name = ".".join([*filter(None, base), *filter(None, [node.module])])
            if name:
                yield name
            yield from (f"{name}.{alias.name}" if name else alias.name for alias in node.names)
