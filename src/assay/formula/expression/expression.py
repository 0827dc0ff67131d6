"""Expression trees: numbers, variables and operations, with their size, depth and variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from assay.core import InvalidInput

__all__ = [
    "MAX_DEPTH",
    "MAX_NODES",
    "Apply",
    "Expression",
    "Number",
    "Symbol",
    "add",
    "divide",
    "map_leaves",
    "multiply",
    "negate",
    "power",
    "subtrees",
    "symbols_of",
]

MAX_NODES = 10_000
MAX_DEPTH = 200


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written: whole numbers are ``int`` and never refitted, others are ``float``."""

    value: int | float
    nodes: ClassVar[int] = 1
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable."""

    name: str
    nodes: ClassVar[int] = 1
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation on its arguments; named constants such as ``pi`` are operations without arguments.

    Sums and products hold any number of terms, so a long sum is wide and not deep.
    """

    op: str
    args: tuple[Expression, ...]
    nodes: int = field(init=False, compare=False, repr=False)
    depth: int = field(init=False, compare=False, repr=False)

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
    Number(value=-2)
    """
    return Number(-expression.value) if isinstance(expression, Number) else Apply("neg", (expression,))


def divide(numerator: Expression, denominator: Expression) -> Expression:
    """A quotient."""
    return Apply("div", (numerator, denominator))


def power(base: Expression, exponent: Expression) -> Expression:
    """A power."""
    return Apply("pow", (base, exponent))


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
    Apply(op='neg', args=(Symbol(name='y'),))
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
