"""Which parts of a source one function is made of: itself, and the helpers, constants and imports that it leads to."""

from __future__ import annotations

import ast
from collections import deque
from typing import NamedTuple

from assay.insight.leakage.static.memory import is_short

__all__ = ["Parts", "nodes_of", "split_by_reach"]

_BY_TEXT = {"globals", "locals", "vars", "eval", "exec", "__import__", "__globals__", "modules"}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


class Parts(NamedTuple):
    """A source as one function sees it: what it leads to, and what else runs when the source is loaded."""

    reached: ast.Module
    loaded: ast.Module


def split_by_reach(tree: ast.Module, name: str) -> Parts:
    """Follow the names from a function; a source that looks names up as texts is reached in whole."""
    statements = [(statement, _given(statement), _used(statement)) for statement in tree.body]
    reached = {name, "*"}
    inside: set[int] = set()
    while True:
        further = [place for place, (_, given, _) in enumerate(statements) if place not in inside and given & reached]
        if not further:
            break
        inside |= {*further}
        reached = reached.union(*(statements[place][2] for place in further))
    if not any(name in given for _, given, _ in statements) or reached & _BY_TEXT:
        return Parts(tree, ast.Module([], []))
    outside = [statement for place, statement in enumerate(statements) if place not in inside]
    others = set().union(*(used for statement, _, used in outside))
    rest = [
        statement
        for statement, given, _ in outside
        if not isinstance(statement, _DEFINITIONS) and not (isinstance(statement, _IMPORTS) and given & others)
    ]
    return Parts(ast.Module([tree.body[place] for place in sorted(inside)], []), ast.Module(rest, []))


def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """All nodes, outer before inner, but the short constants inside of literals: those may be many."""
    nodes: list[ast.AST] = []
    waiting: deque[ast.AST] = deque([tree])
    while waiting:
        node = waiting.popleft()
        nodes.append(node)
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
            elements = node.elts if not isinstance(node, ast.Dict) else [*node.keys, *node.values]
            waiting.extend(each for each in elements if each is not None and not is_short(each))
        elif not isinstance(node, ast.Constant | ast.expr_context | ast.operator | ast.cmpop):
            waiting.extend(ast.iter_child_nodes(node))
    return nodes


def _given(statement: ast.stmt) -> set[str]:
    """The names that a statement of the module gives a meaning, or whose objects it changes."""
    if isinstance(statement, _DEFINITIONS):
        return {statement.name}
    nodes = nodes_of(statement)
    given = {node.name for node in nodes if isinstance(node, _DEFINITIONS)}
    given |= {node.asname or node.name.partition(".")[0] for node in nodes if isinstance(node, ast.alias)}
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            given.add(_root(node))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            given.add(_root(node.value.func))
    return given - {""}


def _used(statement: ast.stmt) -> set[str]:
    """The names that a statement needs."""
    nodes = nodes_of(statement)
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    return used | {node.attr for node in nodes if isinstance(node, ast.Attribute) and node.attr in _BY_TEXT}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
