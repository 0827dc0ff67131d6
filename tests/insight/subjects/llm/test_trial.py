from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from assay.core import Problem
from assay.insight import InsightTask, InsightTruth, generate, generate_problem, load
from assay.insight.generate import DOMAINS
from assay.insight.problem.task import ProblemType
from assay.insight.subjects.llm.extract import Candidate
from assay.insight.subjects.llm.prompt import ask_for_more, ask_for_repair, describe_task, feedback, rules
from assay.insight.subjects.llm.trial import Tried, Validation, compute_test, try_candidate

InsightProblem = Problem[InsightTask, InsightTruth]


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> InsightProblem:
    return load(generate_problem(tmp_path_factory.mktemp("p"), seed=8, rows=240, difficulty="hard"))


def candidate(name: str, body: str) -> Candidate:
    return Candidate(name, f"def {name}(df, aux_dataframes):\n    {body}\n", "words")


def tried(given: Candidate, problem: InsightProblem) -> Tried:
    return try_candidate(given, problem.task, seconds=20, memory_mb=512, seed=0)


def test_the_truth_passes_and_comes_with_its_values(problem: InsightProblem) -> None:
    for function in problem.truth.functions:
        found = tried(Candidate(function.name, function.code, ""), problem)
        assert found.status == "ok", found.message
        assert found.train is not None
        assert found.train.tolist() == problem.truth.train[function.name].tolist()
        test = compute_test(found.candidate, problem.task, seconds=20, memory_mb=512)
        assert list(test.values[0]) == problem.truth.test[function.name].tolist()


def test_a_function_that_looks_ahead_is_found_out(problem: InsightProblem) -> None:
    domain = DOMAINS[str(problem.tags["family"])]
    key = f"{domain.entity}_id"
    body = f"return df['{key}'].map(aux_dataframes['{domain.events}.csv'].groupby('{key}').size())"
    found = tried(candidate("ahead", body), problem)
    assert found.status == "looks ahead"
    assert "later auxiliary rows" in found.message
    assert f"with the row's {problem.task.time_column!r}" in found.message


def test_the_target_is_out_of_reach_and_constants_are_dropped(problem: InsightProblem) -> None:
    target = problem.task.target_column
    assert "KeyError" in tried(candidate("peek", f"return df[{target!r}]"), problem).message
    assert tried(candidate("flat", "return pd.Series(1, index=df.index)"), problem).status == "constant"
    assert tried(candidate(problem.task.base_columns[0], "return df.iloc[:, 0]"), problem).status == "name taken"


@pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
def test_validation_sees_the_gain_of_the_truth_and_none_of_noise(tmp_path: Path, kind: str) -> None:
    problem = load(generate(tmp_path, seed=3, rows=600, problem_type=kind))  # type: ignore[arg-type]
    validation = Validation(problem.task, seed=0)
    truth = {name: problem.truth.train[name] for name in problem.truth.columns}
    assert validation.score(truth) > validation.base + 0.1
    noise = np.random.default_rng(0).normal(size=len(problem.task.train))
    assert abs(validation.score({"noise": problem.truth.train.iloc[:, 0] * 0 + noise}) - validation.base) < 0.08


def test_a_part_with_a_single_class_is_worth_nothing(problem: InsightProblem) -> None:
    task = replace(problem.task, train=problem.task.train.assign(**{problem.task.target_column: 1}))
    assert Validation(task, seed=0).base == 0.5


def test_the_task_is_told_with_tables_keys_and_times_and_without_test_rows(problem: InsightProblem) -> None:
    task = problem.task
    text = describe_task(task)
    for name in (*task.base_columns, task.target_column, *task.tables, str(task.time_column)):
        assert name in text
    assert "not later" in text
    assert text == describe_task(replace(task, test=task.test.iloc[:5]))
    assert len(text) < 10_000
    assert "at most 10 functions" in rules(10)


def test_a_function_that_raises_is_told_with_its_row_and_line_and_not_as_a_constant(problem: InsightProblem) -> None:
    key = problem.task.base_columns[0]
    table = next(iter(problem.task.tables))
    always = Candidate("always", f"def always(row, aux):\n    return len(aux[{table.removesuffix('.csv')!r}])\n", "")
    found = tried(always, problem)
    assert found.status == "exception"
    assert f"at row 0 ({key}={problem.task.train[key].iloc[0]}, " in found.message
    assert f"(line 2: return len(aux[{table.removesuffix('.csv')!r}]))" in found.message
    assert f"Did you mean {table!r}?" in found.message
    first = problem.task.train[key].iloc[0]
    mostly = Candidate("mostly", f"def mostly(row):\n    return None if row[{key!r}] == {first} else 1 / 0\n", "")
    found = tried(mostly, problem)
    assert found.status == "exception"
    assert "it fails on" in found.message
    assert "ZeroDivisionError" in found.message
    assert "every other row has the same value" in found.message


def test_values_come_with_their_correlation_with_the_target_on_training_rows(problem: InsightProblem) -> None:
    found = tried(candidate("first", f"return df[{problem.task.base_columns[0]!r}]"), problem)
    assert found.train is not None
    target = problem.task.train[problem.task.target_column]
    value = sorted(target.unique())[1]
    assert found.correlation == pytest.approx(spearmanr(found.train, target == value).statistic)
    assert found.correlated == f"{problem.task.target_column} = {value}"


def test_feedback_names_errors_gains_and_the_next_step(problem: InsightProblem) -> None:
    values = pd.Series([1.0, np.nan, 3.0, 3.0])
    good = Tried(candidate("good", "return 1"), "ok", "it fails on 1", 0.0123, values, -0.5, "left = yes", 3.2)
    bad = Tried(candidate("bad", "return 1"), "exception", "KeyError: 'x' (line 2)")
    text = feedback(problem.task, [good, bad], ["line 3: invalid syntax"], base=0.6, total=0.7)
    for words in ("0.6000", "0.7000", "good: AUC +0.0123", "bad: dropped, exception. KeyError: 'x' (line 2)", "line 3"):
        assert words in text
    assert "First rows: 1.0, missing, 3.0, 3.0; 25.0% missing, 2 distinct values" in text
    assert "rank correlation -0.500 with left = yes; took about 3 s; it fails on 1." in text
    repair = ask_for_repair(problem.task, ["bad"])
    for words in ("Repair what failed (bad)", *map(repr, problem.task.base_columns), *map(repr, problem.task.tables)):
        assert words in repair
    assert "do not repeat functions that work" in ask_for_more()
    assert "no Python function" in feedback(problem.task, [], [], base=0.6, total=0.6)


@pytest.mark.parametrize(
    ("kind", "target", "guess"),
    [
        ("binary", [0, 1], 0.5),
        ("multiclass", ["a", "b"], 0.5),
        ("regression", [0.5, 1.5], 0.0),
        ("regression", [0.5, 1.5, 2.5], 0.0),  # one row judges: its R² is undefined
    ],
)
def test_where_the_judge_can_tell_nothing_the_score_is_that_of_a_guess(
    kind: ProblemType, target: list[float] | list[str], guess: float
) -> None:
    rows = pd.DataFrame({"age": np.arange(len(target))})
    task = InsightTask(
        name="", description="", domain="", target_column="y", problem_type=kind, train=rows.assign(y=target), test=rows
    )
    assert Validation(task, seed=0).score({"half": rows["age"] / 2}) == guess
