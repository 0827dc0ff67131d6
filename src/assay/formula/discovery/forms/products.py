"""Products of powers with factors that are functions of such products, found in logarithms.

The logarithm of a product is a sum: the exponents of the variables are solved for together (they are projected out),
and one product of matrices rates every factor of a list, its own exponent solved for as well. Rows count as much as the
target is large, so that errors are those of the target and not of its logarithm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from assay.core.arrays import FloatArray
from assay.formula.discovery.exponents import simple_power
from assay.formula.discovery.library import Variable
from assay.formula.discovery.tape import WORK
from assay.formula.expression.expression import Apply, Expression, Number, add, multiply, negate, power

__all__ = ["Product", "product_models"]

_ROWS = 250  # that factors are rated by
_MOST_NUMBERS = 12_000_000  # columns times rows
_MOST_MONOMIALS = 700
_LEAST_EXPONENT, _LARGEST_EXPONENT = 0.2, 8.5
_FIRST, _PAIRS = 12, 12  # factors that are followed by a second one; pairs that are kept for each
_REFINEMENTS = 3
_AROUND, _NEARBY = (0.5, 0.65, 0.8, 1.0, 1.25, 1.55, 2.0), (0.94, 0.97, 1.0, 1.03, 1.06)  # times a constant
_KEPT = 40  # of one factor, and as many of two
_FEWEST = 20
_NEW = 1e-5  # share of a column that the exponents must leave of it


class Product(NamedTuple):
    """How many factors beside powers; the tree with free exponents, and with the simple ones that are nearest."""

    factors: int
    free: Expression
    simple: Expression


class _Monomial(NamedTuple):
    """A product of powers as an argument: its values, its exponents by variable, and what is squared or joined."""

    values: FloatArray
    exponents: tuple[tuple[int, float], ...]


class _Factor(NamedTuple):
    """A function of a monomial times a constant; ``fixed`` where its exponent is one."""

    kind: int
    monomial: int
    constant: float
    shift: float


class _Kind(NamedTuple):
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
    found = [(share / usual, 0.0) for share in (0.1, 0.4, 1.5, 6.0)]
    return [*found, *((-share / size, 0.0) for share in (0.5, 0.9, 0.985))]


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
    found = [(share / spread, shift) for share in shares for shift in (0.0, np.pi / 4, np.pi / 2, 3 * np.pi / 4)]
    return [
        *found,
        *((np.full_like(spread, one), shift) for one in (0.5, 1.0, 2.0, np.pi) for shift in (0.0, np.pi / 2)),
    ]


def _wave(m: Expression, c: float, d: float) -> Expression:
    if d in (0.0, np.pi / 2):
        return Apply("sin" if d else "cos", (_times(c, m),))
    return Apply("cos", (add(_times(c, m), Number(-d)),))


def _apply(op: str) -> Callable[[Expression, float, float], Expression]:
    return lambda m, c, d: Apply(op, (_times(c, m),))


_KINDS: tuple[_Kind, ...] = (
    _Kind(lambda m, c, d: c * m, lambda m, c, d: Apply("exp", (_times(c, m),)), _plain),
    _Kind(lambda m, c, d: np.log(np.abs(1 + c * m)), lambda m, c, d: add(Number(1), _times(c, m)), _within),
    _Kind(lambda m, c, d: np.log(np.abs(c * m - 1)), lambda m, c, d: add(_times(c, m), Number(-1)), _beyond),
    _Kind(
        lambda m, c, d: np.log(np.abs(np.expm1(c * m))),
        lambda m, c, d: add(Apply("exp", (_times(c, m),)), Number(-1)),
        _by_usual(0.25, 0.8, 2.5),
    ),
    _Kind(
        lambda m, c, d: np.log(np.abs(np.expm1(-c * m))),
        lambda m, c, d: add(Number(1), negate(Apply("exp", (_times(-c, m),)))),
        _by_usual(0.25, 0.8, 2.5),
    ),
    _Kind(
        lambda m, c, d: np.logaddexp(0.0, c * m + d),
        lambda m, c, d: add(multiply(Number(float(np.exp(d))), Apply("exp", (_times(c, m),))), Number(1)),
        _by_usual(-3.0, -1.0, 1.0, 3.0, shifts=(-2.0, 0.0, 2.0)),
        shifted=True,
    ),
    _Kind(lambda m, c, d: np.log(np.abs(np.cos(c * m - d))), _wave, _waves, fixed=True, simple=True),
    _Kind(lambda m, c, d: np.log(np.abs(np.tanh(c * m))), _apply("tanh"), _by_usual(0.4, 1.0, 2.5)),
    _Kind(
        lambda m, c, d: np.log(np.abs(np.log(np.abs(1 + c * m)))),
        lambda m, c, d: Apply("log", (add(Number(1), _times(c, m)),)),
        _by_usual(0.3, 2.0, 10.0),
    ),
    _Kind(
        lambda m, c, d: np.log(np.abs(np.log(np.abs(c * m)))),
        lambda m, c, d: Apply("log", (_times(c, m),)),
        lambda v: [(np.ones(len(v)), 0.0)],
        fixed=True,
    ),
)


class _Space(NamedTuple):
    """What is rated: columns of shape (factors, rows), the basis of exponents, and the target, all weighted."""

    factors: list[_Factor]
    columns: FloatArray
    sizes: FloatArray
    fixed: FloatArray
    basis: FloatArray
    aim: FloatArray


def product_models(variables: Sequence[Variable], target: FloatArray, *, deep: bool = True) -> Iterator[Product]:
    """Products of powers with one factor and with two, the most promising first.

    >>> from assay.formula.discovery.fitting import fit_constants
    >>> from assay.formula.expression.expression import Symbol
    >>> v, t, c = np.random.default_rng(0).uniform(0.5, 3, (3, 80))
    >>> columns, y = {"v": v, "t": t, "c": c}, v * (1 - np.exp(-0.7 * t / c))
    >>> trees = product_models([Variable(Symbol(name), values) for name, values in columns.items()], y)
    >>> min(fit_constants(tree.simple, columns, y).error for tree, _ in zip(trees, range(8))) < 1e-12
    True
    """
    rows = np.flatnonzero(target)
    if len(rows) > _ROWS:
        rows = rows[np.linspace(0, len(rows) - 1, _ROWS).astype(int)]
    if len(rows) < max(_FEWEST, 3 * len(variables) + 6):
        return
    y = target[rows]
    values = np.array([one.values[rows] for one in variables])
    monomials = _monomials(values)
    space = _space(values, monomials, y)
    if space is None:
        return
    left = space.aim - space.basis @ (space.basis.T @ space.aim)
    first = _rated(space, left, space.basis, 4 * _FIRST)
    seen: list[tuple[float, tuple[int, ...]]] = [(score, (place,)) for score, place in first]
    if deep:
        for _, place in first[:_FIRST]:
            column = space.columns[place] - space.basis @ (space.basis.T @ space.columns[place])
            column /= np.linalg.norm(column)
            basis = np.column_stack([space.basis, column])
            rest = left - column * float(column @ left)
            seen += [(score, (place, other)) for score, other in _rated(space, rest, basis, _PAIRS) if other != place]
    seen.sort(key=lambda entry: (-entry[0], entry[1]))
    weights, matrix = _weights(y), np.array([one.values for one in monomials])
    chosen: dict[tuple[tuple[int, int], ...], tuple[float, list[_Factor]]] = {}
    counts = [0, 0]
    for _, places in seen:
        factors = [space.factors[place] for place in places]
        key = tuple(sorted((one.kind, one.monomial) for one in factors))
        if key not in chosen and counts[len(places) - 1] < _KEPT:
            counts[len(places) - 1] += 1
            chosen[key] = _refined(factors, matrix, weights, space)
    for _, factors in sorted(chosen.values(), key=lambda entry: entry[0]):
        free, simple = (
            _written(variables, values, monomials, space, factors, weights, simple=one) for one in (False, True)
        )
        yield Product(len(factors), free, simple)


def _column(factor: _Factor, matrix: FloatArray, weights: FloatArray) -> FloatArray:
    with np.errstate(all="ignore"):
        column: FloatArray = _KINDS[factor.kind].log(matrix[factor.monomial], factor.constant, factor.shift) * weights
    return column


def _refined(
    factors: list[_Factor], matrix: FloatArray, weights: FloatArray, space: _Space
) -> tuple[float, list[_Factor]]:
    """The factors with better constants, each tried around where it is, and what they leave."""
    WORK.count(len(factors) * _REFINEMENTS * len(_AROUND) * len(weights) * 60.0)
    least = np.inf
    for turn in range(_REFINEMENTS):
        for number, factor in enumerate(factors):
            kind = _KINDS[factor.kind]
            if factor.kind == 0:
                continue
            others = [_column(one, matrix, weights) for one in factors[:number] + factors[number + 1 :]]
            fixed = [_KINDS[one.kind].fixed for one in factors[:number] + factors[number + 1 :]]
            aim = space.aim - sum((one for one, is_fixed in zip(others, fixed, strict=True) if is_fixed), np.zeros(1))
            basis = np.column_stack(
                [space.basis, *(one for one, is_fixed in zip(others, fixed, strict=True) if not is_fixed)]
            )
            basis = np.linalg.qr(basis)[0] if basis.shape[1] > space.basis.shape[1] else basis
            left = aim - basis @ (basis.T @ aim)
            width = 0.5**turn
            shifts = (-0.5 * width, 0.0, 0.5 * width) if factor.shift or kind.shifted else (0.0,)
            tried = [
                factor._replace(constant=factor.constant * around**width, shift=factor.shift + shift)
                for around in (_AROUND if not kind.simple else _NEARBY)
                for shift in shifts
            ]
            columns = np.array([_column(one, matrix, weights) for one in tried])
            bad = ~np.isfinite(columns).all(axis=1)
            columns[bad] = 0.0
            columns -= (columns @ basis) @ basis.T
            sizes, along = np.einsum("ij,ij->i", columns, columns), columns @ left
            with np.errstate(all="ignore"):
                gains = np.where(kind.fixed, 2 * along - sizes, along**2 / sizes)
            gains[bad | ~np.isfinite(gains)] = -np.inf
            best = int(np.argmax(gains))
            least = float(left @ left) - float(gains[best])
            factors = [*factors[:number], tried[best], *factors[number + 1 :]]
    return least, factors


def _monomials(values: FloatArray) -> list[_Monomial]:
    """Products of up to three powers; a variable that changes its sign has the exponents one and two."""
    count = len(values)
    positive = (values > 0).all(axis=1)
    found: list[_Monomial] = []
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
                if len(found) >= _MOST_MONOMIALS:
                    return found
                with np.errstate(all="ignore"):
                    computed = np.prod(
                        [values[place] ** one for place, one in zip(places, chosen, strict=True)], axis=0
                    )
                if np.isfinite(computed).all() and np.ptp(computed) > 0:
                    found.append(_Monomial(computed, tuple(zip(places, chosen, strict=True))))
    return found


def _space(values: FloatArray, monomials: Sequence[_Monomial], y: FloatArray) -> _Space | None:
    sizes = np.abs(y)
    weights = _weights(y)
    logs = [np.log(np.abs(one)) for one in values if (one != 0).all()]
    design = np.column_stack([np.ones(len(y)), *logs]) * weights[:, None]
    basis, triangle = np.linalg.qr(design)
    basis = basis[:, np.abs(np.diag(triangle)) > 1e-9 * np.abs(np.diag(triangle)).max()]
    matrix = np.array([one.values for one in monomials])
    if not len(matrix):
        return None
    simple = np.array([_is_simple(one) for one in monomials])
    factors: list[_Factor] = []
    columns: list[FloatArray] = []
    room = _MOST_NUMBERS // len(y)
    for number, kind in enumerate(_KINDS):
        for constants, shift in kind.grid(matrix):
            with np.errstate(all="ignore"):
                computed = kind.log(matrix, constants[:, None], np.float64(shift)) * weights
            usable = np.isfinite(computed).all(axis=1) & (simple | (not kind.simple))
            places = np.flatnonzero(usable)[: max(room - len(factors), 0)]
            factors += [_Factor(number, int(place), float(constants[place]), shift) for place in places]
            columns.append(computed[places].astype(np.float32))
    stacked = np.concatenate(columns)
    WORK.count(stacked.size * 20.0)
    return _Space(
        factors,
        stacked,
        np.einsum("ij,ij->i", stacked, stacked),
        np.array([_KINDS[one.kind].fixed for one in factors]),
        basis,
        np.log(sizes) * weights,
    )


def _is_simple(monomial: _Monomial) -> bool:
    exponents = [one for _, one in monomial.exponents]
    return len(exponents) <= 2 and set(exponents) <= {1.0, -1.0, 2.0} and exponents.count(2.0) <= 1


def _rated(space: _Space, left: FloatArray, basis: FloatArray, count: int) -> list[tuple[float, int]]:
    """The factors that take most, in units of twice the log-likelihood, with the exponents solved for."""
    WORK.count(space.columns.size * (0.3 + 0.3 * basis.shape[1]))
    single = basis.astype(np.float32)
    free = space.sizes - np.square(space.columns @ single).sum(axis=1)
    along = space.columns @ left.astype(np.float32)
    fine = free > _NEW * space.sizes
    safe = np.where(fine, free, 1.0)
    exponents = along / safe
    whole = float(left @ left) or 1e-300
    gains = np.where(space.fixed, 2 * along - free, along * exponents)
    wild = ~space.fixed & ((np.abs(exponents) > _LARGEST_EXPONENT) | (np.abs(exponents) < _LEAST_EXPONENT))
    exponential = np.array([one.kind == 0 for one in space.factors])
    gains[~fine | (wild & ~exponential)] = 0.0
    scores = -len(left) * np.log(np.maximum(1 - gains / whole, 1e-9))
    order = np.argsort(-scores, kind="stable")[:count]
    return [(float(scores[place]), int(place)) for place in order if scores[place] > 0]


def _written(
    variables: Sequence[Variable],
    values: FloatArray,
    monomials: Sequence[_Monomial],
    space: _Space,
    factors: Sequence[_Factor],
    weights: FloatArray,
    *,
    simple: bool,
) -> Expression:
    """The tree, its exponents from least squares in logarithms; ``simple``: rounded, each after the ones before."""
    inside = [place for place, one in enumerate(values) if (one != 0).all()]
    logs = np.column_stack([np.ones(len(weights)), *(np.log(np.abs(values[place])) for place in inside)])
    logs *= weights[:, None]
    matrix = np.array([one.values for one in monomials])
    columns = np.column_stack([_column(one, matrix, weights) for one in factors])
    fixed = np.array([_KINDS[one.kind].fixed for one in factors])
    aim = space.aim - columns[:, fixed].sum(axis=1)
    found, *_ = np.linalg.lstsq(np.column_stack([logs, columns[:, ~fixed]]), aim, rcond=None)
    own = found[logs.shape[1] :].copy()
    if simple:
        kinds = [one.kind for one, is_fixed in zip(factors, fixed, strict=True) if not is_fixed]
        own = np.array([one if kind == 0 else _rounded(one) or one for kind, one in zip(kinds, own, strict=True)])
        found, *_ = np.linalg.lstsq(logs, aim - columns[:, ~fixed] @ own, rcond=None)
        found[1:] = [_rounded(one) for one in found[1:]]
    free = iter(own)
    parts: list[Expression] = []
    for factor, is_fixed in zip(factors, fixed, strict=True):
        exponent = 1.0 if is_fixed else float(next(free))
        argument = _power_product(variables, values, monomials[factor.monomial].exponents, simple=simple)
        if factor.kind == 0:
            parts.append(Apply("exp", (_times(exponent * factor.constant, argument),)))
            continue
        body = _KINDS[factor.kind].write(argument, factor.constant, factor.shift)
        if simple:
            parts.append(simple_power(body, Fraction(exponent).limit_denominator(6)))
        else:
            parts.append(body if exponent == 1 else power(body, _near(exponent)))
    powers = [(place, float(one)) for place, one in zip(inside, found[1:], strict=False)]
    outer = _power_product(variables, values, powers, simple=simple)
    return multiply(Number(float(np.exp(np.clip(found[0], -600, 600)))), outer, *parts)


def _rounded(exponent: float) -> float:
    """To halves, and beyond two to whole numbers."""
    return round(2 * exponent) / 2 if abs(exponent) < 2.2 else float(round(exponent))


def _weights(y: FloatArray) -> FloatArray:
    """Rows count as much as the target is large: an error of its logarithm is a relative one."""
    sizes = np.abs(y)
    return np.clip(sizes / np.median(sizes), 0.02, 4.0)


def _near(exponent: float) -> Number:
    """Whole where it is nearly: a base may be negative."""
    return Number(round(exponent)) if abs(exponent - round(exponent)) < 0.12 and round(exponent) else Number(exponent)


def _power_product(
    variables: Sequence[Variable], values: FloatArray, exponents: Sequence[tuple[int, float]], *, simple: bool
) -> Expression:
    """A product of powers: free exponents of positive variables, whole ones of others, none that is nearly zero."""
    parts: list[Expression] = []
    for place, exponent in exponents:
        base = variables[place].expression
        if (values[place] > 0).all():
            if simple:
                parts += [simple_power(base, Fraction(exponent).limit_denominator(6))] if exponent else []
            elif abs(exponent) > 0.03:
                parts.append(power(base, Number(float(exponent))))
        elif round(exponent):
            parts.append(simple_power(base, Fraction(round(exponent))))
    return multiply(*parts) if parts else Number(1)
