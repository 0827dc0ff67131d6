from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import Budget, InvalidInput, Problem
from assay.insight import InsightTask, InsightTruth, check_leakage, generate, generate_problem, load
from assay.insight.answer.answer import encode
from assay.insight.columns.compute import compute_columns
from assay.insight.problem.task import TableTime
from assay.insight.subjects.random_features import RandomFeatures
from assay.sandbox import Sandbox

InsightProblem = Problem[InsightTask, InsightTruth]


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory) -> InsightProblem:
    return load(generate(tmp_path_factory.mktemp("p"), seed=5, rows=90, timed=True))


def test_a_seed_decides_what_is_drawn(timed: InsightProblem) -> None:
    subject = RandomFeatures()
    answers = [subject.solve(timed.task, Budget(seed=seed)) for seed in (0, 0, 1)]
    assert encode(answers[0]) == encode(answers[1])
    assert answers[0].columns != answers[2].columns
    assert all(len(answer.columns) == 10 for answer in answers)
    assert RandomFeatures(count=3).name == "random-features(count=3)"
    assert len(RandomFeatures(count=3).solve(timed.task, Budget()).columns) == 3


def test_its_functions_give_its_values_in_the_sandbox_and_are_clean(tmp_path: Path, sandbox: Sandbox) -> None:
    timed = load(generate_problem(tmp_path, seed=5, rows=150))
    answer = RandomFeatures(count=3).solve(timed.task, Budget(seed=3))
    computed = compute_columns(timed, answer.functions, sandbox=sandbox)
    assert answer.train is not None
    for column in computed.columns:
        assert column.status == "ok", column.message
        assert column.train is not None
        np.testing.assert_array_equal(
            column.train.to_numpy(dtype=float), answer.train[column.name].to_numpy(dtype=float), column.name
        )
    report = check_leakage(timed, answer.functions[:2], sandbox=sandbox)
    assert {verdict.verdict for verdict in report.functions} == {"clean"}


def test_later_rows_do_not_count_where_times_are_declared(timed: InsightProblem) -> None:
    answer = RandomFeatures(count=8).solve(timed.task, Budget(seed=1))
    task = timed.task
    future = {
        name: frame.assign(**{str(declared.time_column): "2999-01-01"})
        for name, frame in task.tables.items()
        if (declared := task.table_times[name]).time_column is not None
    }
    later = replace(task, tables={**dict(task.tables.items()), **future})
    names: dict[str, Any] = {}
    for function in answer.functions:
        exec(function.code, names)
        values = names[function.name](task.train, dict(later.tables.items()))
        if any(name.removesuffix(".csv") in function.name for name in future):
            assert values.isna().all(), function.name


def test_the_target_plays_no_part(timed: InsightProblem) -> None:
    task = timed.task
    flipped = replace(task, train=task.train.assign(**{task.target_column: 1 - task.train[task.target_column]}))
    one, other = (RandomFeatures().solve(given, Budget()) for given in (task, flipped))
    assert encode(one) == encode(other)


def table(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(columns)


@pytest.mark.parametrize(
    ("base", "tables"),
    [
        (table(name=["a", "b", "c", "d"]), {}),
        (table(x=[1.0, None, 0.0, 2.0]), {}),
        (
            table(**{"a b": [1, 2, 3, 4], "c-d": [0, 1, 0, 2]}),
            {"odd name.csv": table(**{"a b": [1, 1], "é": ["x", None]})},
        ),
        (table(id=[1, 2, 3, 4]), {"empty.csv": table(id=np.array([], dtype=int), v=np.array([], dtype=float))}),
        (table(id=["a", "b", "c", "d"]), {"numbers.csv": table(id=[1, 2], v=[True, False])}),
    ],
)
def test_odd_tables_give_fewer_features_and_no_error(base: pd.DataFrame, tables: dict[str, pd.DataFrame]) -> None:
    task = InsightTask(
        name="odd",
        description="",
        domain="",
        target_column="y",
        problem_type="binary",
        train=base.assign(y=[0, 1, 0, 1]),
        test=base,
        tables=tables,
    )
    answer = RandomFeatures().solve(task, Budget())
    assert len(answer.columns) <= 10
    assert (answer.train is None) == (not answer.columns)
    assert encode(answer)


@pytest.mark.parametrize("count", [0, True, 2.0])
def test_a_count_is_a_whole_number(count: Any) -> None:
    with pytest.raises(InvalidInput, match="count must be a whole number"):
        RandomFeatures(count=count)


def test_joins_that_would_fill_the_memory_are_not_drawn() -> None:
    rows = 3000
    base = table(kind=["a", "b"] * (rows // 2), day=np.arange(rows), y=[0, 1] * (rows // 2))
    task = InsightTask(
        name="wide",
        description="",
        domain="",
        target_column="y",
        problem_type="binary",
        train=base,
        test=base.drop(columns="y"),
        tables={"log.csv": table(kind=["a", "b"] * 5000, at=np.arange(10_000), v=np.arange(10_000))},
        time_column="day",
        table_times={"log.csv": TableTime(time_column="at")},
    )
    assert RandomFeatures().solve(task, Budget()).columns == ()
    few = replace(task, tables={"log.csv": task.tables["log.csv"].head(40)})
    found = RandomFeatures(count=2).solve(few, Budget())
    assert len(found.columns) == 2
    assert all("log" in name for name in found.columns)


def test_a_table_may_have_columns_of_any_name(timed: InsightProblem) -> None:
    tables = {name: frame.assign(place=range(len(frame))) for name, frame in timed.task.tables.items()}
    assert len(RandomFeatures(count=12).solve(replace(timed.task, tables=tables), Budget()).columns) == 12
