"""Products of powers with factors that are functions of such products, found in logarithms.

The logarithm of a product is a sum: the exponents of the variables are solved for together (they are projected out),
and one product of matrices rates every factor of a list, its own exponent solved for as well. Rows count as much as the
target is large, so that errors are those of the target and not of its logarithm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.formula.discovery.forms.factors import KINDS, PRICES, Factor, Monomial, is_simple, monomials_in
from assay.formula.discovery.library import Variable
from assay.formula.discovery.simplification import simple_power
from assay.formula.discovery.tape import WORK
from assay.formula.expression.expression import Expression, Number, multiply, power

__all__ = ["Product", "product_models"]

_ROWS = 160  # that factors are rated by
_MOST_NUMBERS = 6_000_000  # columns times rows
_LEAST_EXPONENT, _LARGEST_EXPONENT = 0.2, 8.5
_FIRST, _PAIRS = 16, 12  # factors that are followed by a second one; pairs that are kept for each
_FIXED_EXPONENTS, _FIXED_PRICE = (1.0, -1.0), 5.0  # exponents that are also tried as they are; what such a one saves
_SWAPS = 2
_SPELLINGS = 12  # constants and exponents of factors that are much alike
_REFINEMENTS = 3
_AROUND, _NEARBY, _NARROW = (0.55, 0.75, 1.0, 1.33, 1.8), (0.94, 0.97, 1.0, 1.03, 1.06), 1.25  # times a constant
_MOST_CHOSEN = 24  # of one factor, and as many of two
_FEWEST = 20
_NEW = 1e-5  # share of a column that the exponents must leave of it


_Choice = tuple[int, float]  # the place of a factor, and its exponent where one is given


class Product(NamedTuple):
    """How many factors beside powers; the tree with free exponents, and with the simple ones that are nearest."""

    factors: int
    free: Expression
    simple: Expression


class _Space(NamedTuple):
    """What is rated: columns of shape (factors, rows) without what powers explain, with their squared sizes (zero where
    nothing is left), the basis of powers, and the target's logarithm, all weighted.
    """

    factors: list[Factor]
    columns: FloatArray
    free: FloatArray
    fixed: npt.NDArray[np.bool_]
    kinds: npt.NDArray[np.intp]
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
    monomials = monomials_in(values)
    space = _space(values, monomials, y)
    if space is None:
        return
    residual = space.aim - space.basis @ (space.basis.T @ space.aim)
    along = space.columns @ residual.astype(np.float32)
    whole = max(float(residual @ residual), 1e-25 * float(space.aim @ space.aim))
    ratings: list[tuple[float, tuple[_Choice, ...]]] = []
    for exponents in ((0.0,), _FIXED_EXPONENTS):
        first = _rated(space, along, space.free, whole, 4 * _FIRST, exponents)
        ratings += [(score, (choice,)) for score, choice in first]
        for _, choice in first[: _FIRST if exponents == (0.0,) else _FIRST // 2] if deep else ():
            shared, part, rest = _beside(space, residual, choice)
            base = len(residual) * float(np.log(whole / rest))
            second = _rated(space, along - shared * part, space.free - shared**2, rest, _PAIRS, exponents)
            ratings += [(base + score, (choice, other)) for score, other in second if other[0] != choice[0]]
    ratings.sort(key=lambda entry: (-entry[0], entry[1]))
    weights, matrix = _weights(y), np.array([one.values for one in monomials])
    chosen: dict[tuple[tuple[int, int, bool], ...], tuple[float, list[Factor]]] = {}
    counts: dict[tuple[int, bool], int] = {}

    def choose(factors: list[Factor], most: int = _MOST_CHOSEN) -> None:
        key = tuple(sorted((one.kind, one.monomial, bool(one.exponent)) for one in factors))
        sort = len(factors), any(one.exponent for one in factors)
        if key not in chosen and counts.get(sort, 0) < most:
            counts[sort] = counts.get(sort, 0) + 1
            chosen[key] = _refined(factors, matrix, weights, space)

    for _, places in ratings:
        factors = [space.factors[place]._replace(exponent=exponent) for place, exponent in places]
        choose(factors, _MOST_CHOSEN // 2 if len(places) > 1 or factors[0].exponent else _MOST_CHOSEN)
    for _ in range(_SWAPS):  # the better of two factors stays, and another one is chosen for it
        pairs = sorted((entry for entry in chosen.values() if len(entry[1]) == 2), key=lambda entry: entry[0])
        for _, factors in pairs[: _MOST_CHOSEN // 6]:
            for partner in factors:
                column = _column(partner, matrix, weights)
                column = column - space.basis @ (space.basis.T @ column)
                size = float(np.linalg.norm(column))
                if not np.isfinite(size) or size < 1e-9:
                    continue
                unit = (column / size).astype(np.float32)
                shared, part = space.columns @ unit, float(unit @ residual)
                rest = max(float(residual @ residual) - part**2, 1e-300)
                for _, (place, _) in _rated(space, along - shared * part, space.free - shared**2, rest, 3):
                    choose([partner, space.factors[place]])
    for _, factors in sorted(chosen.values(), key=lambda entry: entry[0]):
        free, simple = (
            _tree(variables, values, monomials, space, factors, weights, simple=one) for one in (False, True)
        )
        yield Product(len(factors), free, simple)


def _column(factor: Factor, matrix: FloatArray, weights: FloatArray) -> FloatArray:
    with np.errstate(all="ignore"):
        argument = matrix[factor.monomial] if factor.stretch == 1 else matrix[factor.monomial] ** factor.stretch
        column: FloatArray = KINDS[factor.kind].log(argument, factor.constant, factor.shift) * weights
    return column * factor.exponent if factor.exponent else column


def _beside(space: _Space, residual: FloatArray, choice: _Choice) -> tuple[FloatArray, float, float]:
    """What a factor has in common with all others, what it takes of what is left, and the rest."""
    place, exponent = choice
    size = float(np.sqrt(space.free[place]))
    unit = space.columns[place] / size
    part = float(unit @ residual)
    explained = 2 * exponent * size * part - (exponent * size) ** 2 if exponent else part**2
    shared: FloatArray = space.columns @ unit
    return shared, exponent * size if exponent else part, max(float(residual @ residual) - explained, 1e-300)


def _refined(
    factors: list[Factor], matrix: FloatArray, weights: FloatArray, space: _Space
) -> tuple[float, list[Factor]]:
    """The factors with better constants, each tried around where it is, and what they leave."""
    WORK.count(len(factors) * _REFINEMENTS * len(_AROUND) * len(weights) * 60.0)
    least = np.inf
    for turn in range(_REFINEMENTS):
        for number, factor in enumerate(factors):
            kind = KINDS[factor.kind]
            rest = factors[:number] + factors[number + 1 :]
            others = [(one.is_fixed, _column(one, matrix, weights)) for one in rest]
            aim = space.aim - sum((column for is_fixed, column in others if is_fixed), np.zeros(1))
            basis = np.column_stack([space.basis, *(column for is_fixed, column in others if not is_fixed)])
            basis = np.linalg.qr(basis)[0] if basis.shape[1] > space.basis.shape[1] else basis
            residual = aim - basis @ (basis.T @ aim)
            width = 0.5**turn
            shifts = (-0.5 * width, 0.0, 0.5 * width) if factor.shift or kind.shifted else (0.0,)
            usual = float(np.median(np.abs(matrix[factor.monomial])))
            positive = not kind.simple and bool((matrix[factor.monomial] > 0).all())
            tried = [
                factor._replace(
                    constant=factor.constant * around**width * usual ** (factor.stretch * (1 - stretch)),
                    shift=factor.shift + shift,
                    stretch=factor.stretch * stretch,
                )
                for around in (_AROUND if not kind.simple else _NEARBY)
                for shift in shifts
                for stretch in ((_NARROW**-width, 1.0, _NARROW**width) if positive else (1.0,))
            ]
            columns = np.array([_column(one, matrix, weights) for one in tried])
            bad = ~np.isfinite(columns).all(axis=1)
            columns[bad] = 0.0
            columns -= (columns @ basis) @ basis.T
            sizes, along = np.einsum("ij,ij->i", columns, columns), columns @ residual
            with np.errstate(all="ignore"):
                gains = np.where(factor.is_fixed, 2 * along - sizes, along**2 / sizes)
            gains[bad | ~np.isfinite(gains)] = -np.inf
            best = int(np.argmax(gains))
            least = float(residual @ residual) - float(gains[best])
            factors = [*factors[:number], tried[best], *factors[number + 1 :]]
    return least, factors


def _space(values: FloatArray, monomials: Sequence[Monomial], y: FloatArray) -> _Space | None:
    weights = _weights(y)
    logs = [np.log(np.abs(one)) for one in values if (one != 0).all()]
    design = np.column_stack([np.ones(len(y)), *logs]) * weights[:, None]
    basis, triangle = np.linalg.qr(design)
    basis = basis[:, np.abs(np.diag(triangle)) > 1e-9 * np.abs(np.diag(triangle)).max()]
    matrix = np.array([one.values for one in monomials])
    if not len(matrix):
        return None
    everywhere = np.arange(len(monomials))
    simple = np.flatnonzero([is_simple(one) for one in monomials])
    factors: list[Factor] = []
    columns: list[FloatArray] = []
    room = _MOST_NUMBERS // len(y)
    for number, kind in enumerate(KINDS):
        which = simple if kind.simple else everywhere
        with np.errstate(all="ignore"):  # a column that is mostly zero has constants without bounds
            grid = kind.grid(matrix[which]) if len(which) else ()
        for constants, shift in grid:
            with np.errstate(all="ignore"):
                computed = kind.log(matrix[which], constants[:, None], np.float64(shift)) * weights
            places = np.flatnonzero(np.isfinite(computed).all(axis=1))[: max(room - len(factors), 0)]
            factors += [Factor(number, int(which[place]), float(constants[place]), shift) for place in places]
            columns.append(computed[places].astype(np.float32))
    stacked = np.concatenate(columns)
    WORK.count(stacked.size * (12.0 + basis.shape[1]))
    sizes = np.einsum("ij,ij->i", stacked, stacked)
    single = basis.astype(np.float32)
    stacked -= (stacked @ single) @ single.T
    free = np.einsum("ij,ij->i", stacked, stacked)
    kinds = np.array([one.kind for one in factors])
    return _Space(
        factors,
        stacked,
        np.where(free > _NEW * sizes, free, 0.0),
        np.array([kind.fixed for kind in KINDS])[kinds],
        kinds,
        basis,
        np.log(np.abs(y)) * weights,
    )


def _rated(
    space: _Space,
    along: FloatArray,
    free: FloatArray,
    whole: float,
    count: int,
    trial_exponents: Sequence[float] = (0.0,),
) -> list[tuple[float, _Choice]]:
    """The factors that take most, in units of twice the log-likelihood, each with the best of the given exponents.

    Zero: with exponents solved for.
    """
    WORK.count(space.columns.size * 1.0 + 3e4 * len(trial_exponents))
    fine = free > _NEW * np.maximum(space.free, 1e-30)
    best_of: dict[tuple[int, int], tuple[float, _Choice]] = {}
    for exponent in trial_exponents:
        if exponent:
            gains = 2 * exponent * along - exponent**2 * free
            gains[~fine | space.fixed | (space.kinds == 0)] = 0.0
        else:
            exponents = along / np.where(fine, free, 1.0)
            gains = np.where(space.fixed, 2 * along - free, along * exponents)
            sizes = np.abs(exponents)
            wild = ~space.fixed & (space.kinds > 0) & ((sizes > _LARGEST_EXPONENT) | (sizes < _LEAST_EXPONENT))
            gains[~fine | wild] = 0.0
        some = min(_SPELLINGS * count, len(gains))
        best = np.argpartition(gains, -some)[-some:]
        scores = -space.columns.shape[1] * np.log(np.maximum(1 - gains[best] / max(whole, 1e-300), 1e-9))
        scores -= PRICES[space.kinds[best]] - (_FIXED_PRICE if exponent else 0.0)
        for one in np.lexsort((best, -scores)):
            factor = space.factors[best[one]]
            key = (factor.kind, factor.monomial)
            if gains[best[one]] > 0 and scores[one] > 0 and (key not in best_of or best_of[key][0] < scores[one]):
                best_of[key] = (float(scores[one]), (int(best[one]), exponent))
    return sorted(best_of.values(), key=lambda entry: (-entry[0], entry[1]))[:count]


def _tree(
    variables: Sequence[Variable],
    values: FloatArray,
    monomials: Sequence[Monomial],
    space: _Space,
    factors: Sequence[Factor],
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
    fixed = np.array([one.is_fixed for one in factors])
    aim = space.aim - columns[:, fixed].sum(axis=1)
    solution, *_ = np.linalg.lstsq(np.column_stack([logs, columns[:, ~fixed]]), aim, rcond=None)
    own = solution[logs.shape[1] :].copy()
    if simple:
        kinds = [one.kind for one, is_fixed in zip(factors, fixed, strict=True) if not is_fixed]
        own = np.array([one if kind == 0 else _rounded(one) or one for kind, one in zip(kinds, own, strict=True)])
        solution, *_ = np.linalg.lstsq(logs, aim - columns[:, ~fixed] @ own, rcond=None)
        solution[1:] = [_rounded(one) for one in solution[1:]]
    free = iter(own)
    parts: list[Expression] = []
    for factor, is_fixed in zip(factors, fixed, strict=True):
        exponent = (factor.exponent or 1.0) if is_fixed else float(next(free))
        inner = [(place, one * factor.stretch) for place, one in monomials[factor.monomial].exponents]
        if simple:
            inner = [(place, _rounded(one) or one / abs(one) / 2) for place, one in inner]
        argument = _power_product(variables, values, inner, simple=simple)
        if factor.kind == 0:
            parts.append(KINDS[0].write(argument, exponent * factor.constant, 0.0))
            continue
        body = KINDS[factor.kind].write(argument, factor.constant, factor.shift)
        if simple:
            parts.append(simple_power(body, Fraction(exponent).limit_denominator(6)))
        else:
            parts.append(body if exponent == 1 else power(body, _near(exponent)))
    powers = [(place, float(one)) for place, one in zip(inside, solution[1:], strict=False)]
    outer = _power_product(variables, values, powers, simple=simple)
    return multiply(Number(float(np.exp(np.clip(solution[0], -600, 600)))), outer, *parts)


def _rounded(exponent: float) -> float:
    """To halves, and beyond two to whole numbers."""
    return round(2 * exponent) / 2 if abs(exponent) < 2.2 else float(round(exponent))


def _weights(y: FloatArray) -> FloatArray:
    """Rows count as much as the target is large: an error of its logarithm is a relative one."""
    sizes = np.abs(y)
    weights: FloatArray = np.clip(sizes / np.median(sizes), 0.02, 4.0)
    return weights


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
