from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput, UnknownName
from assay.formula import (
    VERDICTS,
    accurate,
    behavioural_distance,
    bounded_nmse,
    bounded_r2,
    prediction_mismatch,
    property_score,
    rediscovery_score,
    solved,
    solved_in_front,
    undecided,
)

NUMBERS = st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=20)


def test_a_property_is_looked_up_by_its_name_and_must_be_a_score() -> None:
    assert property_score("features", {"features": 0.25, "noise": 1.0}) == 0.25
    assert math.isnan(property_score("noise", {"noise": math.nan}))
    with pytest.raises(UnknownName, match="Did you mean 'noise'"):
        property_score("noize", {"noise": 1.0})
    with pytest.raises(InvalidInput, match="must lie in"):
        property_score("noise", {"noise": 1.5})


@pytest.mark.parametrize("verdict", VERDICTS)
def test_what_is_solved_scores_one_in_re_discovery_and_nothing_else_does(verdict: str) -> None:
    one = rediscovery_score(verdict, 0.5) == 1.0  # type: ignore[arg-type]
    found = solved(verdict)  # type: ignore[arg-type]
    assert (found == 1.0) == one
    assert math.isnan(found) == (undecided(verdict) == 1.0)  # type: ignore[arg-type]


def test_an_unknown_verdict_is_refused() -> None:
    for score in (solved, undecided):
        with pytest.raises(UnknownName):
            score("perhaps")  # type: ignore[arg-type]


def test_one_solution_in_the_front_is_enough_and_an_undecided_one_leaves_it_open() -> None:
    assert solved_in_front(["different", "undecided", "affine"]) == 1.0
    assert math.isnan(solved_in_front(["different", "undecided"]))
    assert math.isnan(solved_in_front([]))
    assert solved_in_front(["undefined", "different"]) == 0.0


def test_only_more_than_the_threshold_is_accurate() -> None:
    assert [accurate(r2) for r2 in (1.0, 0.9990001, 0.999, -math.inf)] == [1.0, 1.0, 0.0, 0.0]
    assert math.isnan(accurate(math.nan))


@given(NUMBERS, st.integers(0, 1000))
def test_bounded_quality_and_error_belong_together_and_follow_sklearn(target: list[float], seed: int) -> None:
    from sklearn.metrics import r2_score

    actual = np.array(target)
    if np.std(actual) < 1e-6:
        return
    predicted = actual + np.random.default_rng(seed).normal(0, np.std(actual), len(actual))
    assert bounded_r2(actual, predicted) == pytest.approx(max(-1.0, r2_score(actual, predicted)), abs=1e-9)
    assert bounded_nmse(actual, predicted) == pytest.approx(1.0 - bounded_r2(actual, predicted), abs=1e-9)
    expected = min(1.0, math.sqrt(np.mean((actual - predicted) ** 2)) / np.std(actual))
    assert behavioural_distance(actual, predicted) == pytest.approx(expected)


def test_a_model_without_a_value_gets_the_bounds() -> None:
    actual, predicted = [1.0, 2.0, 4.0], [1.0, math.nan, 4.0]
    assert (bounded_r2(actual, predicted), bounded_nmse(actual, predicted)) == (-1.0, 2.0)
    assert behavioural_distance(actual, predicted) == 1.0
    assert math.isnan(bounded_r2([1.0, 1.0], [1.0, 2.0]))


def test_mismatch_is_measured_in_deviations_of_the_target() -> None:
    target = [0.0, 2.0, 0.0, 2.0]
    assert prediction_mismatch([1.0, 1.0], [1.5, 0.5], target) == pytest.approx(0.5)
    assert prediction_mismatch([1.0, math.nan], [1.0, math.inf], target) == 0.0  # neither has a value there
    assert prediction_mismatch([math.nan], [1.0], target) == math.inf
    assert prediction_mismatch([1e300, 1e300], [0.0, 0.0], target) == pytest.approx(1e300)
    assert prediction_mismatch([math.nan], [math.nan], target) == 0.0
    with pytest.raises(InvalidInput, match="one length"):
        prediction_mismatch([1.0], [1.0, 2.0], target)
