"""Free exponents made whole or simple fractions, one after the other, as long as the data have nothing against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.fitting import Fit, fit_constants, price_of
from assay.formula.discovery.simplification import folded, quotient_of, simple_power
from assay.formula.discovery.tape import in_order, with_node
from assay.formula.expression.expression import Apply, Expression, Number

__all__ = ["simple_exponents", "tidied"]

_ROUNDS = 8
_FRACTIONS = tuple(map(Fraction, ("0", "1", "2", "3", "4", "1/2", "3/2", "5/2", "1/3", "2/3", "4/3", "1/4", "3/4")))
_VALUES = tuple(sorted({*_FRACTIONS, *(-one for one in _FRACTIONS)}))


def simple_exponents(fit: Fit, columns: Mapping[str, FloatArray], target: FloatArray, *, floor: float) -> Fit:
    """The model with as many exponents simple as cost less than they save; those nearest to simple ones first.

    >>> from assay.formula.expression.expression import to_text
    >>> from assay.formula.expression.parser import parse
    >>> a, b = np.random.default_rng(0).uniform(1, 4, (2, 60))
    >>> start = fit_constants(parse("2.0*a**0.98*b**(-1.9)"), {"a": a, "b": b}, 3 * a / b**2)
    >>> to_text(simple_exponents(start, {"a": a, "b": b}, 3 * a / b**2, floor=1e-20).expression).partition("*")[2]
    'a/b**2'
    """
    rows = len(target)
    rejected: set[int] = set()
    while True:
        waiting = [entry for entry in _options(fit.expression) if entry[1] not in rejected]
        if not waiting:
            return fit._replace(expression=tidied(fit.expression))
        for _, place, simple in sorted(waiting, key=lambda entry: entry[:2]):
            tree = folded(with_node(fit.expression, place, simple))
            tried = fit_constants(tree, columns, target, rounds=_ROUNDS)
            saved = price_of(fit.expression) - price_of(tree)
            if rows * np.log(max(tried.error, floor) / max(fit.error, floor)) < max(saved, 4.0):
                fit, rejected = tried, set()
                break
            rejected.add(place)


def _options(tree: Expression) -> Iterator[tuple[float, int, Expression]]:
    """Of every power with a free exponent the way to the nearest simple one, the place, and the power with that one."""
    for place, node in enumerate(in_order(tree)):
        if isinstance(node, Apply) and node.op == "pow":
            base, exponent = node.args
            if isinstance(exponent, Number) and isinstance(exponent.value, float):
                value = exponent.value
                near = min(_VALUES, key=lambda one: abs(float(one) - value) * (1 + 0.5 * (one.denominator > 1)))
                yield abs(float(near) - value), place, simple_power(base, near)


def tidied(tree: Expression) -> Expression:
    """Every product and quotient as one: equal factors joined, those with negative exponents below the line.

    >>> from assay.formula.expression.parser import parse
    >>> tidied(parse("2.0*x/t*t*y**(-1)"))
    Apply(2.0*x/y, 5 nodes)
    """
    if not isinstance(tree, Apply) or not tree.args:
        return tree
    args = tuple(tidied(part) for part in tree.args)
    if tree.op not in ("mul", "div", "pow", "inv"):
        return Apply(tree.op, args)
    powers: dict[Expression, Fraction] = {}
    numbers: list[Expression] = []
    _collect(Apply(tree.op, args), Fraction(1), powers, numbers)
    above = [*numbers, *(simple_power(base, one) for base, one in powers.items() if one > 0)]
    return quotient_of(above, [simple_power(base, -one) for base, one in powers.items() if one < 0])


def _collect(
    node: Expression, exponent: Fraction, powers: dict[Expression, Fraction], numbers: list[Expression]
) -> None:
    """The factors of a product with their exponents; numbers above the line apart."""
    if isinstance(node, Apply) and node.op == "mul":
        for part in node.args:
            _collect(part, exponent, powers, numbers)
    elif isinstance(node, Apply) and node.op == "div":
        _collect(node.args[0], exponent, powers, numbers)
        _collect(node.args[1], -exponent, powers, numbers)
    elif isinstance(node, Apply) and node.op == "inv":
        _collect(node.args[0], -exponent, powers, numbers)
    elif isinstance(node, Apply) and node.op == "sqrt":
        powers[node.args[0]] = powers.get(node.args[0], Fraction(0)) + exponent / 2
    elif isinstance(node, Apply) and node.op == "pow" and (own := _simple(node.args[1])) is not None:
        base, both = node.args[0], exponent * own
        if abs(both) == 1:
            _collect(base, both, powers, numbers)
        else:
            powers[base] = powers.get(base, Fraction(0)) + both
    elif isinstance(node, Number) and exponent == 1:
        if node.value != 1:
            numbers.append(node)
    else:
        powers[node] = powers.get(node, Fraction(0)) + exponent


def _simple(exponent: Expression) -> Fraction | None:
    """An exponent that is whole or a fraction of whole numbers."""
    if isinstance(exponent, Number):
        return Fraction(exponent.value) if isinstance(exponent.value, int) else None
    if isinstance(exponent, Apply) and exponent.op == "neg":
        inner = _simple(exponent.args[0])
        return None if inner is None else -inner
    if isinstance(exponent, Apply) and exponent.op == "div":
        above, below = map(_simple, exponent.args)
        return above / below if above is not None and below else None
    return None
