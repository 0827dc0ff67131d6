"""The syntax tree of a function or class that exists in memory, found in its file or notebook cell and verified."""

from __future__ import annotations
import __future__

import ast
import copy
import inspect
import linecache
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, Final, NamedTuple, TypeAlias

from assay.harness.callables.unavailable import SourceUnavailable

__all__ = ["FunctionNode", "class_node", "codes_in", "function_node", "functions_of", "literals_in", "same_code"]

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_NO_MAGIC: Final = "move it into a cell without %%magic"
_MARK: Final = 10_000_000  # a line that no file has
_COMPARED: Final = (
    *("co_name", "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_exceptiontable"),
    *("co_argcount", "co_kwonlyargcount", "co_posonlyargcount"),
)
_EMPTY_LINES = re.compile(r"\A(?:[ \t]*\n)+")
_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag


class _Located(NamedTuple):
    """A function in a file: its tree, the innermost class around it, the statement of the file that it is part of."""

    node: FunctionNode
    owner: str
    statement: ast.stmt


class _Parsed:
    """The tree of one file or cell, with its functions and classes."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.functions: list[_Located] = []
        self.classes: list[tuple[ast.ClassDef, str]] = []  # with its qualified name
        for statement in self.tree.body:
            self._visit(ast.Module([statement], []), "", "", statement)

    def _visit(self, node: ast.AST, path: str, owner: str, statement: ast.stmt) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                self.classes.append((child, path + child.name))
                self._visit(child, f"{path}{child.name}.", child.name, statement)
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                self.functions.append(_Located(child, owner, statement))
                name = "<lambda>" if isinstance(child, ast.Lambda) else child.name
                self._visit(child, f"{path}{name}.<locals>.", owner, statement)
            else:
                self._visit(child, path, owner, statement)


@lru_cache(maxsize=64)
def _parse(text: str) -> _Parsed | None:
    try:
        return _Parsed(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _readings(filename: str, namespace: Mapping[str, Any]) -> Iterator[_Parsed]:
    """A file or cell as it was when it was last read, then as it is."""
    for fresh in (False, True):
        if fresh:
            linecache.checkcache(filename)
        lines = linecache.getlines(filename, dict(namespace))
        if parsed := _parse("".join(lines)) if lines else None:
            yield parsed
    if filename.startswith("<") and not linecache.getlines(filename):
        yield from _magics()


def _cells() -> list[str]:
    """The names of notebook cells, the latest first; they stand where lines of files do, without a time."""
    return [name for name, entry in reversed(linecache.cache.items()) if len(entry) == 4 and entry[1] is None]


def _magics() -> Iterator[_Parsed]:
    """What notebook cells gave to a magic such as %%time, which compiles it under a name that has no lines."""
    for cell in _cells():
        parsed = _parse("".join(linecache.getlines(cell)))
        for node in ast.walk(parsed.tree) if parsed else ():
            name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            if name in ("run_cell_magic", "run_line_magic") and isinstance(node, ast.Call) and node.args:
                text = node.args[-1].value if isinstance(node.args[-1], ast.Constant) else None
                if isinstance(text, str):  # IPython drops empty lines before it compiles
                    yield from filter(None, map(_parse, dict.fromkeys((text, _EMPTY_LINES.sub("", text)))))


def function_node(function: FunctionType) -> tuple[FunctionNode, str]:
    """The tree of a function and the innermost class around it; compiled again it gives the same code.

    Several lambdas on one line are told apart by their code.
    """
    code = function.__code__
    shown = "a lambda" if function.__name__ == "<lambda>" else f"function {function.__name__!r}"
    for parsed in _readings(code.co_filename, function.__globals__):
        for located in parsed.functions:
            if code.co_firstlineno not in (located.node.lineno, _first_line(located.node)):
                continue
            # a notebook compiles statement by statement, and the compiler looks at imports around a function
            for body in ([located.statement], parsed.tree.body):
                if same_code(_compiled(located.node, body, code), code):
                    return copy.deepcopy(located.node), located.owner
    if code.co_filename.startswith("<timed"):
        raise SourceUnavailable(shown, "a magic compiled it, and its source cannot be read", remedy=_NO_MAGIC)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if lines and _parse("".join(lines)):
        place = f"line {code.co_firstlineno} of {code.co_filename}"
        raise SourceUnavailable(shown, f"{place} is no longer its source", remedy="define it again")
    place = "interactively" if code.co_filename.startswith("<") else f"in {code.co_filename}"
    raise SourceUnavailable(shown, f"was defined {place}, and its source cannot be read")


def _first_line(node: FunctionNode | ast.ClassDef) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _compiled(node: FunctionNode, body: list[ast.stmt], code: CodeType) -> CodeType | None:
    """The code that a function's tree gives inside these statements."""
    moved: list[Any] = [node] if isinstance(node, ast.Lambda) else [node, *node.decorator_list]
    before = [(entry.lineno, entry.end_lineno) for entry in moved]
    for entry in moved:  # a line of its own, by which its code is found
        entry.lineno = entry.end_lineno = _MARK
    try:
        whole = compile(ast.Module(body, []), "", "exec", flags=code.co_flags & _FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    finally:
        for entry, (first, last) in zip(moved, before, strict=True):
            entry.lineno, entry.end_lineno = first, last
    # since Python 3.14 annotations are a function of their own, on the same line
    named = (entry for entry in codes_in(whole) if entry.co_name == code.co_name)
    return next((entry for entry in named if entry.co_firstlineno == _MARK), None)


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """The codes of all functions and classes inside another, at every depth."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes_in(constant)


def same_code(a: CodeType | None, b: CodeType) -> bool:
    """Whether two codes do the same, wherever they stand."""
    if a is None:
        return False
    if any(getattr(a, name) != getattr(b, name) for name in _COMPARED) or len(a.co_consts) != len(b.co_consts):
        return False
    return all(
        same_code(x, y) if isinstance(x, CodeType) and isinstance(y, CodeType) else type(x) is type(y) and _same(x, y)
        for x, y in zip(a.co_consts, b.co_consts, strict=True)
    )


def _same(a: object, b: object) -> bool:
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return a == b
    return repr(a) == repr(b) or a is b  # tells 0.0 from -0.0, and nan is nan


def functions_of(cls: type) -> dict[str, FunctionType]:
    """The functions that the statement of a class defines, by attribute; those that a decorator generated are not."""
    functions: dict[str, FunctionType] = {}
    for name, value in vars(cls).items():
        names = ("fget", "__func__", "func") if not hasattr(type(value), "__getattr__") else ()
        inner = next((part for place in names if callable(part := getattr(value, place, None))), value)
        function = inspect.unwrap(inner) if callable(inner) else None
        if isinstance(function, FunctionType) and function.__qualname__ == f"{cls.__qualname__}.{name}":
            filename, module = function.__code__.co_filename, function.__globals__.get("__name__")
            if module == cls.__module__ and filename != "<string>" and not filename.startswith("<attrs"):
                functions[name] = function
    return functions


def class_node(cls: type, namespace: Mapping[str, Any]) -> ast.ClassDef:
    """The tree of a class that a script or a notebook cell defines."""
    shown = f"class {cls.__name__!r}"
    methods = list(functions_of(cls).values())
    for function in methods:
        function_node(function)  # refuses what has changed since
    if methods:
        files = [methods[0].__code__.co_filename]
    elif isinstance(own := namespace.get("__file__"), str):
        files = [own]
    else:  # a notebook: what has no method does not say which cell defined it
        files = [*_cells(), "<magic>"]
    candidates: dict[str, ast.ClassDef] = {}
    for filename in files:
        for node, path in (entry for parsed in _readings(filename, namespace) for entry in parsed.classes):
            if path == cls.__qualname__ and _matches(node, cls, [function.__code__ for function in methods]):
                candidates[ast.dump(node)] = node
    if not candidates:
        raise SourceUnavailable(shown, "its source cannot be found, or has changed since it was defined")
    if len(candidates) > 1:
        raise SourceUnavailable(
            shown,
            "several cells define it, and it is unclear which one is in use",
            remedy="give it a method, or restart the kernel and define it once",
        )
    return copy.deepcopy(next(iter(candidates.values())))


def _matches(node: ast.ClassDef, cls: type, codes: list[CodeType]) -> bool:
    """Whether a class statement made this class: the lines of its methods, its annotations, its plain attributes."""
    last = node.end_lineno or node.lineno
    if not all(node.lineno <= code.co_firstlineno <= last for code in codes):
        return False
    first = _first_line(node)
    if vars(cls).get("__firstlineno__", first) not in (first, node.lineno):
        return False
    annotated = {entry.target.id for entry in node.body if _is_annotated(entry)}  # type: ignore[attr-defined]
    if annotated != set(inspect.get_annotations(cls)):
        return False
    for entry in node.body:
        if isinstance(entry, ast.Assign) and len(entry.targets) == 1 and isinstance(entry.targets[0], ast.Name):
            target, value = entry.targets[0].id, entry.value
        elif _is_annotated(entry) and entry.value is not None:  # type: ignore[attr-defined]
            target, value = entry.target.id, entry.value  # type: ignore[attr-defined]
        else:
            continue
        if isinstance(value, ast.Constant) and not codes:
            present = vars(cls).get(target, value.value)
            present = getattr(present, "_value_", present)  # a member of an enumeration
            if isinstance(present, bool | int | float | str) and present != value.value:
                return False
    return True


def _is_annotated(entry: ast.stmt) -> bool:
    return isinstance(entry, ast.AnnAssign) and isinstance(entry.target, ast.Name)


def literals_in(body: Sequence[ast.stmt]) -> Iterator[tuple[str, Any]]:
    """The names that statements set to literals, with the values."""
    for entry in body:
        if isinstance(entry, ast.Assign):
            targets, value = entry.targets, entry.value
        elif isinstance(entry, ast.AnnAssign) and entry.value is not None:
            targets, value = [entry.target], entry.value
        else:
            continue
        with suppress(ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            literal = ast.literal_eval(value)
            yield from ((target.id, literal) for target in targets if isinstance(target, ast.Name))
