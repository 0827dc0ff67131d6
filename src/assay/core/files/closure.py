"""The code that a module can reach: its imports, followed through its own package and Assay's, without running any.

What counts is simple. Imports at any depth of a module count, also those inside functions, and so does
``import_module("name")``; those under ``if TYPE_CHECKING`` do not. ``from package import name`` leads to the module
that defines the name, not to everything that the package's ``__init__`` imports; an ``__init__`` that only passes names
on is no code of its own. Of a module that is reached all code counts, whether or not it can change an answer. So does a
data file, or a folder of them, that lies beside the module and that one of its texts names: weights, word lists.
"""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TypeGuard

from assay.core.files.folders import walk
from assay.core.files.libraries import STANDARD

__all__ = ["Reach", "code_digest", "imported", "reach"]

_OURS = __name__.partition(".")[0]
_WHOLE = ""  # in place of a name: all of a module


@dataclass(frozen=True, slots=True)
class Reach:
    """What a module can reach: files by module name, and the top-level names of the libraries that these import."""

    files: dict[str, Path] = field(default_factory=dict)
    libraries: set[str] = field(default_factory=set)

    def parts(self) -> dict[str, str]:
        """The digest of the code of each file by module name, and that of each data file by module and place."""
        digests: dict[str, str] = {}
        for name, path in self.files.items():
            digests[name] = code_digest(path)
            for data in _data_files(path):
                place = data.relative_to(path.parent).as_posix()
                digests[f"{name}:{place}"] = hashlib.sha256(data.read_bytes()).hexdigest()
        return digests


def reach(module: str) -> Reach:
    """All code of the module's own package and of Assay's that it can reach, and the libraries beside them."""
    reached = Reach()
    roots = {name: folder for name in {module.partition(".")[0], _OURS} if (folder := _folder(name)) is not None}
    seen: set[tuple[str, str]] = set()
    waiting = [(module, _WHOLE)]
    while waiting:
        target = waiting.pop()
        if target in seen:
            continue
        seen.add(target)
        top = target[0].partition(".")[0]
        if top in roots:
            waiting += _lead(*target, roots[top], reached)
        elif top not in STANDARD:
            reached.libraries.add(top)
    return reached


def _lead(module: str, name: str, root: Path, reached: Reach) -> Iterator[tuple[str, str]]:
    """Where ``from module import name`` leads; a module that counts as a whole is noted."""
    path = _file_of(module, root)
    if path is None:
        return
    source = _source(path)
    if name != _WHOLE and path.name == "__init__.py":
        if name in source.passed_on:
            place, inner = source.passed_on[name]
            yield _absolute(place, module, package=True), inner
            return
        if _file_of(f"{module}.{name}", root) is not None:
            yield f"{module}.{name}", _WHOLE
            return
        for place in source.stars:
            origin = _absolute(place, module, package=True)
            if (file := _file_of(origin, root)) is not None and name in _names(origin, file, root):
                yield origin, name
                return
    if source.has_code or path.name != "__init__.py":
        reached.files[module] = path
    for place, inner in source.imports:
        yield _absolute(place, module, package=path.name == "__init__.py"), inner


def _names(module: str, path: Path, root: Path) -> set[str]:
    """The names that ``from module import *`` may bring."""
    source = _source(path)
    names = {*source.names, *source.passed_on}
    for place in source.stars:
        origin = _absolute(place, module, package=path.name == "__init__.py")
        if origin != module and (file := _file_of(origin, root)) is not None:
            names |= _names(origin, file, root)
    return names


def _absolute(place: str, module: str, *, package: bool) -> str:
    """The absolute name of what a module imports; ``..other`` starts at its package."""
    name = place.lstrip(".")
    level = len(place) - len(name)
    if not level:
        return name
    base = module.split(".")
    base = base[: len(base) - level + package]
    return ".".join((*base, name) if name else base)


def _folder(top: str) -> Path | None:
    """The folder that holds a top-level package or module, which is located, not imported."""
    spec = PathFinder.find_spec(top)
    if spec is None or spec.origin is None:
        return None
    origin = Path(spec.origin)
    return origin.parent.parent if spec.submodule_search_locations else origin.parent


def _file_of(module: str, root: Path) -> Path | None:
    base = os.path.join(root, *module.split("."))  # noqa: PTH118 - very often
    for text in (f"{base}.py", f"{base}{os.sep}__init__.py"):
        if os.path.isfile(text):  # noqa: PTH113
            return Path(text)
    return None


@dataclass(frozen=True, slots=True)
class _Source:
    """What one file imports as (module, name), and what a package passes on."""

    imports: tuple[tuple[str, str], ...]
    passed_on: dict[str, tuple[str, str]]  # name -> where it comes from, also for type checkers only
    stars: tuple[str, ...]
    names: frozenset[str]  # defined here
    texts: frozenset[str]  # that it holds, docstrings left out
    has_code: bool  # beyond imports, docstrings and __all__
    digest: str


def _source(path: Path) -> _Source:
    state = path.stat()
    return _read(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=2000)
def _read(path: Path, _changed: int, _size: int) -> _Source:
    tree = ast.parse(path.read_bytes())
    passed_on: dict[str, tuple[str, str]] = {}
    stars: list[str] = []
    for node in ast.walk(tree) if path.name == "__init__.py" else tree.body:
        if isinstance(node, ast.ImportFrom):
            place = "." * node.level + (node.module or "")
            passed_on |= {alias.asname or alias.name: (place, alias.name) for alias in node.names if alias.name != "*"}
            stars += [place for alias in node.names if alias.name == "*"]
    own = [node for node in _without_docstrings(tree).body if not _only_names(node)]
    texts: list[str] = []
    _write(tree, texts)
    return _Source(
        imports=tuple(imported(tree)),
        passed_on=passed_on,
        stars=tuple(stars),
        names=frozenset(_bound(tree)),
        texts=frozenset(
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ),
        has_code=bool(own),
        digest=hashlib.sha256("".join(texts).encode()).hexdigest(),
    )


def _data_files(path: Path) -> Iterator[Path]:
    """The files beside a module that are no code and that its texts name, also by the name of their folder."""
    texts = _source(path).texts - {"__pycache__"}
    for entry in sorted(path.parent.iterdir()):
        if entry.name in texts:
            files = sorted(file for file in walk(entry) if file.is_file()) if entry.is_dir() else [entry]
            if not any(file.suffix in (".py", ".pyc") for file in files):
                yield from files


def code_digest(path: Path) -> str:
    """Digest of a file's code: comments, docstrings, imports and where it lies do not count."""
    return _source(path).digest


def imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """What code imports, as (module, name); the name is empty for a whole module. Types alone do not count."""
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            yield from ((alias.name, _WHOLE) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            place = "." * node.level + (node.module or "")
            yield from ((place, _WHOLE if alias.name == "*" else alias.name) for alias in node.names)
        elif _for_types(node):
            nodes += node.orelse
        else:
            if isinstance(node, ast.Call) and (name := _named_module(node)):
                yield name, _WHOLE
            nodes += ast.iter_child_nodes(node)


def _named_module(call: ast.Call) -> str:
    """The module of ``import_module("name")``; empty for any other call."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    first = call.args[0] if call.args else None
    if called in ("import_module", "__import__") and isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value
    return ""


def _for_types(node: ast.AST) -> TypeGuard[ast.If]:
    if not isinstance(node, ast.If):
        return False
    test = node.test
    return (test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")) == "TYPE_CHECKING"


def _only_names(node: ast.stmt) -> bool:
    """Whether a statement only brings names in or lists them."""
    if isinstance(node, ast.Import | ast.ImportFrom) or _for_types(node):
        return True
    return isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == ["__all__"]


def _bound(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and type(first.value.value) is str:
                del node.body[0]
    return tree


def _write(node: object, out: list[str]) -> None:
    """A tree as text, the same under every Python: empty fields are left out, and imports, which name places."""
    if isinstance(node, ast.AST):
        if isinstance(node, ast.Import | ast.ImportFrom) or _for_types(node):
            return
        out.append(type(node).__name__ + "(")
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(node, ast.JoinedStr):  # Python 3.12 puts empty texts between its parts
                value = [part for part in value or [] if getattr(part, "value", None) != ""]
            if value is not None and value != [] and name not in ("kind", "ctx"):
                out.append(name + "=")
                _write(value, out)
        out.append(")")
    elif isinstance(node, list):
        for entry in node:
            _write(entry, out)
    else:
        out.append(repr(node) + ",")
