"""The library: functions of small arguments with a grid of inner constants, and the monomials that multiply them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement, product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.formula.discovery.simplification import quotient_of, simple_power
from assay.formula.expression.expression import (
    Apply,
    Expression,
    Number,
    add,
    applied,
    divide,
    multiply,
    negate,
    power,
    symbols_of,
)
from assay.formula.expression.functions import NUMERIC

__all__ = ["Column", "Library", "Variable", "factors_of", "make_library", "monomials_of", "never_zero"]

_NEAR_ZERO = 0.02  # of the largest size: a variable that comes nearer is not divided by
_MOST_NUMBERS = 4_000_000  # columns times rows
_LARGEST = 1e9
_MOST_POWERS, _MOST_WAVES = 500, 6
_MOST_QUOTIENTS = 12  # variables beyond which there are no quotients of two as multipliers
_FUNCTION_PRICE, _PAIR_PRICE = 6.0, 3.0  # in units of twice the log-likelihood, when terms are rated


class Variable(NamedTuple):
    """An input of the library: a variable, or a combination that stands for one, with its values."""

    expression: Expression
    values: FloatArray


class Column(NamedTuple):
    """A function of an argument with a constant inside; ``kind`` and ``argument`` tell it from others."""

    kind: int
    argument: int
    constant: float


class _Kind(NamedTuple):
    """How a function is computed and written, and the constants it is tried with for an argument's low, high, size."""

    name: str
    compute: Callable[[FloatArray, FloatArray], FloatArray]
    write: Callable[[Expression, float], Expression]
    grid: Callable[[FloatArray, FloatArray], Sequence[FloatArray]]


def _times(constant: float, argument: Expression) -> Expression:
    return multiply(Number(float(constant)), argument)


def _plus(constant: float, argument: Expression) -> Expression:
    return add(argument, Number(float(constant))) if constant else argument


def _square(argument: Expression) -> Expression:
    return power(argument, Number(2))


def _by_range(
    shares: Sequence[float], fixed: Sequence[float] = ()
) -> Callable[[FloatArray, FloatArray], Sequence[FloatArray]]:
    return lambda low, high: [*(share / (high - low) for share in shares), *(np.full_like(low, one) for one in fixed)]


def _by_size(shares: Sequence[float], exponent: int = 1) -> Callable[[FloatArray, FloatArray], Sequence[FloatArray]]:
    return lambda low, high: [share / np.maximum(np.abs(low), np.abs(high)) ** exponent for share in shares]


def _above_zero(low: FloatArray, high: FloatArray) -> Sequence[FloatArray]:
    """Shifts that make an argument positive; none where it is already."""
    return [np.where(low > 0, 0.0, np.nan), *(share * (high - low) - low for share in (0.05, 0.4))]


def _added(low: FloatArray, high: FloatArray) -> Sequence[FloatArray]:
    """Constants beside a square."""
    size = np.maximum(np.abs(low), np.abs(high)) ** 2
    return [0.03 * size, 0.15 * size, 0.6 * size, np.ones_like(size)]


def _inner(op: str, grid: Callable[[FloatArray, FloatArray], Sequence[FloatArray]]) -> _Kind:
    function, write = NUMERIC[op].compute, applied(op)
    return _Kind(op, lambda a, c: function(c * a), lambda a, c: write(_times(c, a)), grid)


def _shifted(
    name: str,
    function: Callable[[FloatArray], FloatArray],
    write: Callable[[Expression], Expression],
    *,
    squared: bool,
) -> _Kind:
    if squared:
        return _Kind(
            f"{name} of a square", lambda a, c: function(a * a + c), lambda a, c: write(_plus(c, _square(a))), _added
        )
    return _Kind(name, lambda a, c: function(a + c), lambda a, c: write(_plus(c, a)), _above_zero)


def _inverse(argument: Expression) -> Expression:
    return divide(Number(1), argument)


_DECAYS = (-10.0, -7.5, -5.6, -4.3, -3.3, -2.5, -1.9, -1.4, -1.0, -0.6)
_WAVES = (1.0, 2.0, 3.0, 4.5, 6.0, 8.0, 10.0, 13.0, 16.0, 20.0)
_KINDS: tuple[_Kind, ...] = (
    _Kind("itself", lambda a, c: a, lambda a, c: a, lambda low, high: [np.zeros_like(low)]),
    _inner("sin", _by_range(_WAVES, (1.0, 2.0))),
    _inner("cos", _by_range(_WAVES, (1.0, 2.0))),
    _inner("exp", _by_range((*_DECAYS, 0.6, 1.5, 3.0, 6.0), (-1.0, 1.0))),
    _Kind(
        "bump",
        lambda a, c: np.exp(-c * a * a),
        lambda a, c: Apply("exp", (_times(-c, _square(a)),)),
        _by_size((0.7, 2.0, 5.0, 12.0), 2),
    ),
    _inner("tanh", _by_size((0.7, 1.0, 1.5, 2.1, 3.0, 4.3, 6.0))),
    *(_shifted("log", np.log, applied("log"), squared=squared) for squared in (False, True)),
    *(_shifted("sqrt", np.sqrt, applied("sqrt"), squared=squared) for squared in (False, True)),
    *(_shifted("inverse", np.reciprocal, _inverse, squared=squared) for squared in (False, True)),
)


def _between(low: FloatArray, high: FloatArray) -> Sequence[FloatArray]:
    """Thresholds inside of the range, and zero where it is there."""
    inside = [low + share * (high - low) for share in (0.2, 0.4, 0.6, 0.8)]
    return [*inside, np.where((low < 0) & (high > 0), 0.0, np.nan)]


# only in rich libraries: they would mislead where one term is chosen at a time
_RARE: tuple[_Kind, ...] = (
    _Kind(
        "rise",
        lambda a, c: -np.expm1(c * a),
        lambda a, c: add(Number(1), negate(Apply("exp", (_times(c, a),)))),
        _by_range(_DECAYS[1:]),
    ),
    _Kind(
        "over exp less one",
        lambda a, c: np.where(a > 0, 1 / np.expm1(c * a), np.nan),
        lambda a, c: divide(Number(1), add(Apply("exp", (_times(c, a),)), Number(-1))),
        _by_size((0.7, 2.0, 5.0, 12.0)),
    ),
    _Kind(
        "above a threshold",
        lambda a, c: np.maximum(a - c, 0.0),
        lambda a, c: Apply("max", (_plus(-c, a), Number(0))),
        _between,
    ),
    _Kind("distance", lambda a, c: np.abs(a - c), lambda a, c: Apply("abs", (_plus(-c, a),)), _between),
    _Kind(
        "size of a wave",
        lambda a, c: np.abs(np.sin(c * a)),
        lambda a, c: Apply("abs", (Apply("sin", (_times(c, a),)),)),
        _by_range(_WAVES, (1.0, 2.0)),
    ),
)
_ALL_KINDS = (*_KINDS, *_RARE)
_RARE_PRICE = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """Columns of shape (functions, rows), in single precision, and the multipliers of shape (monomials, rows)."""

    arguments: Sequence[Variable]
    columns: Sequence[Column]
    values: npt.NDArray[np.float32]
    squares: npt.NDArray[np.float32]
    prices: FloatArray
    multipliers: Sequence[Expression | None]
    factors: FloatArray
    allowed: npt.NDArray[np.bool_] | None = None

    def carried(self) -> Library:
        """Only functions times their own variables, and monomials: the terms of separable formulas.

        Fewer terms mislead less: a sum of functions of one variable each is not mistaken for functions of their sums.
        """
        inside = [frozenset(symbols_of(one.expression)) for one in self.arguments]
        sums = [isinstance(one.expression, Apply) and one.expression.op == "add" for one in self.arguments]
        around = [frozenset() if one is None else frozenset(symbols_of(one)) for one in self.multipliers]
        among = np.array([[other <= one for other in around] for one in inside])
        plain = np.array([[not is_sum for _ in around] for is_sum in sums])
        places = np.array([column.argument for column in self.columns])
        itself = np.array([column.kind == 0 for column in self.columns])
        return replace(self, allowed=np.where(itself[:, None], plain[places], among[places]))

    def write(self, column: int) -> Expression:
        """A column as a tree, its inner constant as a number that can be fitted."""
        kind, argument, constant = self.columns[column]
        return _ALL_KINDS[kind].write(self.arguments[argument].expression, constant)

    def term(self, column: int, multiplier: int, weight: float) -> Expression:
        """A column times a weight and one of the multipliers."""
        factor = self.multipliers[multiplier]
        return multiply(Number(weight), *([] if factor is None else [factor]), self.write(column))

    @property
    def size(self) -> int:
        """How many terms there are to choose from."""
        return len(self.columns) * len(self.multipliers)


def never_zero(values: FloatArray) -> bool:
    """Whether it may be divided by."""
    size = np.abs(values)
    return bool(size.min() > _NEAR_ZERO * size.max()) and bool((values > 0).all() or (values < 0).all())


def make_library(variables: Sequence[Variable], *, pairs: bool, degree: int = 2, rich: bool = False) -> Library:
    """Functions of the variables, and with ``pairs`` of their products, sums, differences and quotients.

    ``rich``: also thresholds, saturations and their like, and roots among the multipliers.
    """
    arguments = list(variables)
    if pairs:
        arguments += _pairs(variables)
    functions_of = len(arguments)
    if rich:
        arguments += _powers(variables)
    matrix = np.array([argument.values for argument in arguments])
    low, high = matrix.min(axis=1), matrix.max(axis=1)
    usable = np.isfinite(matrix).all(axis=1) & (high > low)
    columns: list[Column] = []
    values: list[FloatArray] = []
    room = max(_MOST_NUMBERS // matrix.shape[1], 200)
    for number, kind in enumerate(_ALL_KINDS if rich else _KINDS):
        some = slice(functions_of if number else None)  # powers stand for themselves alone
        for constants in kind.grid(low[some], np.where(high > low, high, low + 1)[some]):
            with np.errstate(all="ignore"):
                computed = kind.compute(matrix[some], constants[:, None])
                spread = np.ptp(computed, axis=1)
                size = np.abs(computed).max(axis=1)
            fine = usable[some] & np.isfinite(computed).all(axis=1) & (spread > 1e-6 * size) & (size < _LARGEST)
            places = np.flatnonzero(fine)
            if len(columns) + len(places) > room:
                places = places[: max(room - len(columns), 0)]
            columns += [Column(number, int(place), float(constants[place])) for place in places]
            values.append(computed[places])
    monomials = monomials_of(variables, degree) + (_rare_multipliers(variables) if rich else [])
    factors = np.array([np.ones(matrix.shape[1]), *(one.values for one in monomials)])
    stacked = np.concatenate(values).astype(np.float32)
    return Library(
        arguments=arguments,
        columns=columns,
        values=stacked,
        squares=stacked * stacked,
        prices=np.array(
            [
                _FUNCTION_PRICE * (one.kind > 0)
                + _RARE_PRICE * (one.kind >= len(_KINDS))
                + _PAIR_PRICE * (len(variables) <= one.argument < functions_of)
                for one in columns
            ]
        ),
        multipliers=[None, *(one.expression for one in monomials)],
        factors=factors,
    )


def _from_its_end(variable: Variable) -> Variable:
    """Measured from its least value: what was positive before it was standardised is so again."""
    low = float(variable.values.min())
    return Variable(add(variable.expression, Number(-low)), variable.values - low)


def _pairs(variables: Sequence[Variable]) -> list[Variable]:
    pairs = []
    for first, second in combinations(variables, 2):
        a, b = first.expression, second.expression
        pairs.append(Variable(multiply(a, b), first.values * second.values))
        if any(one.values.min() < 0 < one.values.max() for one in (first, second)):
            ends = [_from_its_end(one) for one in (first, second)]
            pairs.append(Variable(multiply(*(one.expression for one in ends)), ends[0].values * ends[1].values))
        pairs.append(Variable(add(a, b), first.values + second.values))
        pairs.append(Variable(add(a, negate(b)), first.values - second.values))
        pairs.append(Variable(add(_square(a), _square(b)), first.values**2 + second.values**2))
        for over, under in ((first, second), (second, first)):
            if never_zero(under.values):
                pairs.append(Variable(divide(over.expression, under.expression), over.values / under.values))
    return pairs


def monomials_of(variables: Sequence[Variable], degree: int) -> list[Variable]:
    """Products of up to ``degree`` variables, and quotients by those that are never zero."""
    monomials: list[Variable] = []
    for total in range(1, degree + 1):
        places = combinations_with_replacement(range(len(variables)), total)
        monomials += [_monomial(variables, chosen) for chosen in places]
    for under in variables:
        if never_zero(under.values):
            monomials.append(Variable(_inverse(under.expression), 1 / under.values))
            monomials.append(Variable(_inverse(_square(under.expression)), under.values**-2))
            monomials += [
                Variable(divide(over.expression, under.expression), over.values / under.values)
                for over in (variables if len(variables) <= _MOST_QUOTIENTS else ())
                if over is not under
            ]
    return [one for one in monomials if np.isfinite(one.values).all() and np.abs(one.values).max() < _LARGEST]


def _powers(variables: Sequence[Variable]) -> list[Variable]:
    """Products of up to three variables with exponents of one, two and their negatives, at most some hundreds."""
    powers: list[Variable] = []
    for count in (1, 2, 3):
        for chosen in combinations(variables, count):
            allowed = [(1, 2, -1, -2) if never_zero(one.values) else (1, 2) for one in chosen]
            for exponents in product(*allowed):
                if len(powers) >= _MOST_POWERS:
                    return powers
                sized = list(zip(chosen, exponents, strict=True))
                above = [simple_power(one.expression, size) for one, size in sized if size > 0]
                below = [simple_power(one.expression, -size) for one, size in sized if size < 0]
                values = np.prod([one.values ** float(size) for one, size in sized], axis=0)
                powers.append(Variable(quotient_of(above, below), values))
    return powers


def _rare_multipliers(variables: Sequence[Variable]) -> list[Variable]:
    """Roots of positive variables and of products of two, and waves and exponentials of few variables."""
    positive = [one for one in variables if bool((one.values > 0).all())]
    both = [Variable(multiply(a.expression, b.expression), a.values * b.values) for a, b in combinations(positive, 2)]
    multipliers = [Variable(Apply("sqrt", (one.expression,)), np.sqrt(one.values)) for one in (*positive, *both)]
    for one in variables if len(variables) <= _MOST_WAVES else ():
        for op, sign in (("sin", 1.0), ("cos", 1.0), ("exp", -1.0)):
            values = NUMERIC[op].compute(sign * one.values)
            if np.isfinite(values).all() and np.abs(values).max() < _LARGEST:
                multipliers.append(Variable(Apply(op, (_times(sign, one.expression),)), values))
    return multipliers


def _monomial(variables: Sequence[Variable], chosen: Sequence[int]) -> Variable:
    values: FloatArray = np.ones_like(variables[0].values)
    for place, count in Counter(chosen).items():
        values = values * variables[place].values ** count
    return Variable(multiply(*factors_of(variables, chosen)), values)


def factors_of(variables: Sequence[Variable], chosen: Sequence[int]) -> list[Expression]:
    """The factors of the product of the variables at those places, equal ones as a power."""
    return [simple_power(variables[place].expression, count) for place, count in Counter(chosen).items()]
