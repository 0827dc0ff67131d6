"""What a source remembers: data written into it, and what it keeps from one call to the next."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from assay.insight.leakage.static.findings import Notes, plural
from assay.insight.leakage.static.values import defaults_of

__all__ = ["is_short", "note_literals", "note_state"]

_CACHES = {"lru_cache", "cache", "cached_property"}
_CHANGING = {"append", "add", "update", "setdefault", "extend", "insert", "pop", "popitem", "clear", "remove"}
_CHANGING |= {"discard", "appendleft", "popleft"}
_MANY, _LONG, _BITS = 25, 200, 128
_MUTABLE = (ast.List, ast.Dict, ast.Set, ast.Call, ast.ListComp, ast.DictComp)


def is_short(node: ast.AST) -> bool:
    """A constant that cannot hold much by itself."""
    if not isinstance(node, ast.Constant):
        return False
    value = node.value
    if isinstance(value, str | bytes):
        return len(value) < _LONG
    return not isinstance(value, int) or value.bit_length() < _BITS


def note_literals(nodes: Sequence[ast.AST], notes: Notes) -> None:
    """Tables, texts and numbers long enough to hold memorised labels; docstrings are no data."""
    texts: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            texts.add(id(node.value))
        elif isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set) and id(node) not in texts:
            count, volume = _volume(node, texts)
            if count >= _MANY:
                size = f"{plural(count, 'value')}, {plural(volume, 'character')}"
                notes.add(node, "literals", f"A table of constants ({size}) is written here; it may hold known labels.")
        elif isinstance(node, ast.Constant) and id(node) not in texts and not is_short(node):
            value = node.value
            if isinstance(value, str | bytes):
                size = f"text of {plural(len(value), 'character')}"
            elif isinstance(value, int):
                size = f"number of {plural(value.bit_length(), 'bit')}"
            notes.add(node, "literals", f"A {size} is written here; it may hold known labels.")


def _volume(container: ast.expr, counted: set[int]) -> tuple[int, int]:
    """How many constants a literal holds and how long they are; inner literals count with the outermost."""
    count = volume = 0
    waiting: list[ast.AST] = [container]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Constant):
            count += 1
            value = node.value
            volume += len(value) if isinstance(value, str | bytes) else (node.end_col_offset or 0) - node.col_offset
        elif isinstance(node, ast.Dict):
            counted.add(id(node))
            waiting += [child for child in (*node.keys, *node.values) if child is not None]
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            counted.add(id(node))
            waiting += node.elts
        elif isinstance(node, ast.UnaryOp):
            waiting.append(node.operand)
    return count, volume


def note_state(tree: ast.Module, nodes: Iterable[ast.AST], notes: Notes, names: Mapping[str, str]) -> None:
    """What is kept from one call to the next."""
    lasting_names = {name.id for statement in tree.body for name in _stored(statement)}
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    own = {function.name for function in functions}
    for function in functions:
        for decorator in function.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if _is_cache(called, names):
                notes.add(decorator, "state", "Results are cached, so a later call can give what an earlier row gave.")
        mutable = {argument for argument, default in defaults_of(function.args) if isinstance(default, _MUTABLE)}
        local = {name.id for statement in function.body for name in _stored(statement)}
        for node in ast.walk(function):
            name = _changed(node)
            lasting = name in mutable or (name in lasting_names and name not in local)
            if isinstance(node, ast.Global | ast.Nonlocal):
                lasting, name = True, ", ".join(node.names[:3])
            elif name in own and not isinstance(node, ast.Call):  # an attribute of the function itself
                lasting = True
            if lasting:
                notes.add(node, "state", f"{name} is changed here and keeps its content from one call to the next.")


def _changed(node: ast.AST) -> str:
    """The name whose object a node changes in place; empty when it does not."""
    owner: ast.AST | None = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = node.func.value if node.func.attr in _CHANGING else None
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("next", "setattr"):
        owner = node.args[0] if node.args else None
    elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        owner = node.value
    return owner.id if isinstance(owner, ast.Name) else ""


def _stored(statement: ast.stmt) -> Iterator[ast.Name]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node


def _is_cache(called: ast.expr, names: Mapping[str, str]) -> bool:
    if isinstance(called, ast.Attribute):
        return called.attr in _CACHES
    return isinstance(called, ast.Name) and names.get(called.id, "").removeprefix("functools.") in _CACHES
