import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.formula import compute, parse, to_text
from assay.formula.expression.dialects import DIALECTS, DialectName
from assay.formula.expression.expression import Apply, Expression, Number, Symbol, add, divide, multiply, negate, power
from assay.formula.expression.functions import NUMERIC, RELATIONS

SAFE = [name for name, operation in NUMERIC.items() if operation.most == 1 and name not in ("neg", "not")]

leaves: st.SearchStrategy[Expression] = st.one_of(
    st.integers(-99, 99).map(Number),
    st.floats(-1e6, 1e6, allow_nan=False).map(Number),
    st.sampled_from(["x", "y", "beta", "x_1"]).map(Symbol),
    st.sampled_from(["pi", "e"]).map(lambda name: Apply(name, ())),
)


def _grow(below: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.lists(below, min_size=2, max_size=4).map(lambda terms: add(*terms)),
        st.lists(below, min_size=2, max_size=4).map(lambda factors: multiply(*factors)),
        st.tuples(below, below).map(lambda pair: divide(*pair)),
        st.tuples(below, below).map(lambda pair: power(*pair)),
        below.map(negate),
        st.tuples(st.sampled_from(SAFE), below).map(lambda pair: Apply(pair[0], (pair[1],))),
        st.tuples(_conditions(below), below, _conditions(below), below, below | st.just(Apply("nan", ()))).map(
            lambda parts: Apply("piecewise", parts)
        ),
    )


def _conditions(below: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    relations = st.tuples(st.sampled_from(sorted(RELATIONS)), below, below).map(lambda part: Apply(part[0], part[1:]))
    joined = st.tuples(st.sampled_from(["and", "or"]), relations, relations).map(lambda part: Apply(part[0], part[1:]))
    return st.one_of(relations, joined, joined.map(lambda part: Apply("not", (part,))))


trees = st.recursive(leaves, _grow, max_leaves=25)


@given(trees)
def test_printed_trees_are_read_back_as_they_were(tree: Expression) -> None:
    assert parse(to_text(tree), dialect="plain") == tree


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("a*(b/c)", "a*(b/c)"),
        ("a*b/c", "a*b/c"),
        ("a/(b/c)", "a/(b/c)"),
        ("a/(b*c)", "a/(b*c)"),
        ("-(a*b)", "-(a*b)"),
        ("a*(-b)", "a*(-b)"),
        ("(a**b)**c", "(a**b)**c"),
        ("a**b**c", "a**b**c"),
        ("(-a)**2", "(-a)**2"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a + b)*c", "(a + b)*c"),
    ],
)
def test_brackets_stand_where_they_are_needed(text: str, printed: str) -> None:
    assert to_text(parse(text)) == printed
    assert parse(printed) == parse(text)


@given(st.text(alphabet="x1.e+-*/^(),[]: sinE<>=&|?²₁√π{}\\_\n", max_size=25))
def test_any_text_is_read_or_refused_with_a_message(text: str) -> None:
    message = ""
    tree: Expression | None = None
    try:
        tree = parse(text)
    except InvalidInput as error:
        message = str(error)
    assert (tree is None) == bool(message)
    if tree is not None:
        assert parse(to_text(tree), dialect="plain") == tree


@pytest.mark.parametrize(
    "text",
    [
        "-2**2",
        "2**3**2",
        "2**-1",
        "-x**2",
        "1 - 2 - 3",
        "8/4/2",
        "2*3+4*5",
        "-(1+2)*3",
        "2*-3",
        "1e-3*x",
        "--x",
        "x/2*3",
    ],
)
def test_precedence_is_that_of_python(text: str) -> None:
    assert float(compute(parse(text), {"x": 1.7})) == pytest.approx(eval(text, {"x": 1.7}))


@pytest.mark.parametrize(
    ("text", "dialect", "expected"),
    [
        ("add(sin(X1), mul(X0, X0))", "auto", math.sin(0.5) + 9),
        ("div(X0, sub(X1, X1))", "auto", 1.0),
        ("log(sub(X1, X1))", "gplearn", 0.0),
        ("sqrt(neg(X0))", "gplearn", math.sqrt(3)),
        ("inv(0.0)", "gplearn", 0.0),
        ("((2.0 * X1) + (X2 ^ 2))", "operon", 6.25),
        ("aq(X1, X2)", "operon", 3 / math.sqrt(1.25)),
        ("square(x0) + cube(x1) - relu(-x1)", "pysr", 9.125),
        ("x_0**2 + x_1", "plain", 9.5),
        ("x[0] + 2*x[1]", "plain", 4.0),
        ("x[:,0] + Abs(-x[:,1])", "plain", 3.5),
        ("mass*Max(speed, 1)", "plain", 3.0),
        ("log(mass, 10)", "plain", math.log10(3)),
        ("sigmoid(x0)", "plain", 1 / (1 + math.exp(-3))),
    ],
)
def test_dialects_are_read_by_their_own_rules(text: str, dialect: DialectName, expected: float) -> None:
    tree = parse(text, columns=["mass", "speed"], dialect=dialect)
    assert float(compute(tree, {"mass": 3.0, "speed": 0.5})) == pytest.approx(expected)


def test_every_named_dialect_exists() -> None:
    assert {"auto", *DIALECTS} == set(get_args(DialectName))


def test_operons_count_starts_at_one_and_gplearns_at_zero() -> None:
    columns = ["a", "b", "c"]
    assert to_text(parse("X1 * X2", columns=columns, dialect="operon")) == "a*b"
    assert to_text(parse("X1 * X2", columns=columns, dialect="gplearn")) == "b*c"
    assert to_text(parse("X1 * X3", columns=columns)) == "a*c"  # the 3 can only be the third


def test_names_of_the_data_win_over_constants() -> None:
    assert parse("E*I", names=["E", "I"]) == multiply(Symbol("E"), Symbol("I"))
    assert float(compute(parse("E*x", names=["x"]), {"x": 1.0})) == pytest.approx(math.e)
    assert np.isnan(compute(parse("I*x", names=["x"]), {"x": 1.0}))
    assert float(compute(parse("I*I*x", names=["x"]), {"x": 2.0})) == -2.0
    assert float(compute(parse("gamma + beta"), {"gamma": 1.0, "beta": 2.0})) == 3.0


def test_no_name_is_touched_inside_another() -> None:
    assert to_text(parse("x1 - x10 + x", names=["x", "x1", "x10"])) == "x1 - x10 + x"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("x +", "ends where a value is expected"),
        ("(x", "never closed"),
        ("x)", "never opened"),
        ("x y", "no operator before 'y'"),
        ("foo(x)", "No function named 'foo'"),
        ("sine(x)", "Did you mean 'sin'"),
        ("sin(x, y)", "takes 1 arguments, got 2"),
        ("sin()", "where a value is expected"),
        ("x, y", "outside of a function"),
        ("1e999", "too large"),
        ("x.y", "'.' at position 1"),
        ("__import__('os')", "which no formula has"),
        ("x if y else 2", "a number as a condition"),
        ("x if y > 1", "'if' without 'else'"),
        ("x else 2", "'else' at position 2 without 'if'"),
        ("1,5*x", "write the number as 1.5"),
        ("1/2x", "before 'x' at position 3, and may mean two things"),
        ("x**2y", "may mean two things"),
        ("x^-2y", "may mean two things"),
        ("1/(x)(y)", "may mean two things"),
        ("√x²", "may mean two things"),
        ("2 e-5", "no operator before 'e'"),
        ("1D-3", "no operator before 'D'"),
        ("0x1F", "no operator before 'x1F'"),
        ("3j", "no operator before 'j'"),
        ("2 3", "no operator before '3'"),
        ("(x)2", "no operator before '2'"),
        ("(x)\n(y)", "no operator before '('"),
        ("2\nx", "no operator before 'x'"),
        ("sin²(x)", "raises the function 'sin'"),
        ("sin x", "no operator before 'x'"),
        ("xy", "No variable named 'xy'"),
        ("f(x)", "No function named 'f'"),
        ("x + 1 = y", "'=' at position 6; write only its right-hand side"),
        ("y = x\ny = x**2", "several formulas"),
        ("a = x\ny = x**2", "'a' is never used"),
        ("x > 1 & y < 2", "write a comparison"),
        ("x & y", "write a comparison"),
        ("not x", "write a comparison"),
        ("if(x, 1, 2)", "write a comparison"),
        ("Piecewise(x, y)", "takes pairs in brackets"),
        ("Piecewise((x, y))", "write a comparison"),
        ("Piecewise((x, y > 1) + 1)", "a pair before position 19"),
        ("Piecewise((x, y > 1, 2))", "comma at position 19"),
        ("sin((x, y > 1))", "comma at position 6"),
        ("|x", "opens a bar | that is never closed"),
        ("|x||y|", "write abs(...)"),
        ("x!", "'!' at position 1"),
        ("Symbol('x + 1')", "which is no name"),
        ("Integer(1.5)", "not a whole number"),
        ("add,x,sin", "lacks arguments"),
        ("add,x,x,x", "2 formulas"),
        (r"\frac{x}{y", "never closed"),
        (r"x \pm 1", r"\\pm at position 2"),
        (r"\sin^{-1}(x)", "inverse of"),
        (r"\sin x y", "without brackets"),
        (r"2 ab^{2}", "a product of letters has spaces"),
        (r"\begin{cases} x & x > 1", "without"),
        ("a = 1\n" * 100 + "x", "more than 64 lines"),
        ("def f(x):\n  y = 1\n", "without 'return'"),
        ("{" * 5000, "which no formula has"),
        (r"\frac{" * 500 + "x", "nested more than 60"),
        ("|" * 3000 + "x" + "|" * 3000, "nested more than 200"),
        ("x<" * 20_000 + "x", "nodes"),
        (r"\frac" * 50_000, "nested more than 60"),
        (r"\sin^" * 30_000 + "x", "nested more than 60"),
        (r"\begin{cases}" * 20_000, "nested more than 60"),
        (r"\text{" + " " * 300_000, "no word in braces"),
        ("x_{" + " " * 300_000, "index at position 2"),
        ("x=\n" * 99_999, "more than 64 lines"),
        ("x" + ";" * 300_000 + "y", "';' at position 1"),
        ("x" + "²" * 100_000, "too large"),
        ("spede", "Did you mean 'speed'"),
        ("z0 + w1", "No variable named 'z0'"),
        ("z9", "there are only 3 variables"),
        ("+".join(["x"] * 1_000_000), "more than 400000"),
        ("+".join(["x"] * 20_000), "nodes"),
        ("sin(" * 300 + "x" + ")" * 300, "nested more than 200"),
        ("(" * 60_000, "tokens"),
    ],
)
def test_what_is_no_formula_is_named(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message.replace("(", r"\(").replace(")", r"\)").replace(".", r"\.")):
        parse(text, columns=["x", "y", "speed"])


def test_an_unknown_dialect_is_named() -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'operon'"):
        parse("x", dialect="operom")  # type: ignore[arg-type]


def test_long_sums_are_wide_and_not_deep() -> None:
    tree = parse(" - ".join(f"0.5*x{i}" for i in range(1000)))
    assert tree.depth == 4
    assert tree.nodes == 1 + 1000 * 3 + 999
