"""Variations: trees that differ in one part, a variable, function, exponent or factor, as long as one is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.exponents import simple_exponents, tidied
from assay.formula.discovery.fitting import Fit, criterion, fit_constants, without_weak_parts
from assay.formula.discovery.simplification import folded
from assay.formula.expression.expression import (
    Apply,
    Expression,
    Number,
    Symbol,
    add,
    divide,
    multiply,
    power,
    symbols_of,
    to_text,
)

__all__ = ["improved", "variations"]

_FUNCTIONS = ("exp", "log", "sin", "cos", "sqrt", "tanh")
_STEPS, _FITTED, _ROUNDS = 6, 6, 3
_MOST = 260  # variations of a tree
_PAUSE = 40


def variations(tree: Expression, names: Sequence[str]) -> Iterator[Expression]:
    """Every tree that differs from this one in a single part, numbers to be fitted.

    >>> from assay.formula.expression.parser import parse
    >>> sorted(map(to_text, variations(parse("sin(x)"), ["x", "y"])))[-4:]
    ['sin(x/y)', 'sin(y)', 'sqrt(1.0*x)', 'tanh(1.0*x)']
    """
    symbols = [Symbol(name) for name in names]

    def others(node: Expression) -> Iterator[Expression]:
        inside = symbols_of(node)
        if isinstance(node, Number):
            if isinstance(node.value, float):
                for one in symbols:
                    yield multiply(node, one)
                    yield divide(node, one)
            return
        if isinstance(node, Symbol):
            yield power(node, Number(2))
            yield Apply("sqrt", (node,))
            yield add(node, Number(0.1))
            for one in symbols:
                if one != node:
                    yield one
                    yield multiply(node, one)
                    yield divide(node, one)
            return
        if node.op in _FUNCTIONS or node.op == "abs":
            for op in _FUNCTIONS:
                if op != node.op:
                    yield Apply(op, (multiply(Number(1.0), node.args[0]),))
            yield Apply(node.op, (add(node.args[0], Number(0.1)),))
            yield Apply("abs", (node,))
        if node.op == "pow" and isinstance(node.args[1], Number) and isinstance(node.args[1].value, int):
            for exponent in {node.args[1].value - 1, node.args[1].value + 1} - {0}:
                yield node.args[0] if exponent == 1 else power(node.args[0], Number(exponent))
            yield power(node.args[0], Number(float(node.args[1].value)))
        if node.op == "div":
            yield add(node, Number(0.1))
        if inside:
            yield Number(1.0)
            for one in symbols:
                yield multiply(node, one)
                if len(inside) > 1 or inside[0] != one.name:
                    yield multiply(Number(1.0), one)
            if node.op in ("add", "div", "mul"):
                yield Apply("sqrt", (node,))
                yield power(node, Number(2))

    def visit(node: Expression) -> Iterator[Expression]:
        yield from others(node)
        if isinstance(node, Apply):
            for place, argument in enumerate(node.args):
                if node.op == "pow" and place == 1:
                    continue
                for other in visit(argument):
                    yield Apply(node.op, (*node.args[:place], other, *node.args[place + 1 :]))

    seen = {to_text(tree)}
    for other in visit(tree):
        other = folded(other)
        if (text := to_text(other)) not in seen:
            seen.add(text)
            yield other


def improved(
    start: Fit,
    names: Sequence[str],
    columns: Mapping[str, FloatArray],
    target: FloatArray,
    *,
    floor: float,
    rng: np.random.Generator,
) -> Iterator[Fit | None]:
    """Better and better models, each a variation of the one before; None where others may have their turn."""
    cost = partial(criterion, rows=len(target), floor=floor)
    best = start
    for _ in range(_STEPS):
        trees = list(variations(best.expression, names))
        if len(trees) > _MOST:
            trees = [trees[place] for place in np.sort(rng.choice(len(trees), _MOST, replace=False))]
        tried = []
        for number, tree in enumerate(trees):
            fit = fit_constants(tree, columns, target, rounds=_ROUNDS)
            if np.isfinite(fit.error):
                tried.append((cost(fit), number, fit))
            if number % _PAUSE == _PAUSE - 1:
                yield None
        tried.sort(key=lambda entry: entry[:2])
        fits = []
        for _, _, fit in tried[:_FITTED]:
            full = fit_constants(fit.expression, columns, target, rounds=25)
            full = simple_exponents(full, columns, target, floor=floor)
            fits.append(without_weak_parts(full, columns, target, floor=floor))
            yield None
        fits = [fit._replace(expression=tidied(fit.expression)) for fit in fits]
        better = min(fits, key=cost, default=best)
        if not cost(better) < cost(best) - 1.0:
            return
        best = better
        yield best
        if best.error <= floor:
            return
