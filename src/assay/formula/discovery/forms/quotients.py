"""Quotients of polynomials from noisy data: all monomials at once, then the least needed ones left out, one by one.

With noise there is no null space. The quotient with every monomial is found by solving for numerator and denominator
together, each row weighted by the denominator before (Sanathanan and Koerner's iteration), then by Gauss and Newton's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.formula.discovery.forms.rational import monomials, values_of, weighted
from assay.formula.discovery.library import Variable
from assay.formula.discovery.tape import WORK
from assay.formula.expression.expression import Expression, Number, add, divide

__all__ = ["noisy_quotients"]

_DEGREES = ((1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (4, 2))  # above and below the line
_MOST, _PER_TERM = 46, 4  # terms, and rows for every one of them
_TERM_PRICE = 9.0  # in units of twice the log-likelihood: a number and the nodes of a monomial
_ITERATIONS, _ROUNDS, _FEWEST = 6, 12, 12
_NEAR_ZERO = 1e-3  # of its largest size: a denominator that comes nearer has a pole


class _Problem(NamedTuple):
    """Monomials, those above the line first, what their quotient is to be, and what an error at a row counts."""

    matrix: FloatArray
    aim: FloatArray
    worth: FloatArray

    def parts(self, split: int, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Above and below the line."""
        above: FloatArray = self.matrix[:, :split] @ weights[:split]
        below: FloatArray = 1.0 + self.matrix[:, split:] @ weights[split:]
        return above, below

    def error(self, split: int, weights: FloatArray) -> float:
        """Infinite where the denominator has a pole."""
        above, below = self.parts(split, weights)
        return float(np.sum(np.square((self.aim - above / below) * self.worth))) if _is_fine(below) else np.inf

    def slopes(self, split: int, weights: FloatArray) -> FloatArray:
        """What each weight changes, weighted."""
        above, below = self.parts(split, weights)
        by_above = self.worth / below
        by_below = -by_above * above / below
        return np.column_stack([self.matrix[:, :split] * by_above[:, None], self.matrix[:, split:] * by_below[:, None]])


class _Quotient(NamedTuple):
    """Weights above and below the line, the constant one of the denominator left out, and the squared error."""

    weights: FloatArray
    error: float


def noisy_quotients(
    variables: Sequence[Variable], target: FloatArray, weights: FloatArray | None = None
) -> Iterator[Expression | None]:
    """For every degree the quotient that is worth its terms; None where there is none.

    ``weights`` say what an error at a row counts; rows without weight are left out.

    >>> from assay.formula.expression.expression import Symbol, symbols_of
    >>> x, y = np.random.default_rng(0).uniform(0.1, 5, (2, 90))
    >>> variables = [Variable(Symbol("x"), x), Variable(Symbol("y"), y)]
    >>> noise = 0.01 * np.random.default_rng(1).standard_normal(90)
    >>> next(noisy_quotients(variables, 2 * x / (1 + 0.7 * y) + noise)).nodes
    9
    """
    usable_rows = np.ones(len(target), dtype=bool) if weights is None else weights > 0
    worth = np.ones(len(target)) if weights is None else weights / weights.max()
    worth, target = worth[usable_rows], target[usable_rows]
    if len(target) < _FEWEST:
        return
    scale = float(np.abs(target).max()) or 1.0
    sizes = [float(np.abs(one.values).max()) or 1.0 for one in variables]
    scaled = [one.values[usable_rows] / size for one, size in zip(variables, sizes, strict=True)]
    aim, rows = target / scale, len(target)
    for above, below in _DEGREES:
        count = comb(len(variables) + above, above) + comb(len(variables) + below, below) - 1
        if count > _MOST or count * _PER_TERM > rows:
            continue
        tops, bottoms = monomials(len(variables), above), monomials(len(variables), below)[1:]
        matrix = np.column_stack([values_of(scaled, one, rows) for one in (*tops, *bottoms)])
        selection = _chosen(_Problem(matrix, aim, worth), len(tops))
        if selection is None:
            yield None
            continue
        places, solved = selection
        terms = [(*tops, *bottoms)[place] for place in places]
        units = [float(np.prod([sizes[place] for place in one])) for one in terms]
        split = int((places < len(tops)).sum())
        factors = [scale] * split + [1.0] * (len(terms) - split)
        parts = [
            weighted(variables, one, float(weight * factor / unit))
            for one, weight, factor, unit in zip(terms, solved, factors, units, strict=True)
        ]
        top = add(*parts[:split])
        yield divide(top, add(*parts[split:], Number(1))) if parts[split:] else top


def _chosen(problem: _Problem, tops: int) -> tuple[npt.NDArray[np.intp], FloatArray] | None:
    """The terms that are left when leaving out another costs more than it saves, with their weights."""
    places = np.arange(problem.matrix.shape[1])
    fit = _fitted(problem, tops, None)
    best: tuple[float, npt.NDArray[np.intp], FloatArray] | None = None
    rows = len(problem.aim)
    floor = 1e-22 * float(np.sum(np.square(problem.aim * problem.worth)))
    while fit is not None:
        value = rows * float(np.log(max(fit.error, floor))) + _TERM_PRICE * len(places)
        if best is None or value < best[0]:
            best = value, places, fit.weights
        split = int((places < tops).sum())
        if len(places) <= 2 or split < 1:
            break
        some = problem._replace(matrix=problem.matrix[:, places])
        slopes = some.slopes(split, fit.weights)
        inverse = np.diag(np.linalg.pinv(slopes.T @ slopes, rcond=1e-13))
        costs = np.square(fit.weights) / np.maximum(inverse, 1e-300)
        if split == 1:
            costs[0] = np.inf  # one term above the line stays
        place = int(np.argmin(costs))
        places = np.delete(places, place)
        some = problem._replace(matrix=problem.matrix[:, places])
        fit = _fitted(some, int((places < tops).sum()), np.delete(fit.weights, place))
    return None if best is None else (best[1], best[2])


def _is_fine(below: FloatArray) -> bool:
    size = np.abs(below)
    return bool(np.isfinite(below).all() and size.min() > _NEAR_ZERO * size.max() and (below > 0).all())


def _fitted(problem: _Problem, split: int, start: FloatArray | None) -> _Quotient | None:
    """The best from all starts, or from the given one; None where every denominator has a pole."""
    starts = _starts(problem, split) if start is None else [start]
    fits = [fit for one in starts if (fit := _descended(problem, split, one)) is not None]
    return min(fits, key=lambda fit: fit.error, default=None)


def _starts(problem: _Problem, split: int) -> Iterator[FloatArray]:
    """From solving for both parts together, as far towards that as the denominator has no pole; and from squares."""
    matrix, aim = problem.matrix, problem.aim
    rows, count = matrix.shape
    WORK.count(_ITERATIONS * rows * count**2 * 2.0 + 1e6)
    scale, values = problem.worth, aim
    weights: FloatArray | None = None
    for _ in range(_ITERATIONS):
        design = np.column_stack([matrix[:, :split], -matrix[:, split:] * values[:, None]]) * scale[:, None]
        size = np.linalg.norm(design, axis=0)
        size[size == 0] = 1.0
        solved, *_ = np.linalg.lstsq(design / size, aim * scale, rcond=1e-10)
        tried = next(_shrunk(problem, split, solved / size), None)
        if tried is None:
            break
        above, below = problem.parts(split, tried)
        weights, scale, values = tried, problem.worth / below, above / below
    if weights is not None:
        yield weights
    squares = np.concatenate([np.zeros(split), np.where((matrix[:, split:] >= 0).all(axis=0), 1.0, 0.0)])
    yield from _shrunk(problem, split, squares)


def _shrunk(problem: _Problem, split: int, weights: FloatArray) -> Iterator[FloatArray]:
    """With the denominator nearer to one until it has no pole, the numerator solved for."""
    for share in (1.0, 0.6, 0.3, 0.1):
        tried = np.concatenate([weights[:split], share * weights[split:]])
        _, below = problem.parts(split, tried)
        if _is_fine(below):
            if share < 1 or not weights[:split].any():
                scale = problem.worth / below
                tried[:split], *_ = np.linalg.lstsq(
                    problem.matrix[:, :split] * scale[:, None], problem.aim * problem.worth, rcond=1e-10
                )
            yield tried
            return


def _descended(problem: _Problem, split: int, weights: FloatArray) -> _Quotient | None:
    """Gauss and Newton's steps, damped."""
    rows, count = problem.matrix.shape
    error, damping = problem.error(split, weights), 1e-4
    if not np.isfinite(error):
        return None
    for _ in range(_ROUNDS):
        WORK.count(rows * count**2 * 0.5 + 1e5)
        slopes = problem.slopes(split, weights)
        above, below = problem.parts(split, weights)
        gram = slopes.T @ slopes
        gram[np.diag_indices_from(gram)] *= 1 + damping
        gram[np.diag_indices_from(gram)] += 1e-14 * float(np.trace(gram))
        try:
            tried = weights + np.linalg.solve(gram, slopes.T @ ((problem.aim - above / below) * problem.worth))
        except np.linalg.LinAlgError:
            break
        now = problem.error(split, tried)
        if now < error:
            small = error - now < 1e-5 * error
            weights, error, damping = tried, now, damping / 10
            if small:
                break
        else:
            damping *= 30
            if damping > 1e6:
                break
    return _Quotient(weights, error)
