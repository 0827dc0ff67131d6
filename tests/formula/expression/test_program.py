import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.formula import compute, parse
from assay.formula.expression.canonical import canonical
from assay.formula.expression.expression import Apply, Number, symbols_of
from assay.formula.expression.functions import NUMERIC
from assay.formula.expression.precise import precise_values
from assay.formula.expression.program import Program

mpmath = pytest.importorskip("mpmath", reason="precise values need mpmath")

FORMULAS = [
    "sqrt(x)*y - 3.5/(1 + x)",
    "sin(x)**2/(cos(y) + 2) - tan(x/9)",
    "exp(-x**2/2)/sqrt(2*pi)",
    "log(x + y)/log(3) + log10(x)*log2(y) + log1p(x)",
    "(x**2 + y**2)**0.5/(x - 7)**3",
    "asin(x/9) + acos(y/9) + atan(x*y) + atan2(x, y)",
    "sinh(x) - cosh(y)*tanh(x) + asinh(y) + acosh(x + 1) + atanh(y/9)",
    "erf(x) + cbrt(y) + Abs(x - y) + sign(x - 3) + floor(x) + ceil(y)",
    "cot(x) + sec(y) + csc(x) + Max(x, y, 2) + Min(x, y)",
    "sqrtabs(x - 4) + aq(x, y) + square(x) + cube(y) + inv(x) + expm1(y)",
    "x*x*y/(y*x) + 2*x - x + 0*y - (x - y)",
    "Piecewise((x**2, x < 2), (log(x - 2), (x >= 2) & (y > 2)), (sqrt(y), True))",
    "where((x > y) | (x < 2), x, y) + (x > 3)*y - Piecewise((1, Ne(x, y) & ~(x >= 4)), (2, Eq(x, y)), (3, True))",
    "mod(x, y) + round(10*x) + erfc(x - 2) + Heaviside(x - 3) + clip(x, 2, 3)",
    "exp(log(x)) - log(exp(y)) + (x*y)**3/(x**2)",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_doubles_fifty_digits_and_the_canonical_form_agree(text: str) -> None:
    rng = np.random.default_rng(5)
    points = {"x": rng.uniform(1, 5, 40), "y": rng.uniform(1, 5, 40)}
    tree = parse(text)
    doubles = compute(tree, points)
    exact = np.array([float(value) for value in precise_values(Program.of(tree), points)])
    assert doubles == pytest.approx(exact, rel=1e-11, abs=1e-12)
    assert compute(canonical(tree), points) == pytest.approx(exact, rel=1e-9, abs=1e-9)


def test_every_operation_has_a_precise_twin() -> None:
    for name, operation in NUMERIC.items():
        first = 1.3 if name == "acosh" else 0.3
        tree = Apply(name, tuple(Number(number) for number in (first, 0.7, 0.4)[: max(operation.least, 1)]))
        (value,) = precise_values(Program.of(tree), {})
        assert float(value) == pytest.approx(float(compute(tree, {})), rel=1e-12), name


@given(st.floats(-5, 5), st.floats(0.1, 5))
def test_values_are_those_of_the_standard_library(x: float, y: float) -> None:
    value = float(compute(parse("x*exp(-y) + sin(x)/y"), {"x": x, "y": y}))
    assert value == pytest.approx(x * math.exp(-y) + math.sin(x) / y, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    "text", ["sqrt(-x)", "log(-x)", "(-x)**0.5", "0/(x - x)", "I*x", "zoo", "nan*x", "oo", "asin(x + 2)"]
)
def test_what_is_not_real_is_not_a_number(text: str) -> None:
    tree = parse(text, names=["x"])
    assert np.isnan(compute(tree, {"x": [1.0, 2.0]})).all()
    assert precise_values(Program.of(tree), {"x": np.array([1.0, 2.0])}) == [None, None]


@pytest.mark.parametrize(
    "text", ["exp(exp(exp(exp(x))))", "x**(9**9**9)", "sin(exp(9999*x))", "exp(9e99*x)", "1/(x - x)"]
)
def test_values_beyond_all_bounds_cost_no_time_and_are_undefined(text: str) -> None:
    assert precise_values(Program.of(parse(text)), {"x": np.array([3.0])}) == [None]


def test_a_value_that_is_not_chosen_may_be_undefined() -> None:
    tree = parse("Piecewise((log(x), x > 0), (1/(x - x), x > -1), (sin(exp(exp(9*x**2))), x > -2), (7, True))")
    points = {"x": np.array([2.0, -0.5, -3.0])}
    assert compute(tree, points) == pytest.approx([math.log(2), math.inf, 7.0])
    first, second, third = precise_values(Program.of(tree), points)
    assert float(first) == pytest.approx(math.log(2))
    assert second is None
    assert float(third) == 7.0


def test_what_compares_undefined_values_is_undefined() -> None:
    points = {"x": np.array([-1.0, 2.0])}
    for text, expected in [
        ("where(log(x) < 1, 5, 6)", [math.nan, 5.0]),
        ("Piecewise((1, x > 0))", [math.nan, 1.0]),
        ("where(And(x > 0, log(x) < 1), 5, 6)", [6.0, 5.0]),
        ("where(Or(x < 0, log(x) < 1), 5, 6)", [5.0, 5.0]),
    ]:
        tree = parse(text)
        assert compute(tree, points) == pytest.approx(expected, nan_ok=True)
        precise = [math.nan if value is None else float(value) for value in precise_values(Program.of(tree), points)]
        assert precise == pytest.approx(expected, nan_ok=True)


def test_a_missing_variable_is_named() -> None:
    with pytest.raises(InvalidInput, match="no values for the variable 'y'; given: x"):
        compute(parse("x + y"), {"x": [1.0]})


def test_constants_can_be_replaced_and_whole_numbers_cannot() -> None:
    program = Program.of(parse("2*x + 0.5*x**2.0 + 0.5"))
    assert program.constants == (0.5, 2.0, 0.5)
    assert float(program.real({"x": 3.0}, [1.0, 3.0, 0.0])) == 33.0


def test_equal_parts_are_computed_once() -> None:
    program = Program.of(parse("sin(x + y)*sin(x + y) + sin(x + y)"))
    assert [step[0] for step in program.steps].count("sin") == 1
    assert symbols_of(parse("y + x + y")) == ("y", "x")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"x": ["a", "b"], "y": [1.0, 2.0]}, "the values of the variable 'x' must be numbers"),
        ({"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0]}, "values of one length, or single ones; got x 3, y 2"),
    ],
)
def test_values_that_cannot_be_computed_with_are_named(values: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        compute(parse("x + y"), values)
    assert compute(parse("x + y"), {"x": [1.0, 2.0], "y": 3.0}).tolist() == [4.0, 5.0]
