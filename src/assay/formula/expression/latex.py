"""Formulas as they are written by hand, in LaTeX: fractions, powers, roots, indices, Greek letters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.formula.expression.expression import Apply, Expression, Number, Symbol
from assay.formula.expression.functions import CONSTANTS

__all__ = ["to_latex"]

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi rho sigma tau phi chi psi omega hbar"
)
_GREEK = frozenset(_GREEK_NAMES.split())
_CONSTANTS = {"pi": r"\pi", "e": "e", "i": "i", "nan": r"\text{undefined}"}
# how tightly each form binds; an argument that binds less tightly than needed is put in brackets
_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4
_INDEXED = re.compile(r"^(?P<stem>[^\W\d_]+)(?:_(?P<under>\w+)|(?P<number>\d+))$")


def to_latex(expression: Expression) -> str:
    r"""A formula in LaTeX, with numbers rounded to four digits.

    >>> from assay.formula.expression.parser import parse
    >>> to_latex(parse("2.5*x1**2/(theta + 1) - sqrt(y)"))
    '\\frac{2.5 \\, x_{1}^{2}}{\\theta + 1} - \\sqrt{y}'
    """
    return _print(expression)[0]


def _print(expression: Expression) -> tuple[str, int]:
    """The text and how tightly it binds."""
    if isinstance(expression, Number):
        return _number(expression.value)
    if isinstance(expression, Symbol):
        return _symbol(expression.name), _ATOM
    if expression.op in CONSTANTS:
        return _CONSTANTS[expression.op], _ATOM
    args = expression.args
    match expression.op:
        case "add":
            return _sum(args), _SUM
        case "neg":
            return f"-{_bracket(args[0], _PRODUCT)}", _SUM
        case "mul":
            return _product(args), _PRODUCT
        case "div" | "protected_div":
            return _fraction(args[0], args[1]), _PRODUCT
        case "inv" | "protected_inv":
            return _fraction(Number(1), args[0]), _PRODUCT
        case "pow":
            return f"{_bracket(args[0], _ATOM)}^{{{to_latex(args[1])}}}", _POWER
        case "square":
            return f"{_bracket(args[0], _ATOM)}^{{2}}", _POWER
        case "cube":
            return f"{_bracket(args[0], _ATOM)}^{{3}}", _POWER
        case "exp":
            return f"e^{{{to_latex(args[0])}}}", _POWER
        case "sqrt":
            return rf"\sqrt{{{to_latex(args[0])}}}", _ATOM
        case "protected_sqrt":
            return rf"\sqrt{{{_size(args[0])}}}", _ATOM
        case "abs":
            return _size(args[0]), _ATOM
        case "protected_log":
            return rf"\operatorname{{log}} {_size(args[0])}", _ATOM
    listed = ", ".join(to_latex(argument) for argument in args)
    return rf"\operatorname{{{expression.op}}} \left( {listed} \right)", _ATOM


def _bracket(expression: Expression, needed: int) -> str:
    text, binding = _print(expression)
    return text if binding >= needed else rf"\left( {text} \right)"


def _size(expression: Expression) -> str:
    return rf"\left| {to_latex(expression)} \right|"


def _fraction(above: Expression, below: Expression) -> str:
    return rf"\frac{{{to_latex(above)}}}{{{to_latex(below)}}}"


def _number(value: float) -> tuple[str, int]:
    text = f"{value}" if isinstance(value, int) else f"{value:.4g}"
    digits, _, exponent = text.partition("e")
    if exponent:
        return rf"{digits} \cdot 10^{{{int(exponent)}}}", _SUM if value < 0 else _PRODUCT
    return digits, _SUM if value < 0 else _ATOM


def _symbol(name: str) -> str:
    parts = _INDEXED.match(name)
    if parts is None:
        return _word(name)
    return f"{_word(parts['stem'])}_{{{_word(parts['under'] or parts['number'])}}}"


def _word(name: str) -> str:
    if name in _GREEK:
        return f"\\{name}"
    return name if len(name) == 1 or name.isdigit() else rf"\text{{{name}}}"


def _sum(terms: Sequence[Expression]) -> str:
    text = ""
    for place, term in enumerate(terms):
        positive, minus = _sign(term)
        if place:
            text += " - " if minus else " + "
        elif minus:
            text += "-"
        text += _bracket(positive, _PRODUCT)
    return text


def _sign(term: Expression) -> tuple[Expression, bool]:
    """A term and its sign apart, so that a sum shows no plus before a minus."""
    if isinstance(term, Number) and term.value < 0:
        return Number(-term.value), True
    if isinstance(term, Apply) and term.op == "neg":
        inside, minus = _sign(term.args[0])
        return inside, not minus
    if isinstance(term, Apply) and term.op == "mul":
        first, minus = _sign(term.args[0])
        if minus:
            rest = term.args[1:]
            return (Apply("mul", (first, *rest)) if first != Number(1) or len(rest) > 1 else rest[0]), True
    return term, False


def _product(factors: Sequence[Expression]) -> str:
    first, *rest = factors
    # a minus in front of the whole product needs no brackets
    text = to_latex(first) if isinstance(first, Number) else _bracket(first, _PRODUCT)
    for factor in rest:
        # a number behind something would be read as a part of it
        text += (r" \cdot " if isinstance(factor, Number) else r" \, ") + _bracket(factor, _PRODUCT)
    return text
