"""Terms are exchanged at the root and inside of functions."""

from __future__ import annotations

import numpy as np
import pytest

from assay.core.arrays import FloatArray
from assay.formula import equivalent, parse, to_text
from assay.formula.discovery.fitting import evaluate, fit_constants
from assay.formula.discovery.growth.proposals import Plan
from assay.formula.discovery.growth.swaps import exchanged
from assay.formula.discovery.library import Library, Variable, make_library
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.expression.expression import Symbol

ROWS = 200
BOX = {"x": (-2.0, 2.0), "y": (0.5, 4.0)}


@pytest.fixture
def columns() -> dict[str, FloatArray]:
    rng = np.random.default_rng(5)
    return {name: rng.uniform(*bounds, size=ROWS) for name, bounds in BOX.items()}


@pytest.fixture
def library(columns: dict[str, FloatArray]) -> Library:
    return make_library([Variable(Symbol(name), values) for name, values in columns.items()], pairs=False)


@pytest.mark.parametrize(
    ("law", "start"),
    [
        ("1.5*sin(3.0*exp(-0.6*x**2) + y)", "1.5*cos(1.0*y + 1.35*cos(1.5*x))"),  # needs another constant beside it
        ("exp(0.4*y + 0.8*tanh(1.5*x))", "exp(0.4*y + 0.5*x)"),
        ("2.0*x**2 + 3.0*log(y)", "2.0*x**2 + 1.4*y - 1.0"),
    ],
)
def test_a_term_that_approximates_is_exchanged_for_the_right_one(
    law: str, start: str, columns: dict[str, FloatArray], library: Library
) -> None:
    target = evaluate(parse(law), columns, np.zeros(ROWS)).values
    model = fit_constants(parse(start), columns, target)
    assert model.error > 1e-4
    best = min(exchanged(model, library, columns, target, Plan(inside=True)), key=lambda fit: fit.error)
    assert best.error < 1e-20, to_text(best.expression)
    assert equivalent(parse(law), best.expression, domain=BOX).verdict in POSITIVE


def test_what_is_exact_is_left_as_it_is(columns: dict[str, FloatArray], library: Library) -> None:
    target = evaluate(parse("sin(2.0*x + 0.5*y)"), columns, np.zeros(ROWS)).values
    model = fit_constants(parse("sin(2.0*x + 0.5*y)"), columns, target)
    assert list(exchanged(model, library, columns, target, Plan(inside=True))) == []
