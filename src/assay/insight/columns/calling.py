"""What a feature function asks for, read from its source without running it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Collection
from copy import deepcopy
from typing import Any, Final, NamedTuple

from assay.sandbox.guest.call import CallPlan, SignatureUnknown, plan_call

__all__ = ["UNREADABLE", "Needs", "parse_source", "read_needs", "read_plan"]

UNREADABLE: Final = (SyntaxError, ValueError, RecursionError, MemoryError)  # what parsing a source may raise

_REBINDERS = frozenset({"globals", "exec", "eval", "vars", "setattr", "locals"})


class Needs(NamedTuple):
    """Whether a function is called with the training table, with auxiliary tables, once for the whole table."""

    train: bool = True
    auxiliary: bool = True
    whole: bool = False
    known: bool = False  # False: the source does not say, so it may use anything


def read_needs(code: str, name: str, columns: Collection[str]) -> Needs:
    """What a function will be called with.

    >>> read_needs("def f(row, df_train): return 1", "f", [])
    Needs(train=True, auxiliary=False, whole=False, known=True)
    >>> read_needs("f = make()", "f", [])
    Needs(train=True, auxiliary=True, whole=False, known=False)
    """
    plan = read_plan(code, name, columns)
    if plan is None:
        return Needs()
    return Needs(plan.needs("train"), plan.needs("auxiliary"), plan.vectorised, True)


def parse_source(code: str) -> ast.Module:
    r"""The source's syntax tree; warnings, as for "\d" in a text, are not shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(code)


def read_plan(code: str, name: str, columns: Collection[str]) -> CallPlan | None:
    """How a function will be called; None where the source does not say."""
    try:
        arguments = _find(parse_source(code), name)
        return None if arguments is None else plan_call(_imitate(arguments), columns)
    except (*UNREADABLE, SignatureUnknown):
        return None


def _find(tree: ast.Module, name: str) -> ast.arguments | None:
    """The parameters of what the name means when the source has run; None where that is not certain."""
    bound = [node for node in ast.walk(tree) if _binds(node, name)]
    if len(bound) != 1:
        return None
    (node,) = bound
    if isinstance(node, ast.FunctionDef):
        return node.args if node in tree.body and not node.decorator_list else None
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and statement.targets == [node]:
            return statement.value.args if isinstance(statement.value, ast.Lambda) else None
    return None


def _binds(node: ast.AST, name: str) -> bool:
    """Whether a node gives the name a meaning, or may do so in a way that cannot be read."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name == name
    if isinstance(node, ast.Name):
        return (node.id == name and not isinstance(node.ctx, ast.Load)) or node.id in _REBINDERS
    return isinstance(node, ast.alias) and name in (node.asname, node.name)


def _imitate(arguments: ast.arguments) -> Callable[..., Any]:
    """A function with the same parameters that does nothing; defaults become None, annotations their text."""
    nothing = ast.Constant(None)
    copy = deepcopy(arguments)
    copy.defaults = [nothing for _ in copy.defaults]
    copy.kw_defaults = [default and nothing for default in copy.kw_defaults]
    for entry in ast.walk(copy):
        if isinstance(entry, ast.arg) and entry.annotation:
            entry.annotation = ast.Constant(ast.unparse(entry.annotation))
    definition = ast.FunctionDef(name="imitation", args=copy, body=[ast.Pass()], decorator_list=[])
    names: dict[str, Any] = {}
    exec(compile(ast.fix_missing_locations(ast.Module([definition], [])), "<imitation>", "exec"), {}, names)
    imitation: Callable[..., Any] = names["imitation"]
    return imitation
