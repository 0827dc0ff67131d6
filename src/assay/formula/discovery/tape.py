"""Values and slopes of a formula: one pass forward for every node, one pass back for what each of them changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.expression.expression import Apply, Expression, Number, Symbol
from assay.formula.expression.functions import CONSTANTS, NUMERIC

__all__ = ["SMOOTH", "WORK", "Tape", "Work", "in_order", "node_at", "with_constants", "with_node"]


class Work(threading.local):
    """What was computed in this thread, in seconds of an ordinary processor: the same on every machine."""

    spent: float = 0.0

    def count(self, operations: float) -> None:
        """Add operations on numbers, a billion of which take a second."""
        self.spent += operations * 1e-9


WORK = Work()
_PER_NODE, _PER_VALUE = 1500.0, 6.0  # operations for a node, and for every value of it


def _mul(args: Sequence[Any], result: Any) -> list[Any]:
    if len(args) == 2:
        return [args[1], args[0]]
    slopes = []
    for place in range(len(args)):
        others: Any = 1.0
        for number, argument in enumerate(args):
            if number != place:
                others = others * argument
        slopes.append(others)
    return slopes


def _pow(args: Sequence[Any], result: Any) -> list[Any]:
    base, exponent = args
    by_base = exponent * np.power(base, exponent - 1.0)
    positive = np.where(np.asarray(base) > 0, base, 1.0)
    return [by_base, np.where(np.asarray(base) > 0, result * np.log(positive), 0.0)]


# the slopes of an operation by its arguments, from their values and its result
_SLOPES: Mapping[str, Callable[[Sequence[Any], Any], list[Any]]] = {
    "add": lambda args, result: [1.0] * len(args),
    "mul": _mul,
    "neg": lambda args, result: [-1.0],
    "div": lambda args, result: [1.0 / args[1], -result / args[1]],
    "inv": lambda args, result: [-result * result],
    "pow": _pow,
    "square": lambda args, result: [2.0 * args[0]],
    "cube": lambda args, result: [3.0 * args[0] * args[0]],
    "sqrt": lambda args, result: [0.5 / result],
    "exp": lambda args, result: [result],
    "log": lambda args, result: [1.0 / args[0]],
    "sin": lambda args, result: [np.cos(args[0])],
    "cos": lambda args, result: [-np.sin(args[0])],
    "tan": lambda args, result: [1.0 + result * result],
    "tanh": lambda args, result: [1.0 - result * result],
    "asin": lambda args, result: [1.0 / np.sqrt(1.0 - args[0] * args[0])],
    "acos": lambda args, result: [-1.0 / np.sqrt(1.0 - args[0] * args[0])],
    "atan": lambda args, result: [1.0 / (1.0 + args[0] * args[0])],
    "max": lambda args, result: [np.asarray(one == result, dtype=np.float64) for one in args],
    "min": lambda args, result: [np.asarray(one == result, dtype=np.float64) for one in args],
    "abs": lambda args, result: [np.sign(args[0])],
}
SMOOTH = frozenset(_SLOPES)


class Tape:
    """The nodes of a tree in an order in which arguments come first; numbers that are not whole are its constants."""

    __slots__ = ("constants", "nodes", "slots")

    def __init__(self, expression: Expression) -> None:
        self.nodes: list[tuple[str, tuple[int, ...], Any]] = []
        self.slots: list[int] = []
        constants: list[float] = []

        def visit(node: Expression) -> int:
            if isinstance(node, Number):
                if isinstance(node.value, float):
                    self.slots.append(len(self.nodes))
                    self.nodes.append(("slot", (), len(constants)))
                    constants.append(node.value)
                else:
                    self.nodes.append(("value", (), np.float64(node.value)))
            elif isinstance(node, Symbol):
                self.nodes.append(("symbol", (), node.name))
            elif node.op in CONSTANTS:
                self.nodes.append(("value", (), np.float64(CONSTANTS[node.op].real)))
            else:
                inputs = tuple(visit(argument) for argument in node.args)
                self.nodes.append((node.op, inputs, None))
            return len(self.nodes) - 1

        visit(expression)
        self.constants = np.array(constants)

    @property
    def is_smooth(self) -> bool:
        """Whether every operation has slopes here."""
        return all(op in SMOOTH or op in ("slot", "value", "symbol") for op, _, _ in self.nodes)

    def forward(self, columns: Mapping[str, FloatArray], constants: FloatArray | None = None) -> list[Any]:
        """The value of every node."""
        slots = self.constants if constants is None else constants
        rows = len(next(iter(columns.values()), ()))
        WORK.count(len(self.nodes) * (_PER_NODE + _PER_VALUE * rows))
        results: list[Any] = []
        for op, inputs, content in self.nodes:
            if op == "slot":
                results.append(slots[content])
            elif op == "value":
                results.append(content)
            elif op == "symbol":
                results.append(columns[content])
            else:
                results.append(NUMERIC[op].compute(*[results[place] for place in inputs]))
        return results

    def values(self, columns: Mapping[str, FloatArray], rows: int, constants: FloatArray | None = None) -> FloatArray:
        """The value at every row, also where the formula is a constant."""
        with np.errstate(all="ignore"):
            last = np.asarray(self.forward(columns, constants)[-1], dtype=np.float64)
        return np.array(np.broadcast_to(last, (rows,)))

    def backward(self, results: Sequence[Any], *, everywhere: bool = False) -> list[Any]:
        """What a change of every node's value changes at the end; None where no constant is below it.

        ``everywhere``: of all nodes.
        """
        WORK.count(len(self.nodes) * 2 * _PER_NODE)
        slopes: list[Any] = [None] * len(self.nodes)
        slopes[-1] = 1.0
        needed = [everywhere] * len(self.nodes)
        if not everywhere:
            for place, (op, inputs, _) in enumerate(self.nodes):
                needed[place] = op == "slot" or any(needed[one] for one in inputs)
        for place in range(len(self.nodes) - 1, -1, -1):
            op, inputs, _ = self.nodes[place]
            slope = slopes[place]
            if not inputs or slope is None:
                continue
            local = _SLOPES[op]([results[one] for one in inputs], results[place])
            for one, part in zip(inputs, local, strict=True):
                if needed[one]:  # every node has one parent: nothing to add up
                    slopes[one] = slope * part
        return slopes

    def jacobian(
        self, columns: Mapping[str, FloatArray], rows: int, constants: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The values, and their slopes by the constants: one column each."""
        with np.errstate(all="ignore"):
            results = self.forward(columns, constants)
            slopes = self.backward(results)
            matrix = np.empty((rows, len(self.slots)))
            for number, place in enumerate(self.slots):
                matrix[:, number] = slopes[place]
        return np.array(np.broadcast_to(np.asarray(results[-1], dtype=np.float64), (rows,))), matrix


def with_constants(expression: Expression, constants: Sequence[float]) -> Expression:
    """The tree with other numbers in the places of its constants, in the order of a tape.

    >>> from assay.formula.expression.parser import parse
    >>> with_constants(parse("1.5*x + 2.5"), [3.0, 4.0])
    Apply(3.0*x + 4.0, 5 nodes)
    """
    remaining = iter(constants)

    def change(node: Expression) -> Expression:
        if isinstance(node, Number):
            return Number(float(next(remaining))) if isinstance(node.value, float) else node
        return Apply(node.op, tuple(change(part) for part in node.args)) if isinstance(node, Apply) else node

    return change(expression)


def in_order(expression: Expression) -> Iterator[Expression]:
    """Every node after its arguments: the order of a tape.

    >>> from assay.formula.expression.parser import parse
    >>> list(in_order(parse("sin(x)")))
    [Symbol(x), Apply(sin(x), 2 nodes)]
    """
    if isinstance(expression, Apply):
        for argument in expression.args:
            yield from in_order(argument)
    yield expression


def node_at(expression: Expression, place: int) -> Expression:
    """The node at that place of its tape."""
    return next(islice(in_order(expression), place, None))


def with_node(expression: Expression, place: int, other: Expression) -> Expression:
    """The tree with the node at that place of its tape replaced.

    >>> from assay.formula.expression.parser import parse
    >>> with_node(parse("sin(x) + y"), 0, Symbol("z"))
    Apply(sin(z) + y, 4 nodes)
    """
    count = -1

    def change(node: Expression) -> Expression:
        nonlocal count
        if isinstance(node, Apply) and node.args:
            args = tuple(change(part) for part in node.args)
            count += 1
            return other if count == place else Apply(node.op, args)
        count += 1
        return other if count == place else node

    return change(expression)
