"""Power laws: exponents by least squares in logarithms, snapped to halves and thirds where the data allow."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.library import Variable
from assay.formula.discovery.simplification import quotient_of, simple_power
from assay.formula.expression.expression import Expression, Number, divide, power

__all__ = ["power_laws"]

_STEPS = (1, 2, 3, 4, 6)  # denominators of exponents, the simplest first
_NEAR = 0.05
_FEWEST = 8


def power_laws(variables: Sequence[Variable], target: FloatArray) -> list[Expression]:
    """Products of powers with a constant, from coarse exponents to free ones; none where logarithms say nothing.

    >>> from assay.formula.expression.expression import Symbol, to_text
    >>> m, v = np.random.default_rng(0).uniform(1, 5, (2, 50))
    >>> tree, *_ = power_laws([Variable(Symbol("m"), m), Variable(Symbol("v"), v)], 3 * m * v**2)
    >>> to_text(tree).partition("*")[2]
    'm*v**2'
    """
    sizes = np.abs(np.array([variable.values for variable in variables]))
    usable = (sizes > 0).all(axis=0) & (target != 0)
    if usable.sum() < max(_FEWEST, 2 * len(variables)):
        return []
    size = np.abs(target[usable])
    if np.median(size) < 1e-3 * size.max():  # a target around zero: small values would rule the logarithms
        usable &= np.abs(target) > 1e-3 * size.max()
    if usable.sum() < max(_FEWEST, 2 * len(variables)):
        return []
    logs, aim = np.log(sizes[:, usable]).T, np.log(np.abs(target[usable]))
    matrix = np.column_stack([logs, np.ones(len(aim))])
    solution, *_ = np.linalg.lstsq(matrix, aim, rcond=None)
    trees: list[Expression] = []
    for steps in _STEPS:
        snapped = np.round(solution[:-1] * steps) / steps
        if np.abs(snapped - solution[:-1]).max(initial=0) < _NEAR * 5 / steps:
            trees.append(_product(variables, snapped, aim, logs, target, usable))
            break
    free = np.where(np.abs(solution[:-1]) < 0.01, 0.0, solution[:-1])
    trees.append(_product(variables, free, aim, logs, target, usable))
    return trees


def _product(
    variables: Sequence[Variable],
    exponents: FloatArray,
    aim: FloatArray,
    logs: FloatArray,
    target: FloatArray,
    usable: FloatArray,
) -> Expression:
    weight = float(np.exp(np.mean(aim - logs @ exponents)))
    values = weight * np.prod(
        [np.sign(v.values[usable]) ** round(p) for v, p in zip(variables, exponents, strict=True)], axis=0
    )
    if float(np.mean(np.sign(values) * np.sign(target[usable]))) < 0:
        weight = -weight
    above: list[Expression] = [Number(weight)]
    below: list[Expression] = []
    for variable, exponent in zip(variables, exponents, strict=True):
        if exponent:
            (above if exponent > 0 else below).append(_power(variable.expression, abs(float(exponent))))
    return quotient_of(above, below)


def _power(base: Expression, exponent: float) -> Expression:
    exact = Fraction(exponent).limit_denominator(6)
    if float(exact) == exponent:
        return simple_power(base, exact)
    if abs(float(exact) - exponent) < 1e-12:
        return power(base, divide(Number(exact.numerator), Number(exact.denominator)))
    return power(base, Number(exponent))
