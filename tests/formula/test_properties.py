"""The five properties: the truth reaches every value, and each way of spoiling it lowers its own score alone."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from tests.formula.mocks import MOCKS, FormulaProblem

from assay.core import find_problems
from assay.formula import TRACK, FormulaAnswer, generate, load

SETTINGS = {**TRACK.settings, "simplification": "canonical"}
OF_PROPERTY = {
    "rediscovery": "rediscovery",
    "local-optima": "surrogates_avoided",
    "features": "irrelevant_avoided",
    "extrapolation": "extrapolation",
    "noise": "noise_robustness",
}
SCORES = ("surrogates_avoided", "irrelevant_avoided", "extrapolation", "noise_robustness")


@pytest.fixture(scope="module")
def two_hundred(tmp_path_factory: pytest.TempPathFactory) -> list[FormulaProblem]:
    folder = tmp_path_factory.mktemp("problems")
    generate(folder, problems=200, seed=41, rows=80, test_rows=120, features=12)
    return [load(path) for path in find_problems(folder)]


def scores(problem: FormulaProblem, answer: FormulaAnswer) -> dict[str, float]:
    evidence = TRACK.examine(problem, TRACK.decode(TRACK.encode(answer)), SETTINGS)
    return {metric.name: metric.function(evidence) for metric in TRACK.metrics}


def means(problems: list[FormulaProblem], answer: Callable[[FormulaProblem], FormulaAnswer]) -> dict[str, float]:
    values = [scores(problem, answer(problem)) for problem in problems]
    defined = {name: [row[name] for row in values if not math.isnan(row[name])] for name in values[0]}
    return {name: sum(values) / len(values) for name, values in defined.items() if values}


def test_the_oracle_reaches_every_declared_value_on_two_hundred_problems(two_hundred: list[FormulaProblem]) -> None:
    assert len(two_hundred) == 200
    counts = dict.fromkeys((metric.name for metric in TRACK.metrics if metric.oracle is not None), 0)
    for problem in two_hundred:
        values = scores(problem, TRACK.oracle(problem))
        assert values["property_score"] == 1.0, problem.id
        for metric in TRACK.metrics:
            if metric.oracle is None or math.isnan(values[metric.name]):
                continue
            counts[metric.name] += 1
            assert values[metric.name] == pytest.approx(metric.oracle, abs=metric.tolerance), (problem.id, metric.name)
    assert all(counts[name] == 40 for name in (*SCORES, "rediscovery_noisy"))
    assert counts["rediscovery"] == counts["r2"] == counts["property_score"] == 200


@pytest.mark.parametrize("name", MOCKS)
def test_a_spoilt_truth_lowers_its_own_property_and_no_other(name: str, two_hundred: list[FormulaProblem]) -> None:
    spoil, lowered = MOCKS[name]
    values = means(two_hundred[::8], spoil)
    assert values[lowered] < 0.75
    for other in SCORES:
        if other != lowered:
            assert values[other] >= 0.95, other


def test_what_the_mocks_spoil_is_seen_in_the_headline_of_that_property_only(two_hundred: list[FormulaProblem]) -> None:
    for spoil, lowered in MOCKS.values():
        for problem in two_hundred[::9]:
            if problem.truth.property == "rediscovery":
                continue
            values = scores(problem, spoil(problem))
            assert values["property_score"] == values[OF_PROPERTY[problem.truth.property]]
            hurt = not math.isnan(values[lowered])
            assert (values["property_score"] < 0.95) == hurt, (problem.id, lowered, values["property_score"])
