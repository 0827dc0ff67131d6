import math
from collections.abc import Sequence

import numpy as np
import pytest
from tests.formula.mocks import FormulaProblem

from assay.core import InvalidInput, Problem, UnknownName
from assay.formula import TRACK, FormulaAnswer, FormulaTask, FormulaTruth, Model
from assay.formula.metrics import mean_property_score, plain_property_score, property_score
from assay.formula.problem.task import Part, Property


def test_a_property_is_looked_up_by_its_name_and_must_be_a_score() -> None:
    assert property_score("features", {"features": 0.25, "noise": 1.0}) == 0.25
    assert math.isnan(property_score("noise", {"noise": math.nan}))
    with pytest.raises(UnknownName, match="Did you mean 'noise'"):
        property_score("noize", {"noise": 1.0})
    with pytest.raises(InvalidInput, match="must lie in"):
        property_score("noise", {"noise": 1.5})


def test_undefined_properties_leave_the_mean() -> None:
    assert mean_property_score({"a": 1.0, "b": math.nan, "c": 0.0}) == 0.5
    assert math.isnan(mean_property_score({"a": math.nan}))
    assert math.isnan(mean_property_score({}))


def test_a_property_counts_from_nine_tenths_of_what_the_truth_explains() -> None:
    scores = {"features": 0.75}
    assert property_score("features", scores, explained=0.9) == property_score("features", scores) == 0.75
    assert property_score("features", scores, explained=0.8999) == 0.0
    assert plain_property_score("features", scores) == 0.75
    assert math.isnan(property_score("features", scores, explained=math.nan))
    assert math.isnan(property_score("features", {"features": math.nan}, explained=0.1))


def score(problem: FormulaProblem, *formulas: str) -> tuple[float, float]:
    """The headline and the plain reading of it."""
    answer = FormulaAnswer(fronts=tuple((Model(formula=formula),) for formula in formulas))
    evidence = TRACK.examine(problem, answer, {**TRACK.settings, "simplification": "canonical"})
    scores = {metric.name: metric.function(evidence) for metric in TRACK.metrics}
    return scores["property_score"], scores["plain_property_score"]


def made(property: Property, *, noise: float = 0.0, levels: Sequence[float] = (0.0,)) -> FormulaProblem:
    """y = 2*x over rows of x and of u, which is irrelevant; test rows with noise of that share where asked for."""
    rng = np.random.default_rng(3)
    train, test = rng.uniform(1, 3, (2, 400, 2))
    target = 2 * test[:, 0]
    away = rng.normal(0, np.std(target) * math.sqrt(noise / (1 - noise)), len(target)) if noise else 0.0
    parts = tuple(Part(noise=level, inputs=train, target=2 * train[:, 0]) for level in levels)
    task = FormulaTask(name="made", variables=("x", "u"), target="y", parts=parts)
    truth = FormulaTruth(
        formula="2*x", property=property, domain={"x": (1, 3), "u": (1, 3)}, test_inputs=test,
        test_target=target + away, roles={"x": "relevant", "u": "irrelevant"},
    )  # fmt: skip
    return Problem(id="made", digest="", task=task, truth=truth, tags={}, track="formula")


def test_what_the_truth_explains_is_the_measure_where_test_rows_are_noisy() -> None:
    problem = made("features", noise=0.6)  # the truth explains about 0.4 there
    assert score(problem, "2*x") == (1.0, 1.0)
    assert score(problem, "1.9*x + 0.2") == (1.0, 1.0)
    assert score(problem, "x + 2") == (0.0, 1.0)


def test_a_formula_that_was_found_counts_whatever_its_constants_leave() -> None:
    problem = made("rediscovery")
    assert score(problem, "7*x") == (1.0, 1.0)
    headline, plain = score(problem, "7*x**2")
    assert headline == 0.0 < plain < 1.0


def test_the_model_from_the_least_noise_decides_whether_robustness_counts() -> None:
    problem = made("noise", levels=(0.1, 0.0))
    assert score(problem, "2*x", "2*x") == (1.0, 1.0)
    assert score(problem, "2*x", "1.2*x + 1.6")[0] == 0.0  # R² 0.84 at level 0
    headline, plain = score(problem, "1.4*x + 1.2", "1.4*x + 1.2")  # 0.91
    assert headline == plain == 1.0
