"""Calls in a source that is followed without being run: its own functions, and builtins that pass a row on."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.insight.leakage.static.reads import Reads
from assay.insight.leakage.static.values import (
    OTHER,
    Function,
    Scope,
    Value,
    defaults_of,
    fold_call,
    fold_method,
    holding,
    join,
    mix,
    of_row,
)

__all__ = ["MOST_PARTS", "ROW", "Calls", "TooLong"]

MOST_PARTS = 64
ROW = of_row("row")

_STEPS = 60_000  # nodes looked at, over all calls
_DEEPEST_CALL = 8
_FILLING = {"append", "appendleft", "add", "insert"}
_KEEPING = {"dict", "iter", "copy.copy", "copy.deepcopy", "collections.OrderedDict", "pandas.Series"}
_KEEPING |= {"pandas.DataFrame", "pandas.to_numeric"}
_LISTING = {"list", "tuple", "sorted", "set", "reversed", "numpy.array", "numpy.asarray", "enumerate", "next", "str"}
_LISTING |= {"max", "min", "sum", "hash", "repr", "json.dumps", "any", "all", "collections.deque"}


class TooLong(Exception):
    """The source takes more steps to follow than it is worth."""


class Calls:
    """What calls give back; statements and expressions are followed by the class built on it."""

    def __init__(self, reads: Reads) -> None:
        self.reads = reads
        self.steps = _STEPS
        self.branches = 0
        self.attributes: dict[str, Value] = {}  # of objects of the source's own classes
        self.methods: dict[str, Function] = {}
        self._calls: list[ast.AST] = []

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """What an expression may stand for; reads in it are written down."""
        raise NotImplementedError

    def body(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Follow statements in order."""
        raise NotImplementedError

    def elements(self, elements: Sequence[ast.expr], scope: Scope) -> Iterator[Value]:
        """The values of a list of expressions; a starred one is one of its elements."""
        for element in elements:
            if isinstance(element, ast.Starred):
                value = self.value(element.value, scope)
                yield self.reads.element(value, element)
            else:
                yield self.value(element, scope)

    def called(self, node: ast.Call, scope: Scope) -> Value:
        """A call as it is written."""
        arguments = list(self.elements(node.args[:MOST_PARTS], scope))
        named = {str(keyword.arg): self.value(keyword.value, scope) for keyword in node.keywords[:MOST_PARTS]}
        if isinstance(node.func, ast.Attribute):
            base = self.value(node.func.value, scope)
            holder = node.func.value
            if isinstance(holder, ast.Name) and base.kind == "other" and node.func.attr in _FILLING and arguments:
                scope.names[holder.id] = holding(*base.parts[: MOST_PARTS - 1], arguments[-1])
            return self._method(base, node.func.attr, arguments, named, node)
        return self.call(self.value(node.func, scope), arguments, named, node)

    def _method(self, base: Value, name: str, arguments: list[Value], named: dict[str, Value], node: ast.Call) -> Value:
        everything = [*arguments, *named.values()]
        for argument in everything:
            if argument.function is not None and base.kind not in ("module", "class"):
                each = ROW if base.kind == "frame" and name in ("apply", "agg") else self.reads.element(base, node)
                self.apply(argument.function, [each if base.kind != "row" else OTHER], {})
        if base.kind == "module":
            return self.call(Value(kind="module", name=f"{base.name}.{name}"), arguments, named, node)
        consts = fold_method(base, name, arguments)
        if consts:
            return Value(consts=consts)
        result = self.reads.method(base, name, everything, node)
        if result is not None:
            return result
        if name in self.methods:
            return self.apply(self.methods[name], [base, *arguments], named)
        if name in ("values", "copy", "items") and base.parts:
            return base
        return mix((base, *everything))

    def call(self, called: Value, arguments: list[Value], named: dict[str, Value], node: ast.AST) -> Value:
        """What calling something with these arguments gives."""
        everything = [*arguments, *named.values()]
        first = arguments[0] if arguments else OTHER
        for key, value in named.items():
            self.attributes[key] = join((self.attributes.get(key, OTHER), value))
        if called.function is not None:
            if called.kind == "class":
                self.apply(called.function, [OTHER, *arguments], named)
                return OTHER
            return self.apply(called.function, arguments, named)
        name = called.name if called.kind == "module" else ""
        if name in ("getattr", "operator.getitem") and len(arguments) > 1:
            return self.reads.item(first, arguments[1], node)
        if name.startswith("pandas.Series.") and len(arguments) > 1:
            rest = everything[1:]
            return self.reads.method(first, name.rsplit(".", 1)[1], rest, node) or mix((first, *rest))
        if name in ("operator.itemgetter", "operator.attrgetter", "operator.methodcaller"):
            return Value(kind="other", name="getter", parts=tuple(arguments[-1:]))
        if called.name == "getter" and called.parts:
            return self.reads.item(first, called.parts[0], node)
        if name == "functools.partial" and first.function is not None:
            bound = replace(first.function, bound=tuple(arguments[1:]), named=tuple(named.items()))
            return replace(first, function=bound)
        if name in ("map", "filter", "functools.reduce", "sorted") and everything:
            return self._mapped(arguments, named, node)
        consts = fold_call(name, arguments)
        if consts:
            return Value(consts=consts)
        if name in _KEEPING and first.kind != "other":
            return replace(first, kind="mapping") if name == "dict" and first.kind in ("row", "items") else first
        if name in _LISTING:
            return self._listed(name, first, node)
        return mix(everything)

    def _listed(self, name: str, source: Value, node: ast.AST) -> Value:
        if source.kind in ("row", "values"):
            if name in ("list", "tuple", "reversed", "iter", "next", "enumerate", "numpy.array", "numpy.asarray"):
                return replace(source, kind="values")
            self.reads.element(source, node)
            return of_row()
        if source.kind in ("keys", "mapping", "items"):
            return replace(source, kind="items" if source.kind == "items" else "keys")
        if name == "enumerate":
            return holding(holding(OTHER, self.reads.element(source, node)))
        if name in ("str", "hash", "repr", "json.dumps"):
            return mix((source,))
        return self.reads.element(source, node) if name in ("max", "min", "next", "sum") else source

    def _mapped(self, arguments: list[Value], named: dict[str, Value], node: ast.AST) -> Value:
        function = arguments[0] if arguments[0].function is not None else named.get("key", OTHER)
        over = arguments[-1]
        each = self.reads.element(over, node)
        if function.function is None:
            if function.name == "getter" and function.parts:
                self.reads.item(each, function.parts[0], node)
            return holding(each)
        return holding(self.apply(function.function, [each] * max(1, len(arguments) - 1), {}))

    def apply(self, function: Function, arguments: Sequence[Value], named: dict[str, Value]) -> Value:
        """Follow a function of the source with its parameters bound; gives what it may return."""
        node = function.node
        if len(self._calls) >= _DEEPEST_CALL or self._calls.count(node) >= 2:
            return OTHER
        scope = Scope(function.scope)
        declared = node.args
        parameters = [*declared.posonlyargs, *declared.args]
        scope.names |= {parameter.arg: OTHER for parameter in (*parameters, *declared.kwonlyargs)}
        for name, default in defaults_of(declared):
            scope.names[name] = self.value(default, function.scope)
        values = [*function.bound, *arguments]
        for parameter, value in zip(parameters, values, strict=False):
            scope.names[parameter.arg] = value
        if declared.vararg is not None:
            scope.names[declared.vararg.arg] = holding(*values[len(parameters) :])
        for name, value in (*function.named, *named.items()):
            scope.names[name] = value
        self._calls.append(node)
        branches, self.branches = self.branches, 0
        if isinstance(node, ast.Lambda):
            scope.returned = self.value(node.body, scope)
        else:
            self.body(node.body, scope)
        self.branches = branches
        self._calls.pop()
        return scope.returned
