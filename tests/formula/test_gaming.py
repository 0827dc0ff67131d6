"""What plays for a score gets next to nothing for any property, and stays behind every honest method."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.formula.gaming import QUICK, answer_of, bumps, line
from tests.formula.mocks import FormulaProblem

from assay.core import Budget, SubjectFailed, find_problems
from assay.formula import TRACK, FormulaAnswer, load

SETTINGS = {**TRACK.settings, "simplification": "canonical"}
FLOOR = 0.1  # near the floor, which is 0


@pytest.fixture(scope="module")
def builtin(tmp_path_factory: pytest.TempPathFactory) -> list[FormulaProblem]:
    folder = tmp_path_factory.mktemp("builtin")
    TRACK.builtin(folder)
    return [load(path) for path in find_problems(folder)]


def scores(problem: FormulaProblem, answer: FormulaAnswer) -> dict[str, float]:
    try:
        evidence = TRACK.examine(problem, answer, SETTINGS)
    except SubjectFailed:
        return {metric.name: metric.floor_for(problem) for metric in TRACK.metrics}
    return {metric.name: metric.function(evidence) for metric in TRACK.metrics}


def by_property(
    problems: list[FormulaProblem], answer: Callable[[FormulaProblem], FormulaAnswer], metric: str
) -> dict[str, float]:
    """The mean of a metric over the problems of every property."""
    scores_of: dict[str, list[float]] = {}
    for problem in problems:
        scores_of.setdefault(problem.truth.property, []).append(scores(problem, answer(problem))[metric])
    return {name: sum(values) / len(values) for name, values in scores_of.items()}


@pytest.mark.parametrize("name", QUICK)
def test_what_plays_for_a_score_stays_at_the_floor_of_every_property(name: str, builtin: list[FormulaProblem]) -> None:
    scores_of = by_property(builtin, lambda problem: answer_of(QUICK[name], problem), "property_score")
    assert len(scores_of) == 5
    assert max(scores_of.values()) <= FLOOR, scores_of


@pytest.mark.soak
def test_a_lookup_of_all_rows_stays_at_the_floor_of_every_property(builtin: list[FormulaProblem]) -> None:
    scores_of = by_property(builtin, lambda problem: answer_of(bumps, problem), "property_score")
    assert max(scores_of.values()) <= FLOOR, scores_of


@pytest.mark.parametrize(
    ("gamer", "property"), [("line", "features"), ("tiny_relevant", "local-optima"), ("tiny_truth", "rediscovery")]
)
def test_the_plain_scores_are_those_that_can_be_played_for(
    gamer: str, property: str, builtin: list[FormulaProblem]
) -> None:
    problems = [problem for problem in builtin if problem.truth.property == property]
    scores_of = by_property(problems, lambda problem: answer_of(QUICK[gamer], problem), "plain_property_score")
    assert scores_of[property] >= 0.5


def test_the_truth_keeps_its_value_and_honest_methods_their_order(builtin: list[FormulaProblem]) -> None:
    def mean(solve: Callable[[FormulaProblem], FormulaAnswer], metric: str) -> float:
        return sum(scores(problem, solve(problem))[metric] for problem in builtin) / len(builtin)

    def method(name: str) -> Callable[[FormulaProblem], FormulaAnswer]:
        return lambda problem: TRACK.subjects[name]().solve(problem.task, Budget(seconds=60))

    for metric in ("property_score", "plain_property_score"):
        assert mean(TRACK.oracle, metric) == 1.0
        assert 1.0 > mean(method("polynomial"), metric) > mean(method("linear"), metric)
    assert mean(method("linear"), "property_score") > mean(lambda each: answer_of(line, each), "property_score")
