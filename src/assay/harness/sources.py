"""Digest of a subject's own Python source, found without running a line of it."""

from __future__ import annotations

import ast
import re
from importlib.machinery import PathFinder
from pathlib import Path

from assay.core.errors import InvalidInput, UnknownName
from assay.core.files.digest import digest_files
from assay.core.files.folders import demand_own, is_file

__all__ = ["SourceFile", "file_source", "local_imports", "module_source"]

DEFAULT_OBJECTS = ("subject", "solve")
CAPTURED_DATA = re.compile(r"captured_\d+\.(npy|parquet|json|txt|bin)")  # as harness.callables names them


class SourceFile:
    """One Python file with the object that is the subject, and the local files it imports."""

    def __init__(self, path: Path, attribute: str, root: Path, package: str = "") -> None:
        self.root = root.resolve()
        self._package = self.root / package  # links of a package's files stay inside the package
        demand_own(path, self._package)
        self.path = path.resolve()
        tree = _parse(self.path)
        names = _top_level_names(tree)
        if not attribute:
            attribute = next((name for name in DEFAULT_OBJECTS if name in names), "")
            if not attribute:
                raise InvalidInput(
                    f"{path}: defines neither 'subject' nor 'solve'. Define `def solve(task, budget)`, "
                    f"or name the object: {path}:NAME."
                )
        elif attribute not in names and "*" not in names:
            raise UnknownName(f"object in {path}", attribute, names)
        self.attribute = attribute

    @property
    def digest(self) -> str:
        """Of the file and of every local module that it imports, directly or not."""
        return digest_files({**self.files(), **self.captured_data()})

    def files(self) -> dict[str, Path]:
        """The file and every local module that it imports, directly or not, by path below the root."""
        files: dict[str, Path] = {}
        queue = [self.path]
        while queue:
            path = queue.pop()
            name = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.name
            if name in files:
                continue
            demand_own(path, self._package if path.is_relative_to(self._package) else self.root)
            files[name] = path
            queue.extend(local_imports(path, self.root))
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
        raise InvalidInput(f"{path}: there is no such subject file.")
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
        candidates = (base.with_suffix(".py"), base / "__init__.py")
        files = [candidate for candidate in candidates if is_file(candidate)]
        if not files:
            raise InvalidInput(f"subject '{module}:{attribute}': there is no module {module!r} (looked in {base}).")
        path = files[0]
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


def local_imports(path: Path, root: Path) -> list[Path]:
    """Files below the root that a file imports; installed packages elsewhere are not the subject's own source."""
    paths: list[Path] = []
    for node in ast.walk(_parse(path)):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = path.parent
            for _ in range(node.level - 1):
                package = package.parent
            prefix = package.relative_to(root).parts if node.level and package.is_relative_to(root) else ()
            base = ".".join((*prefix, node.module)) if node.module else ".".join(prefix)
            modules = [base, *(f"{base}.{alias.name}" if base else alias.name for alias in node.names)]
        for module in filter(None, modules):
            parts = module.split(".")
            for length in range(1, len(parts) + 1):
                target = root.joinpath(*parts[:length])
                candidates = (target.with_suffix(".py"), target / "__init__.py")
                paths.extend(candidate for candidate in candidates if is_file(candidate))
    return paths
