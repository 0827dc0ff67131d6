"""Formulas drawn: sizes that hold what is inside, and texts that cannot break out."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formula import parse
from assay.formula.expression.expression import Apply, Expression, Number, Symbol, add, divide, multiply, negate, power
from assay.formula.expression.typeset import draw, lay_out


def words(text: str) -> list[str]:
    drawn = ElementTree.fromstring(f"<g>{draw(lay_out(parse(text)), 0.0, 0.0)}</g>")
    return [element.text or "" for element in drawn.iter("text")]


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("x + 1", ["x", "+", "1"]),
        ("x - y", ["x", "−", "y"]),
        ("x + -2.5*y", ["x", "−", "2.5", "y"]),
        ("x - (-2)*y", ["x", "+", "2", "y"]),
        ("-3*x", ["−3", "x"]),
        ("x*2", ["x", "·", "2"]),
        ("x*(y + 1)", ["x", "(", "y", "+", "1", ")"]),
        ("(x + 1)**2", ["(", "x", "+", "1", ")", "2"]),
        ("x1 + k_spring", ["x", "1", "+", "k", "spring"]),
        ("alpha*hbar", ["α", "ħ"]),
        ("exp(x)", ["e", "x"]),
        ("pi*E", ["π", "e"]),
        ("sin(x)/y", ["sin", "(", "x", ")", "y"]),
        ("1.5e-7*x", ["1.5·10", "−7", "x"]),
        ("3.14159265*x", ["3.142", "x"]),
        ("max(x, 1)", ["max", "(", "x", ", ", "1", ")"]),
        ("Abs(x)", ["|", "x", "|"]),
        ("log(add(X0, 1))", ["log", "|", "X", "0", "+", "1", "|"]),
    ],
)
def test_what_is_written_and_in_which_order(formula: str, shown: list[str]) -> None:
    assert words(formula) == shown


def test_a_fraction_is_as_wide_as_its_wider_side_and_has_a_line() -> None:
    box, wide = lay_out(parse("x/(x + y + z)")), lay_out(parse("x + y + z"))
    assert box.width > 0.9 * wide.width
    assert sum(not mark.text for mark in box.marks) == 1
    assert box.above > lay_out(parse("x")).above


def test_a_power_stands_above_and_is_smaller() -> None:
    base, exponent = lay_out(parse("x**2")).marks
    assert exponent.y < base.y
    assert exponent.size < base.size


def test_names_are_escaped() -> None:
    drawn = draw(lay_out(Symbol("<script>&")), 0.0, 0.0)
    assert "<script>" not in drawn
    assert "&lt;script&gt;&amp;" in drawn


NUMBERS = st.one_of(st.integers(-99, 99), st.floats(-1e6, 1e6, allow_nan=False)).map(Number)
LEAVES: st.SearchStrategy[Expression] = st.one_of(
    NUMBERS, st.sampled_from([Symbol("x"), Symbol("y1"), Symbol("theta")])
)


def grow(inside: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(add, inside, inside),
        st.builds(multiply, inside, inside),
        st.builds(divide, inside, inside),
        st.builds(power, inside, inside),
        st.builds(negate, inside),
        st.builds(lambda a: Apply("sqrt", (a,)), inside),
        st.builds(lambda a: Apply("protected_log", (a,)), inside),
    )


@given(st.recursive(LEAVES, grow, max_leaves=12))
def test_everything_lies_inside_of_its_box(tree: Expression) -> None:
    box = lay_out(tree, 16.0)
    for mark in box.marks:
        assert mark.x >= -1e-6
        assert mark.x + mark.width <= box.width + 1e-6
        assert mark.size > 0
    drawn = draw(box, 3.0, 4.0)
    ElementTree.fromstring(f"<g>{drawn}</g>")
    assert not re.search("nan|inf", drawn)
