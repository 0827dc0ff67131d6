"""What a call in the text of a formula becomes: an operation, or others that have its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple, TypeAlias

from assay.core import InvalidInput, UnknownName
from assay.formula.expression.dialects import Dialect
from assay.formula.expression.expression import Apply, Expression, Number, add, applied, divide, multiply, negate, power
from assay.formula.expression.functions import CONDITIONS, NUMERIC

__all__ = ["Pair", "apply", "arity_of", "condition", "is_condition", "is_function", "piecewise", "takes_pairs"]

_Build: TypeAlias = Callable[..., Expression]
_ZERO, _ONE, _TWO = Number(0), Number(1), Number(2)
_CHOOSE = frozenset(("where", "if"))
_BUILT: Mapping[str, _Build] = {"add": add, "mul": multiply, "neg": negate}
_INTERNAL = frozenset(("same", "integer", "rational"))
_JOIN = frozenset(("and", "or", "not"))


class Pair(NamedTuple):
    """A value and the condition under which it holds, as ``Piecewise`` takes them."""

    value: Expression
    condition: Expression


def is_condition(expression: Expression) -> bool:
    """Whether it is a comparison or joins some; True and False are read as 1 and 0."""
    if isinstance(expression, Apply):
        return expression.op in CONDITIONS
    return isinstance(expression, Number) and type(expression.value) is int and expression.value in (0, 1)


def condition(expression: Expression, where: str) -> Expression:
    """The expression, which must be a condition; ``where`` says whose."""
    if is_condition(expression):
        return expression
    raise InvalidInput(
        f"the formula has a number as a condition of {where}; write a comparison such as x > 0, in brackets."
    )


def piecewise(*parts: Expression) -> Expression:
    """Condition and value by turns, then the value where no condition holds."""
    chosen: list[Expression] = []
    for holds, value in zip(parts[:-1:2], parts[1::2], strict=True):
        if holds == _ONE:
            return Apply("piecewise", (*chosen, value)) if chosen else value
        chosen += [holds, value]
    return Apply("piecewise", (*chosen, parts[-1]))


def _of_size(name: str) -> Callable[[Expression], Expression]:
    return lambda a: Apply(name, (Apply("abs", (a,)),))


def _whole(a: Expression) -> Expression:
    if isinstance(a, Number) and a.value == int(a.value):  # a long one is read as a float
        return a
    raise InvalidInput("the formula has an Integer(...) that is not a whole number.")


def _heaviside(a: Expression, middle: Expression | None = None) -> Expression:
    half = divide(_ONE, _TWO) if middle is None else middle
    return piecewise(Apply("gt", (a, _ZERO)), _ONE, Apply("lt", (a, _ZERO)), _ZERO, half)


# operations that are written with others, with the fewest and most arguments
_SPELLED: Mapping[str, tuple[int, int, _Build]] = {
    "sub": (2, 2, lambda a, b: add(a, negate(b))),
    "sigmoid": (1, 1, lambda a: divide(_ONE, add(_ONE, Apply("exp", (negate(a),))))),
    "relu": (1, 1, lambda a: Apply("max", (a, _ZERO))),
    "log_abs": (1, 1, _of_size("log")),
    "log2_abs": (1, 1, _of_size("log2")),
    "log10_abs": (1, 1, _of_size("log10")),
    "log1p_abs": (1, 1, _of_size("log1p")),
    "pow_abs": (2, 2, lambda a, b: power(Apply("abs", (a,)), b)),
    "acosh_abs": (1, 1, lambda a: Apply("acosh", (add(Apply("abs", (a,)), _ONE),))),
    "exp2": (1, 1, lambda a: power(_TWO, a)),
    "exp_neg": (1, 1, lambda a: Apply("exp", (negate(a),))),
    "gauss": (1, 1, lambda a: Apply("exp", (negate(power(a, _TWO)),))),
    "pow4": (1, 1, lambda a: power(a, Number(4))),
    "pow5": (1, 1, lambda a: power(a, Number(5))),
    "hypot": (2, 2, lambda a, b: Apply("sqrt", (add(power(a, _TWO), power(b, _TWO)),))),
    "root": (2, 2, lambda a, b: power(a, divide(_ONE, b))),
    "clip": (3, 3, lambda a, low, high: Apply("min", (Apply("max", (a, low)), high))),
    "step": (1, 1, lambda a: piecewise(Apply("gt", (a, _ZERO)), _ONE, _ZERO)),
    "heaviside": (1, 2, _heaviside),
    "cond": (2, 2, lambda a, b: piecewise(Apply("gt", (a, _ZERO)), b, _ZERO)),
    "same": (1, 1, lambda a: a),
    "integer": (1, 1, _whole),
    "rational": (1, 2, lambda a, *below: divide(a, *below) if below else a),
}


def arity_of(name: str, dialect: Dialect) -> int | None:
    """How many arguments a function takes, where that is one number, for notations without brackets."""
    operation = dialect.operations.get(name, name)
    if operation in ("add", "mul", "max", "min"):
        return 2
    least, most, _ = _find(name, operation, dialect)
    return least if least == most else None


def is_function(name: str, dialect: Dialect) -> bool:
    """Whether a call of this name is known."""
    operation = dialect.operations.get(name, name)
    return operation in NUMERIC or operation in _SPELLED or operation in _CHOOSE


def takes_pairs(name: str, dialect: Dialect) -> bool:
    """Whether its arguments are pairs in brackets, of a value and a condition."""
    return dialect.operations.get(name) == "piecewise"


def apply(name: str, arguments: Sequence[Expression | Pair], dialect: Dialect) -> Expression:
    """The value of a call."""
    operation = dialect.operations.get(name, name)
    if operation == "piecewise":
        return _choose_first(name, arguments)
    values = [argument for argument in arguments if not isinstance(argument, Pair)]
    if operation == "log" and len(values) == 2:
        return divide(Apply("log", (values[0],)), Apply("log", (values[1],)))
    least, most, build = _find(name, operation, dialect)
    if not least <= len(values) <= most:
        expected = str(least) if least == most else f"at least {least}" if len(values) < least else f"at most {most}"
        raise InvalidInput(f"the function {name!r} takes {expected} arguments, got {len(values)}.")
    if operation in _JOIN:
        values = [_truth(value, name, dialect) for value in values]
    elif operation in _CHOOSE:
        first = values[0]
        if operation == "where" and not is_condition(first):
            first = Apply("ne", (first, _ZERO))
        values[0] = _truth(first, name, dialect)
    return build(*values)


def _find(name: str, operation: str, dialect: Dialect) -> tuple[int, int, _Build]:
    if operation in _SPELLED:
        return _SPELLED[operation]
    if operation in _CHOOSE:
        return 3, 3, piecewise
    if operation not in NUMERIC:
        near = get_close_matches(name, dialect.operations, n=1)
        raise UnknownName("function", name, sorted({*NUMERIC, *_SPELLED, *near} - _INTERNAL))
    return NUMERIC[operation].least, NUMERIC[operation].most, _BUILT.get(operation, applied(operation))


def _truth(value: Expression, name: str, dialect: Dialect) -> Expression:
    """A condition; in some dialects a number is one that holds where it is above zero."""
    if dialect.positive_is_true and not is_condition(value):
        return Apply("gt", (value, _ZERO))
    return condition(value, name)


def _choose_first(name: str, arguments: Sequence[Expression | Pair]) -> Expression:
    parts: list[Expression] = []
    for argument in arguments:
        if not isinstance(argument, Pair):
            raise InvalidInput(f"the function {name!r} takes pairs in brackets: {name}((a, x > 0), (b, True)).")
        parts += [condition(argument.condition, name), argument.value]
    return piecewise(*parts, Apply("nan", ()))
