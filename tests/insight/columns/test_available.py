from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from assay.core import Problem
from assay.insight.columns.available import Availability, undeclared_dates
from assay.insight.problem.task import InsightTask, TableTime


def test_without_declared_times_all_rows_see_everything(loans: Problem[InsightTask, Any]) -> None:
    available = Availability(loans.task, loans.task.train)
    (moment,) = available.moments()
    assert moment.rows.tolist() == list(range(90))
    assert {name: len(frame) for name, frame in available.cut(moment.time).items()} == {
        "calls.csv": 360,
        "cities.csv": 3,
    }


def test_each_row_sees_exactly_the_rows_that_are_not_later(timed_loans: Problem[InsightTask, Any]) -> None:
    task = timed_loans.task
    available = Availability(task, task.train)
    visible = []
    for moment in available.moments():
        tables = available.cut(moment.time)
        for row in moment.rows:
            expected = task.tables["calls.csv"]["at"] <= task.train["day"].iloc[row]
            assert tables["calls.csv"].equals(task.tables["calls.csv"][expected])
            assert tables["cities.csv"] is task.tables["cities.csv"]
            visible.append(int(row))
    assert sorted(visible) == list(range(90))


def test_dates_are_compared_as_moments_and_rows_without_one_are_never_available() -> None:
    rows = pd.DataFrame({"day": ["2024-03-01", "2024-03-02"], "x": [1, 2]})
    table = pd.DataFrame({"at": ["2024-03-01 00:00:00", "2024-03-01T12:00:00", None], "v": [1, 2, 3]})
    task = InsightTask(
        name="",
        description="",
        domain="",
        target_column="y",
        problem_type="binary",
        train=rows.assign(y=[0, 1]),
        test=rows,
        tables={"t.csv": table},
        time_column="day",
        table_times={"t.csv": TableTime(time_column="at")},
    )
    available = Availability(task, rows)
    moments = [(m.rows.tolist(), available.cut(m.time)["t.csv"]["v"].tolist()) for m in available.moments()]
    assert moments == [([0], [1]), ([1], [1, 2])]
    assert undeclared_dates(task) == {}
    assert undeclared_dates(replace(task, time_column=None, table_times={})) == {"t.csv": ("at",)}


def test_numbers_and_words_are_not_taken_for_dates(loans: Problem[InsightTask, Any]) -> None:
    assert undeclared_dates(loans.task) == {}
    dated = loans.task.tables["cities.csv"].assign(founded=["1852-01-01", "0850-05-05", "1233-01-01"])
    task = replace(
        loans.task, tables={"cities.csv": dated, "empty.csv": pd.DataFrame({"a": np.array([], dtype=object)})}
    )
    assert undeclared_dates(task) == {"cities.csv": ("founded",)}


def test_a_row_of_the_year_9999_is_later_than_every_prediction() -> None:
    rows = pd.DataFrame({"day": ["2024-03-01", "2024-03-02"], "x": [1, 2]})
    table = pd.DataFrame({"at": ["9999-12-31", "2024-03-01", "1066-10-14", None], "v": [1, 2, 3, 4]})
    task = InsightTask(
        name="",
        description="",
        domain="",
        target_column="y",
        problem_type="binary",
        train=rows,
        test=rows,
        tables={"events.csv": table},
        time_column="day",
        table_times={"events.csv": TableTime(time_column="at")},
    )
    available = Availability(task, rows)
    assert [available.cut(moment.time)["events.csv"]["v"].tolist() for moment in available.moments()] == [[2, 3]]
