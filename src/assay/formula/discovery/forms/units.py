"""Dimensional analysis: a product of powers that has the target's unit, and groups of variables that have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from types import MappingProxyType

import numpy as np

from assay.core import InvalidInput
from assay.core.arrays import FloatArray
from assay.formula.discovery.exponents import tidied
from assay.formula.discovery.forms.subproblem import Subproblem
from assay.formula.discovery.library import Variable
from assay.formula.discovery.simplification import simple_power
from assay.formula.expression.expression import Apply, Expression, Number, Symbol, multiply
from assay.formula.expression.parser import parse

__all__ = ["Dimension", "by_units", "dimension"]

Dimension = Mapping[str, Fraction]
# derived units in base units; every other name is a base unit of its own
_DERIVED: Mapping[str, str] = MappingProxyType(
    {
        "N": "kg*m/s**2",
        "J": "kg*m**2/s**2",
        "W": "kg*m**2/s**3",
        "Pa": "kg/(m*s**2)",
        "Hz": "1/s",
        "C": "A*s",
        "V": "kg*m**2/(A*s**3)",
        "ohm": "kg*m**2/(A**2*s**3)",
        "F": "A**2*s**4/(kg*m**2)",
        "T": "kg/(A*s**2)",
        "rad": "1",
    }
)


def dimension(unit: str) -> Dimension:
    """The exponents of the base units of a unit; numbers count as one, and an empty text is no unit.

    >>> dimension("kg*m/s**2") == dimension("N")
    True
    >>> dimension("1")
    {}
    """
    if not unit.strip():
        return {}
    exponents: dict[str, Fraction] = {}

    def visit(node: Expression, exponent: Fraction) -> None:
        if isinstance(node, Symbol):
            if node.name in _DERIVED:
                return visit(parse(_DERIVED[node.name], dialect="plain"), exponent)
            exponents[node.name] = exponents.get(node.name, Fraction(0)) + exponent
        elif isinstance(node, Apply) and node.op == "mul":
            for part in node.args:
                visit(part, exponent)
        elif isinstance(node, Apply) and node.op == "div":
            visit(node.args[0], exponent)
            visit(node.args[1], -exponent)
        elif isinstance(node, Apply) and node.op == "pow" and (power := _number(node.args[1])) is not None:
            visit(node.args[0], exponent * power)
        elif not isinstance(node, Number):
            raise InvalidInput(f"unit {unit!r}: write a product of powers, such as 'kg*m/s**2'; '1' is no unit.")
        return None

    visit(parse(unit, dialect="plain"), Fraction(1))
    return {name: exponent for name, exponent in exponents.items() if exponent}


def _number(node: Expression) -> Fraction | None:
    if isinstance(node, Number):
        return Fraction(node.value).limit_denominator(12)
    if isinstance(node, Apply) and node.op in ("neg", "div"):
        parts = [_number(part) for part in node.args]
        if None not in parts:
            numbers = [part for part in parts if part is not None]
            if node.op == "neg":
                return -numbers[0]
            return numbers[0] / numbers[1] if numbers[1] else None
    return None


def by_units(problem: Subproblem, units: Sequence[Dimension], target: Dimension) -> Subproblem | None:
    """The problem in groups without a unit, the target over a product of powers; None where units do not allow it.

    >>> m, v, w = np.random.default_rng(0).uniform(1, 2, (3, 20))
    >>> variables = [Variable(Symbol(name), values) for name, values in {"m": m, "v": v, "w": w}.items()]
    >>> problem = Subproblem(name="whole", variables=variables, target=m * v**2)
    >>> speed = dimension("m/s")
    >>> reduced = by_units(problem, [dimension("kg"), speed, speed], dimension("J"))
    >>> [one.expression for one in reduced.variables], reduced.back(Number(1))
    ([Apply(w/v, 3 nodes)], Apply(m*v**2, 5 nodes))
    """
    names = sorted({name for one in (*units, target) for name in one})
    usable = [bool((one.values > 0).all()) for one in problem.variables]
    if not all(fine for fine, unit in zip(usable, units, strict=True) if unit):
        return None  # roots and quotients of what is negative or zero have no values
    rows = [[one.get(name, Fraction(0)) for one in units] + [target.get(name, Fraction(0))] for name in names]
    solved = _solved(rows, len(units))
    if solved is None:
        return None
    particular, free = solved
    unit = _product(problem.variables, particular)
    return Subproblem(
        name=f"{problem.name}, by units",
        variables=[_product(problem.variables, exponents) for exponents in free],
        target=problem.target / unit.values,
        weights=np.abs(unit.values),
        back=lambda tree: problem.back(tidied(multiply(unit.expression, tree))),
    )


def _solved(rows: list[list[Fraction]], count: int) -> tuple[list[Fraction], list[list[Fraction]]] | None:
    """Exponents that give the target's unit, and those of groups without one, by Gauss's elimination."""
    rows = [row[:] for row in rows]
    pivots: list[int] = []
    for column in range(count):
        at = next((place for place in range(len(pivots), len(rows)) if rows[place][column]), None)
        if at is None:
            continue
        top = len(pivots)
        rows[top], rows[at] = rows[at], rows[top]
        rows[top] = [one / rows[top][column] for one in rows[top]]
        for place, row in enumerate(rows):
            if place != top and row[column]:
                rows[place] = [one - row[column] * above for one, above in zip(row, rows[top], strict=True)]
        pivots.append(column)
    if any(row[count] for row in rows[len(pivots) :]):
        return None
    particular = [Fraction(0)] * count
    for place, column in enumerate(pivots):
        particular[column] = rows[place][count]
    groups = []
    for column in (one for one in range(count) if one not in pivots):
        group = [Fraction(0)] * count
        group[column] = Fraction(1)
        for place, pivot in enumerate(pivots):
            group[pivot] = -rows[place][column]
        scale = lcm(*(one.denominator for one in group))
        groups.append([one * scale for one in group])
    return particular, groups


def _product(variables: Sequence[Variable], exponents: Sequence[Fraction]) -> Variable:
    parts: list[Expression] = []
    values: FloatArray = np.ones_like(variables[0].values)
    for variable, exponent in zip(variables, exponents, strict=True):
        if exponent:
            parts.append(simple_power(variable.expression, exponent))
            values = values * variable.values ** float(exponent)
    return Variable(tidied(multiply(*parts)) if parts else Number(1), values)
