"""The closed table of operations: how many arguments each takes, and what it does to arrays of doubles."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

__all__ = ["CONDITIONS", "CONSTANTS", "NEARLY_ZERO", "NUMERIC", "RELATIONS", "Operation"]


class Operation(NamedTuple):
    """What an operation does, and the fewest and most arguments it takes."""

    compute: Callable[..., Any]
    least: int = 1
    most: int = 1


# below this a protected operation answers with its default, as gplearn's do
NEARLY_ZERO = 0.001


def _of_many(join: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """An operation on two as one on any number, from left to right."""
    return lambda *parts: reduce(join, parts)


def _power(base: Any, exponent: Any) -> Any:
    if np.ndim(exponent) == 0 and exponent == 0.5:
        return np.sqrt(base)  # the same number, several times faster
    return np.power(base, exponent)


def _protected_divide(a: Any, b: Any) -> Any:
    return np.where(np.abs(b) > NEARLY_ZERO, np.divide(a, b), 1.0)


def _protected_log(a: Any) -> Any:
    return np.where(np.abs(a) > NEARLY_ZERO, np.log(np.abs(a)), 0.0)


def _protected_inverse(a: Any) -> Any:
    return np.where(np.abs(a) > NEARLY_ZERO, np.divide(1.0, a), 0.0)


def _special(name: str) -> Callable[[Any], Any]:
    def compute(a: Any) -> Any:
        from scipy import special

        return getattr(special, name)(a)

    return compute


# conditions are 1 where they hold, 0 where they do not, and nan where what they compare is undefined


def _relation(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def compute(a: Any, b: Any) -> Any:
        a, b = _real(a), _real(b)
        return np.where(np.isnan(a) | np.isnan(b), np.nan, compare(a, b))

    return compute


def _real(a: Any) -> Any:
    return np.where(np.imag(a) == 0, np.real(a), np.nan) if np.iscomplexobj(a) else a


def _all(*parts: Any) -> Any:
    """Known to be false where one part is, whatever the others are."""
    refuted, unknown = parts[0] == 0, np.isnan(parts[0])
    for part in parts[1:]:
        refuted, unknown = refuted | (part == 0), unknown | np.isnan(part)
    return np.where(refuted, 0.0, np.where(unknown, np.nan, 1.0))


def _not(a: Any) -> Any:
    return np.where(np.isnan(a), np.nan, a == 0)


def _any(*parts: Any) -> Any:
    return _not(_all(*map(_not, parts)))


def _piecewise(*parts: Any) -> Any:
    """Condition and value by turns, then the value where no condition holds."""
    result = parts[-1]
    for condition, value in zip(parts[-3::-2], parts[-2::-2], strict=True):
        result = np.where(np.isnan(condition), np.nan, np.where(condition != 0, value, result))
    return result


NUMERIC: Mapping[str, Operation] = {
    "add": Operation(_of_many(operator.add), 1, 1 << 30),
    "mul": Operation(_of_many(operator.mul), 1, 1 << 30),
    "neg": Operation(np.negative),
    "div": Operation(np.true_divide, 2, 2),
    "pow": Operation(_power, 2, 2),
    "inv": Operation(lambda a: np.true_divide(1.0, a)),
    "square": Operation(lambda a: a * a),
    "cube": Operation(lambda a: a * a * a),
    "sqrt": Operation(np.sqrt),
    "cbrt": Operation(np.cbrt),
    "exp": Operation(np.exp),
    "expm1": Operation(np.expm1),
    "log": Operation(np.log),
    "log2": Operation(np.log2),
    "log10": Operation(np.log10),
    "log1p": Operation(np.log1p),
    "sin": Operation(np.sin),
    "cos": Operation(np.cos),
    "tan": Operation(np.tan),
    "cot": Operation(lambda a: np.true_divide(np.cos(a), np.sin(a))),
    "sec": Operation(lambda a: np.true_divide(1.0, np.cos(a))),
    "csc": Operation(lambda a: np.true_divide(1.0, np.sin(a))),
    "asin": Operation(np.arcsin),
    "acos": Operation(np.arccos),
    "atan": Operation(np.arctan),
    "atan2": Operation(np.arctan2, 2, 2),
    "sinh": Operation(np.sinh),
    "cosh": Operation(np.cosh),
    "tanh": Operation(np.tanh),
    "asinh": Operation(np.arcsinh),
    "acosh": Operation(np.arccosh),
    "atanh": Operation(np.arctanh),
    "erf": Operation(_special("erf")),
    "erfc": Operation(_special("erfc")),
    "abs": Operation(np.abs),
    "sign": Operation(np.sign),
    "floor": Operation(np.floor),
    "ceil": Operation(np.ceil),
    "round": Operation(np.round),
    "mod": Operation(np.mod, 2, 2),
    "max": Operation(_of_many(np.maximum), 1, 1000),
    "min": Operation(_of_many(np.minimum), 1, 1000),
    "lt": Operation(_relation(np.less), 2, 2),
    "le": Operation(_relation(np.less_equal), 2, 2),
    "gt": Operation(_relation(np.greater), 2, 2),
    "ge": Operation(_relation(np.greater_equal), 2, 2),
    "eq": Operation(_relation(np.equal), 2, 2),
    "ne": Operation(_relation(np.not_equal), 2, 2),
    "and": Operation(_all, 1, 1000),
    "or": Operation(_any, 1, 1000),
    "not": Operation(_not),
    "piecewise": Operation(_piecewise, 3, 1001),
    # protected operations: defined everywhere, so a model that uses them is never undefined
    "protected_div": Operation(_protected_divide, 2, 2),
    "protected_log": Operation(_protected_log),
    "protected_sqrt": Operation(lambda a: np.sqrt(np.abs(a))),
    "protected_inv": Operation(_protected_inverse),
    "analytic_quotient": Operation(lambda a, b: np.true_divide(a, np.sqrt(1.0 + b * b)), 2, 2),
}

# operations without arguments
CONSTANTS: Mapping[str, complex] = {"pi": np.pi, "e": np.e, "i": 1j, "nan": float("nan")}

RELATIONS: Mapping[str, str] = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
CONDITIONS = frozenset((*RELATIONS, "and", "or", "not"))
