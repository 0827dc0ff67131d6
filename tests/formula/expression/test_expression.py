"""Formulas in LaTeX: what is written in which order, and texts that cannot break out."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.charts.mathml import to_mathml
from assay.formula import parse
from assay.formula.expression.expression import (
    Apply,
    Expression,
    Number,
    Symbol,
    add,
    divide,
    multiply,
    negate,
    power,
    to_latex,
)


def words(text: str) -> list[str]:
    """The texts of the formula in the order of writing."""
    tree = ElementTree.fromstring(str(to_mathml(to_latex(parse(text)))))
    return [element.text for element in tree.iter() if element.text]


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("x + 1", ["x", "+", "1"]),
        ("x - y", ["x", "−", "y"]),
        ("x + -2.5*y", ["x", "−", "2.5", "y"]),
        ("x - (-2)*y", ["x", "+", "2", "y"]),
        ("-3*x", ["−3", "x"]),
        ("x*2", ["x", "·", "2"]),
        ("3*10**x", ["3", "·", "10", "x"]),
        ("Piecewise((x, x < 1), (2, True))", ["{", "x", "if\u00a0", "x", "<", "1", "2", "otherwise"]),
        ("x*(y + 1)", ["x", "(", "y", "+", "1", ")"]),
        ("(x + 1)**2", ["(", "x", "+", "1", ")", "2"]),
        ("x1 + k_spring", ["x", "1", "+", "k", "spring"]),
        ("alpha*hbar", ["α", "ℏ"]),
        ("exp(x)", ["e", "x"]),
        ("pi*E", ["π", "e"]),
        ("sin(x)/y", ["sin", "(", "x", ")", "y"]),
        ("1.5e-7*x", ["1.5·10", "−7", "x"]),
        ("3.14159265*x", ["3.142", "x"]),
        ("max(x, 1)", ["max", "(", "x", ",", "1", ")"]),
        ("Abs(x)", ["|", "x", "|"]),
        ("log(add(X0, 1))", ["log", "|", "X", "0", "+", "1", "|"]),
    ],
)
def test_what_is_written_and_in_which_order(formula: str, shown: list[str]) -> None:
    assert "".join(words(formula)) == "".join(shown)


def test_brackets_stand_where_the_tree_needs_them() -> None:
    assert to_latex(parse("(x/y)**2")) == r"\left( \frac{x}{y} \right)^{2}"
    assert to_latex(parse("x/(x + y + z)")) == r"\frac{x}{x + y + z}"
    assert to_latex(parse("sqrt(x)**2")) == r"\sqrt{x}^{2}"
    assert to_latex(parse("(x**2)**3")) == r"\left( x^{2} \right)^{3}"
    assert to_latex(parse("-(x + y)")) == r"-\left( x + y \right)"


def test_names_are_escaped() -> None:
    shown = str(to_mathml(to_latex(Symbol("<script>&"))))
    assert "<script>" not in shown
    assert "&lt;script&gt;&amp;" in shown


@pytest.mark.parametrize("name", ["a}b", "a\\b", "{", "$x"])
def test_a_name_that_is_no_word_breaks_nothing(name: str) -> None:
    shown = to_mathml(to_latex(Symbol(name)))
    assert shown is None or "".join(ElementTree.fromstring(shown).itertext()) == name


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
def test_every_formula_can_be_typeset(tree: Expression) -> None:
    latex = to_latex(tree)
    assert latex.count("{") == latex.count("}")
    assert ElementTree.fromstring(str(to_mathml(latex))).tag == "math"
