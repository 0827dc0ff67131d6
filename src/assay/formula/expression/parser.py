"""From the text of a formula to its tree: our own grammar, nothing is executed."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.core import InvalidInput, UnknownName
from assay.formula.expression.dialects import Dialect, DialectName, find_dialect, resolve_names
from assay.formula.expression.expression import (
    Apply,
    Expression,
    Number,
    Symbol,
    add,
    divide,
    multiply,
    negate,
    power,
    symbols_of,
)
from assay.formula.expression.functions import CONSTANTS, NUMERIC
from assay.formula.expression.tokens import Token, tokenize

__all__ = ["parse", "rename"]

_UNARY = 3
_BINARY = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 4}
_BUILD: Mapping[str, Callable[[Expression, Expression], Expression]] = {"/": divide, "**": power}
_CHAINS = {"+": "add", "-": "add", "*": "mul"}
_ONE, _TWO = Number(1), Number(2)

# operations that are written with others
_IN_WORDS: Mapping[str, str] = {
    "squareroot": "sqrt",
    "root": "sqrt",
    "cuberoot": "cbrt",
    "power": "pow",
    "exponential": "exp",
    "logarithm": "log",
    "naturallog": "log",
    "absolute": "abs",
    "absolutevalue": "abs",
    "sine": "sin",
    "cosine": "cos",
    "tangent": "tan",
    "signum": "sign",
    "minimal": "min",
    "maximal": "max",
}
_SPELLED: Mapping[str, tuple[int, Callable[..., Expression]]] = {
    "sub": (2, lambda a, b: add(a, negate(b))),
    "sigmoid": (1, lambda a: divide(_ONE, add(_ONE, Apply("exp", (negate(a),))))),
    "relu": (1, lambda a: Apply("max", (a, Number(0)))),
    "log_abs": (1, lambda a: Apply("log", (Apply("abs", (a,)),))),
    "exp2": (1, lambda a: power(_TWO, a)),
}
# names that are constants unless the data have a column of that name
_NAMED = {"pi": "pi", "E": "e", "I": "i", "zoo": "nan", "nan": "nan", "oo": "nan", "inf": "nan", "NaN": "nan"}
_LONGEST_WHOLE = 15


class _Chain(NamedTuple):
    """A sum or product that may still grow: a tree for every length of it would cost the square of its length."""

    op: str
    parts: list[Expression]


def _closed(value: Expression | _Chain) -> Expression:
    if not isinstance(value, _Chain):
        return value
    return add(*value.parts) if value.op == "add" else multiply(*value.parts)


def _chained(left: Expression | _Chain, operator: str, right: Expression) -> _Chain:
    op = _CHAINS[operator]
    chain = left if isinstance(left, _Chain) and left.op == op else _Chain(op, [_closed(left)])
    chain.parts.append(negate(right) if operator == "-" else right)
    return chain


@dataclass(slots=True)
class _Reader:
    """Two stacks: values read, and operations that wait for their right side."""

    dialect: Dialect
    names: Collection[str] | None
    values: list[Expression | _Chain] = field(default_factory=list)
    # an operator with its rank; "(" with rank 0; a call with its name and the values that lay there before it
    waiting: list[tuple[str, int]] = field(default_factory=list)
    calls: list[tuple[str, int]] = field(default_factory=list)

    def reduce(self, rank: int, *, right: bool = False) -> None:
        while (
            self.waiting
            and self.waiting[-1][1]
            and (self.waiting[-1][1] > rank or (self.waiting[-1][1] == rank and not right))
        ):
            operator, _ = self.waiting.pop()
            last = _closed(self.values.pop())
            if operator == "u-":
                self.values.append(negate(last))
            elif operator == "u+":
                self.values.append(last)
            elif operator in _CHAINS:
                self.values[-1] = _chained(self.values[-1], operator, last)
            else:
                self.values[-1] = _BUILD[operator](_closed(self.values[-1]), last)

    def close(self, token: Token) -> None:
        self.reduce(1)
        if not self.waiting:
            raise InvalidInput(f"the formula closes a bracket at position {token.position} that was never opened.")
        kind, _ = self.waiting.pop()
        if kind == "call":
            name, before = self.calls.pop()
            arguments = [_closed(value) for value in self.values[before:]]
            del self.values[before:]
            self.values.append(_apply(name, arguments, self.dialect))

    def name(self, token: Token) -> Expression:
        if self.names is not None and token.text in self.names:
            return Symbol(token.text)
        if token.text in _NAMED:
            return Apply(_NAMED[token.text], ())
        return Symbol(token.text)


def parse(
    text: str,
    *,
    names: Collection[str] | None = None,
    columns: Collection[str] | None = None,
    dialect: DialectName = "auto",
) -> Expression:
    """Read a formula; nothing is evaluated as code.

    Parameters
    ----------
    text : str
        The formula.
    names : collection of str, optional
        The variables that exist: they win over constants of the same name (``E``, ``I``, ``pi``), and any other
        variable is an error. By default every name is a variable.
    columns : collection of str, optional
        The same in the order of the data; then a model may also count columns (``x0``, ``X1``, ``x[:,0]``).
    dialect : {"auto", "plain", "gplearn", "operon", "pysr"}, default "auto"
        How the formula is written.

    Returns
    -------
    Expression
        The formula as a tree.

    Raises
    ------
    InvalidInput
        The text cannot be read; the message names the place.
    UnknownName
        A variable or function does not exist.

    Examples
    --------
    >>> parse("2*x^2 + add(y, 1)", dialect="plain").nodes
    8
    >>> from assay.formula.expression.expression import to_text
    >>> to_text(parse("mul(X1, X0)", columns=["mass", "speed"]))
    'speed*mass'
    >>> parse("x + spede", names=["x", "speed"])
    Traceback (most recent call last):
        ...
    assay.core.errors.UnknownName: No variable named 'spede'. Did you mean 'speed'? Known: speed, x.
    """
    tokens = tokenize(text)
    chosen = find_dialect(dialect, tokens)
    known = names if names is not None else columns
    expression = _read(tokens, _Reader(dialect=chosen, names=known))
    if columns is not None:
        ordered = list(columns)
        mapping = resolve_names(symbols_of(expression), ordered, first_column=chosen.first_column)
        return rename(expression, mapping)
    if names is not None:
        for name in symbols_of(expression):
            if name not in names:
                raise UnknownName("variable", name, names)
    return expression


def _read(tokens: list[Token], reader: _Reader) -> Expression:
    expects_value = True
    for place, token in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        if token.kind in {"number", "name"} or token.kind == "open":
            if not expects_value:
                raise InvalidInput(
                    f"the formula has no operator before {token.text!r} at position {token.position}. Products are "
                    "written with *."
                )
            if token.kind == "number":
                reader.values.append(_number(token))
                expects_value = False
            elif token.kind == "open":
                called = place > 0 and reader.waiting and reader.waiting[-1][0] == "called"
                reader.waiting[-1:] = [("call", 0)] if called else [*reader.waiting[-1:], ("(", 0)]
            elif following is not None and following.kind == "open":
                reader.calls.append((token.text, len(reader.values)))
                reader.waiting.append(("called", 0))
            else:
                reader.values.append(reader.name(token))
                expects_value = False
        elif token.kind == "operator":
            expects_value = _operator(token, reader, expects_value)
        elif expects_value:
            raise InvalidInput(f"the formula has {token.text!r} at position {token.position} where a value must stand.")
        elif token.kind == "close":
            reader.close(token)
        else:
            reader.reduce(1)
            if not reader.waiting or reader.waiting[-1][0] != "call":
                raise InvalidInput(f"the formula has a comma at position {token.position} outside of a function.")
            expects_value = True
    if expects_value:
        raise InvalidInput("the formula ends where a value must stand.")
    reader.reduce(1)
    if reader.waiting:
        raise InvalidInput("the formula opens a bracket that is never closed.")
    return _closed(reader.values[0])


def _operator(token: Token, reader: _Reader, expects_value: bool) -> bool:
    if expects_value:
        if token.text not in "+-":
            raise InvalidInput(f"the formula has {token.text!r} at position {token.position} where a value must stand.")
        reader.waiting.append((f"u{token.text}", _UNARY))
    else:
        rank = _BINARY[token.text]
        reader.reduce(rank, right=token.text == "**")
        reader.waiting.append((token.text, rank))
    return True


def _number(token: Token) -> Number:
    if token.text.isdigit() and len(token.text) <= _LONGEST_WHOLE:
        return Number(int(token.text))
    value = float(token.text)
    if math.isinf(value):
        raise InvalidInput(f"the formula has the number {token.text[:30]}, which is too large.")
    return Number(value)


def _apply(name: str, arguments: list[Expression], dialect: Dialect) -> Expression:
    operation = dialect.operations.get(name, name)
    if operation in _SPELLED:
        least, build = _SPELLED[operation]
        most = least
    elif operation in NUMERIC:
        least, most = NUMERIC[operation].least, NUMERIC[operation].most
        build = add if operation == "add" else multiply if operation == "mul" else _plain_apply(operation)
    else:
        raise _unknown_function(name, dialect)
    if operation == "log" and len(arguments) == 2:
        return divide(Apply("log", (arguments[0],)), Apply("log", (arguments[1],)))
    if not least <= len(arguments) <= most:
        wanted = str(least) if least == most else f"at least {least}"
        raise InvalidInput(f"the function {name!r} takes {wanted} arguments, got {len(arguments)}.")
    return build(*arguments)


def _unknown_function(name: str, dialect: Dialect) -> InvalidInput:
    """Names in plain words are known, though not read; only a name that is near none gets the long list."""
    if (meant := _IN_WORDS.get(name.lower().replace("_", ""))) is not None:
        return InvalidInput(f"No function named {name!r}. Did you mean {meant!r}?")
    return UnknownName("function", name, sorted({*NUMERIC, *_SPELLED, *dialect.operations}))


def _plain_apply(operation: str) -> Callable[..., Expression]:
    if operation == "neg":
        return negate
    return lambda *arguments: Apply(operation, tuple(arguments))


def rename(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The same tree with other names of variables; names that are not in the mapping stay.

    >>> rename(parse("a + b"), {"a": "b", "b": "a"})
    Apply(b + a, 3 nodes)
    """
    if isinstance(expression, Symbol):
        return Symbol(names.get(expression.name, expression.name))
    if isinstance(expression, Apply) and expression.op not in CONSTANTS:
        return Apply(expression.op, tuple(rename(argument, names) for argument in expression.args))
    return expression
