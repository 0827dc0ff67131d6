"""What makes better models of others: growth from small ones, swaps, and stages that wait for the others."""

from __future__ import annotations

import numpy as np
import pytest

from assay.formula import equivalent, parse, to_text
from assay.formula.discovery.search import search
from assay.formula.equivalence.certificate import POSITIVE
from assay.formula.expression.program import table_values

LAWS = {
    "a wave of a wave": "sin(2*x0 + 1.3*cos(x1)) + 0.5*x2",
    "a bump in a wave": "sin(exp(-1*x0**2) + x1)",
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_functions_of_functions_grow_from_the_smallest_models(law: str) -> None:
    rng = np.random.default_rng(3)
    inputs = rng.uniform(0.5, 3, size=(200, 3))
    target = table_values(parse(law), ["x0", "x1", "x2"], inputs)
    entry = search(inputs, target, seconds=4, seed=0, stages=["nested"]).models[0]
    box = dict.fromkeys(("x0", "x1", "x2"), (0.5, 3.0))
    assert equivalent(parse(law), entry.expression, domain=box).verdict in POSITIVE, to_text(entry.expression)
    assert entry.stage == "growth inside"


def test_a_stage_that_only_improves_ends_with_the_others() -> None:
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(60, 2))
    outcome = search(inputs, rng.normal(size=60), seconds=30, seed=0, stages=["power", "vary"])
    assert outcome.stopped == "every stage has run"
