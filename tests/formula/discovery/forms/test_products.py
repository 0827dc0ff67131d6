"""Products with functions as factors, from their logarithms."""

from __future__ import annotations

import numpy as np
import pytest

from assay.core.arrays import FloatArray
from assay.formula import equivalent, parse
from assay.formula.discovery.exponents import simple_exponents, tidied
from assay.formula.discovery.fitting import evaluate, fit_constants, price_of
from assay.formula.discovery.forms.products import product_models
from assay.formula.discovery.library import Variable
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.expression.expression import Symbol, to_text

ROWS = 100
BOX = {"a": (0.5, 4.0), "b": (0.5, 4.0), "c": (0.5, 4.0)}


@pytest.fixture
def columns() -> dict[str, FloatArray]:
    rng = np.random.default_rng(4)
    return {name: rng.uniform(*bounds, size=ROWS) for name, bounds in BOX.items()}


def _best(columns: dict[str, FloatArray], target: FloatArray) -> str:
    variables = [Variable(Symbol(name), values) for name, values in columns.items()]
    fits = [fit_constants(one.simple, columns, target, rounds=8) for one in product_models(variables, target)]
    best = min(fits, key=lambda fit: ROWS * np.log(max(fit.error, 1e-30)) + price_of(fit.expression))
    return to_text(best.expression)


@pytest.mark.parametrize(
    "text",
    [
        "a*(1 - exp(-0.8*b/c))",
        "2*a**3/(exp(a/b) - 1)",
        "a*exp(-0.4*b)*cos(0.6*b*c)",
        "3*sqrt(a)/(1 + 0.6*b**2/c)",
        "-1.5*a*tanh(b/a)/c",
    ],
)
def test_a_product_with_functions_is_found_with_noise(text: str, columns: dict[str, FloatArray]) -> None:
    clean = evaluate(parse(text), columns, np.zeros(ROWS)).values
    noisy = clean + 0.01 * clean.std() * np.random.default_rng(0).standard_normal(ROWS)
    assert equivalent(text, _best(columns, noisy), domain=BOX).verdict in POSITIVE


def test_too_few_rows_and_a_target_of_zeros_give_no_products(columns: dict[str, FloatArray]) -> None:
    variables = [Variable(Symbol(name), values[:12]) for name, values in columns.items()]
    assert list(product_models(variables, columns["a"][:12])) == []
    whole = [Variable(Symbol(name), values) for name, values in columns.items()]
    assert list(product_models(whole, np.zeros(ROWS))) == []


def test_exponents_that_the_data_ask_for_stay_as_they_are(columns: dict[str, FloatArray]) -> None:
    target = 2 * columns["a"] ** 1.37 / columns["b"]
    fit = fit_constants(parse("1.8*a**1.3*b**(-0.9)"), columns, target, rounds=30)
    tree = simple_exponents(fit, columns, target, floor=1e-22).expression
    assert equivalent("2*a**1.37/b", tree, domain=BOX).verdict in POSITIVE
    assert "1.37" in to_text(tree)
    assert to_text(tree).endswith("/b")


@pytest.mark.parametrize(
    ("text", "tidy"),
    [
        ("x/t*t", "x"),
        ("2.5*x**(-1)*y", "2.5*y/x"),
        ("x*(y/x)**2", "x*(y/x)**2"),
        ("3*sin(x/y*y)", "3*sin(x)"),
        ("x**(1/2)*x**(1/2)", "x"),
    ],
)
def test_equal_factors_are_joined(text: str, tidy: str) -> None:
    assert to_text(tidied(parse(text))) == tidy
