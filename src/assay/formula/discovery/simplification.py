"""Simpler trees for nearly the same values: numbers folded, functions that are nearly straight written as sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.tape import Tape, in_order, with_node
from assay.formula.expression.expression import Apply, Expression, Number, add, divide, multiply, power
from assay.formula.expression.functions import CONSTANTS, NUMERIC

__all__ = ["expanded", "folded", "quotient_of", "reductions", "simple_power", "straightened"]

_FUNCTIONS = frozenset(("sin", "cos", "exp", "log", "sqrt", "tanh", "div"))
_CURVED = _FUNCTIONS - {"div"}
_HALF = Fraction(1, 2)
_LARGEST = 1e100
# what may be left of a function's values, as a share of their size or variance
_FLAT, _STRAIGHT, _BENT = 1e-4, 1e-3, 1e-4


def simple_power(base: Expression, exponent: Fraction | int) -> Expression:
    """A power as people write it."""
    if not exponent:
        return Number(1)
    if exponent == 1:
        return base
    if exponent == _HALF:
        return Apply("sqrt", (base,))
    if exponent.denominator == 1:
        return power(base, Number(int(exponent)))
    return power(base, divide(Number(exponent.numerator), Number(exponent.denominator)))


def quotient_of(above: Sequence[Expression], below: Sequence[Expression]) -> Expression:
    """The product of some factors over the product of others, where there are any."""
    top = multiply(*above) if above else Number(1)
    return divide(top, multiply(*below)) if below else top


def folded(tree: Expression) -> Expression:
    """The tree with operations on numbers carried out, and the numbers of every sum and product joined.

    >>> from assay.formula.expression.parser import parse
    >>> folded(parse("2.0*x*(3.0*exp(0.0)) + 1.5 + 1.0"))
    Apply(6.0*x + 2.5, 5 nodes)
    """
    if not isinstance(tree, Apply) or tree.op in CONSTANTS:
        return tree
    args = [folded(argument) for argument in tree.args]
    if tree.op in ("add", "mul"):
        return _joined(tree.op, args)
    if tree.op == "neg" and isinstance(args[0], Number):
        return Number(-args[0].value)
    if tree.op == "neg":
        return _joined("mul", [Number(-1), args[0]])
    numbers = [argument.value for argument in args if isinstance(argument, Number)]
    if len(numbers) == len(args) and any(isinstance(one, float) for one in numbers):
        with np.errstate(all="ignore"):
            value = float(NUMERIC[tree.op].compute(*map(np.float64, numbers)))
        if np.isfinite(value):
            return Number(value)
    if tree.op == "div" and isinstance(args[1], Number) and isinstance(args[1].value, float) and args[1].value:
        return _joined("mul", [Number(1 / args[1].value), args[0]])
    if tree.op == "pow" and args[1] == Number(1):
        return args[0]
    return Apply(tree.op, tuple(args))


def _joined(op: str, args: list[Expression]) -> Expression:
    """A sum or product, opened, with one number at most: the first of a product, the last of a sum."""
    whole = add(*args) if op == "add" else multiply(*args)
    if not isinstance(whole, Apply) or whole.op != op:
        return whole
    numbers = [one.value for one in whole.args if isinstance(one, Number)]
    rest = [one for one in whole.args if not isinstance(one, Number)]
    if not numbers:
        return whole
    value: int | float = 0 if op == "add" else 1
    for number in numbers:
        value = value + number if op == "add" else value * number
    if not rest or (op == "mul" and value == 0):
        return Number(value)
    if value == (0 if op == "add" else 1) and isinstance(value, int):
        return rest[0] if len(rest) == 1 else Apply(op, tuple(rest))
    return Apply(op, (Number(value), *rest) if op == "mul" else (*rest, Number(value)))


def expanded(tree: Expression, columns: Mapping[str, FloatArray], rows: int) -> Expression | None:
    """The tree with functions that are nearly flat, straight or bent once as polynomials; None where there are none."""
    tape = Tape(tree)
    with np.errstate(all="ignore"):
        results = tape.forward(columns)
    changed = False
    place = -1

    def visit(node: Expression) -> Expression:
        nonlocal changed, place
        if not isinstance(node, Apply) or node.op in CONSTANTS:
            place += 1
            return node
        args = [visit(argument) for argument in node.args]
        place += 1
        if node.op in _FUNCTIONS:
            below = tape.nodes[place][1][-1]
            simple = None
            if node.op != "div" or isinstance(args[0], Number):
                simple = _polynomial(args[-1], np.asarray(results[below]), np.asarray(results[place]), rows)
            if simple is not None:
                changed = True
                return simple
        return Apply(node.op, tuple(args))

    simpler = visit(tree)
    return _distributed(folded(simpler)) if changed else None


def straightened(tree: Expression, columns: Mapping[str, FloatArray], rows: int) -> Iterator[Expression]:
    """The trees with one function, or one square, as the straight line that comes nearest to it where the data are.

    >>> from assay.formula.expression.parser import parse
    >>> list(straightened(parse("2.0*x**2"), {"x": np.array([1.0, 3.0])}, 2))
    [Apply(8.0*x - 6.0, 5 nodes)]
    """
    tape = Tape(tree)
    with np.errstate(all="ignore"):
        results = tape.forward(columns)
    for place, node in enumerate(in_order(tree)):
        if isinstance(node, Apply) and (node.op in _CURVED or (node.op == "pow" and isinstance(node.args[1], Number))):
            u, v = np.asarray(results[tape.nodes[place][1][0]]), np.asarray(results[place])
            if u.shape == v.shape == (rows,) and np.isfinite(u).all() and np.isfinite(v).all() and np.ptp(u):
                centre = float(u.mean())
                with np.errstate(all="ignore"):
                    slope = float((u - centre) @ (v - v.mean()) / ((u - centre) @ (u - centre)))
                    shift = float(v.mean()) - slope * centre
                if np.isfinite(slope) and np.isfinite(shift):
                    line = add(multiply(Number(slope), node.args[0]), Number(shift))
                    yield _opened(folded(with_node(tree, place, line)))


def _opened(tree: Expression) -> Expression:
    """Numbers times sums as sums, everywhere: no two numbers that do the same."""
    if not isinstance(tree, Apply) or tree.op in CONSTANTS:
        return tree
    args = tuple(_opened(argument) for argument in tree.args)
    if tree.op == "mul" and len(args) == 2 and isinstance(args[0], Number):
        inner = args[1]
        if isinstance(inner, Apply) and inner.op == "add":
            return folded(add(*(folded(multiply(args[0], part)) for part in inner.args)))
    return folded(Apply(tree.op, args))


def _polynomial(inner: Expression, argument: FloatArray, values: FloatArray, rows: int) -> Expression | None:
    """Numbers are left to be fitted."""
    if argument.shape != (rows,) or values.shape != (rows,):
        return None
    if not max(np.abs(argument).max(), np.abs(values).max()) < _LARGEST:  # and none that is no number
        return None
    mean, spread = float(values.mean()), float(values.std())
    if spread < _FLAT * abs(mean):
        return Number(mean)
    centre, scale = float(argument.mean()), float(argument.std()) or 1.0
    unit = (argument - centre) / scale
    for degree, allowed in ((1, _STRAIGHT), (2, _BENT)):
        weights = np.polyfit(unit, values, degree)
        residuals = values - np.polyval(weights, unit)
        if float(residuals @ residuals) < allowed * rows * spread**2:
            # in the argument itself: c0 + c1*(u - centre)/scale + ...
            plain = np.polynomial.Polynomial(weights[::-1])(np.polynomial.Polynomial([-centre / scale, 1 / scale])).coef
            terms: list[Expression] = [Number(float(plain[0])), multiply(Number(float(plain[1])), inner)]
            if degree == 2:
                terms.append(multiply(Number(float(plain[2])), power(inner, Number(2))))
            return add(*terms)
    return None


def _distributed(tree: Expression) -> Expression:
    """Products with one sum of the tree's own sum written as sums."""
    terms = tree.args if isinstance(tree, Apply) and tree.op == "add" else (tree,)
    opened: list[Expression] = []
    for term in terms:
        factors = term.args if isinstance(term, Apply) and term.op == "mul" else ()
        sums = [one for one in factors if isinstance(one, Apply) and one.op == "add"]
        if len(sums) != 1:
            opened.append(term)
            continue
        rest = [one for one in factors if one is not sums[0]]
        opened += [folded(multiply(Number(1.0), *rest, part)) for part in sums[0].args]
    return folded(add(*opened))


def reductions(tree: Expression) -> Iterator[Expression]:
    """The trees with one part less: a term, a factor, or a function around its argument."""

    def visit(node: Expression) -> Iterator[Expression]:
        if not isinstance(node, Apply) or node.op in CONSTANTS:
            return
        if node.op in ("add", "mul") and len(node.args) > 1:
            for place in range(len(node.args)):
                rest = node.args[:place] + node.args[place + 1 :]
                yield rest[0] if len(rest) == 1 else Apply(node.op, rest)
        elif node.op in _FUNCTIONS:
            yield node.args[0]
        for place, argument in enumerate(node.args):
            for other in visit(argument):
                yield Apply(node.op, (*node.args[:place], other, *node.args[place + 1 :]))

    for smaller in visit(tree):
        if not isinstance(smaller, Number):
            yield folded(smaller)
