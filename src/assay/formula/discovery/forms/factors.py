"""Factors of products: functions of a product of powers, by their logarithms, with constants to start from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.expression.expression import Apply, Expression, Number, add, multiply, negate

__all__ = ["KINDS", "PRICES", "Factor", "Kind", "Monomial", "is_simple", "monomials_in"]

_MOST_MONOMIALS = 700


class Monomial(NamedTuple):
    """A product of powers as an argument: its values, its exponents by variable, and what is squared or joined."""

    values: FloatArray
    exponents: tuple[tuple[int, float], ...]


class Factor(NamedTuple):
    """A function of a monomial times a constant; its exponent is solved for where it is not given."""

    kind: int
    monomial: int
    constant: float
    shift: float
    stretch: float = 1.0  # of the monomial's exponents
    exponent: float = 0.0  # zero: solved for, unless its kind has none

    @property
    def is_fixed(self) -> bool:
        """Whether nothing is solved for."""
        return bool(self.exponent) or KINDS[self.kind].fixed


class Kind(NamedTuple):
    """The logarithm of a function, how it is written, the constants to try by a monomial's values."""

    log: Callable[[FloatArray, Any, Any], FloatArray]
    write: Callable[[Expression, float, float], Expression]
    grid: Callable[[FloatArray], Sequence[tuple[FloatArray, float]]]
    fixed: bool = False
    shifted: bool = False
    simple: bool = False  # only of monomials of two variables at most, exponents one, minus one and two


def _times(constant: float, argument: Expression) -> Expression:
    return multiply(Number(float(constant)), argument)


def _plain(values: FloatArray) -> Sequence[tuple[FloatArray, float]]:
    return [(1.0 / np.abs(values).max(axis=1), 0.0)]


def _within(values: FloatArray) -> Sequence[tuple[FloatArray, float]]:
    """One and a multiple that is smaller, alike or larger; or one less what stays below it."""
    size, usual = np.abs(values).max(axis=1), np.median(np.abs(values), axis=1)
    starts = [(share / usual, 0.0) for share in (0.1, 0.4, 1.5, 6.0)]
    return [*starts, *((-share / size, 0.0) for share in (0.2, 0.5, 0.9, 0.985))]


def _beyond(values: FloatArray) -> Sequence[tuple[FloatArray, float]]:
    """Multiples that stay above one."""
    with np.errstate(all="ignore"):
        return [(share / np.abs(values).min(axis=1), 0.0) for share in (1.02, 1.15, 2.0)]


def _by_usual(
    *shares: float, shifts: Sequence[float] = (0.0,)
) -> Callable[[FloatArray], Sequence[tuple[FloatArray, float]]]:
    def grid(values: FloatArray) -> Sequence[tuple[FloatArray, float]]:
        usual = np.median(np.abs(values), axis=1)
        return [(share / usual, shift) for share in shares for shift in shifts]

    return grid


def _waves(values: FloatArray) -> Sequence[tuple[FloatArray, float]]:
    spread = np.ptp(values, axis=1)
    shares = (*np.arange(1.0, 8.0, 0.5), *np.arange(8.0, 20.0, 0.75))
    starts = [(share / spread, shift) for share in shares for shift in (0.0, np.pi / 4, np.pi / 2, 3 * np.pi / 4)]
    return [
        *starts,
        *((np.full_like(spread, one), shift) for one in (0.5, 1.0, 2.0, np.pi) for shift in (0.0, np.pi / 2)),
    ]


def _wave(m: Expression, c: float, d: float) -> Expression:
    if d in (0.0, np.pi / 2):
        return Apply("sin" if d else "cos", (_times(c, m),))
    return Apply("cos", (add(_times(c, m), Number(-d)),))


def _apply(op: str) -> Callable[[Expression, float, float], Expression]:
    return lambda m, c, d: Apply(op, (_times(c, m),))


KINDS: tuple[Kind, ...] = (
    Kind(lambda m, c, d: c * m, _apply("exp"), _plain),
    Kind(lambda m, c, d: np.log(np.abs(1 + c * m)), lambda m, c, d: add(Number(1), _times(c, m)), _within),
    Kind(lambda m, c, d: np.log(np.abs(c * m - 1)), lambda m, c, d: add(_times(c, m), Number(-1)), _beyond),
    Kind(
        lambda m, c, d: np.log(np.abs(np.expm1(c * m))),
        lambda m, c, d: add(Apply("exp", (_times(c, m),)), Number(-1)),
        _by_usual(0.25, 0.8, 2.5),
    ),
    Kind(
        lambda m, c, d: np.log(np.abs(np.expm1(-c * m))),
        lambda m, c, d: add(Number(1), negate(Apply("exp", (_times(-c, m),)))),
        _by_usual(0.25, 0.8, 2.5),
    ),
    Kind(
        lambda m, c, d: np.logaddexp(0.0, c * m + d),
        lambda m, c, d: add(multiply(Number(float(np.exp(d))), Apply("exp", (_times(c, m),))), Number(1)),
        _by_usual(-3.0, -1.0, 1.0, 3.0, shifts=(-2.0, 0.0, 2.0)),
        shifted=True,
    ),
    Kind(lambda m, c, d: np.log(np.abs(np.cos(c * m - d))), _wave, _waves, fixed=True, simple=True),
    Kind(lambda m, c, d: np.log(np.abs(np.tanh(c * m))), _apply("tanh"), _by_usual(0.4, 1.0, 2.5)),
    Kind(
        lambda m, c, d: np.log(np.abs(np.log(np.abs(1 + c * m)))),
        lambda m, c, d: Apply("log", (add(Number(1), _times(c, m)),)),
        _by_usual(0.3, 2.0, 10.0),
    ),
    Kind(
        lambda m, c, d: np.log(np.abs(np.log(np.abs(c * m)))),
        _apply("log"),
        lambda v: [(np.ones(len(v)), 0.0)],
        fixed=True,
    ),
    Kind(
        lambda m, c, d: np.log(np.abs(np.expm1(c * m + d))),
        lambda m, c, d: add(Number(1), negate(multiply(Number(float(np.exp(d))), Apply("exp", (_times(c, m),))))),
        _by_usual(-3.0, -1.5, -0.7, shifts=(-1.0, 0.7, 2.0)),
        shifted=True,
    ),
)


# of a kind, in units of twice the log-likelihood: flexible ones stand in for others
PRICES = np.array([0.0, 0.0, 1.0, 3.0, 3.0, 9.0, 3.0, 3.0, 5.0, 2.0, 9.0])


def monomials_in(values: FloatArray) -> list[Monomial]:
    """Products of up to three powers; a variable that changes its sign has the exponents one and two."""
    count = len(values)
    positive = np.asarray((values > 0).all(axis=1))
    monomials: list[Monomial] = []
    for size, exponents in (
        (1, (1.0, -1.0, 2.0, -2.0, 0.5, -0.5)),
        (2, (1.0, -1.0, 2.0, -2.0, 0.5, -0.5)),
        (3, (1.0, -1.0, 2.0, -2.0)),
    ):
        for places in combinations(range(count), size):
            for chosen in product(exponents, repeat=size):
                if any(
                    not positive[place] and one not in (1.0, 2.0) for place, one in zip(places, chosen, strict=True)
                ):
                    continue
                if size > 1 and sum(abs(one) != 1 for one in chosen) > (size == 2) + 1:
                    continue
                if len(monomials) >= _MOST_MONOMIALS:
                    return monomials
                with np.errstate(all="ignore"):
                    computed = np.prod(
                        [values[place] ** one for place, one in zip(places, chosen, strict=True)], axis=0
                    )
                if np.isfinite(computed).all() and np.ptp(computed) > 0:
                    monomials.append(Monomial(computed, tuple(zip(places, chosen, strict=True))))
    return monomials


def is_simple(monomial: Monomial) -> bool:
    """Whether waves of it are tried: two variables at most, exponents one and minus one, one of them two."""
    exponents = [one for _, one in monomial.exponents]
    return len(exponents) <= 2 and set(exponents) <= {1.0, -1.0, 2.0} and exponents.count(2.0) <= 1
