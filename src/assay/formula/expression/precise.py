"""Values with fifty digits and more, for the points where doubles cancel, overflow or underflow."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.formula.expression.functions import RELATIONS
from assay.formula.expression.program import FloatArray, Program

__all__ = ["DIGITS", "exact_values", "precise_values"]

DIGITS = 50
# beyond these a value is taken as undefined: fifty digits of it would cost unbounded time or memory
_LARGEST_EXPONENT = 1e25
_SMALL_POWER = 1000  # of whatever a formula reaches: never a number of unbounded length
_MOST_DIGITS = 3200
# so many digits of an angle must be left behind its full turns, and of a value that is believed
_GUARD_DIGITS = 20


class _MoreDigits(Exception):
    """The digits do not reach: an angle has as many full turns as they can hold."""


class _Undefined(ArithmeticError):
    """The formula has no real value here."""


def _operations(mp: Any) -> Mapping[str, Callable[..., Any]]:
    one = mp.mpf(1)
    largest_angle = mp.mpf(10) ** (mp.dps - _GUARD_DIGITS)

    def within(function: Callable[[Any], Any], limit: Any, beyond: type[Exception]) -> Callable[[Any], Any]:
        def compute(a: Any) -> Any:
            if abs(a) > limit:
                raise beyond
            return function(a)

        return compute

    def power(a: Any, b: Any) -> Any:
        if a == 0:
            if b < 0:
                raise _Undefined
            return one if b == 0 else mp.mpf(0)
        if abs(b) > _SMALL_POWER and abs(b * mp.log(abs(a))) > _LARGEST_EXPONENT:
            raise _Undefined
        return mp.power(a, b)

    def protected(function: Callable[..., Any], default: int) -> Callable[..., Any]:
        return lambda *a: function(*a) if abs(a[-1]) > 0.001 else mp.mpf(default)

    def relation(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
        def compute(a: Any, b: Any) -> Any:
            return one if holds(_ordered(a, mp), _ordered(b, mp)) else mp.mpf(0)

        return compute

    table: dict[str, Callable[..., Any]] = {
        "add": lambda *a: sum(a[1:], start=a[0]),
        "mul": lambda *a: mp.fprod(a),
        "neg": lambda a: -a,
        "div": lambda a, b: a / b,
        "pow": power,
        "inv": lambda a: one / a,
        "square": lambda a: a * a,
        "cube": lambda a: a * a * a,
        "cbrt": lambda a: mp.sign(a) * mp.cbrt(abs(a)),
        # one to all digits beyond this
        "tanh": lambda a: mp.tanh(a) if abs(a) < 1.2 * mp.dps + 10 else mp.sign(a),
        "log2": lambda a: mp.log(a, 2),
        "log10": lambda a: mp.log(a, 10),
        "log1p": lambda a: mp.log(1 + a),
        "abs": abs,
        "max": lambda *a: max(a),
        "min": lambda *a: min(a),
        "protected_div": protected(lambda a, b: a / b, 1),
        "protected_log": protected(lambda a: mp.log(abs(a)), 0),
        "protected_sqrt": lambda a: mp.sqrt(abs(a)),
        "protected_inv": protected(lambda a: one / a, 0),
        "analytic_quotient": lambda a, b: a / mp.sqrt(1 + b * b),
        "atan2": mp.atan2,
        "mod": lambda a, b: a - b * mp.floor(a / b),
        "round": mp.nint,
        "not": lambda a: one if a == 0 else mp.mpf(0),
        **{name: relation(getattr(operator, name)) for name in RELATIONS},
    }
    for name in ("exp", "expm1", "sinh", "cosh"):
        table[name] = within(getattr(mp, name), _LARGEST_EXPONENT, _Undefined)
    for name in ("sin", "cos", "tan", "cot", "sec", "csc"):
        table[name] = within(getattr(mp, name), largest_angle, _MoreDigits)
    for name in (
        "sqrt",
        "log",
        "asin",
        "acos",
        "atan",
        "asinh",
        "acosh",
        "atanh",
        "erf",
        "erfc",
        "sign",
        "floor",
        "ceil",
    ):
        table[name] = getattr(mp, name)
    return table


@lru_cache(maxsize=8)
def _arithmetic(digits: int) -> tuple[Any, Mapping[str, Callable[..., Any]]]:
    import mpmath

    mp = mpmath.mp.clone()
    mp.dps = digits
    return mp, _operations(mp)


def precise_values(program: Program, values: Mapping[str, FloatArray], *, digits: int = DIGITS) -> list[Any]:
    """The formula at every point, as numbers of so many digits; ``None`` where it has no real value.

    >>> from assay.formula.expression.parser import parse
    >>> (found,) = precise_values(Program.of(parse("(1 + x) - 1")), {"x": np.array([1e-30])})
    >>> float(found)
    1e-30
    """
    count = len(next(iter(values.values()))) if values else 1
    return [
        _precise_value(program, {name: float(values[name][row]) for name in program.symbols}, digits)
        for row in range(count)
    ]


def exact_values(program: Program, values: Mapping[str, FloatArray]) -> list[Any]:
    """As ``precise_values``, with as many digits as it takes until more of them change nothing."""
    digits = DIGITS
    results = precise_values(program, values, digits=digits)
    while 2 * digits <= _MOST_DIGITS:
        chosen = np.unique(np.linspace(0, len(results) - 1, 5).astype(int))
        zeros = [row for row, value in enumerate(results) if value == 0][:2]  # digits that all cancelled look like this
        if all(
            _agree(results[row], other)
            for rows, more in ((chosen, 2 * digits), (np.array(zeros, dtype=int), _MOST_DIGITS))
            for row, other in zip(rows, _at(program, values, rows, more), strict=True)
        ):
            return results
        digits *= 2
        results = precise_values(program, values, digits=digits)
    return results


def _at(program: Program, values: Mapping[str, FloatArray], rows: npt.NDArray[Any], digits: int) -> list[Any]:
    return (
        precise_values(program, {name: column[rows] for name, column in values.items()}, digits=digits)
        if len(rows)
        else []
    )


def _agree(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return bool(abs(other - one) <= abs(other) * 10.0**-_GUARD_DIGITS)


def _precise_value(program: Program, point: Mapping[str, float], digits: int) -> Any:
    mp, table = _arithmetic(digits)
    named = {np.pi: +mp.pi, np.e: +mp.e}
    try:
        value = _run(program, {name: mp.mpf(number) for name, number in point.items()}, table, named, mp)
    except _MoreDigits:
        return _precise_value(program, point, 2 * digits) if 2 * digits <= _MOST_DIGITS else None
    except (ArithmeticError, ValueError, TypeError):  # division by zero, poles, an order of complex numbers
        return None
    if isinstance(value, mp.mpc):
        value = value.real if abs(value.imag) <= abs(value) * mp.mpf(10) ** (10 - digits) else None
    return value if value is not None and mp.isfinite(value) else None


def _run(
    program: Program, point: Mapping[str, Any], table: Mapping[str, Any], named: Mapping[Any, Any], mp: Any
) -> Any:
    results: list[Any] = []
    lenient = any(operation in _CHOOSING for operation, _, _ in program.steps)
    for operation, inputs, content in program.steps:
        if operation == "value":
            results.append(named.get(content) or mp.convert(content))
        elif operation == "slot":
            results.append(mp.mpf(repr(program.constants[content])))  # as it was written, not its nearest double
        elif operation == "symbol":
            results.append(point[content])
        else:
            try:
                arguments = [results[place] for place in inputs]
                if operation in _CHOOSING:
                    result = _CHOOSING[operation](arguments, mp)
                else:
                    if lenient:
                        _raise_first(arguments)
                    result = table[operation](*arguments)
                if isinstance(result, mp.mpc) and not program.is_complex:
                    raise _Undefined
            except (ArithmeticError, ValueError, TypeError, _MoreDigits) as error:
                if not lenient:
                    raise
                result = error  # it may be a value that is not chosen
            results.append(result)
    _raise_first(results[-1:])
    return results[-1]


def _raise_first(values: Sequence[Any]) -> None:
    for value in values:
        if isinstance(value, Exception):
            raise value


def _ordered(a: Any, mp: Any) -> Any:
    if isinstance(a, mp.mpc):
        if a.imag != 0:
            raise _Undefined
        a = a.real
    if mp.isnan(a):
        raise _Undefined
    return a


def _choose(parts: Sequence[Any], mp: Any) -> Any:
    """The first value whose condition holds; the others may be undefined."""
    for holds, value in zip(parts[:-1:2], parts[1::2], strict=True):
        _raise_first([holds])
        if mp.isnan(holds):
            raise _Undefined
        if holds != 0:
            _raise_first([value])
            return value
    _raise_first(parts[-1:])
    return parts[-1]


def _join(parts: Sequence[Any], mp: Any, *, decisive: int) -> Any:
    """A false part decides "and", a true one "or", whatever the others are."""
    if not any(not isinstance(part, Exception) and (part != 0) == decisive and not mp.isnan(part) for part in parts):
        _raise_first(parts)
        if any(mp.isnan(part) for part in parts):
            raise _Undefined
        return mp.mpf(1 - decisive)
    return mp.mpf(decisive)


_CHOOSING: Mapping[str, Callable[[Sequence[Any], Any], Any]] = {
    "piecewise": _choose,
    "and": partial(_join, decisive=0),
    "or": partial(_join, decisive=1),
}
