"""Exact polynomials and quotients of polynomials: a null space of monomials and of monomials times the target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.library import Variable, factors_of
from assay.formula.discovery.tape import WORK
from assay.formula.expression.expression import Expression, Number, add, divide, multiply

__all__ = ["MOST_MONOMIALS", "exact_forms", "monomials", "values_of", "weighted"]

_EXACT = 1e-9  # the smallest singular value beside the largest
_SHARE = 0.6  # of the rows: what the monomials may be at most
_DEGREES = ((1, 0), (2, 0), (3, 0), (4, 0), (1, 1), (2, 1), (2, 2), (3, 2), (5, 0), (4, 2), (3, 3), (6, 0))
MOST_MONOMIALS = 160


def exact_forms(
    variables: Sequence[Variable], target: FloatArray, *, most: int = MOST_MONOMIALS
) -> Iterator[Expression | None]:
    """The first form that holds at every row, if there is one; None after every degree that was tried without success.

    >>> from assay.formula.expression.expression import Symbol, to_text
    >>> a, b = np.random.default_rng(0).uniform(1, 5, (2, 50))
    >>> variables = [Variable(Symbol("a"), a), Variable(Symbol("b"), b)]
    >>> len([tree for tree in exact_forms(variables, a * b / (a + b)) if tree])
    1
    """
    rows, count = len(target), len(variables)
    if not float(np.std(target)):
        return
    scaled = [variable.values / np.abs(variable.values).max() for variable in variables]
    aim = target / np.abs(target).max()
    for above, below in _DEGREES:
        size = comb(count + above, above) + (comb(count + below, below) if below else 1)
        if size > min(_SHARE * rows, most):
            continue
        tops, bottoms = monomials(count, above), monomials(count, below)
        columns = [values_of(scaled, one, rows) for one in (*tops, *bottoms)]
        matrix = np.column_stack([*columns[: len(tops)], *(aim * column for column in columns[len(tops) :])])
        weights = _sparse_null_vector(matrix)
        if weights is not None and np.abs(weights[: len(tops)]).max() and np.abs(weights[len(tops) :]).max():
            yield _quotient(variables, target, tops, bottoms, weights)
            return
        yield None


def monomials(count: int, degree: int) -> list[tuple[int, ...]]:
    """The products of up to ``degree`` of so many variables, as the places of their factors; the empty one first.

    >>> monomials(2, 2)
    [(), (0,), (1,), (0, 0), (0, 1), (1, 1)]
    """
    return [one for total in range(degree + 1) for one in combinations_with_replacement(range(count), total)]


def values_of(columns: Sequence[FloatArray], chosen: Sequence[int], rows: int) -> FloatArray:
    """The product of the columns at those places."""
    values = np.ones(rows)
    for place in chosen:
        values = values * columns[place]
    return values


def weighted(variables: Sequence[Variable], chosen: Sequence[int], weight: float) -> Expression:
    """The product of the variables at those places with a weight."""
    return multiply(Number(float(weight)), *factors_of(variables, chosen))


def _sparse_null_vector(matrix: FloatArray) -> FloatArray | None:
    """A vector with few entries whose product with the matrix vanishes."""
    scale = np.linalg.norm(matrix, axis=0)
    scale[scale == 0] = 1.0
    WORK.count(matrix.size * matrix.shape[1] * 0.5 + 20.0 * matrix.shape[1] ** 3)
    square: FloatArray = np.asarray(np.linalg.qr(matrix / scale, mode="r"))
    places = np.arange(matrix.shape[1])
    vector, size = _last(square)
    if size > _EXACT:
        return None
    # columns that the vector does not need, the least first; where the null space is wide, one after the other
    while True:
        order = np.argsort(np.abs(vector), kind="stable")
        small = order[np.abs(vector)[order] < 1e-7 * np.abs(vector).max()]
        if len(small):
            tried = np.delete(places, small)
            other, size = _last(square[:, tried])
            if size <= _EXACT * 10:
                places, vector = tried, other
                continue
        for place in order:
            tried = np.delete(places, place)
            if len(tried) < 2:
                continue
            other, size = _last(square[:, tried])
            if size <= _EXACT:
                places, vector = tried, other
                break
        else:
            break
    whole = np.zeros(matrix.shape[1])
    whole[places] = vector / scale[places]
    return whole


def _last(square: FloatArray) -> tuple[FloatArray, float]:
    _, singular, v = np.linalg.svd(square, full_matrices=True)
    if len(singular) < square.shape[1]:
        return v[-1], 0.0
    return v[-1], float(singular[-1] / singular[0])


def _quotient(
    variables: Sequence[Variable],
    target: FloatArray,
    tops: Sequence[tuple[int, ...]],
    bottoms: Sequence[tuple[int, ...]],
    weights: FloatArray,
) -> Expression:
    largest = [float(np.abs(variable.values).max()) for variable in variables]
    unscaled = np.array([1.0 / np.prod([largest[place] for place in one]) for one in (*tops, *bottoms)])
    weights = weights * unscaled
    above, below = weights[: len(tops)] * float(np.abs(target).max()), -weights[len(tops) :]
    unit = float(below[np.flatnonzero(below)[0]])  # the first of the denominator becomes 1
    above, below = above / unit, below / unit
    top = add(*(weighted(variables, one, weight) for one, weight in zip(tops, above, strict=True) if weight))
    (first, _), *rest = [(one, weight) for one, weight in zip(bottoms, below, strict=True) if weight]
    if not rest and not first:
        return top
    leading = multiply(*factors_of(variables, first)) if first else Number(1)
    return divide(top, add(leading, *(weighted(variables, one, weight) for one, weight in rest)))
