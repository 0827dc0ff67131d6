from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.formula import equivalent, parse, to_text
from assay.formula.equivalence.closeness import edit_distance, tree_closeness
from assay.formula.expression.canonical import canonical, is_number
from assay.formula.expression.expression import Apply, Expression, Symbol

pytest.importorskip("mpmath", reason="the checker confirms with mpmath")

formulas = st.sampled_from(
    ["x", "x + y", "2*x", "sin(x)", "sin(x)*y", "x*y + 3", "x/(y + 1)", "exp(x*y) - 2.5", "x**2 + y**2", "log(x)"]
)


def label(node: Expression) -> str:
    if isinstance(node, Symbol):
        return node.name
    return node.op if isinstance(node, Apply) and not is_number(node) else "const"


def arguments(node: Expression) -> tuple[Expression, ...]:
    return node.args if isinstance(node, Apply) and not is_number(node) else ()


@cache
def by_recursion(a: tuple[Expression, ...], b: tuple[Expression, ...]) -> int:
    """The textbook recursion over forests, from their right ends."""
    if not a or not b:
        return sum(tree.nodes for tree in a + b)
    one, two = a[-1], b[-1]
    below_one, below_two = arguments(one), arguments(two)
    return min(
        by_recursion(a[:-1] + below_one, b) + 1,
        by_recursion(a, b[:-1] + below_two) + 1,
        by_recursion(below_one, below_two) + by_recursion(a[:-1], b[:-1]) + (label(one) != label(two)),
    )


@given(formulas, formulas, formulas)
@settings(max_examples=60)
def test_the_distance_is_that_of_the_definition_and_a_metric(first: str, second: str, third: str) -> None:
    a, b, c = parse(first), parse(second), parse(third)
    assert edit_distance(a, b) == by_recursion((a,), (b,)) == edit_distance(b, a)
    assert edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c)
    assert abs(a.nodes - b.nodes) <= edit_distance(a, b) <= a.nodes + b.nodes
    assert edit_distance(a, a) == 0


@given(formulas, formulas)
def test_the_shortcut_for_large_trees_changes_nothing(first: str, second: str) -> None:
    a, b = parse(first), parse(second)
    assert tree_closeness(a, b) == 1 - min(edit_distance(a, b), a.nodes) / a.nodes


def test_constants_are_not_seen() -> None:
    assert edit_distance(parse("2.5*x**2 + 1"), parse("9.75*x**3 + 4")) == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a/b", "a*b**(-1)"),
        ("x - y", "-y + x"),
        ("sqrt(x)", "x**0.5"),
        ("square(x)", "x*x"),
        ("(x*y)**2", "y**2*x**2"),
        ("x + x", "2*x"),
        ("2.0*x", "2*x"),
        ("max(x, y)", "max(y, x)"),
        ("x/x", "1"),
        ("x - x", "0"),
        ("exp(log(x))", "x"),
        ("inv(inv(x))", "x"),
    ],
)
def test_spellings_of_one_formula_have_one_canonical_form(one: str, other: str) -> None:
    assert canonical(parse(one)) == canonical(parse(other))


def test_canonical_forms_stay_as_they_are() -> None:
    for text in ("x/y + 2*x/y - sqrt(y)*3.5", "9**9**9**9*x", "sin(x)**2/exp(y) - log(0*x)", "(-8)**0.5 + x"):
        once = canonical(parse(text))
        assert canonical(once) == once, to_text(once)


def test_closeness_grows_as_a_model_comes_nearer() -> None:
    truth = "x*sin(y) + z"
    models = ["exp(x)", "x + z", "x*y + z", "x*cos(y) + z", "z + sin(y)*x"]
    values = [equivalent(truth, model, names=["x", "y", "z"]).closeness for model in models]
    assert values == sorted(values)
    assert values[-1] == 1.0
    assert values[-2] < 1.0
