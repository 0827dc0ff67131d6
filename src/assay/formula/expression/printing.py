"""Trees back to text that the parser reads as the same tree."""

from __future__ import annotations

from assay.formula.expression.expression import Apply, Expression, Number, Symbol

__all__ = ["to_text"]

_CONSTANTS = {"pi": "pi", "e": "E", "i": "I", "nan": "nan"}
# how tightly each form binds; an argument that binds less tightly than needed is put in brackets
_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = 1, 2, 3, 4, 5


def to_text(expression: Expression) -> str:
    """A formula in the plain dialect.

    >>> from assay.formula.expression.parser import parse
    >>> to_text(parse("a - (b - 2)*c^-0.5/sin(x)"))
    'a - (b - 2)*c**(-0.5)/sin(x)'
    """
    return _print(expression)[0]


def _print(expression: Expression) -> tuple[str, int]:
    if isinstance(expression, Number):
        return repr(expression.value), _SIGN if _signed(expression) else _ATOM
    if isinstance(expression, Symbol):
        return expression.name, _ATOM
    if expression.op in _CONSTANTS:
        return _CONSTANTS[expression.op], _ATOM
    if expression.op == "add":
        return _sum(expression), _SUM
    if expression.op == "mul":
        first, *rest = expression.args
        # a quotient that is not the first factor needs brackets, else it would swallow what stands before it
        return "*".join([_bracket(first, _PRODUCT), *(_bracket(part, _POWER) for part in rest)]), _PRODUCT
    if expression.op == "div":
        return f"{_bracket(expression.args[0], _PRODUCT)}/{_bracket(expression.args[1], _POWER)}", _PRODUCT
    if expression.op == "neg":
        return f"-{_bracket(expression.args[0], _POWER)}", _SIGN
    if expression.op == "pow":
        return f"{_bracket(expression.args[0], _ATOM)}**{_bracket(expression.args[1], _POWER)}", _POWER
    return f"{expression.op}({', '.join(_print(argument)[0] for argument in expression.args)})", _ATOM


def _signed(number: Number) -> bool:
    return repr(number.value).startswith("-")


def _sum(expression: Apply) -> str:
    parts: list[str] = []
    for place, term in enumerate(expression.args):
        if place and isinstance(term, Number) and _signed(term):
            parts.append(f" - {repr(term.value)[1:]}")
        elif place and isinstance(term, Apply) and term.op == "neg":
            inner = term.args[0]
            # "a - -2" would be read as a - (-2): the tree of neg(-2) does not come from the parser
            parts.append(f" - {_bracket(inner, _PRODUCT)}")
        else:
            parts.append((" + " if place else "") + _bracket(term, _PRODUCT))
    return "".join(parts)


def _bracket(expression: Expression, needed: int) -> str:
    text, binding = _print(expression)
    return text if binding >= needed else f"({text})"
