"""Formulas as people hand them in: several lines, named parts, helper functions."""

from __future__ import annotations

import pytest

from assay.core import InvalidInput
from assay.formula import equivalent
from assay.formula.answer.script import formulas_in


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("x0\n-x0\n", ["x0", "-x0"]),  # a Pareto set, as it always was
        ("y = x0  # best\n\nz = x1", ["x0", "x1"]),
        ("a +\n b", ["a + b"]),
        ("x\n- y", ["x - y"]),
        ("(a\n + b)\nc", ["(a + b)", "c"]),
        ("f(x1, x2) = x1 + x2", ["x1 + x2"]),
        ("import numpy as np\nx1, x2 = symbols('x1 x2')\nmodel = x1*x2", ["x1*x2"]),
        ("```\nreturn x1*x2\n```", ["x1*x2"]),
        ("y == 3", ["y == 3"]),
    ],
)
def test_lines_are_formulas_or_go_on(text: str, formulas: list[str]) -> None:
    assert formulas_in(text) == formulas


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = x1 + 1\nb = a*x2\ny = b**2", "((x1 + 1)*x2)**2"),
        ("y = x1\ny = y + 2", "x1 + 2"),
        ("def g(a, b):\n    c = a + b\n    return c**2\n\nt = g(x1, 3)\ny = t*g(t, x2)", "(x1+3)**2*((x1+3)**2+x2)**2"),
        ("def model(x1, x2):\n    u = x1*2\n    return u + x2", "2*x1 + x2"),
        ("f = lambda z: z/(1+z)\nf(x1)*f(f(x2))", "x1/(1+x1)*x2/(1+2*x2)"),
        ("f(a) = a**2\ny = f(x1 - x2) + f(x2)", "(x1-x2)**2 + x2**2"),
        ("g(x2) = x2 + x1\ny = g(3*x1)*x2", "4*x1*x2"),  # a parameter hides a column, elsewhere it is one
    ],
)
def test_named_parts_and_helpers_are_replaced(text: str, expected: str) -> None:
    (formula,) = formulas_in(text)
    assert equivalent(expected, formula).verdict == "identical"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f = lambda a: a\nf(x, y)", "the helper 'f' takes 1 arguments, got 2"),
        ("f = lambda a: a\nf(x", "never closed"),
        ("x\n" * 3000, "have 3000 lines; 2000 are allowed"),
        ("a0=x+x\n" + "\n".join(f"a{i + 1}=a{i}+a{i}" for i in range(40)), "more than 400000 characters"),
    ],
)
def test_what_cannot_be_unfolded_is_named(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        formulas_in(text)
