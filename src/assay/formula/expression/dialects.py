"""How methods write formulas: their names for operations, and for columns by position."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from assay.core import InvalidInput, UnknownName
from assay.formula.expression.tokens import Token

__all__ = ["DIALECTS", "Dialect", "DialectName", "find_dialect", "resolve_names"]

DialectName: TypeAlias = Literal["auto", "plain", "gplearn", "operon", "pysr", "eureqa", "dso", "aifeynman", "latex"]

_PLAIN: Mapping[str, str] = {
    "Abs": "abs", "fabs": "abs", "absolute": "abs", "ln": "log", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "arctan2": "atan2", "Max": "max",
    "Min": "min", "fmax": "max", "fmin": "min", "maximum": "max", "minimum": "min", "ceiling": "ceil", "Pow": "pow",
    "power": "pow", "Add": "add", "Mul": "mul", "plus": "add", "sub": "sub", "Sub": "sub", "subtract": "sub",
    "multiply": "mul", "mult": "mul", "divide": "div", "true_divide": "div", "Div": "div", "negative": "neg",
    "sqr": "square", "square_root": "sqrt", "Sqrt": "sqrt", "cube_root": "cbrt", "inverse": "inv",
    "reciprocal": "inv", "aq": "analytic_quotient", "sqrtabs": "protected_sqrt", "sqrtAbs": "protected_sqrt",
    "sqrt_abs": "protected_sqrt", "psqrt": "protected_sqrt", "logabs": "log_abs", "plog": "log_abs",
    "powabs": "pow_abs", "sigmoid": "sigmoid", "logistic": "sigmoid", "expit": "sigmoid", "relu": "relu",
    "safe_log": "log", "safe_log2": "log2", "safe_log10": "log10", "safe_log1p": "log1p", "safe_sqrt": "sqrt",
    "safe_pow": "pow", "safe_acosh": "acosh", "exp2": "exp2", "expneg": "exp_neg", "pow2": "square",
    "pow3": "cube", "n2": "square", "n3": "cube", "n4": "pow4", "n5": "pow5", "Mod": "mod", "sgn": "sign",
    "signum": "sign", "Heaviside": "heaviside", "gaussian": "gauss",
    # conditions
    "Lt": "lt", "StrictLessThan": "lt", "less": "lt", "Le": "le", "LessThan": "le", "less_equal": "le",
    "less_or_equal": "le", "Gt": "gt", "StrictGreaterThan": "gt", "greater": "gt", "Ge": "ge", "GreaterThan": "ge",
    "greater_equal": "ge", "greater_or_equal": "ge", "Eq": "eq", "Equality": "eq", "equal": "eq", "Ne": "ne",
    "Unequality": "ne", "not_equal": "ne", "And": "and", "logical_and": "and", "Or": "or", "logical_or": "or",
    "Not": "not", "logical_not": "not", "Piecewise": "piecewise", "piecewise": "piecewise", "where": "where",
    "If": "if", "IF": "if", "ifelse": "if", "if_else": "if", "ITE": "if", "ite": "if",
    # what changes no value
    **dict.fromkeys((
        "simplify", "expand", "factor", "factor_terms", "nsimplify", "together", "cancel", "apart", "trigsimp",
        "powsimp", "powdenest", "radsimp", "ratsimp", "logcombine", "expand_log", "expand_trig", "N", "S", "sympify",
        "UnevaluatedExpr", "identity", "id", "float", "float32", "float64", "Float", "RealNumber",
    ), "same"),
    "Integer": "integer", "Rational": "rational", "Fraction": "rational",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The names of operations beyond their own, and what the text does not tell."""

    operations: Mapping[str, str]
    first_column: int = 0
    positive_is_true: bool = False  # a number as a condition holds where it is above zero


DIALECTS: Mapping[str, Dialect] = {
    "plain": Dialect(operations=_PLAIN),
    "gplearn": Dialect(
        operations={
            **_PLAIN,
            "div": "protected_div",
            "log": "protected_log",
            "sqrt": "protected_sqrt",
            "inv": "protected_inv",
            "sig": "sigmoid",
        }
    ),
    "operon": Dialect(operations=_PLAIN, first_column=1),
    "pysr": Dialect(operations=_PLAIN, positive_is_true=True),
    "eureqa": Dialect(operations=_PLAIN, positive_is_true=True),
    "dso": Dialect(operations=_PLAIN, first_column=1),
    "aifeynman": Dialect(operations=_PLAIN),
    "latex": Dialect(operations=_PLAIN),
}

_PREFIX = {"add", "sub", "mul", "div"}
_POSITION = re.compile(r"(?P<letters>[A-Za-z]+)(?:_?(?P<plain>\d+)|\[\s*(?::\s*,\s*)?(?P<index>\d+)\s*\])")


def find_dialect(name: str, tokens: Sequence[Token]) -> Dialect:
    """The dialect of that name; ``auto`` knows gplearn's by its prefix operations.

    >>> from assay.formula.expression.tokens import tokenize
    >>> find_dialect("auto", tokenize("add(log(X0), X1)")).operations["log"]
    'protected_log'
    """
    if name == "auto":
        called = {a.text for a, b in pairwise(tokens) if a.kind == "name" and b.kind == "open"}
        infix = any(token.kind == "operator" and token.text != "-" for token in tokens)
        return DIALECTS["gplearn" if called & _PREFIX and not infix else "plain"]
    if name not in DIALECTS:
        raise UnknownName("dialect", name, ["auto", *DIALECTS])
    return DIALECTS[name]


def resolve_names(symbols: Sequence[str], columns: Sequence[str], *, first_column: int = 0) -> dict[str, str]:
    """What each variable of a model is called in the data, where the model counts columns instead of naming them.

    Names of the data stand for themselves. Others must be numbered (``x0``, ``X_1``, ``v2``, ``x[0]``, ``x[:,0]``).
    Counting starts at 0 when a 0 occurs and at 1 when the number of columns occurs; else ``first_column`` decides.

    >>> resolve_names(["X1", "X2"], ["mass", "speed"])
    {'X1': 'mass', 'X2': 'speed'}
    >>> resolve_names(["x[:,0]"], ["mass", "speed"])
    {'x[:,0]': 'mass'}
    >>> resolve_names(["X1", "x_2"], ["x1", "x2", "x3"])  # the data count themselves
    {'X1': 'x1', 'x_2': 'x2'}
    """
    unknown = [name for name in symbols if name not in columns]
    if not unknown:
        return {name: name for name in symbols}
    own = {_folded(name): name for name in columns if _POSITION.fullmatch(name)}
    if len(own) == len(columns) and all(_folded(name) in own for name in symbols):
        return {name: own[_folded(name)] for name in symbols}
    numbers: dict[str, int] = {}
    letters: set[str] = set()
    for name in unknown:
        match = _POSITION.fullmatch(name)
        if match is None:
            raise UnknownName("variable", name, columns)
        numbers[name] = int(match["plain"] or match["index"])
        letters.add(match["letters"])
    if len(letters) > 1 or len(unknown) < len(symbols):
        # half names, half numbers: a slip rather than a convention
        raise UnknownName("variable", unknown[0], columns)
    positions = set(numbers.values())
    first = 0 if 0 in positions else 1 if len(columns) in positions else first_column
    highest = max(positions)
    if highest - first >= len(columns):
        name = next(name for name, number in numbers.items() if number == highest)
        raise InvalidInput(
            f"the model uses {name!r}, but there are only {len(columns)} variables: {', '.join(columns)}."
        )
    return {name: columns[number - first] for name, number in numbers.items()}


def _folded(name: str) -> str:
    return name.replace("_", "").lower()
