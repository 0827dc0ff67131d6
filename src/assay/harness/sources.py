"""What a user's subject consists of, found without running a line of it: source, data that it names, libraries."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from importlib.machinery import PathFinder
from pathlib import Path

from assay.core.errors import InvalidInput, UnknownName
from assay.core.files.closure import imported
from assay.core.files.digest import digest_file, digest_json
from assay.core.files.folders import demand_inside, demand_own, is_file
from assay.core.files.libraries import library_versions
from assay.core.files.near import near_path
from assay.harness.callables.origins import imports_in
from assay.harness.setup.mistakes import listed

__all__ = ["SourceFile", "file_source", "is_installed", "local_imports", "module_file", "module_source"]

DEFAULT_OBJECTS = ("subject", "solve")
CAPTURED_DATA = re.compile(r"captured_\d+\.(npy|parquet|json|txt|bin)")  # as harness.callables names them
_LONGEST_NAME = 200  # of a data file
_LISTED = 12  # names that an error gives


class SourceFile:
    """One Python file with the subject's object, the local files it imports, and the data and libraries it uses."""

    def __init__(self, path: Path, attribute: str, root: Path, package: str = "") -> None:
        self.root = root.resolve()
        self._package = self.root / package  # links of a package's files stay inside the package
        # of installed code only the package itself is the subject's own; beside it lie the libraries
        self._installed = is_installed(self.root)
        self.home = (self._package if package else path.resolve()) if self._installed else self.root
        self._demand_own(path, self._package)
        self.path = path.resolve()
        tree = _parse(self.path)
        names = _top_level_names(tree)
        if not attribute:
            attribute = next((name for name in DEFAULT_OBJECTS if name in names), "")
            if not attribute:
                raise InvalidInput(
                    f"{path}: defines neither 'subject' nor 'solve'.{_defined(tree)} Define `def solve(task, budget)`, "
                    f"or name the object: {path}:NAME."
                )
        elif attribute not in names and "*" not in names:
            raise UnknownName(f"object in {path}", attribute, names)
        self.attribute = attribute

    def _demand_own(self, path: Path, root: Path) -> None:
        if self._installed:  # installers link files to their caches
            demand_inside(path, root)
        else:
            demand_own(path, root)

    @property
    def digest(self) -> str:
        """Of all its parts."""
        return digest_json(dict(self.parts()))

    def parts(self) -> dict[str, str]:
        """What it consists of: the digest of each file of its own, the version of each library that it imports.

        The files are those it imports, directly or not, and those that its source names; nothing is run to find them.
        """
        files = self.files()
        trees = {path: _parse(path) for path in files.values()}
        libraries = {
            module.partition(".")[0] for tree in trees.values() for module, _ in imported(tree) if module[:1] != "."
        }
        libraries -= {name for name in libraries if self._is_local(name)}
        for path, tree in trees.items():
            files |= {file.relative_to(self.root).as_posix(): file for file in _named_files(tree, path, self.root)}
        return {**{name: digest_file(path) for name, path in files.items()}, **library_versions(libraries)}

    def _is_local(self, name: str) -> bool:
        return any(is_file(path) and path.is_relative_to(self.home) for path in _candidates(self.root / name))

    def files(self) -> dict[str, Path]:
        """The file and every local module that it imports, directly or not, by path below the root."""
        files: dict[str, Path] = {}
        queue = [self.path]
        while queue:
            path = queue.pop()
            name = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.name
            if name in files:
                continue
            self._demand_own(path, self._package if path.is_relative_to(self._package) else self.root)
            files[name] = path
            queue.extend(file for file in local_imports(path, self.root) if file.is_relative_to(self.home))
        return files

    def captured_data(self) -> dict[str, Path]:
        """The data files beside a captured value, by path below the root: those that its source names."""
        texts = {node.value for node in ast.walk(_parse(self.path)) if isinstance(node, ast.Constant)}
        names = sorted(text for text in texts if isinstance(text, str) and CAPTURED_DATA.fullmatch(text))
        files = {name: self.path.with_name(name) for name in names if is_file(self.path.with_name(name))}
        for path in files.values():
            demand_own(path, self.root)
        return {path.relative_to(self.root).as_posix(): path for path in files.values()}


def file_source(path: Path, attribute: str = "") -> SourceFile:
    """The subject in a Python file; its folder is where its imports are looked up first."""
    if not is_file(path):
        raise InvalidInput(f"{path}: file not found.{near_path(path)}")
    return SourceFile(path, attribute, path.parent)


def module_source(module: str, attribute: str, search: list[str]) -> SourceFile:
    """The subject in an importable module; the module is located, not imported."""
    top, *rest = module.split(".")
    spec = PathFinder.find_spec(top, search)
    if spec is None or spec.origin is None:
        raise InvalidInput(f"subject '{module}:{attribute}': there is no module {top!r} here or installed.")
    path = Path(spec.origin)
    root = path.parent.parent if spec.submodule_search_locations else path.parent
    if rest or spec.submodule_search_locations:
        base = root.joinpath(top, *rest)
        file = module_file(base)
        if file is None:
            raise InvalidInput(f"subject '{module}:{attribute}': there is no module {module!r} (looked in {base}).")
        path = file
    return SourceFile(path, attribute, root, top if spec.submodule_search_locations else "")


def _parse(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_bytes(), filename=str(path))
    except SyntaxError as error:
        raise InvalidInput(f"{path}, line {error.lineno}: {error.msg}. The file is not valid Python.") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise InvalidInput(f"{path}: the file is not valid Python ({error}).") from None


def _top_level_names(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        # names bound in an `if` or `try` at module level count too, so the whole tree is walked
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def _defined(tree: ast.Module) -> str:
    """What a file defines at its top, as a sentence after a space: the nearest name first."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    names = [node.name for node in tree.body if isinstance(node, kinds)]
    if not names:
        return " It defines no function and no class."
    folded = {name.lower(): name for name in names}
    close = [near for default in DEFAULT_OBJECTS for near in get_close_matches(default, folded, n=1, cutoff=0.5)]
    hint = f" Did you mean {folded[close[0]]!r}?" if close else ""
    return f"{hint} It defines: {listed(names, _LISTED)}."


def local_imports(path: Path, root: Path) -> list[Path]:
    """Files below the root that a file imports; installed packages elsewhere are not the subject's own source."""
    package = ".".join(path.parent.relative_to(root).parts) if path.is_relative_to(root) else ""
    paths: list[Path] = []
    for module in imports_in(_parse(path), package):
        parts = module.split(".")
        for length in range(1, len(parts) + 1):
            paths.extend(path for path in _candidates(root.joinpath(*parts[:length])) if is_file(path))
    return paths


def module_file(target: Path) -> Path | None:
    """The file of the module or package that lies there, if there is one."""
    return next(filter(is_file, _candidates(target)), None)


def _candidates(target: Path) -> tuple[Path, Path]:
    return target.parent / f"{target.name}.py", target / "__init__.py"


def _named_files(tree: ast.Module, path: Path, root: Path) -> Iterator[Path]:
    """Files below the root that the source names in a text, by their path from the root or from its own folder.

    ``folder / "data" / "words.txt"`` and ``join(folder, "data", "words.txt")`` name ``data/words.txt``.
    """
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            names.add("/".join(_tail(node)))
        elif isinstance(node, ast.Call) and len(node.args) > 1:
            names.add("/".join(_texts(node.args)))
    for name in sorted(names):
        if 0 < len(name) <= _LONGEST_NAME and name.isprintable() and not name.startswith("/"):
            for folder in {root, path.parent}:
                try:
                    file = (folder / name).resolve()
                    if file != path and is_file(file) and file.is_relative_to(root):
                        yield file
                except (OSError, ValueError):
                    continue


def _tail(node: ast.expr) -> list[str]:
    """The texts at the end of ``start / "a" / "b"``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        right = _texts([node.right])
        return [*_tail(node.left), *right] if right else []
    return _texts([node])


def _texts(nodes: list[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def is_installed(root: Path) -> bool:
    """Whether code below this folder was installed with Python or one of its packages."""
    return any(root.is_relative_to(prefix) for prefix in (sys.prefix, sys.base_prefix))
