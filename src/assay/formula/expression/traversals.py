"""Formulas without brackets: operations before their arguments, as DSO lists them, or behind, as AI Feynman does."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from assay.core import InvalidInput
from assay.formula.expression.calls import apply, arity_of, is_function
from assay.formula.expression.dialects import Dialect
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
)
from assay.formula.expression.tokens import Token

__all__ = ["is_traversal", "read_postfix", "read_traversal"]

_ONE, _TWO = Number(1), Number(2)
_POSTFIX = re.compile(r"\s*[01a-nP+*/<>~\\LESCANTROJ-]+\s*\Z")
_BEHIND_TWO: Mapping[str, Callable[[Expression, Expression], Expression]] = {
    "+": add,
    "*": multiply,
    "-": lambda a, b: add(a, negate(b)),
    "/": divide,
}
_BEHIND_ONE: Mapping[str, Callable[[Expression], Expression]] = {
    ">": lambda a: add(a, _ONE),
    "<": lambda a: add(a, Number(-1)),
    "~": negate,
    "\\": lambda a: power(a, Number(-1)),
    "O": lambda a: multiply(_TWO, a),
    "J": lambda a: add(multiply(_TWO, a), _ONE),
}
_BEHIND_NAMED = {"L": "log", "E": "exp", "S": "sin", "C": "cos", "A": "abs", "N": "asin", "T": "atan", "R": "sqrt"}


def read_postfix(text: str) -> Expression | None:
    """A string of AI Feynman's brute force: ``ab*S`` is sin(x0*x1). None where it is written otherwise.

    >>> read_postfix("ab*S>")
    Apply(sin(x0*x1) + 1, 6 nodes)
    >>> read_postfix("x0 + x1") is None
    True
    """
    if not _POSTFIX.match(text):
        return None
    stack: list[Expression] = []
    for sign in text.strip():
        if sign in _BEHIND_TWO and len(stack) > 1:
            last = stack.pop()
            stack[-1] = _BEHIND_TWO[sign](stack[-1], last)
        elif sign in _BEHIND_ONE and stack:
            stack[-1] = _BEHIND_ONE[sign](stack[-1])
        elif sign in _BEHIND_NAMED and stack:
            stack[-1] = Apply(_BEHIND_NAMED[sign], (stack[-1],))
        elif sign.isdigit():
            stack.append(Number(int(sign)))
        elif sign.islower() or sign == "P":
            stack.append(Apply("pi", ()) if sign == "P" else Symbol(f"x{ord(sign) - ord('a')}"))
        else:
            return None
    return stack[0] if len(stack) == 1 else None


def is_traversal(tokens: Sequence[Token], dialect: Dialect) -> bool:
    """Whether names and numbers stand between commas, and the first of them is an operation."""
    return (
        len(tokens) > 2
        and tokens[1].kind == "comma"
        and tokens[0].kind == "name"
        and is_function(tokens[0].text, dialect)
        and all(token.kind in ("name", "number", "comma") or token.text == "-" for token in tokens)
    )


def read_traversal(tokens: Sequence[Token], dialect: Dialect, leaf: Callable[[Token], Expression]) -> Expression:
    """A list of operations, each before its arguments: ``add,mul,x1,x1,sin,x2``."""
    stack: list[Expression] = []
    expects_comma = False
    for place in range(len(tokens) - 1, -1, -1):
        token = tokens[place]
        if (token.kind == "comma") != expects_comma and token.text != "-":
            raise InvalidInput(f"the formula has {token.text!r} at position {token.position} where none is allowed.")
        if token.text == "-":
            if not expects_comma or not isinstance(stack[-1], Number):
                raise InvalidInput(f"the formula has '-' at position {token.position} where a value is expected.")
            stack[-1] = negate(stack[-1])
            continue
        expects_comma = not expects_comma
        if token.kind == "comma":
            continue
        if token.kind == "name" and is_function(token.text, dialect):
            count = arity_of(token.text, dialect)
            if count is None or count > len(stack):
                raise InvalidInput(f"the operation {token.text!r} at position {token.position} lacks arguments.")
            arguments = [stack.pop() for _ in range(count)]
            stack.append(apply(token.text, arguments, dialect))
        else:
            stack.append(leaf(token))
    if len(stack) != 1:
        raise InvalidInput(f"the formula is a list of {len(stack)} formulas; give one.")
    return stack[0]
