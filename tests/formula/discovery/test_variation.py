"""Variations of a formula: one part exchanged at a time, and functions made straight."""

from __future__ import annotations

import numpy as np
import pytest

from assay.core.arrays import FloatArray
from assay.formula import equivalent, parse, to_text
from assay.formula.discovery.fitting import evaluate, fit_constants, price_of, without_weak_parts
from assay.formula.discovery.variation import improved, variations
from assay.formula.equivalence.certificate import POSITIVE

ROWS = 120
BOX = {"a": (0.5, 4.0), "b": (0.5, 4.0), "c": (0.5, 4.0)}


@pytest.fixture
def columns() -> dict[str, FloatArray]:
    rng = np.random.default_rng(7)
    return {name: rng.uniform(*bounds, size=ROWS) for name, bounds in BOX.items()}


def _noisy(text: str, columns: dict[str, FloatArray]) -> FloatArray:
    clean = evaluate(parse(text), columns, np.zeros(ROWS)).values
    noise: FloatArray = 0.01 * clean.std() * np.random.default_rng(0).standard_normal(ROWS)
    return clean + noise


@pytest.mark.parametrize(
    ("start", "truth"),
    [
        ("1.3*a*exp(-0.5*b)", "1.3*a*exp(-0.5*b/c)"),
        ("2.0*a*tanh(0.4*b) + c", "2*a*sin(0.4*b) + c"),
    ],
)
def test_one_part_exchanged_leads_to_the_law(start: str, truth: str, columns: dict[str, FloatArray]) -> None:
    target = _noisy(truth, columns)
    near = fit_constants(parse(start), columns, target)
    steps = improved(near, "abc", columns, target, floor=1e-20, rng=np.random.default_rng(0))
    *_, best = [fit for fit in steps if fit is not None]
    assert equivalent(truth, best.expression, domain=BOX).verdict in POSITIVE


def test_what_cannot_be_bettered_stays(columns: dict[str, FloatArray]) -> None:
    target = _noisy("2*a*b", columns)
    law = fit_constants(parse("2.0*a*b"), columns, target)
    steps = improved(law, "abc", columns, target, floor=1e-20, rng=np.random.default_rng(0))
    assert [fit for fit in steps if fit is not None] == []


def test_no_variation_is_the_formula_itself_or_comes_twice() -> None:
    tree = parse("a*sin(0.5*b) + 1.5")
    texts = [to_text(one) for one in variations(tree, "abc")]
    assert len(texts) == len(set(texts))
    assert to_text(tree) not in texts


def test_a_function_in_the_place_of_its_argument_is_made_straight(columns: dict[str, FloatArray]) -> None:
    target = _noisy("sqrt(a**2 + (b - c)**2)", columns)
    lured = fit_constants(parse("sqrt(a**2 + 24.0*log((b - c)**2 + 21.0) - 72.0)"), columns, target)
    shorter = without_weak_parts(lured, columns, target, floor=1e-20)
    assert price_of(shorter.expression) < price_of(lured.expression)
    assert equivalent("sqrt(a**2 + (b - c)**2)", shorter.expression, domain=BOX).verdict in POSITIVE
