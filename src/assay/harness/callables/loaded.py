"""Whether modules of the user's own are in memory what their files say: it is the files that are copied."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from assay.harness.callables.source import codes_in, functions_of, literals_in, same_code
from assay.harness.callables.unavailable import SourceUnavailable

__all__ = ["demand_as_on_disk"]

_SIMPLE = (bool, int, float, complex, str, bytes, type(None))
_CHANGING = ("append", "add", "update", "extend", "setdefault", "pop", "insert", "clear", "remove")
_OTHER_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def demand_as_on_disk(name: str, path: Path) -> None:
    """Refuse a loaded module whose functions or plain values are no longer those of its file.

    Compared are functions and methods by their code, and names that the file assigns once, as a literal. What is not
    loaded yet is what its file says.
    """
    module = sys.modules.get(name)
    if module is None or Path(getattr(module, "__file__", None) or "").suffix != ".py":
        return
    text = path.read_bytes()
    tree = ast.parse(text)
    # test runners and run-time type checkers load other code than the file's
    if type(getattr(module.__spec__, "loader", None)) is SourceFileLoader:
        codes = list(codes_in(compile(text, str(path), "exec", dont_inherit=True)))
        for function in _functions(module, path):
            if not any(same_code(code, function.__code__) for code in codes):
                raise SourceUnavailable(
                    f"module {name!r}",
                    f"{path.name} was edited after its import, and {function.__qualname__!r} differs there",
                    remedy=f"reload it, importlib.reload({name})",
                )
    for variable, expected in _literals(tree).items():
        present = vars(module).get(variable, expected)
        if not _equal(present, expected):
            raise SourceUnavailable(
                f"module {name!r}",
                f"{variable} was changed after the import: it is not what {path.name} says",
                remedy=f"pass it as an argument with functools.partial, or reload the module, importlib.reload({name})",
            )


def _functions(module: ModuleType, path: Path) -> Iterator[FunctionType]:
    """Functions and methods that were defined by the module's file."""
    for value in list(vars(module).values()):
        own = getattr(value, "__module__", None) == module.__name__
        if isinstance(value, type):
            functions: list[Any] = list(functions_of(value).values()) if own else []
        else:
            functions = [value, inspect.unwrap(value)] if own and isinstance(value, FunctionType) else []
        for function in functions:
            if isinstance(function, FunctionType) and Path(function.__code__.co_filename).name == path.name:
                yield function


def _literals(tree: ast.Module) -> dict[str, Any]:
    """Names that a module assigns once, outside of functions, as a literal, and changes nowhere itself."""
    stored: list[str] = []
    for node in _outside_functions(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            stored.append(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            stored.append(node.name)
        elif isinstance(node, ast.alias):
            stored.append((node.asname or node.name).partition(".")[0])
    changed = set(_changed(tree))
    return {
        name: value
        for name, value in literals_in(tree.body)
        if stored.count(name) == 1 and name not in changed and (value or isinstance(value, _SIMPLE))
    }


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _OTHER_SCOPES):
            yield from _outside_functions(child)


def _changed(tree: ast.Module) -> Iterator[str]:
    """Names that code declares as global, or whose value it may change: by an item, or by a method."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from node.names
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if isinstance(node.value, ast.Name):
                yield node.value.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _CHANGING:
            yield node.value.id


def _equal(present: object, expected: object) -> bool:
    if isinstance(expected, set) and isinstance(present, set):
        return present == expected
    return type(present) is type(expected) and repr(present) == repr(expected)  # nan is nan, 0.0 is not -0.0
