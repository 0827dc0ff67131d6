"""Trees on arrays: a tree becomes a short program in which nothing is computed twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput
from assay.core.arrays import FloatArray
from assay.formula.expression.expression import Expression, Number, Symbol
from assay.formula.expression.functions import CONSTANTS, NUMERIC

__all__ = ["FloatArray", "Program", "compute", "table_values"]


# an imaginary part below this share of the value is rounding
_REAL_ENOUGH = 1e-12
_BLOCK = 1 << 23  # numbers that are held at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The steps of a formula, in order; a step is an operation and the numbers of the steps it reads.

    ``constants`` are the numbers that were not written as whole numbers, one slot for each place where one stands.
    """

    steps: tuple[tuple[str, tuple[int, ...], Any], ...]
    symbols: tuple[str, ...]
    constants: tuple[float, ...]
    is_complex: bool

    @classmethod
    def of(cls, expression: Expression) -> Program:
        """Compile a tree."""
        steps: list[tuple[str, tuple[int, ...], Any]] = []
        places: dict[Any, int] = {}
        symbols: dict[str, None] = {}
        constants: list[float] = []

        def place(key: Any, step: tuple[str, tuple[int, ...], Any]) -> int:
            if key not in places:
                places[key] = len(steps)
                steps.append(step)
            return places[key]

        def visit(node: Expression) -> int:
            if isinstance(node, Number):
                if isinstance(node.value, float):
                    constants.append(node.value)
                    return place(("slot", len(constants)), ("slot", (), len(constants) - 1))
                return place(("whole", node.value), ("value", (), float(node.value)))
            if isinstance(node, Symbol):
                symbols[node.name] = None
                return place(("symbol", node.name), ("symbol", (), node.name))
            if node.op in CONSTANTS:
                return place((node.op,), ("value", (), CONSTANTS[node.op]))
            inputs = tuple(visit(argument) for argument in node.args)
            return place((node.op, inputs), (node.op, inputs, None))

        visit(expression)
        is_complex = any(step[2] == 1j for step in steps if step[0] == "value")
        return cls(steps=tuple(steps), symbols=tuple(symbols), constants=tuple(constants), is_complex=is_complex)

    def run(self, values: Mapping[str, Any], constants: Sequence[Any] | None = None) -> Any:
        """The value of the last step; ``constants`` replace those that were written, and may be arrays."""
        return self.results(values, constants)[-1]

    def results(self, values: Mapping[str, Any], constants: Sequence[Any] | None = None) -> list[Any]:
        """The value of every step, in their order."""
        slots = self.constants if constants is None else constants
        results: list[Any] = []
        with np.errstate(all="ignore"):
            for operation, inputs, content in self.steps:
                if operation == "value":
                    results.append(content)
                elif operation == "slot":
                    results.append(slots[content])
                elif operation == "symbol":
                    results.append(values[content])
                else:
                    results.append(_compute(operation, [results[place] for place in inputs]))
        return results

    def real(self, values: Mapping[str, Any], constants: Sequence[Any] | None = None) -> Any:
        """As ``run``, with nan where the value is not a real number."""
        if not self.is_complex:
            return self.run(values, constants)
        results = np.asarray(
            self.run({name: np.asarray(values[name], dtype=complex) for name in self.symbols}, constants)
        )
        if results.dtype.kind != "c":
            return results
        return np.where(np.abs(results.imag) <= _REAL_ENOUGH * np.abs(results), results.real, np.nan)

    def values(self, points: Mapping[str, FloatArray], constants: Sequence[Any] | None = None) -> FloatArray:
        """As ``real``, with one value for every point, also where the formula is a constant."""
        shape = np.broadcast_shapes(*(column.shape for column in points.values()))
        return np.array(np.broadcast_to(np.asarray(self.real(points, constants), dtype=np.float64), shape))


def _compute(operation: str, arguments: list[Any]) -> Any:
    try:
        # Python's own numbers would raise where arrays give nan or infinity
        if not any(isinstance(argument, np.ndarray) for argument in arguments):
            arguments = [np.asarray(argument) for argument in arguments]
        return NUMERIC[operation].compute(*arguments)
    except TypeError:
        # the real operation has no meaning for complex numbers, such as the larger of two
        shape = np.broadcast_shapes(*(np.shape(argument) for argument in arguments))
        return np.full(shape, np.nan)


def compute(expression: Expression, values: Mapping[str, npt.ArrayLike]) -> FloatArray:
    """The formula at points; nan or infinite where it is undefined, nan where it is not real.

    Parameters
    ----------
    expression : Expression
        The formula, as ``parse`` reads it.
    values : mapping of str to array-like
        Numbers for every variable, all of one length or single ones.

    Returns
    -------
    ndarray
        The value at every point.

    Raises
    ------
    InvalidInput
        A variable has no values, or they are no numbers or of another length.

    Examples
    --------
    >>> from assay.formula.expression.parser import parse
    >>> compute(parse("sqrt(x) + 1/y"), {"x": [4.0, -1.0], "y": [2.0, 1.0]}).tolist()
    [2.5, nan]
    """
    program = Program.of(expression)
    missing = [name for name in program.symbols if name not in values]
    if missing:
        raise InvalidInput(
            f"there are no values for the variable {missing[0]!r}; given: {', '.join(values) or 'none'}."
        )
    columns = {name: _column(name, array) for name, array in values.items()}
    if len({column.shape for column in columns.values() if column.size != 1}) > 1:
        lengths = ", ".join(f"{name} {column.size}" for name, column in columns.items())
        raise InvalidInput(f"the variables need values of one length, or single ones; got {lengths}.")
    return program.values(columns)


def _column(name: str, array: npt.ArrayLike) -> FloatArray:
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"the values of the variable {name!r} must be numbers.") from None


def table_values(expression: Expression, names: Sequence[str], rows: FloatArray) -> FloatArray:
    """The formula at the rows of a table, in bounded memory: a program keeps the values of all its steps."""
    program = Program.of(expression)
    values = np.empty(len(rows))
    step = max(1, _BLOCK // len(program.steps))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        columns = {name: np.ascontiguousarray(block[:, place]) for place, name in enumerate(names)}
        values[start : start + step] = program.real(columns)
    return values
