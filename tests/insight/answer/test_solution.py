"""Which columns of an answer are scored, and what makes it a recorded failure instead."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import Problem, SubjectFailed
from assay.insight import FeatureFunction, InsightAnswer, InsightConfig, InsightTask, InsightTruth
from assay.insight.answer.solution import Solution, chosen_columns, gather

TRUSTING = InsightConfig(trust_columns=True)


@pytest.fixture
def problem() -> Problem[InsightTask, InsightTruth]:
    train = pd.DataFrame({"id": [1, 2, 3, 4], "plan": ["x", "y", "x", "y"], "y": [0, 1, 0, 1]})
    test = pd.DataFrame({"id": [5, 6], "plan": ["y", "x"]})
    task = InsightTask(
        name="p",
        description="",
        domain="",
        target_column="y",
        problem_type="binary",
        train=train,
        test=test,
    )
    truth = InsightTruth(
        test_target=pd.Series([0, 1]),
        columns=("c",),
        descriptions=("c",),
        train=pd.DataFrame({"c": [1.0, 2.0, 3.0, 4.0]}),
        test=pd.DataFrame({"c": [5.0, 6.0]}),
    )
    return Problem(id="p", digest="0", task=task, truth=truth)


def shipped(problem: Problem[InsightTask, InsightTruth], *names: str, base: bool = True) -> InsightAnswer:
    rng = np.random.default_rng(0)
    parts = []
    for table in (problem.task.train, problem.task.test):
        own = table.drop(columns="y", errors="ignore") if base else table[[]]
        parts.append(own.assign(**{name: rng.normal(size=len(table)) for name in names}))
    return InsightAnswer(solved_by="me", columns=names, train=parts[0], test=parts[1])


def collect(
    problem: Problem[InsightTask, InsightTruth], answer: InsightAnswer, config: InsightConfig, **given: Any
) -> Solution:
    names, notes = chosen_columns(answer, problem.task, config)
    found = gather(problem, answer, names, config, **given)
    return replace(found, notes=(*notes, *found.notes))


def test_shipped_columns_are_scored_when_they_are_trusted(problem: Problem[InsightTask, InsightTruth]) -> None:
    answer = shipped(problem, "f", "g")
    found = collect(problem, answer, TRUSTING)
    assert found.columns == ("f", "g")
    pd.testing.assert_series_equal(found.train["f"], answer.train["f"])  # type: ignore[index]
    assert found.notes == ()


def test_shipped_columns_are_refused_when_they_are_not(problem: Problem[InsightTask, InsightTruth]) -> None:
    with pytest.raises(SubjectFailed, match="trust_columns") as failure:
        collect(problem, shipped(problem, "f"), InsightConfig())
    assert failure.value.kind == "untrusted columns"


def test_a_base_column_without_values_of_its_own_is_promoted(problem: Problem[InsightTask, InsightTruth]) -> None:
    found = collect(problem, InsightAnswer(solved_by="me", columns=("plan",)), InsightConfig())
    assert found.train["plan"].tolist() == ["x", "y", "x", "y"]
    assert found.test["plan"].tolist() == ["y", "x"]


def test_computed_columns_win_over_shipped_ones(problem: Problem[InsightTask, InsightTruth]) -> None:
    computed = {"f": (pd.Series([1.0] * 4), pd.Series([2.0] * 2))}
    found = collect(problem, shipped(problem, "f"), InsightConfig(), computed=computed)
    assert (found.train["f"].tolist(), found.test["f"].tolist()) == ([1.0] * 4, [2.0] * 2)


@pytest.mark.parametrize("part", ["train", "test"])
def test_another_number_of_rows_is_a_failure(problem: Problem[InsightTask, InsightTruth], part: str) -> None:
    answer = shipped(problem, "f")
    shorter = replace(answer, **{part: getattr(answer, part)[:-1]})
    with pytest.raises(SubjectFailed, match=f"enriched {part} table has . rows"):
        collect(problem, shorter, TRUSTING)


def test_rows_in_another_order_are_a_failure(problem: Problem[InsightTask, InsightTruth]) -> None:
    answer = shipped(problem, "f")
    assert answer.train is not None
    turned = replace(answer, train=answer.train.iloc[::-1].reset_index(drop=True))
    with pytest.raises(SubjectFailed, match="rows of the enriched train table are not those"):
        collect(problem, turned, TRUSTING)


def test_one_changed_base_column_is_only_said(problem: Problem[InsightTask, InsightTruth]) -> None:
    answer = shipped(problem, "f")
    assert answer.train is not None
    found = collect(problem, replace(answer, train=answer.train.assign(plan="z")), TRUSTING)
    assert "'plan' in 4 rows" in found.notes[0]


def test_tables_without_base_columns_cannot_be_checked_and_are_taken(
    problem: Problem[InsightTask, InsightTruth],
) -> None:
    assert collect(problem, shipped(problem, "f", base=False), TRUSTING).columns == ("f",)


def test_a_column_named_like_the_target_is_a_failure(problem: Problem[InsightTask, InsightTruth]) -> None:
    with pytest.raises(SubjectFailed, match="named like the target, 'y'"):
        collect(problem, InsightAnswer(solved_by="me", columns=("y",)), TRUSTING)


def test_a_declared_column_without_values_is_a_failure(problem: Problem[InsightTask, InsightTruth]) -> None:
    answer = shipped(problem, "f")
    with pytest.raises(SubjectFailed, match="no column 'g'"):
        collect(problem, replace(answer, columns=("f", "g")), TRUSTING)
    with pytest.raises(SubjectFailed, match="no enriched tables"):
        collect(problem, InsightAnswer(solved_by="me", columns=("g",)), TRUSTING)


def test_a_declared_column_without_code_or_values_is_named_as_such(problem: Problem[InsightTask, InsightTruth]) -> None:
    with pytest.raises(SubjectFailed, match="'zz' is declared but has neither code nor values; give a function"):
        collect(problem, InsightAnswer(solved_by="me", columns=("zz",)), InsightConfig())


def test_too_many_columns_are_cut_by_their_ranks_as_numbers(problem: Problem[InsightTask, InsightTruth]) -> None:
    ranks = {"a": 0.13, "b": 9e-05, "c": 0.5}
    functions = tuple(FeatureFunction(name=name, code="", score=score) for name, score in ranks.items())
    answer = replace(shipped(problem, "a", "b", "c"), functions=functions)
    found = collect(problem, answer, InsightConfig(trust_columns=True, MAX_FEATURES=2))
    assert found.columns == ("a", "c")
    assert "left out: b" in found.notes[0]
    assert "ranks highest" in found.notes[0]


def test_without_ranks_the_first_listed_are_kept(problem: Problem[InsightTask, InsightTruth]) -> None:
    found = collect(problem, shipped(problem, "z", "b", "c"), InsightConfig(trust_columns=True, MAX_FEATURES=2))
    assert found.columns == ("z", "b")
    assert "listed first" in found.notes[0]
