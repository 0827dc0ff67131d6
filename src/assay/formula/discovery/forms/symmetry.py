"""Fewer variables: a factor that is a power, or a sum, difference, product or quotient that stands for two variables.

Whether a reduction holds is asked of a smooth surrogate, a polynomial whose degree leave-one-out errors choose: with
one variable less it must predict the target as well as with all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import comb

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.formula.discovery.forms.rational import monomials, values_of
from assay.formula.discovery.forms.subproblem import Subproblem
from assay.formula.discovery.library import Variable, never_zero
from assay.formula.discovery.simplification import simple_power
from assay.formula.discovery.tape import WORK
from assay.formula.expression.expression import Apply, Expression, Number, add, divide, multiply, negate, power

__all__ = ["leave_one_out", "outliers", "reductions_of"]

_POWERS = (1, 2, -1, -2, 0.5, -0.5, 3, -3, 1.5, -1.5, 4, -4)
_HIGHEST = 8  # degree
_SHARE = 3  # rows for every monomial
_AS_GOOD = 1.05
_ROUNDS = 12
# an outlier's distance from a robust surrogate over the typical one, and over that of the farthest others; their share
_FAR, _GAP, _FEW = 25.0, 6.0, 0.05


def leave_one_out(variables: Sequence[FloatArray], target: FloatArray, weights: FloatArray) -> float:
    """The least weighted mean squared error that a polynomial leaves at rows that it was not fitted to.

    In the variables or, where all are positive, in their logarithms.

    >>> x = np.linspace(1, 2, 50)
    >>> leave_one_out([x], x**3, np.ones(50)) < 1e-20
    True
    """
    best = _leave_one_out(variables, target, weights)
    if variables and all(float(one.min()) > 0 for one in variables):
        best = min(best, _leave_one_out([np.log(one) for one in variables], target, weights))
    return best


def _leave_one_out(variables: Sequence[FloatArray], target: FloatArray, weights: FloatArray) -> float:
    rows, count = len(target), len(variables)
    unit = [(one - one.mean()) / (one.std() or 1.0) for one in variables]
    best = np.inf
    columns = [np.ones(rows)]
    for degree in range(1 if count else 0, _HIGHEST + 1):
        if degree and comb(count + degree, degree) > rows / _SHARE:
            break
        if degree:
            places = combinations_with_replacement(range(count), degree)
            columns += [values_of(unit, chosen, rows) for chosen in places]
        WORK.count(rows * len(columns) ** 2 * 1.0 + 1e5)
        matrix = np.column_stack(columns) * weights[:, None]
        basis, triangle = np.linalg.qr(matrix)
        solid = np.abs(np.diag(triangle)) > 1e-10 * np.abs(triangle[0, 0])
        basis = basis[:, solid]
        aim = target * weights
        residuals = aim - basis @ (basis.T @ aim)
        lever = np.minimum(np.einsum("ij,ij->i", basis, basis), 1 - 1e-9)
        best = min(best, float(np.mean(np.square(residuals / (1 - lever)))))
        if not count:
            break
    return best


def outliers(variables: Sequence[FloatArray], target: FloatArray) -> npt.NDArray[np.intp]:
    """The places of few values that lie far off a polynomial of low degree which least absolute deviations fit.

    >>> x = np.linspace(1, 2, 60)
    >>> y = x**2
    >>> y[7] = 50
    >>> outliers([x], y).tolist()
    [7]
    """
    rows, count = len(target), len(variables)
    degree = next((one for one in (3, 2, 1) if comb(count + one, one) <= rows / (2 * _SHARE)), 0)
    if not degree or rows < 20:
        return np.empty(0, dtype=np.intp)
    unit = [(one - one.mean()) / (one.std() or 1.0) for one in variables]
    matrix = np.column_stack([values_of(unit, chosen, rows) for chosen in monomials(count, degree)])
    weights = np.ones(rows)
    residuals = target - target.mean()
    for _ in range(_ROUNDS):
        solution, *_ = np.linalg.lstsq(matrix * weights[:, None], target * weights, rcond=None)
        residuals = np.abs(target - matrix @ solution)
        weights = 1 / np.sqrt(np.maximum(residuals, 1e-6 * (np.median(residuals) or 1e-300)))
    typical = float(np.median(residuals)) + 1e-9 * float(np.std(target))
    far = np.flatnonzero(residuals > max(_FAR * typical, _GAP * float(np.quantile(residuals, 1 - _FEW))))
    return far if 0 < len(far) <= _FEW * rows else np.empty(0, dtype=np.intp)


def reductions_of(problem: Subproblem) -> Iterator[Subproblem]:
    """The reduced problems that the surrogate agrees with, the best first."""
    weights = np.ones_like(problem.target) if problem.weights is None else problem.weights
    whole = leave_one_out([one.values for one in problem.variables], problem.target, weights)
    rated = []
    for number, reduced in enumerate(_candidates(problem, weights)):
        scale = weights if reduced.weights is None else reduced.weights
        if np.isfinite(reduced.target).all() and all(np.isfinite(one.values).all() for one in reduced.variables):
            error = leave_one_out([one.values for one in reduced.variables], reduced.target, scale)
            if error <= _AS_GOOD * whole:
                rated.append((error, number, reduced))
    rated.sort(key=lambda entry: entry[:2])
    yield from (reduced for _, _, reduced in rated)


def _candidates(problem: Subproblem, weights: FloatArray) -> Iterator[Subproblem]:
    variables = list(problem.variables)
    for place, variable in enumerate(variables):
        rest = variables[:place] + variables[place + 1 :]
        yield replace(problem, name=f"{problem.name}, without a variable", variables=rest)
        if never_zero(variable.values) and bool((variable.values > 0).all()):
            for exponent in _POWERS:
                factor = simple_power(variable.expression, Fraction(abs(exponent)))
                size = variable.values ** float(exponent)
                yield Subproblem(
                    name=f"{problem.name}, a power as factor",
                    variables=rest,
                    target=problem.target / size,
                    weights=weights * np.abs(size),
                    back=_times(problem.back, factor, above=exponent > 0),
                )
    for first, second in combinations(range(len(variables)), 2):
        a, b = variables[first], variables[second]
        rest = [one for place, one in enumerate(variables) if place not in (first, second)]
        for joined in _joined(a, b):
            yield replace(problem, name=f"{problem.name}, two variables as one", variables=[*rest, joined])


def _times(
    back: Callable[[Expression], Expression], factor: Expression, *, above: bool
) -> Callable[[Expression], Expression]:
    return lambda tree: back(multiply(factor, tree) if above else divide(tree, factor))


def _joined(a: Variable, b: Variable) -> Iterator[Variable]:
    x, y = a.expression, b.expression
    yield Variable(add(x, negate(y)), a.values - b.values)
    yield Variable(add(x, y), a.values + b.values)
    yield Variable(multiply(x, y), a.values * b.values)
    if never_zero(b.values):
        yield Variable(divide(x, y), a.values / b.values)
    elif never_zero(a.values):
        yield Variable(divide(y, x), b.values / a.values)
    yield Variable(add(power(x, Number(2)), power(y, Number(2))), a.values**2 + b.values**2)
    yield Variable(add(power(x, Number(2)), negate(power(y, Number(2)))), a.values**2 - b.values**2)
    for one, other in ((a, b), (b, a)):  # a sum of squares takes in another square
        if isinstance(one.expression, Apply) and one.expression.op == "add":
            yield Variable(add(one.expression, power(other.expression, Number(2))), one.values + other.values**2)
