"""Sums of library terms, all couples at once, for the target and for functions of it."""

from __future__ import annotations

import numpy as np
import pytest

from assay.core.arrays import FloatArray
from assay.formula import equivalent, parse
from assay.formula.discovery.exponents import tidied
from assay.formula.discovery.fitting import evaluate, fit_constants, price_of, without_weak_parts
from assay.formula.discovery.forms.couples import Catalogue, couples_in, views_of
from assay.formula.discovery.library import Variable, make_library
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.expression.expression import Symbol, to_text

ROWS = 120
BOX = {"a": (0.5, 4.0), "b": (0.5, 4.0), "c": (0.5, 4.0)}


@pytest.fixture
def columns() -> dict[str, FloatArray]:
    rng = np.random.default_rng(5)
    return {name: rng.uniform(*bounds, size=ROWS) for name, bounds in BOX.items()}


def _best(columns: dict[str, FloatArray], target: FloatArray, name: str) -> str:
    variables = [Variable(Symbol(one), values) for one, values in columns.items()]
    catalogue = Catalogue(make_library(variables, pairs=True, rich=True))
    (view,) = [view for view in views_of(target) if view.name == name]
    fits = [fit_constants(tidied(tree), columns, target, rounds=4) for tree in couples_in(catalogue, view)]

    def criterion(error: float, price: float) -> float:
        return ROWS * float(np.log(max(error, 1e-30))) + price

    best = min(fits, key=lambda fit: criterion(fit.error, price_of(fit.expression)))
    full = fit_constants(best.expression, columns, target)
    return to_text(without_weak_parts(full, columns, target, floor=1e-22).expression)


@pytest.mark.parametrize(
    ("text", "view"),
    [
        ("2.5*a*b/c + 0.7*c*a**2", "itself"),
        ("b*exp(-0.4*a) + c*(1 - exp(-0.4*a))", "itself"),
        ("1/(1/a + 1/b + 0.6/c)", "inverse"),
    ],
)
def test_sums_of_terms_that_need_each_other_are_found_with_noise(
    text: str, view: str, columns: dict[str, FloatArray]
) -> None:
    clean = evaluate(parse(text), columns, np.zeros(ROWS)).values
    noisy = clean + 0.01 * clean.std() * np.random.default_rng(0).standard_normal(ROWS)
    assert equivalent(text, _best(columns, noisy, view), domain=BOX).verdict in POSITIVE


def test_a_view_weighs_rows_so_that_its_errors_are_those_of_the_target() -> None:
    target = np.linspace(1.0, 9.0, 50)
    for view in views_of(target):
        slopes = np.gradient(view.target, target)
        counts = view.weights * np.abs(slopes)
        np.testing.assert_allclose(counts[1:-1] / counts[25], 1, rtol=0.1)


def test_a_view_leaves_out_rows_near_zero_and_is_left_out_where_there_are_many() -> None:
    target = np.linspace(1.0, 9.0, 50)
    target[3] = -0.01
    inverse = next(view for view in views_of(target) if view.name == "inverse")
    assert inverse.weights[3] == 0
    assert np.count_nonzero(inverse.weights) == 49
    assert [view.name for view in views_of(target - 5) if view.name != "exp"] == ["itself"]


def test_slopes_of_thresholds_lead_to_the_threshold(columns: dict[str, FloatArray]) -> None:
    target = np.maximum(columns["a"] - 2.2, 0)
    fit = fit_constants(parse("1.0*max(a - 2.0, 0)"), columns, target)
    assert fit.error < 1e-20
