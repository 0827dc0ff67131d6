"""A canonical form, reached in one bounded pass: quotients and roots as powers, like terms together, a fixed order.

The work is limited by the size of the tree and never by a clock, so a formula has the same form on every machine.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from assay.formula.expression.expression import Apply, Expression, Number, Symbol, add, multiply, power
from assay.formula.expression.functions import CONSTANTS

__all__ = ["blind_key", "canonical", "is_number"]

Value: TypeAlias = int | float

_HALF = Number(0.5)
_MINUS = Number(-1)
_LARGEST_WHOLE = 10**15
_ORDERLESS = {"max", "min", "and", "or", "eq", "ne"}
_TURNED = {"gt": "lt", "ge": "le"}
_OPPOSITE = {"lt": "le", "le": "lt", "eq": "ne", "ne": "eq"}
_UNDONE = {"exp": "log", "log": "exp"}
_NAMED = {name: value.real for name, value in CONSTANTS.items() if name in {"pi", "e"}}
_FOLDED: Mapping[str, Callable[[float], float]] = {
    "exp": math.exp, "log": math.log, "sin": math.sin, "cos": math.cos, "tan": math.tan, "tanh": math.tanh,
    "sinh": math.sinh, "cosh": math.cosh, "abs": abs, "atan": math.atan, "asin": math.asin, "acos": math.acos,
}  # fmt: skip


def is_number(expression: Expression) -> bool:
    """Whether it is a number or a named constant."""
    return isinstance(expression, Number) or (isinstance(expression, Apply) and expression.op in _NAMED)


def canonical(expression: Expression) -> Expression:
    """The canonical form of a formula; where both are defined it has the same values.

    >>> from assay.formula.expression.parser import parse
    >>> from assay.formula.expression.expression import to_text
    >>> to_text(canonical(parse("x/y + 2*x/y - sqrt(y)*sqrt(y)")))
    '-1*y + 3*x*y**(-1)'
    >>> canonical(parse("b*a")) == canonical(parse("a/(1/b)"))
    True
    """
    if not isinstance(expression, Apply) or expression.op in CONSTANTS:
        return expression
    return _rebuild(expression.op, [canonical(argument) for argument in expression.args])


def _rebuild(op: str, args: list[Expression]) -> Expression:
    if op == "add":
        return _sum(args)
    if op == "mul":
        return _product(args)
    if op == "neg":
        return _product([_MINUS, args[0]])
    if op in {"div", "inv"}:
        numerator = args[0] if op == "div" else Number(1)
        return _product([numerator, _power(args[-1], _MINUS)])
    if op == "pow":
        return _power(args[0], args[1])
    if op in {"square", "cube", "sqrt"}:
        return _power(args[0], {"square": Number(2), "cube": Number(3), "sqrt": _HALF}[op])
    inner = args[0]
    if op in _TURNED:
        return Apply(_TURNED[op], (args[1], args[0]))
    if op == "not" and isinstance(inner, Apply) and inner.op in _OPPOSITE:
        turned = inner.args if inner.op in ("eq", "ne") else inner.args[::-1]
        return Apply(_OPPOSITE[inner.op], turned)
    if op in ("and", "or"):
        args = list(dict.fromkeys(_opened(op, args)))
        if len(args) == 1:
            return args[0]
    if op in _UNDONE and isinstance(inner, Apply) and inner.op == _UNDONE[op]:
        return inner.args[0]
    if op in _FOLDED and isinstance(inner, Number):
        folded = _fold(op, inner.value)
        if folded is not None:
            return folded
    return Apply(op, tuple(sorted(args, key=blind_key) if op in _ORDERLESS else args))


def _fold(op: str, value: Value) -> Number | None:
    try:
        result = float(_FOLDED[op](value))
    except (ValueError, OverflowError):
        return None
    return Number(_tidy(result)) if math.isfinite(result) else None


def _tidy(value: Value) -> Value:
    """Whole numbers as such, so that 2.0 and 2 are one thing."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE:
        return int(value)
    return value if isinstance(value, float) or abs(value) < _LARGEST_WHOLE else float(value)


def _sum(terms: Iterable[Expression]) -> Expression:
    terms = list(_opened("add", terms))
    constant: Value = 0
    weights: dict[Expression, Value] = {}
    for term in terms:
        if isinstance(term, Number):
            constant += term.value
        else:
            weight, rest = _split_weight(term)
            weights[rest] = weights.get(rest, 0) + weight
    if not all(map(_is_double, (constant, *weights.values()))):
        return add(*sorted(terms, key=blind_key))
    parts = [_product([Number(weight), rest]) for rest, weight in weights.items() if weight]
    if constant or not parts:
        parts.append(Number(_tidy(constant)))
    return add(*sorted(parts, key=blind_key))


def _multiplied(numbers: Iterable[Value]) -> Value:
    try:
        return math.prod(numbers)
    except OverflowError:  # a whole number that no double holds times a decimal
        return math.inf


def _is_double(value: Value) -> bool:
    """Whether a double holds it; numbers beyond stay in the tree as they are written."""
    return abs(value) <= sys.float_info.max


def _opened(op: str, parts: Iterable[Expression]) -> Iterable[Expression]:
    for part in parts:
        if isinstance(part, Apply) and part.op == op:
            yield from part.args
        else:
            yield part


def _split_weight(term: Expression) -> tuple[Value, Expression]:
    if isinstance(term, Apply) and term.op == "mul" and isinstance(term.args[0], Number):
        return term.args[0].value, multiply(*term.args[1:])
    return 1, term


def _product(factors: Iterable[Expression]) -> Expression:
    factors = list(_opened("mul", factors))
    constant = _multiplied(factor.value for factor in factors if isinstance(factor, Number))
    if not _is_double(constant):
        return multiply(*sorted(factors, key=blind_key))
    if constant == 0:
        return Number(_tidy(constant))
    exponents: dict[Expression, list[Expression]] = {}
    for factor in factors:
        if not isinstance(factor, Number):
            base, exponent = factor.args if isinstance(factor, Apply) and factor.op == "pow" else (factor, Number(1))
            exponents.setdefault(base, []).append(exponent)
    parts: list[Expression] = []
    for base, powers in exponents.items():
        merged = _power(base, _sum(powers)) if len(powers) > 1 else power(base, powers[0])
        if len(powers) == 1 and powers[0] == Number(1):
            merged = base
        for part in _opened("mul", [merged]):
            if isinstance(part, Number):
                constant = _multiplied((constant, part.value))
            else:
                parts.append(part)
    if not _is_double(constant):
        return multiply(*sorted(factors, key=blind_key))
    parts.sort(key=blind_key)
    if constant != 1 or not parts:
        parts.insert(0, Number(_tidy(constant)))
    return multiply(*parts)


def _power(base: Expression, exponent: Expression) -> Expression:
    if isinstance(exponent, Number):
        exponent = Number(_tidy(exponent.value))
        if exponent.value == 0:
            return Number(1)
        if exponent.value == 1:
            return base
        if isinstance(base, Number):
            return _number_power(base.value, exponent.value) or power(base, exponent)
        whole = isinstance(exponent.value, int)
        if whole and isinstance(base, Apply) and base.op == "pow":
            return _power(base.args[0], _product([base.args[1], exponent]))
        if whole and isinstance(base, Apply) and base.op == "mul":
            return _product([_power(factor, exponent) for factor in base.args])
    return power(base, exponent)


def _number_power(base: Value, exponent: Value) -> Number | None:
    try:
        result = float(base) ** float(exponent)
    except (ArithmeticError, ValueError):
        return None
    return Number(_tidy(result)) if isinstance(result, float) and math.isfinite(result) else None


def blind_key(expression: Expression) -> tuple[int, int, str]:
    """An order of terms that does not see the values of constants: numbers first, then by size and spelling."""
    if isinstance(expression, Number):
        return (0, 1, "")
    return (1, expression.nodes, _spelling(expression))


def _spelling(expression: Expression) -> str:
    if isinstance(expression, Number):
        return "c"
    if isinstance(expression, Symbol):
        return expression.name
    return f"{expression.op}({','.join(_spelling(argument) for argument in expression.args)})"
