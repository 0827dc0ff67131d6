"""Formulas as other tools and people write them, against numpy and sympy, which never see our reader."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.formula import compute, equivalent, parse, to_text
from assay.formula.equivalence.special_points import switch_points
from assay.formula.equivalence.symbolic_worker import answer
from assay.formula.expression.canonical import canonical
from assay.formula.expression.dialects import DialectName
from assay.formula.expression.expression import symbols_of, to_latex, typeset
from assay.formula.expression.program import Program

RNG = np.random.default_rng(22)
X, Y = RNG.uniform(0.5, 3, 50), RNG.uniform(0.5, 3, 50)
POINTS = {"x": X, "y": Y}

SPELLINGS: list[tuple[str, Callable[[Any, Any], Any]]] = [
    # signs as they are printed
    ("2x + 3(x + y)(x − y)", lambda x, y: 2 * x + 3 * (x + y) * (x - y)),
    ("2 x·y × 3 ÷ y", lambda x, y: 6 * x),
    ("x² + 3x³y − (x + y)⁻¹", lambda x, y: x**2 + 3 * x**3 * y - 1 / (x + y)),
    ("-x² + 2²", lambda x, y: -(x**2) + 4),
    ("√x + 2√(x + y)y", lambda x, y: np.sqrt(x) + 2 * np.sqrt(x + y) * y),
    ("2πx + π", lambda x, y: 2 * np.pi * x + np.pi),
    ("|x - y| + |x - |y - 2||*|y|", lambda x, y: abs(x - y) + abs(x - abs(y - 2)) * abs(y)),
    ("|x - 2|² - 3*|y|", lambda x, y: (x - 2) ** 2 - 3 * y),
    ("e^x + e^(-y) + E**x + exp(1)", lambda x, y: 2 * np.exp(x) + np.exp(-y) + np.e),
    ("x^(2)y + x(y + 1)", lambda x, y: x**2 * y + x * (y + 1)),
    ("2sin(x)cos(y) + (x)y", lambda x, y: 2 * np.sin(x) * np.cos(y) + x * y),
    ("x.^2 .* y", lambda x, y: x**2 * y),
    ("1.5e-3*x + 1.5E+3 + 1.5D-3 + .5 + 2.", lambda x, y: 0.0015 * x + 1500 + 0.0015 + 2.5),
    # names of modules
    ("np.exp(x) + numpy.log(y)*math.pi - sp.sqrt(x) + torch.tanh(y) + math.e",
     lambda x, y: np.exp(x) + np.log(y) * np.pi - np.sqrt(x) + np.tanh(y) + np.e),
    ("np.power(x, 2) + np.hypot(x, y) + np.float64(1.5) + np.arctan2(x, y) + scipy.special.expit(x)",
     lambda x, y: x**2 + np.hypot(x, y) + 1.5 + np.arctan2(x, y) + 1 / (1 + np.exp(-x))),
    ("np.clip(x, 1, 2) + np.square(y) + np.mod(x, y) + np.absolute(x - y) + np.reciprocal(x)",
     lambda x, y: np.clip(x, 1, 2) + y**2 + np.mod(x, y) + abs(x - y) + 1 / x),
    # sympy
    ("Rational(1, 3)*x + Float('1.5')*y + Integer(2) + Float('0.25', precision=53)",
     lambda x, y: x / 3 + 1.5 * y + 2.25),
    ("factor_terms(simplify(expand(x*(y + 1))))", lambda x, y: x * (y + 1)),
    ("Add(Mul(Integer(2), Symbol('x')), Pow(Symbol('y', real=True), Rational(1, 2)))",
     lambda x, y: 2 * x + np.sqrt(y)),
    ("Piecewise((x, x < 1), (y**2, (x >= 1) & (y <= 2)), (7, True))",
     lambda x, y: np.where(x < 1, x, np.where((x >= 1) & (y <= 2), y**2, 7))),
    ("Piecewise((x, Or(x < 1, Not(y > 2))), (2, Ne(x, y)), (7, Eq(x, y)))",
     lambda x, y: np.where((x < 1) | ~(y > 2), x, 2)),
    ("square_root(x) + ln(y) + arcsin(x/4) + Pow(x, y) + Max(x, y) + cube_root(x)",
     lambda x, y: np.sqrt(x) + np.log(y) + np.arcsin(x / 4) + x**y + np.maximum(x, y) + np.cbrt(x)),
    # conditions
    ("np.where((x > 1) & ~(y > 2) | (y < 1), np.exp(x), -y)",
     lambda x, y: np.where((x > 1) & ~(y > 2) | (y < 1), np.exp(x), -y)),
    ("where(1 < x <= 2, x, y)", lambda x, y: np.where((x > 1) & (x <= 2), x, y)),
    ("x if x > y else y if y > 2 else 0", lambda x, y: np.where(x > y, x, np.where(y > 2, y, 0))),
    ("x > y ? x : y > 2 ? y : 0", lambda x, y: np.where(x > y, x, np.where(y > 2, y, 0))),
    ("x*y if x > 1 and not y > 2 or y < 1 else 3", lambda x, y: np.where((x > 1) & ~(y > 2) | (y < 1), x * y, 3)),
    ("(x > 1)*x + (x ≤ 1)*y", lambda x, y: (x > 1) * x + (x <= 1) * y),
    ("x > 1 && y > 1 ? 1 : x > 2 || y > 2 ? 2 : 3",
     lambda x, y: np.where((x > 1) & (y > 1), 1, np.where((x > 2) | (y > 2), 2, 3))),
    ("If(x > 1.5, x, y) + Heaviside(x - 2) + sgn(y - 1)",
     lambda x, y: np.where(x > 1.5, x, y) + (x > 2) + np.sign(y - 1)),
    # what stands around
    ("y = 2*x", lambda x, y: 2 * x),
    ("f(x, y) = x - y", lambda x, y: x - y),
    ("y_hat := x*y;", lambda x, y: x * y),
    ("lambda x, y: x - y", lambda x, y: x - y),
    ("lambda a, b: a - b", lambda x, y: x - y),
    ("return x - y  # the best one", lambda x, y: x - y),
    ("x**2 \\\n  + y \\\n  - 1", lambda x, y: x**2 + y - 1),
    ("# found by hand\ny = (x\n  + y)\n  * 2\n", lambda x, y: (x + y) * 2),
    ("a = x + y\nb = a**2\nresult = a*b - x", lambda x, y: (x + y) ** 3 - x),
    ("def square(t):\n    return t**2\n\ndef model(x, y):\n    return square(x) + square(x - y)",
     lambda x, y: x**2 + (x - y) ** 2),
    ("g = lambda t, s: t*s\ny = g(x, g(y, 2)) + 1", lambda x, y: 2 * x * y + 1),
    ("def model(X):\n    total = X[:, 0] + 1\n    return total*X[:, 1]", lambda x, y: (x + 1) * y),
    ("x = (x - 1)/2\nz = x + y", lambda x, y: (x - 1) / 2 + y),
    ("data['x'] + X[\"y\"]", lambda x, y: x + y),
    # LaTeX
    (r"\frac{x}{y} + \sqrt{x} y - x^{2} \cdot 3", lambda x, y: x / y + np.sqrt(x) * y - 3 * x**2),
    (r"$y = \sin\left(x\right) + \cos^{2}{\left(y \right)} + \ln x + e^{- x}$",
     lambda x, y: np.sin(x) + np.cos(y) ** 2 + np.log(x) + np.exp(-x)),
    (r"\left|x - y\right| + \lvert x \rvert \times \sqrt[3]{y} + \log_{10}(x) + \tfrac12 x",
     lambda x, y: abs(x - y) + x * np.cbrt(y) + np.log10(x) + x / 2),
    (r"\begin{cases} x & \text{for}\: x > 1 \wedge y \leq 2 \\ \frac{1}{y} & \text{otherwise} \end{cases}",
     lambda x, y: np.where((x > 1) & (y <= 2), x, 1 / y)),
    (r"\max\left(x, y\right) + \operatorname{atan}{\left(x \right)} + 2 \pi x",
     lambda x, y: np.maximum(x, y) + np.arctan(x) + 2 * np.pi * x),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SPELLINGS)
def test_every_spelling_has_the_value_that_numpy_computes(text: str, expected: Callable[[Any, Any], Any]) -> None:
    tree = parse(text, columns=["x", "y"])
    expectation = expected(X, Y)
    assert compute(tree, POINTS) == pytest.approx(expectation, rel=1e-12)
    assert parse(to_text(tree), dialect="plain") == tree
    assert compute(canonical(tree), POINTS) == pytest.approx(expectation, rel=1e-9)
    assert typeset(tree).startswith("<math")


class Published(NamedTuple):
    """A formula in the manner of a tool, over two columns a and b."""

    tool: str
    dialect: DialectName
    text: str
    expected: Callable[[Any, Any], Any]


def safe(a: Any) -> Any:
    return np.where(np.abs(a) > 0.001, a, np.nan)


PUBLISHED = [
    Published("gplearn", "auto", "sub(div(X0, X1), mul(-0.5, log(sub(X0, X1))))",
              lambda a, b: a / b + 0.5 * np.log(np.abs(a - b))),
    Published("gplearn", "auto", "add(sqrt(neg(X0)), max(X1, inv(X0)))",
              lambda a, b: np.sqrt(a) + np.maximum(b, 1 / a)),
    Published("PySR", "pysr", "((x0 * 2.5) + cube(x1)) - greater(x0, x1) + cond(x0 - 1.0, x1)",
              lambda a, b: 2.5 * a + b**3 - (a > b) + np.where(a > 1, b, 0)),
    Published("PySR", "pysr", "logical_or(x0 - 2.0, x1 - 2.0) + logical_and(x0, x1) + relu(x0 - x1) + log1p(x0)",
              lambda a, b: ((a > 2) | (b > 2)) + 1.0 + np.maximum(a - b, 0) + np.log1p(a)),
    Published("PyOperon", "operon", "((-0.5) + ((1.25 * sin((0.75 * X1))) / (sqrt((1 + ((X2) ^ 2))))))",
              lambda a, b: -0.5 + 1.25 * np.sin(0.75 * a) / np.sqrt(1 + b**2)),
    Published("PyOperon", "operon", "(powabs(X1, X2) + (sqrtabs(X1) - logabs(X2)))",
              lambda a, b: a**b + np.sqrt(a) - np.log(b)),
    Published("Eureqa", "eureqa", "y = 1.5 + x0*if(x1 - 1, x0, 2) + and(x0 - 1, x1 - 1) + logistic(x0) + less(x0, x1)",
              lambda a, b: 1.5 + a * np.where(b > 1, a, 2) + ((a > 1) & (b > 1)) + 1 / (1 + np.exp(-a)) + (a < b)),
    Published("Eureqa", "eureqa", "f(x0, x1) = gauss(x0) + step(x1 - 1) - erfc(x0) + greater_or_equal(x0, x1)^2",
              lambda a, b: np.exp(-(a**2)) + (b > 1) - np.vectorize(math.erfc)(a) + (a >= b)),
    Published("AI Feynman", "aifeynman", "ab*S>R", lambda a, b: np.sqrt(np.sin(a * b) + 1)),
    Published("AI Feynman", "aifeynman", "aPb+*~E\\O", lambda a, b: 2 / np.exp(-(a * (np.pi + b)))),
    Published("AI Feynman", "aifeynman", "((x0*exp(-x1))/sqrt((x0+1)))", lambda a, b: a * np.exp(-b) / np.sqrt(a + 1)),
    Published("DSO", "dso", "add,mul,x1,x1,sin,div,x1,x2", lambda a, b: a * a + np.sin(a / b)),
    Published("DSO", "dso", "x1*x2 + exp(-x1)", lambda a, b: a * b + np.exp(-a)),
    Published("uDSR", "auto", "['sub', 'n2', 'x1', 'mul', '-1.5', 'x2']", lambda a, b: a**2 + 1.5 * b),
    Published("PhySO", "dso", "mul,n2,x1,inv,neg,x2", lambda a, b: -(a**2) / b),
    Published("Bingo", "plain", "(2.0)(X_0) + ((X_0)(X_1))/(1.5 + X_1) - (|X_0|)^(0.5)",
              lambda a, b: 2 * a + a * b / (1.5 + b) - np.sqrt(a)),
    Published("FEAT", "plain", "0.5*x_0 + -1.25*sqrt(|x_1|) + 0.1*log(|x_0|)*(x_1^2)",
              lambda a, b: 0.5 * a - 1.25 * np.sqrt(b) + 0.1 * np.log(a) * b**2),
    Published("Brush", "plain", "If(x_0>=1.50, Add(1.2*x_0, x_1), Mul(0.5, x_1))",
              lambda a, b: np.where(a >= 1.5, 1.2 * a + b, 0.5 * b)),
    Published("EPLEX", "plain", "((x_0*x_1)-sin(x_0))", lambda a, b: a * b - np.sin(a)),
    Published("GP-GOMEA", "plain", "1.5+-0.25*((x0*plog(x1))-aq(x0,x1))",
              lambda a, b: 1.5 - 0.25 * (a * np.log(b) - a / np.sqrt(1 + b**2))),
    Published("ITEA", "plain", "0.5*id(x0^2 * x1^-1) + -1.5*sqrtAbs(x1^1) + 0.25*tanh(x0)",
              lambda a, b: 0.5 * a**2 / b - 1.5 * np.sqrt(b) + 0.25 * np.tanh(a)),
    Published("QLattice", "plain", "3.25*(0.5*x0 - 1)**2*tanh(0.75*x1 + 0.1) + 1/(exp(-x0) + 1)",
              lambda a, b: 3.25 * (0.5 * a - 1) ** 2 * np.tanh(0.75 * b + 0.1) + 1 / (np.exp(-a) + 1)),
    Published("TuringBot", "plain", "x0+1.5*(-0.5+logistic(x1))*floor(x0)^2",
              lambda a, b: a + 1.5 * (1 / (1 + np.exp(-b)) - 0.5) * np.floor(a) ** 2),
    Published("SRBench sympy", "auto", "0.5*a*sqrt(b) + (a)**2*exp(-(b)/2)",
              lambda a, b: 0.5 * a * np.sqrt(b) + a**2 * np.exp(-b / 2)),
]  # fmt: skip


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda published: f"{published.tool}-{published.text[:20]}")
def test_formulas_in_the_manner_of_each_tool_have_their_values(published: Published) -> None:
    tree = parse(published.text, columns=["a", "b"], dialect=published.dialect)
    assert compute(tree, {"a": X, "b": Y}) == pytest.approx(published.expected(X, Y), rel=1e-12)
    assert parse(to_text(tree), dialect="plain") == tree


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("e*x", ["x", "e"], "e*x"),
        ("e*x", ["x"], "E*x"),
        ("e**2 + x", None, "e**2 + x"),  # which e is meant is not known: a variable, as any other name
        ("e^x + e", None, "E**x + E"),
        ("if*x + not", ["if", "x", "not"], "if*x + not"),
        ("lambda*x", None, "lambda*x"),
        ("2d3*x", ["d3", "x"], "2*d3*x"),
        ("x₁ + x₂", ["x_1", "x_2"], "x_1 + x_2"),
        ("x₁²", None, "x1**2"),
        ("CO₂", ["CO₂"], "CO₂"),
        (r"x_{1} + k_{spring} \theta_0", ["x_1", "k_spring", "theta_0"], "x_1 + k_spring*theta_0"),
        (r"x_{1} \alpha", None, "x1*alpha"),
        (r"ab^{2}", ["ab"], "ab**2"),
        ("gamma(x + 1)", ["gamma", "x"], "gamma*(x + 1)"),
        ("exp(exp)", ["exp"], "exp(exp)"),
        ("2 e - 5", None, "2*e - 5"),
    ],
)
def test_variables_that_exist_win(text: str, names: list[str] | None, expected: str) -> None:
    assert to_text(parse(text, names=names)) == expected


def test_an_exponent_in_the_manner_of_fortran_is_refused_where_it_may_be_a_variable() -> None:
    with pytest.raises(InvalidInput, match="write the exponent with e"):
        parse("1.5D-3", names=["D"])


def test_a_function_of_as_many_variables_as_there_are_columns_takes_them_in_their_order() -> None:
    assert to_text(parse("lambda x1, x0: x1 - x0", columns=["mass", "speed"])) == "mass - speed"
    assert to_text(parse("f(b, a) = b - a", columns=["a", "b"])) == "b - a"
    with pytest.raises(InvalidInput, match="No variable named 'p'"):
        parse("lambda p: p", columns=["mass", "speed"])


# random formulas, printed by sympy and by small printers of our own, computed by sympy's numpy code

sympy = pytest.importorskip("sympy")
SX, SY = sympy.symbols("x y")
NUMBERS = st.one_of(st.integers(1, 9).map(sympy.Integer), st.sampled_from([0.25, 1.5, 2.75]).map(sympy.Float))
LEAVES = st.one_of(NUMBERS, st.sampled_from([SX, SY]))


def _grow(below: Any) -> Any:
    two = st.tuples(below, below)
    return st.one_of(
        two.map(lambda pair: pair[0] + pair[1]),
        two.map(lambda pair: pair[0] * pair[1]),
        two.map(lambda pair: pair[0] - pair[1]),
        two.map(lambda pair: pair[0] / (pair[1] ** 2 + 1)),
        below.map(lambda part: part**2),
        st.tuples(st.sampled_from([sympy.sin, sympy.cos, sympy.atan, sympy.tanh, sympy.Abs]), below).map(
            lambda pair: pair[0](pair[1])
        ),
        below.map(lambda part: sympy.sqrt(part**2 + 1)),
        below.map(lambda part: sympy.exp(-(part**2))),
        st.tuples(below, below, below).map(
            lambda part: sympy.Piecewise((part[0], SX < SY), (part[1], SX > 2), (part[2], True))
        ),
    )


FORMULAS = st.recursive(LEAVES, _grow, max_leaves=8)


def _number(value: Any) -> str:
    return str(float(value)) if value.is_Float else str(value)


def _prefix(node: Any, operations: dict[str, str]) -> str:
    """As gplearn and DSO nest calls, of sums, products and functions of one argument."""
    if node.is_Symbol:
        return str(node)
    if node.is_Number:
        if node.is_Rational and node.q != 1:
            return f"{operations['div']}({node.p}, {node.q})"
        return _number(node)
    if node.is_Add or node.is_Mul:
        name = operations["add" if node.is_Add else "mul"]
        first, *rest = node.args
        return f"{name}({_prefix(first, operations)}, {_prefix(node.func(*rest), operations)})"
    if node.is_Pow:
        return f"{operations['pow']}({_prefix(node.base, operations)}, {_prefix(node.exp, operations)})"
    return f"{str(node.func).lower()}({', '.join(_prefix(part, operations) for part in node.args)})"


def _printed(node: Any) -> str:
    """With signs as they stand in print."""
    text = sympy.sstr(node).replace("**2", "²").replace("*", "·").replace(" - ", " − ").replace("··", "**")
    return str(text.replace("**", "^"))


def _values(node: Any) -> Any:
    value = sympy.lambdify([SX, SY], node, modules="numpy")(X, Y)
    return np.broadcast_to(np.asarray(value, dtype=float), X.shape)


@settings(max_examples=40)
@given(FORMULAS)
def test_whatever_sympy_prints_is_read_with_its_values(node: Any) -> None:
    expectation = pytest.approx(_values(node), rel=1e-9, abs=1e-9)
    texts = [sympy.sstr(node), sympy.latex(node), _printed(node), f"f(x, y) = {node}"]
    for text in [*texts, *([] if node.has(sympy.Piecewise) else [sympy.srepr(node)])]:
        tree = parse(text, names=["x", "y"])
        assert compute(tree, POINTS) == expectation, text
        assert parse(to_text(tree), dialect="plain") == tree
        typeset_values = compute(parse(to_latex(tree), names=["x", "y"], dialect="latex"), POINTS)
        assert typeset_values == pytest.approx(compute(tree, POINTS), rel=0.05, abs=0.05)  # numbers have four digits
    if not node.has(sympy.Piecewise):
        calls = {"add": "add", "mul": "mul", "div": "div", "pow": "pow"}
        assert compute(parse(_prefix(node, calls), names=["x", "y"], dialect="plain"), POINTS) == expectation
        named = {"add": "plus", "mul": "mult", "div": "divide", "pow": "safe_pow"}
        assert compute(parse(_prefix(node, named), names=["x", "y"], dialect="pysr"), POINTS) == expectation
        if not node.has(sympy.exp):
            listed = _prefix(node, calls).replace("(", ",").replace(")", "").replace(" ", "")
            tree = parse(listed, names=["x", "y"], dialect="dso")
            assert compute(tree, POINTS) == expectation


@settings(max_examples=40)
@given(FORMULAS)
def test_sympy_gets_the_same_formula_from_us(node: Any) -> None:
    text = to_text(parse(sympy.sstr(node), names=["x", "y"]))
    reply = answer({"task": "nodes", "text": text, "names": ["x", "y"]})
    again = sympy.sympify(text, locals={"x": SX, "y": SY})
    assert _values(again) == pytest.approx(_values(node), rel=1e-9, abs=1e-9)
    assert reply["nodes"] == sum(1 for _ in sympy.preorder_traversal(again))


def test_sizes_of_conditions_are_those_of_sympy() -> None:
    for text in [
        "Piecewise((x, x < 1), (y**2, (x >= 1) & (y <= 2)), (7, True))",
        "Piecewise((x, Or(x < 1, Ne(y, 2))), (0.5, True)) + x/3",
        "Rational(1, 3)*x + simplify(x*y)",
        "Piecewise((x, ~(x < y)))",
    ]:
        expectation = sum(
            1 for _ in sympy.preorder_traversal(sympy.sympify(text, locals={"x": sympy.Symbol("x", real=True)}))
        )
        tree = parse(text, names=["x", "y"])
        assert answer({"task": "nodes", "text": to_text(tree), "names": ["x", "y"]})["nodes"] == expectation


def test_conditions_that_say_the_same_are_the_same_formula() -> None:
    box = {"x": (-3.0, 3.0), "y": (-3.0, 3.0)}
    for model in ["Piecewise((y, x <= y), (x, True))", "where(x > y, x, y)", "(x > y)*x + (x <= y)*y"]:
        assert equivalent("max(x, y)", model, domain=box).verdict == "identical"
    assert equivalent("max(x, y)", "where(x > y, y, x)", domain=box).verdict == "different"
    same = ("Piecewise((x, x > 0), (0, True))", "where(x <= 0, 0, x)")
    assert equivalent(*same, domain={"x": (-2.0, 2.0)}, symbolic=True).certificate.proof


def test_a_condition_that_hardly_any_point_meets_is_found() -> None:
    narrow = "Piecewise((x, x < 2.99999), (x + 100*(x - 2.99999), True))"
    assert equivalent("x", narrow, domain={"x": (0.0, 3.0)}).verdict == "different"
    points = {"x": np.linspace(0, 3, 50)}
    points_near = switch_points([Program.of(parse("Piecewise((x, x**2 < 2), (1, True))"))], points, seed=0)["x"]
    assert np.abs(points_near - math.sqrt(2)).min() < 1e-9


def test_names_in_conditions_are_the_variables_of_the_formula() -> None:
    assert symbols_of(parse("where(z > w, x, y)")) == ("z", "w", "x", "y")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"2 \left|{x}\right|^{3}", "2*abs(x)**3"),
        (r"x \left|y\right| + 1", "x*abs(y) + 1"),
        (r"3 \lvert x - \lvert y \rvert \rvert", "3*abs(x - abs(y))"),
        (r"\left| \sin x \right|^{2}", "abs(sin(x))**2"),
        (r"\left|x\right| \left|y\right|", "abs(x)*abs(y)"),
        (r"\bigl|x\bigr| + \left(y\right)", "abs(x) + y"),
    ],
)
def test_bars_with_a_side_in_latex_are_absolute_values_behind_a_factor_too(text: str, plain: str) -> None:
    assert parse(text, names=["x", "y"]) == parse(plain, names=["x", "y"])
