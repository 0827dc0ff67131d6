"""Expression trees: numbers, variables and operations; their size and variables, as text, in LaTeX, in notebooks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar, TypeAlias

from assay.core import InvalidInput
from assay.core.display import shortened, visible
from assay.formula.expression.functions import RELATIONS

__all__ = [
    "LONGEST_SHOWN",
    "MAX_DEPTH",
    "MAX_NODES",
    "Apply",
    "Expression",
    "Number",
    "Symbol",
    "add",
    "applied",
    "divide",
    "map_leaves",
    "multiply",
    "negate",
    "power",
    "subtrees",
    "symbols_of",
    "sympy_as_text",
    "to_latex",
    "to_text",
    "typeset",
]

MAX_NODES = 10_000
MAX_DEPTH = 200
_CONSTANT_TEXT = {"pi": "pi", "e": "E", "i": "I", "nan": "nan"}
_TYPESET = {"pi": r"\pi", "e": "e", "i": "i", "nan": r"\text{undefined}"}
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi rho sigma tau phi chi psi omega hbar"
)
_GREEK = frozenset(_GREEK_NAMES.split())
_INDEXED = re.compile(r"^(?P<stem>[^\W\d_]+)(?:_(?P<under>\w+)|(?P<number>\d+))$")
# how tightly each form binds; an argument that binds less tightly than needed is put in brackets
_RELATION, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = 0, 1, 2, 3, 4, 5
_JOINED = {"and": "And", "or": "Or", "not": "Not", "eq": "Eq", "ne": "Ne"}
_RELATED = {"lt": "<", "le": r"\le", "gt": ">", "ge": r"\ge", "eq": "=", "ne": r"\ne"}
_MOST_TYPESET = 60  # nodes; a larger formula is not read but counted
LONGEST_SHOWN = 78  # characters of a formula that is shown as text


class _Shown:
    """How every tree shows itself."""

    __slots__ = ()

    def __repr__(self: Expression) -> str:  # type: ignore[misc]
        size = "" if self.nodes == 1 else f", {self.nodes} nodes"
        return f"{type(self).__name__}({shortened(to_text(self), LONGEST_SHOWN)}{size})"

    def _repr_html_(self: Expression) -> str:  # type: ignore[misc]
        return typeset(self)


@dataclass(frozen=True, slots=True, repr=False)
class Number(_Shown):
    """A number as written: whole numbers are ``int`` and never refitted, others are ``float``."""

    value: int | float
    nodes: ClassVar[int] = 1
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, repr=False)
class Symbol(_Shown):
    """A variable."""

    name: str
    nodes: ClassVar[int] = 1
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, repr=False)
class Apply(_Shown):
    """An operation on its arguments; named constants such as ``pi`` are operations without arguments.

    Sums and products hold any number of terms, so a long sum is wide and not deep.
    """

    op: str
    args: tuple[Expression, ...]
    nodes: int = field(init=False, compare=False)
    depth: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        nodes = 1 + sum(argument.nodes for argument in self.args)
        depth = 1 + max((argument.depth for argument in self.args), default=0)
        if nodes > MAX_NODES:
            raise InvalidInput(f"the expression has more than {MAX_NODES} nodes; simplify it first.")
        if depth > MAX_DEPTH:
            raise InvalidInput(f"the expression is nested more than {MAX_DEPTH} levels deep; simplify it first.")
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "depth", depth)


Expression: TypeAlias = Number | Symbol | Apply


def sympy_as_text(value: Any) -> Any:
    """An expression of sympy as its text; everything else as it is."""
    symbolic = type(value).__module__.partition(".")[0] == "sympy" and hasattr(value, "free_symbols")
    return str(value) if symbolic else value


def add(*terms: Expression) -> Expression:
    """A sum; sums among the terms are opened.

    >>> add(Symbol("x"), add(Symbol("y"), Number(1))).nodes
    4
    """
    return _chain("add", terms)


def multiply(*factors: Expression) -> Expression:
    """A product; products among the factors are opened."""
    return _chain("mul", factors)


def _chain(op: str, parts: tuple[Expression, ...]) -> Expression:
    opened: list[Expression] = []
    for part in parts:
        if isinstance(part, Apply) and part.op == op:
            opened.extend(part.args)
        else:
            opened.append(part)
    return opened[0] if len(opened) == 1 else Apply(op, tuple(opened))


def negate(expression: Expression) -> Expression:
    """The negative; that of a number is a number.

    >>> negate(Number(2))
    Number(-2)
    """
    return Number(-expression.value) if isinstance(expression, Number) else Apply("neg", (expression,))


def divide(numerator: Expression, denominator: Expression) -> Expression:
    """A quotient."""
    return Apply("div", (numerator, denominator))


def power(base: Expression, exponent: Expression) -> Expression:
    """A power."""
    return Apply("pow", (base, exponent))


def applied(op: str) -> Callable[..., Expression]:
    """An operation as a function of its arguments.

    >>> applied("sin")(Symbol("x"))
    Apply(sin(x), 2 nodes)
    """
    return lambda *arguments: Apply(op, arguments)


def subtrees(expression: Expression) -> Iterator[Expression]:
    """Every node once, a node before its arguments, left to right."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Apply):
            waiting.extend(reversed(node.args))


def map_leaves(expression: Expression, change: Callable[[Number | Symbol], Expression]) -> Expression:
    """The tree with every number and variable replaced; sums and products that this nests are opened.

    >>> map_leaves(negate(Symbol("x")), lambda leaf: Symbol("y"))
    Apply(-y, 2 nodes)
    """
    if not isinstance(expression, Apply):
        return change(expression)
    arguments = tuple(map_leaves(argument, change) for argument in expression.args)
    return _chain(expression.op, arguments) if expression.op in ("add", "mul") else Apply(expression.op, arguments)


def symbols_of(expression: Expression) -> tuple[str, ...]:
    """The names of the variables, each once, in the order of their first appearance.

    >>> symbols_of(add(Symbol("b"), Symbol("a"), Symbol("b")))
    ('b', 'a')
    """
    return tuple(dict.fromkeys(node.name for node in subtrees(expression) if isinstance(node, Symbol)))


def to_text(expression: Expression) -> str:
    """A formula as text in the plain dialect; ``parse`` reads it as the same tree.

    Parameters
    ----------
    expression : Expression
        The formula.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> from assay.formula.expression.parser import parse
    >>> to_text(parse("a - (b - 2)*c^-0.5/sin(x)"))
    'a - (b - 2)*c**(-0.5)/sin(x)'
    """
    return _write(expression)[0]


def _write(expression: Expression) -> tuple[str, int]:
    if isinstance(expression, Number):
        return repr(expression.value), _SIGN if _signed(expression) else _ATOM
    if isinstance(expression, Symbol):
        return expression.name, _ATOM
    if expression.op in _CONSTANT_TEXT:
        return _CONSTANT_TEXT[expression.op], _ATOM
    if expression.op == "add":
        return _write_sum(expression), _SUM
    if expression.op == "mul":
        first, *rest = expression.args
        # a quotient that is not the first factor needs brackets, else it would swallow what stands before it
        return "*".join([_in_brackets(first, _PRODUCT), *(_in_brackets(part, _POWER) for part in rest)]), _PRODUCT
    if expression.op == "div":
        return f"{_in_brackets(expression.args[0], _PRODUCT)}/{_in_brackets(expression.args[1], _POWER)}", _PRODUCT
    if expression.op == "neg":
        return f"-{_in_brackets(expression.args[0], _POWER)}", _SIGN
    if expression.op == "pow":
        return f"{_in_brackets(expression.args[0], _ATOM)}**{_in_brackets(expression.args[1], _POWER)}", _POWER
    if expression.op == "piecewise":
        return _write_choices(expression.args), _ATOM
    if expression.op in RELATIONS and expression.op not in _JOINED:
        sides = [_in_brackets(argument, _SUM) for argument in expression.args]
        return f" {RELATIONS[expression.op]} ".join(sides), _RELATION
    name = _JOINED.get(expression.op, expression.op)
    return f"{name}({', '.join(_write(argument)[0] for argument in expression.args)})", _ATOM


def _write_choices(parts: Sequence[Expression]) -> str:
    pairs = [f"({_write(value)[0]}, {_write(holds)[0]})" for holds, value in zip(parts[::2], parts[1::2], strict=False)]
    if parts[-1] != Apply("nan", ()):
        pairs.append(f"({_write(parts[-1])[0]}, True)")
    return f"Piecewise({', '.join(pairs)})"


def _signed(number: Number) -> bool:
    return repr(number.value).startswith("-")


def _write_sum(expression: Apply) -> str:
    parts: list[str] = []
    for place, term in enumerate(expression.args):
        if place and isinstance(term, Number) and _signed(term):
            parts.append(f" - {repr(term.value)[1:]}")
        elif place and isinstance(term, Apply) and term.op == "neg":
            inner = term.args[0]
            # "a - -2" would be read as a - (-2): the tree of neg(-2) does not come from the parser
            parts.append(f" - {_in_brackets(inner, _PRODUCT)}")
        else:
            parts.append((" + " if place else "") + _in_brackets(term, _PRODUCT))
    return "".join(parts)


def _in_brackets(expression: Expression, needed: int) -> str:
    text, binding = _write(expression)
    return text if binding >= needed else f"({text})"


def typeset(expression: Expression, *, text: str | None = None) -> str:
    """The formula as MathML, which browsers typeset themselves; of one that is too large, the beginning of its text."""
    from assay.charts import to_mathml

    if expression.nodes <= _MOST_TYPESET and (mathml := to_mathml(to_latex(expression))):
        return mathml
    shown = shortened(to_text(expression) if text is None else text, LONGEST_SHOWN)
    return escape(f"{shown}  ({expression.nodes} nodes)")


def to_latex(expression: Expression) -> str:
    r"""A formula in LaTeX, with numbers rounded to four digits.

    >>> from assay.formula.expression.parser import parse
    >>> to_latex(parse("2.5*x1**2/(theta + 1) - sqrt(y)"))
    '\\frac{2.5 \\, x_{1}^{2}}{\\theta + 1} - \\sqrt{y}'
    """
    return _typeset(expression)[0]


def _typeset(expression: Expression) -> tuple[str, int]:
    """The text and how tightly it binds."""
    if isinstance(expression, Number):
        return _number(expression.value)
    if isinstance(expression, Symbol):
        return _symbol(expression.name), _ATOM
    if expression.op in _TYPESET:
        return _TYPESET[expression.op], _ATOM
    args = expression.args
    match expression.op:
        case "add":
            return _typeset_sum(args), _SUM
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
        case "piecewise":
            return _typeset_choices(args), _ATOM
        case "not":
            return rf"\neg {_bracket(args[0], _ATOM)}", _ATOM
        case "and" | "or":
            sign = r" \wedge " if expression.op == "and" else r" \vee "
            return sign.join(_bracket(argument, _ATOM) for argument in args), _RELATION
        case relation if relation in _RELATED:
            return f"{_bracket(args[0], _SUM)} {_RELATED[relation]} {_bracket(args[1], _SUM)}", _RELATION
    listed = ", ".join(to_latex(argument) for argument in args)
    return rf"\operatorname{{{expression.op}}} \left( {listed} \right)", _ATOM


def _typeset_choices(parts: Sequence[Expression]) -> str:
    rows = [
        rf"{to_latex(value)} & \text{{if }} {to_latex(holds)}"
        for holds, value in zip(parts[::2], parts[1::2], strict=False)
    ]
    if parts[-1] != Apply("nan", ()):
        rows.append(rf"{to_latex(parts[-1])} & \text{{otherwise}}")
    return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"


def _bracket(expression: Expression, needed: int) -> str:
    text, binding = _typeset(expression)
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
    name = visible(name)
    return name if len(name) == 1 or name.isdigit() else rf"\text{{{name}}}"


def _typeset_sum(terms: Sequence[Expression]) -> str:
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
        factor_text = _bracket(factor, _PRODUCT)
        text += (r" \cdot " if isinstance(factor, Number) or factor_text[0].isdigit() else r" \, ") + factor_text
    return text
