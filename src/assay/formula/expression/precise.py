"""Values with fifty digits, for the points where doubles cancel or overflow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from assay.formula.expression.program import FloatArray, Program

__all__ = ["DIGITS", "precise_values"]

DIGITS = 50
# beyond these a value is taken as undefined: fifty digits of it would cost unbounded time or memory
_LARGEST_EXPONENT = 1e25
_LARGEST_ANGLE = 1e30
# beyond this a hyperbolic tangent is one to far more than fifty digits
_SATURATED = 1e3
# what is smaller than the smallest double is zero for everybody who computes with doubles
_TINY = 1e-320


class _Undefined(ArithmeticError):
    """The formula has no real value here."""


def _operations(mp: Any) -> Mapping[str, Callable[..., Any]]:
    one = mp.mpf(1)

    def bounded(function: Callable[[Any], Any], limit: float) -> Callable[[Any], Any]:
        def compute(a: Any) -> Any:
            if abs(a) > limit:
                raise _Undefined
            return function(a)

        return compute

    def power(a: Any, b: Any) -> Any:
        if a == 0:
            if b < 0:
                raise _Undefined
            return one if b == 0 else mp.mpf(0)
        if abs(b * mp.log(abs(a))) > _LARGEST_EXPONENT:
            raise _Undefined
        return mp.power(a, b)

    def protected(function: Callable[..., Any], default: int) -> Callable[..., Any]:
        return lambda *a: function(*a) if abs(a[-1]) > 0.001 else mp.mpf(default)

    def cbrt(a: Any) -> Any:
        return mp.sign(a) * mp.cbrt(abs(a))

    table: dict[str, Callable[..., Any]] = {
        "add": lambda *a: sum(a[1:], start=a[0]),
        "mul": lambda *a: mp.fprod(a),
        "neg": lambda a: -a,
        "div": lambda a, b: a / b,
        "pow": power,
        "inv": lambda a: one / a,
        "square": lambda a: a * a,
        "cube": lambda a: a * a * a,
        "cbrt": cbrt,
        "tanh": lambda a: mp.tanh(a) if abs(a) < _SATURATED else mp.sign(a),
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
    }
    for name in ("exp", "expm1", "sinh", "cosh"):
        table[name] = bounded(getattr(mp, name), _LARGEST_EXPONENT)
    for name in ("sin", "cos", "tan", "cot", "sec", "csc"):
        table[name] = bounded(getattr(mp, name), _LARGEST_ANGLE)
    for name in ("sqrt", "log", "asin", "acos", "atan", "asinh", "acosh", "atanh", "erf", "sign", "floor", "ceil"):
        table[name] = getattr(mp, name)
    return table


def precise_values(program: Program, values: Mapping[str, FloatArray]) -> list[Any]:
    """The formula at every point, as numbers of fifty digits; ``None`` where it has no real value.

    >>> from assay.formula.expression.parser import parse
    >>> (found,) = precise_values(Program.of(parse("(1 + x) - 1")), {"x": np.array([1e-30])})
    >>> float(found)
    1e-30
    """
    import mpmath

    mp = mpmath.mp.clone()
    mp.dps = DIGITS
    table = _operations(mp)
    named = {np.pi: +mp.pi, np.e: +mp.e}
    count = len(next(iter(values.values()))) if values else 1
    results: list[Any] = []
    for row in range(count):
        point = {name: mp.mpf(float(values[name][row])) for name in program.symbols}
        try:
            value = _run(program, point, table, named, mp)
        except (ArithmeticError, ValueError, TypeError):  # division by zero, poles, an order of complex numbers
            value = None
        if value is not None and isinstance(value, mp.mpc):
            value = value.real if abs(value.imag) <= abs(value) * mp.mpf(10) ** (10 - DIGITS) else None
        if value is not None and abs(value) < _TINY:
            value = mp.mpf(0)
        results.append(value if value is not None and mp.isfinite(value) else None)
    return results


def _run(
    program: Program, point: Mapping[str, Any], table: Mapping[str, Any], named: Mapping[Any, Any], mp: Any
) -> Any:
    results: list[Any] = []
    for operation, inputs, content in program.steps:
        if operation == "value":
            results.append(named.get(content) or mp.convert(content))
        elif operation == "slot":
            results.append(mp.mpf(repr(program.constants[content])))  # as it was written, not its nearest double
        elif operation == "symbol":
            results.append(point[content])
        else:
            result = table[operation](*(results[place] for place in inputs))
            if isinstance(result, mp.mpc) and not program.is_complex:
                raise _Undefined
            results.append(result)
    return results[-1]
