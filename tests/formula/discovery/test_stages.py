"""Each stage on a tiny exact case."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from assay.core.arrays import FloatArray
from assay.formula import equivalent, parse, to_text
from assay.formula.discovery.fitting import evaluate, fit_constants, price_of, without_weak_parts
from assay.formula.discovery.forms.power_law import power_laws
from assay.formula.discovery.forms.rational import exact_forms
from assay.formula.discovery.forms.redundancy import redundant_features
from assay.formula.discovery.forms.subproblem import Subproblem, transformed
from assay.formula.discovery.forms.symmetry import reductions_of
from assay.formula.discovery.front import Front
from assay.formula.discovery.growth.grow import constant_model, grow
from assay.formula.discovery.growth.proposals import Plan
from assay.formula.discovery.library import Variable, make_library
from assay.formula.discovery.simplification import expanded
from assay.formula.discovery.snapping import nice_numbers, snapped
from assay.formula.discovery.tape import Tape
from assay.formula.expression.expression import Symbol, symbols_of

ROWS = 80
BOX = {"a": (1.0, 4.0), "b": (1.0, 4.0), "c": (1.0, 4.0)}


@pytest.fixture
def columns() -> dict[str, FloatArray]:
    rng = np.random.default_rng(3)
    return {name: rng.uniform(*bounds, size=ROWS) for name, bounds in BOX.items()}


@pytest.fixture
def variables(columns: dict[str, FloatArray]) -> list[Variable]:
    return [Variable(Symbol(name), values) for name, values in columns.items()]


def _values(text: str, columns: dict[str, FloatArray]) -> FloatArray:
    return evaluate(parse(text), columns, np.zeros(ROWS)).values


@pytest.mark.parametrize(
    "text",
    ["1.5*a*sin(b) - c**0.7", "exp(-0.3*a)/(b + 0.5)", "sqrt(a + 1.5)*tanh(0.2*c)", "log(a*b + 2.5)**3"],
)
def test_the_slopes_of_a_tape_are_those_of_small_steps(text: str, columns: dict[str, FloatArray]) -> None:
    tape = Tape(parse(text))
    values, matrix = tape.jacobian(columns, ROWS, tape.constants)
    for number in range(len(tape.constants)):
        step = np.zeros(len(tape.constants))
        step[number] = 1e-6
        moved = tape.values(columns, ROWS, tape.constants + step) - tape.values(columns, ROWS, tape.constants - step)
        np.testing.assert_allclose(matrix[:, number], moved / 2e-6, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(values, _values(text, columns))


def test_weak_terms_and_factors_are_deleted(columns: dict[str, FloatArray]) -> None:
    target = 2 * columns["a"] * columns["b"]
    whole = fit_constants(parse("1.9*a*b*exp(0.01*c) + 0.1*c"), columns, target, rounds=40)
    shorter = without_weak_parts(whole, columns, target, floor=1e-20)
    assert set(symbols_of(shorter.expression)) == {"a", "b"}
    assert price_of(shorter.expression) < price_of(whole.expression)


def test_a_power_law_has_its_exponents_snapped(variables: list[Variable], columns: dict[str, FloatArray]) -> None:
    rng = np.random.default_rng(0)
    target = _values("3*a**2*sqrt(b)/c", columns) * np.exp(0.01 * rng.standard_normal(ROWS))
    first = power_laws(variables, target)[0]
    assert equivalent("3*a**2*sqrt(b)/c", first, domain=BOX).verdict in ("factor", "identical")


@pytest.mark.parametrize("text", ["a*b/(b + 0.3*c)", "(a + 1.3)*(b - 0.4*c)*2", "(a - b**2)/(1 + 0.2*a**2 + 0.7*c)"])
def test_quotients_of_polynomials_are_found_exactly(
    text: str, variables: list[Variable], columns: dict[str, FloatArray]
) -> None:
    (result,) = [tree for tree in exact_forms(variables, _values(text, columns)) if tree is not None]
    assert equivalent(text, result, domain=BOX).verdict == "identical"


def test_no_exact_form_is_seen_in_noise(variables: list[Variable]) -> None:
    assert not any(exact_forms(variables, np.random.default_rng(1).standard_normal(ROWS)))


@pytest.mark.parametrize(
    "text", ["1.3*a*sin(1.7*b) - 2*c**2", "0.4*b*sin(2*b) + 1.2*a*tanh(0.6*c) + 0.3", "2*exp(-0.4*a*b) + c"]
)
def test_terms_grow_until_nothing_is_left(text: str, variables: list[Variable], columns: dict[str, FloatArray]) -> None:
    target = _values(text, columns)
    library = make_library(variables, pairs=True)
    *_, last = grow([constant_model(target)], library, columns, target, Plan(width=2, tried=5, steps=6))
    assert last.error < 1e-18 * np.var(target)


def test_growth_reaches_inside_of_functions(columns: dict[str, FloatArray]) -> None:
    target = _values("3*sin(0.8*a + 0.5*b**2)", columns)
    library = make_library([Variable(Symbol(name), columns[name]) for name in "ab"], pairs=False)
    start = fit_constants(parse("3.0*sin(0.8*a + 1.0*b) + 0.0"), columns, target)
    grown = min(grow([start], library, columns, target, Plan(inside=True, steps=3)), key=lambda fit: fit.error)
    assert grown.error < 0.2 * start.error


@pytest.mark.parametrize(
    ("text", "inside"),
    [("sqrt(a**2 + b*c)", "square"), ("1/(a + 2*b)", "inverse"), ("exp(a - b/c)", "log"), ("(a + sin(b))**2", "root")],
)
def test_a_target_under_a_function_is_undone(
    text: str, inside: str, variables: list[Variable], columns: dict[str, FloatArray]
) -> None:
    problem = Subproblem(name="whole", variables=variables, target=_values(text, columns))
    result = {one.name.split(", ")[1].removesuffix(" of the target"): one for one in transformed(problem)}[inside]
    tree = result.back(
        parse({"square": "a**2 + b*c", "inverse": "a + 2*b", "log": "a - b/c", "root": "a + sin(b)"}[inside])
    )
    np.testing.assert_allclose(_values(to_text(tree), columns), problem.target)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sin(a - b)*c", "a - b"),
        ("a**2*exp(-b/c)", "a**2"),
        ("sin(0.5*a*b)", "a*b"),
        ("log(1 + a/b)", "a/b"),
    ],
)
def test_a_symmetry_leaves_one_variable_less(
    text: str, expected: str, variables: list[Variable], columns: dict[str, FloatArray]
) -> None:
    problem = Subproblem(name="whole", variables=variables, target=_values(text, columns))
    texts = set()
    for _ in range(2):
        problem = next(iter(reductions_of(problem)), problem)
        texts |= {to_text(one.expression) for one in problem.variables} | {to_text(problem.back(parse("1")))}
    assert any(expected in one for one in texts)


def test_features_that_others_predict_are_named(columns: dict[str, FloatArray]) -> None:
    noise = np.random.default_rng(5).standard_normal(ROWS)
    features = {**columns, "z": columns["a"] * np.sin(columns["b"]) + 0.1 * noise}
    result = redundant_features([Variable(Symbol(name), values) for name, values in features.items()])
    assert [one.name for one in result] == ["z"]
    assert result[0].r_squared > 0.9


def test_nearly_straight_functions_become_sums(columns: dict[str, FloatArray]) -> None:
    simple = expanded(parse("2.0*a*exp(0.001*b) + 0.5*sin(c)"), columns, ROWS)
    assert simple is not None
    assert "exp" not in to_text(simple)
    assert "sin" in to_text(simple)
    assert expanded(parse("sin(2*a)"), columns, ROWS) is None


def test_constants_are_snapped_where_the_data_are_sure(columns: dict[str, FloatArray]) -> None:
    target = _values("2*pi*sqrt(a/b) + 0.25*c**2", columns)
    fit = fit_constants(parse("6.28*sqrt(a/b) + 0.2500001*c**2"), columns, target)
    assert to_text(snapped(fit, columns, target).expression) == "2*pi*sqrt(a/b) + 0.25*c**2"
    noisy = target + np.random.default_rng(2).standard_normal(ROWS)
    uncertain = snapped(fit_constants(parse("6.28*sqrt(a/b) + 0.25*c**2"), columns, noisy), columns, noisy)
    assert "pi" not in to_text(uncertain.expression)


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.5"), (1 / 3, "1/3"), (3.1415926535, "pi"), (2.03, "2.03")])
def test_nice_numbers_are_the_simplest_within_reach(value: float, text: str) -> None:
    assert to_text(next(iter(nice_numbers(value + 1e-10, 1e-8)))) == text


def test_chance_does_not_make_a_number_nice() -> None:
    assert not list(nice_numbers(2.0343, 0.4))


def test_a_front_keeps_what_no_other_beats(columns: dict[str, FloatArray]) -> None:
    target = columns["a"] ** 2
    front = Front(columns=columns, target=target, variance=float(np.var(target)), fitted=ROWS)
    offer: Callable[[str], object] = lambda text: front.add(evaluate(parse(text), columns, target), text)  # noqa: E731
    offer("4.0*a")
    offer("a**2 + 0.1")
    offer("sqrt(a - 100)")
    offer("4.1*a + 0.1*b")
    assert set(front.entries) == {"4.0*a", "a**2 + 0.1"}
    assert front.best(ROWS).stage == "a**2 + 0.1"
    assert not front.is_exact()
    offer("a*a")
    assert front.is_exact()
