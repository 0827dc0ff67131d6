"""Classes of scripts and notebooks as source."""

from __future__ import annotations
import __future__

import ast
import enum
import inspect
import sys
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

from assay.harness.callables.functions import bind_names, code_names, own_names
from assay.harness.callables.secret_values import demand_no_secret
from assay.harness.callables.source import class_node, functions_of, literals_in
from assay.harness.callables.unavailable import SourceUnavailable, Use
from assay.harness.callables.writing import Writer

__all__ = ["emit_class"]

_PLAIN = (bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, type(None))


def emit_class(writer: Writer, value: Any, use: Use, hint: str) -> str | None:
    """A class by its source, after what its statement needs and before what its methods need."""
    if not isinstance(value, type):
        return None
    namespace = _namespace(value)
    try:
        node = class_node(value, namespace)
    except SourceUnavailable:
        if value.__bases__ != (tuple,) or not hasattr(value, "_field_defaults"):
            raise
        return _emit_namedtuple(writer, value, use, hint)
    cells = _cells(value)
    if cells:
        raise SourceUnavailable(
            use,
            f"the class {value.__name__} is defined inside a function and uses its variable {min(cells)!r}",
            remedy="define it at the top level",
        )
    cls: type = value
    name = writer.define(cls, cls.__name__ if namespace.get(cls.__name__) is cls else hint or cls.__name__)
    user = value.__name__
    if name != node.name:
        node.name = name
    text = ast.unparse(node)
    code = compile(text, "", "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True)
    now, later = _names(code)
    for annotation in _annotations(node):
        now.update({entry.id: True for entry in ast.walk(annotation) if isinstance(entry, ast.Name)})
    with writer.opened(value):
        bind_names(writer, {used: assigned for used, assigned in now.items() if used != name}, namespace, user)
        writer.copy_modules(node)
    writer.add(text + "\n")
    writer.created(value, name)
    bind_names(writer, later, namespace, user, strict=True)
    for attribute, content in _changed(value, node):
        demand_no_secret(Use(user, attribute), attribute, content)
        writer.add(f"{name}.{attribute} = {writer.emit(content, Use(user, attribute))}")
    return name


def _emit_namedtuple(writer: Writer, cls: Any, use: Use, hint: str) -> str:
    """A named tuple that a call made, not a class statement."""
    name = writer.define(cls, hint or cls.__name__)
    defaults = writer.emit(tuple(cls._field_defaults.values()), use)
    writer.add_import("from collections import namedtuple as _namedtuple")
    writer.add(f"{name} = _namedtuple({cls.__name__!r}, {cls._fields!r}, defaults={defaults})")
    return writer.created(cls, name)


def _namespace(cls: type) -> Mapping[str, Any]:
    for function in functions_of(cls).values():
        return function.__globals__
    return vars(sys.modules.get(cls.__module__, sys))


def _cells(cls: type) -> set[str]:
    """Variables of a function around the class that its methods use."""
    return {
        variable
        for function in functions_of(cls).values()
        for variable in function.__code__.co_freevars
        if variable != "__class__"
    }


def _names(code: CodeType) -> tuple[dict[str, bool], dict[str, bool]]:
    """The names that a class statement needs at once, and those that its methods need when they run."""
    now: dict[str, bool] = {}
    later: dict[str, bool] = {}
    waiting = [code]
    while waiting:
        body = waiting.pop()
        now.update(own_names(body))
        for constant in body.co_consts:
            if not isinstance(constant, CodeType):
                continue
            if not constant.co_flags & inspect.CO_OPTIMIZED:  # the body of a class
                waiting.append(constant)
            elif constant.co_name.startswith("<"):  # comprehensions run with the statement
                now.update(code_names(constant))
            else:
                later.update(code_names(constant))
    return now, later


def _annotations(node: ast.ClassDef) -> Iterator[ast.expr]:
    """Annotations in the body, which data classes and models read."""
    return (entry.annotation for entry in node.body if isinstance(entry, ast.AnnAssign))


def _changed(cls: type, node: ast.ClassDef) -> Iterator[tuple[str, Any]]:
    """Attributes that were set or replaced after the class statement."""
    if issubclass(cls, enum.Enum):
        return
    literals = dict(literals_in(node.body))
    decorated = {entry.name for entry in node.body if isinstance(entry, ast.FunctionDef) and entry.decorator_list}
    for name, value in vars(cls).items():
        if name.startswith("__") or name in decorated:
            continue
        if isinstance(value, FunctionType):
            if value.__qualname__ != f"{cls.__qualname__}.{name}" and not value.__code__.co_filename.startswith("<"):
                yield name, value
        elif type(value) in _PLAIN and (name not in literals or repr(literals[name]) != repr(value)):
            yield name, value
