"""Experts' functions as an answer may have them: no row of another table that is later than the row."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assay.insight import InsightTask
from assay.insight.answer.functions import FeatureFunction
from assay.insight.columns.known_rows import with_known_rows
from assay.insight.problem.times import TableTime

COUNT = "def count(row, aux_dataframes):\n    return len(aux_dataframes['visits.csv'])\n"


def task_of(times: list[object], days: list[object]) -> InsightTask:
    rows = pd.DataFrame({"at": times, "left": [0, 1]})
    return InsightTask(
        name="gym",
        description="Who leaves?",
        domain="sport",
        target_column="left",
        problem_type="binary",
        train=rows,
        test=rows.drop(columns="left"),
        tables={"visits.csv": pd.DataFrame({"day": days}), "plans.csv": pd.DataFrame({"plan": [1, 2]})},
        time_column="at",
        table_times={"visits.csv": TableTime(time_column="day"), "plans.csv": TableTime(static=True)},
    )


@pytest.mark.parametrize(
    ("times", "days"),
    [
        (["2024-01-02", "2024-02-01 12:00:00"], ["2024-01-02", "2024-01-03", "2024-02-01 12:00:00", np.nan]),
        (
            ["2024-01-02", "2024-02-01T12:00:00+00:00"],
            ["2024-01-02T01:00:00+02:00", "2024-01-03", "2024-02-01", "9999"],
        ),
        ([2, 32.5], [2, 3, 32, np.nan]),
    ],
)
def test_only_rows_up_to_the_time_of_the_row_are_left(times: list[object], days: list[object]) -> None:
    task = task_of(times, days)
    names: dict[str, object] = {"pd": pd}
    exec(with_known_rows(FeatureFunction(name="count", code=COUNT), task).code, names)
    count = names["count"]
    assert callable(count)
    assert [count(row, task.tables) for row in task.test.to_dict("records")] == [1, 3]
    assert len(task.tables["visits.csv"]) == 4


@pytest.mark.parametrize(
    "code", ["def count(row):\n    return row['at']\n", "def count(df, aux_dataframes):\n    return df['at']\n"]
)
def test_other_functions_stay_as_they_are(code: str) -> None:
    function = FeatureFunction(name="count", code=code)
    assert with_known_rows(function, task_of([1, 2], [1, 2])) is function
