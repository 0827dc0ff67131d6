"""What holds for every function of the package."""

import inspect
import math
from dataclasses import replace
from types import FunctionType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import Problem
from assay.drift import metrics
from assay.drift.metrics import METRICS
from assay.drift.problem.task import DriftTask, DriftTruth

FUNCTIONS = {name: value for name in metrics.__all__ if isinstance(value := getattr(metrics, name), FunctionType)}
RANKED = ("recalls_at_k", "successes_at_k", "reciprocal_ranks", "ndcgs")
HELPERS = {"golden_ranks", "count_detections", "pool_detections", "always_fire"}  # no metrics themselves

rows = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=3, unique=True), min_size=1, max_size=6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_a_formula_and_an_example(name: str) -> None:
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    assert ">>>" in text
    assert "$$" in text or name in HELPERS


def test_every_metric_of_the_track_is_defined_by_a_public_function() -> None:
    for metric in METRICS:
        assert metric.definition in FUNCTIONS.values(), metric.name


def test_floors_are_undefined_where_the_metric_is(problem: Problem[DriftTask, DriftTruth]) -> None:
    by_name = {metric.name: metric for metric in METRICS}
    causeless = replace(problem, truth=DriftTruth(goldens=((), ())))
    caused = replace(problem, truth=DriftTruth(goldens=((0,), (1,))))
    assert by_name["mrr"].floor_for(problem) == 0.0
    assert math.isnan(by_name["mrr"].floor_for(causeless))
    assert by_name["abstention_recall"].floor_for(problem) == 0.0
    assert math.isnan(by_name["abstention_recall"].floor_for(caused))
    assert by_name["confidence_brier"].floor_for(problem) == 1.0


def table(given_rows: list[list[int]]) -> np.ndarray:
    width = max(map(len, given_rows))
    return np.array([row + [np.nan] * (width - len(row)) for row in given_rows], dtype=float)


def scored(name: str, ranks: np.ndarray) -> np.ndarray:
    options = {"k": 3} if name.endswith("at_k") else {}
    values: np.ndarray = FUNCTIONS[name](ranks, **options)
    return values


@pytest.mark.parametrize("name", RANKED)
@given(given_rows=rows)
def test_values_lie_between_nothing_and_all_and_do_not_depend_on_order(name: str, given_rows: list[list[int]]) -> None:
    ranks = table(given_rows)
    values = scored(name, ranks)
    assert ((values >= 0) & (values <= 1 + 1e-12)).all()
    np.testing.assert_allclose(scored(name, ranks[::-1])[::-1], values, rtol=0, atol=1e-12)
    np.testing.assert_allclose(scored(name, ranks[:, ::-1]), values, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", RANKED)
@given(given_rows=rows)
def test_a_better_rank_never_harms_and_the_best_ranking_has_all(name: str, given_rows: list[list[int]]) -> None:
    ranks = table(given_rows)
    worse = np.where(np.isnan(ranks), np.nan, ranks + 1)
    assert (scored(name, worse) <= scored(name, ranks) + 1e-12).all()
    best = table([list(range(1, len(row) + 1)) for row in given_rows])
    np.testing.assert_allclose(scored(name, best), 1.0, rtol=0, atol=1e-12)
    absent = np.where(np.isnan(ranks), np.nan, np.inf)
    assert (scored(name, absent) == 0).all()
