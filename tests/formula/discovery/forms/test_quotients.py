"""Quotients of polynomials from noisy data."""

from __future__ import annotations

import numpy as np
import pytest

from assay.core.arrays import FloatArray
from assay.formula import equivalent, parse
from assay.formula.discovery.fitting import evaluate
from assay.formula.discovery.forms.quotients import noisy_quotients
from assay.formula.discovery.library import Variable
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.expression.expression import Symbol

ROWS = 250
BOX = {"a": (-3.0, 3.0), "b": (-3.0, 3.0), "c": (-3.0, 3.0)}


@pytest.fixture
def columns() -> dict[str, FloatArray]:
    rng = np.random.default_rng(6)
    return {name: rng.uniform(*bounds, size=ROWS) for name, bounds in BOX.items()}


@pytest.mark.parametrize(
    ("text", "noise"),
    [
        ("(1.5*a + 0.8*b - 1.9*a*b)/(1 + 0.14*a**2 + 0.25*b**2)", 0.05),
        ("(2.2*a*b - 0.5*b - c + a**2*c**2)/(1 + 0.3*a**2 + 0.5*c**2)", 0.02),
        ("2*a - 0.7*b*c", 0.05),
    ],
)
def test_a_quotient_is_found_with_noise_and_has_no_other_terms(
    text: str, noise: float, columns: dict[str, FloatArray]
) -> None:
    clean = evaluate(parse(text), columns, np.zeros(ROWS)).values
    noisy = clean + noise * clean.std() * np.random.default_rng(0).standard_normal(ROWS)
    variables = [Variable(Symbol(name), values) for name, values in columns.items()]
    trees = [tree for tree in noisy_quotients(variables, noisy) if tree is not None]
    assert any(equivalent(text, tree, domain=BOX).verdict in POSITIVE for tree in trees)


def test_rows_without_weight_do_not_count(columns: dict[str, FloatArray]) -> None:
    target = evaluate(parse("(1 + 2*a)/(1 + 0.3*b**2)"), columns, np.zeros(ROWS)).values
    weights = np.ones(ROWS)
    weights[:20], target[:20] = 0.0, 1e6
    variables = [Variable(Symbol(name), columns[name]) for name in "ab"]
    trees = [tree for tree in noisy_quotients(variables, target, weights) if tree is not None]
    errors = [np.abs(evaluate(tree, columns, target).values - target)[20:].max() for tree in trees]
    assert min(errors) < 1e-6


def test_too_few_rows_give_no_quotient() -> None:
    x = np.arange(5.0)
    assert not list(noisy_quotients([Variable(Symbol("x"), x)], x))
