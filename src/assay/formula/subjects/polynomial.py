"""The polynomial baseline: monomials chosen one at a time, as many as the data justify."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.expression.expression import Expression, Number, Symbol, multiply, power
from assay.formula.subjects.adapter import Adapter, Candidate
from assay.formula.subjects.linear import least_squares, linear_candidate

__all__ = ["Polynomial", "degree_within", "forward_selection", "monomials"]

_MOST_MONOMIALS = 2000
_MOST_NUMBERS = 20_000_000  # rows times monomials: what several copies of the table may take
_EXACT = 1e-20  # of the target's variance: what is left below it is rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Polynomial(Adapter):
    """A polynomial with few terms: forward selection, stopped by the Bayesian information criterion.

    The degree is lowered where the variables are so many that it would give more than 2000 monomials.
    """

    title = "polynomial"
    always = ("degree", "terms")
    degree: int = 4
    terms: int = 15

    def fit(self, inputs: FloatArray, target: FloatArray, *, seconds: float, seed: int) -> list[Candidate]:
        """The model with the best criterion first, then those with fewer and more terms."""
        most = min(_MOST_MONOMIALS, _MOST_NUMBERS // len(inputs))
        degree = degree_within(inputs.shape[1], self.degree, most)
        powers = list(monomials(inputs.shape[1], degree))
        with np.errstate(over="ignore"):
            columns = np.column_stack([np.prod([inputs[:, place] for place in term], axis=0) for term in powers])
        usable = np.flatnonzero(np.isfinite(columns).all(axis=0))
        rated: list[tuple[float, Candidate]] = []
        for chosen in forward_selection(columns[:, usable], target, most=self.terms):
            places = usable[chosen]
            some, terms = columns[:, places], [_monomial(powers[place]) for place in places]
            candidate = linear_candidate(some, target, *least_squares(some, target), terms)
            rated.append((_criterion(candidate.error, target, len(chosen)), candidate))
        best = min(range(len(rated)), key=lambda place: rated[place][0])
        return [rated[best][1], *(candidate for place, (_, candidate) in enumerate(rated) if place != best)]


def degree_within(variables: int, degree: int, most: int) -> int:
    """The degree, lowered until the monomials are few enough; at least 1.

    >>> degree_within(2, 4, 600), degree_within(30, 4, 600)
    (4, 2)
    """
    while degree > 1 and comb(variables + degree, degree) - 1 > most:
        degree -= 1
    return degree


def monomials(variables: int, degree: int) -> Iterator[tuple[int, ...]]:
    """The monomials by the places of their factors, low degrees first.

    >>> list(monomials(2, 2))
    [(0,), (1,), (0, 0), (0, 1), (1, 1)]
    """
    for total in range(1, degree + 1):
        yield from combinations_with_replacement(range(variables), total)


def forward_selection(columns: FloatArray, target: FloatArray, *, most: int) -> list[list[int]]:
    """Growing sets of columns, from none: each step adds the one that leaves the least error together with the others.

    >>> x = np.linspace(0, 1, 9)
    >>> forward_selection(np.column_stack([x, x**2]), 3 * x**2, most=2)
    [[], [1]]
    """
    centred = columns - columns.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    residual = target - target.mean()
    enough = _EXACT * float(residual @ residual)
    chosen: list[int] = []
    path: list[list[int]] = [[]]
    for _ in range(min(most, columns.shape[1], len(target) - 2)):
        remaining = np.linalg.norm(centred, axis=0)
        # what the chosen columns already explain must not be divided by
        free = remaining > 1e-7 * np.maximum(lengths, 1e-300)
        free[chosen] = False
        if not free.any() or float(residual @ residual) <= enough:
            break
        gains = np.where(free, np.abs(residual @ centred) / np.where(free, remaining, 1.0), -1.0)
        best = int(np.argmax(gains))
        direction = centred[:, best] / remaining[best]
        residual = residual - direction * (direction @ residual)
        centred = centred - np.outer(direction, direction @ centred)
        chosen.append(best)
        path.append(list(chosen))
    return path


def _criterion(error: float, target: FloatArray, terms: int) -> float:
    rows = len(target)
    least = max(_EXACT * float(np.var(target)), 1e-300)
    return rows * float(np.log(max(error, least))) + (terms + 1) * float(np.log(rows))


def _monomial(term: tuple[int, ...]) -> Expression:
    factors = [
        Symbol(f"x{place}") if count == 1 else power(Symbol(f"x{place}"), Number(count))
        for place, count in Counter(term).items()
    ]
    return multiply(*factors)
