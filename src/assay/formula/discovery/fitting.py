"""Constants fitted by Levenberg and Marquardt's method, and terms deleted that the data do not ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.simplification import reductions, straightened
from assay.formula.discovery.tape import Tape, with_constants
from assay.formula.expression.expression import Apply, Expression, Number, subtrees

__all__ = [
    "Fit",
    "criterion",
    "evaluate",
    "fit_constants",
    "price_of",
    "standard_errors",
    "without_weak_parts",
    "without_weak_terms",
]

_STUCK = 1e-4  # a smaller relative gain, twice, ends a fit
# in units of twice the log-likelihood: what a node and a number that is fitted cost
_NODE_PRICE, _CONSTANT_PRICE, _EXPONENT_PRICE = 2.0, 4.5, 5.0  # the last for an exponent that is fitted, in addition
_USUAL_EXPONENT = 4  # a larger one costs as much as one that is fitted
_EXACT = 1e-26  # of the target's variance


class Fit(NamedTuple):
    """A tree with its best constants, its values, and the mean squared error."""

    expression: Expression
    values: FloatArray
    error: float


def price_of(expression: Expression) -> float:
    """What a formula must take from twice the negative log-likelihood to be worth its nodes and its fitted numbers.

    >>> from assay.formula.expression.parser import parse
    >>> price_of(parse("2.5*x")), price_of(parse("x**2"))
    (10.5, 6.0)
    """
    fitted = exponents = 0
    for node in subtrees(expression):
        if isinstance(node, Number):
            fitted += isinstance(node.value, float)
        elif isinstance(node, Apply) and node.op == "pow" and isinstance(node.args[1], Number):
            exponents += isinstance(node.args[1].value, float) or abs(node.args[1].value) > _USUAL_EXPONENT
    return _NODE_PRICE * expression.nodes + _CONSTANT_PRICE * fitted + _EXPONENT_PRICE * exponents


def criterion(fit: Fit, rows: int, floor: float) -> float:
    """Less is better: twice the negative log-likelihood, errors below ``floor`` being alike, and the model's price."""
    return float(rows * np.log(max(fit.error, floor))) + price_of(fit.expression)


def evaluate(expression: Expression, columns: Mapping[str, FloatArray], target: FloatArray) -> Fit:
    """The tree as it is; an infinite error where it has no finite values."""
    values = Tape(expression).values(columns, len(target))
    return Fit(expression, values, _error(values, target))


def _error(values: FloatArray, target: FloatArray) -> float:
    with np.errstate(all="ignore"):
        error = float(np.mean(np.square(values - target)))
    return error if np.isfinite(error) else np.inf


def fit_constants(
    expression: Expression,
    columns: Mapping[str, FloatArray],
    target: FloatArray,
    *,
    rounds: int = 20,
    frozen: Sequence[int] = (),
) -> Fit:
    """The constants with the least squared error that is reached from where they are; those at ``frozen`` nodes stay.

    >>> from assay.formula.expression.parser import parse
    >>> x = np.linspace(0, 3, 40)
    >>> found = fit_constants(parse("1.0*sin(1.2*x)"), {"x": x}, 2 * np.sin(1.5 * x))
    >>> [round(float(value), 6) for value in Tape(found.expression).constants]
    [2.0, 1.5]
    """
    tape = Tape(expression)
    rows, constants = len(target), tape.constants
    if not len(constants) or not tape.is_smooth:
        return evaluate(expression, columns, target)
    enough = _EXACT * float(np.var(target))
    fixed = [number for number, place in enumerate(tape.slots) if place in set(frozen)]
    values, matrix = tape.jacobian(columns, rows, constants)
    error, damping, slow = _error(values, target), 1e-3, 0
    if not np.isfinite(error):
        return Fit(expression, values, np.inf)
    for _ in range(rounds):
        if error <= enough or not np.isfinite(matrix).all():
            break
        residuals = target - values
        matrix[:, fixed] = 0.0
        scale = np.sqrt(np.einsum("ij,ij->j", matrix, matrix))
        scale[scale == 0] = 1.0
        scaled = matrix / scale
        gram, pull = scaled.T @ scaled, scaled.T @ residuals
        improved = False
        for _ in range(6):
            try:
                step = np.linalg.solve(gram + damping * np.eye(len(gram)), pull) / scale
            except np.linalg.LinAlgError:
                damping = max(damping, 1e-9) * 10
                continue
            tried_values = tape.values(columns, rows, constants + step)
            tried = _error(tried_values, target)
            if tried < error:
                improved = True
                break
            damping = max(damping, 1e-9) * 8
        if not improved:
            break
        gain = 1 - tried / error
        constants, error, damping = constants + step, tried, damping / 10
        slow = slow + 1 if gain < _STUCK else 0
        if slow >= 2:
            values = tried_values
            break
        values, matrix = tape.jacobian(columns, rows, constants)
    return Fit(with_constants(expression, constants.tolist()), values, error)


def standard_errors(expression: Expression, columns: Mapping[str, FloatArray], target: FloatArray) -> FloatArray:
    """How well the data determine each constant; infinite where they do not."""
    tape = Tape(expression)
    values, matrix = tape.jacobian(columns, len(target), tape.constants)
    freedom = max(len(target) - matrix.shape[1], 1)
    variance = float(np.sum(np.square(target - values))) / freedom
    try:
        scale = np.linalg.norm(matrix, axis=0)
        scale[scale == 0] = 1e-300
        inverse = np.linalg.pinv((matrix / scale).T @ (matrix / scale))
        errors: FloatArray = np.sqrt(np.maximum(np.diag(inverse), 0) * variance) / scale
    except (np.linalg.LinAlgError, ValueError):
        return np.full(matrix.shape[1], np.inf)
    return errors


def without_weak_terms(fit: Fit, columns: Mapping[str, FloatArray], target: FloatArray, *, price: float) -> Fit:
    """Delete terms of the sum that take less from twice the negative log-likelihood than their price.

    The weakest first.
    """
    while isinstance(fit.expression, Apply) and fit.expression.op == "add":
        terms = fit.expression.args
        matrix = np.column_stack([evaluate(term, columns, target).values for term in terms])
        scale = np.linalg.norm(matrix, axis=0)
        if not np.isfinite(scale).all() or not scale.all() or fit.error <= 0:
            return fit
        inverse = np.linalg.pinv((matrix / scale).T @ (matrix / scale), rcond=1e-14)
        costs = scale**2 / np.maximum(np.diag(inverse), 1e-300) / (len(target) * fit.error)
        weakest = int(np.argmin(costs))
        if len(target) * np.log1p(costs[weakest]) >= price:
            return fit
        rest = terms[:weakest] + terms[weakest + 1 :]
        shorter = fit_constants(rest[0] if len(rest) == 1 else Apply("add", rest), columns, target)
        if not shorter.error < fit.error * np.exp(price / len(target)):
            return fit
        fit = shorter
    return fit


def without_weak_parts(fit: Fit, columns: Mapping[str, FloatArray], target: FloatArray, *, floor: float) -> Fit:
    """Delete terms and factors anywhere, one at a time, where what is saved costs more than it explains.

    Errors below ``floor`` are rounding: there whatever can be deleted is.
    """
    rows = len(target)
    while True:
        base = max(fit.error, floor)
        rated = []
        for smaller in (*reductions(fit.expression), *straightened(fit.expression, columns, rows)):
            tried = fit_constants(smaller, columns, target, rounds=3)
            if tried.error < max(fit.error * 100, floor * 1e12):
                rated.append(tried)
        rated.sort(key=lambda one: (one.error, one.expression.nodes))
        for tried in rated[:6]:
            tried = fit_constants(tried.expression, columns, target)
            saved = price_of(fit.expression) - price_of(tried.expression)
            if rows * np.log(max(tried.error, floor) / base) < saved:
                fit = tried
                break
        else:
            return fit
