import json
from pathlib import Path
from typing import Any

import pytest

from assay.core import InvalidInput, Problem
from assay.insight.problem.task import InsightTask, TableTime
from assay.insight.problem.times_file import DeclaredTimes, declare_times, read_times_file


def written(folder: Path, content: object) -> Path:
    path = folder / "times.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_times_are_read_as_problem_json_declares_them(tmp_path: Path) -> None:
    tables = {"calls.csv": {"time_column": "at"}, "cities.csv": {"static": True}}
    times = read_times_file(written(tmp_path, {"time_column": "day", "tables": tables}))
    assert times.time_column == "day"
    assert times.tables == {"calls.csv": TableTime(time_column="at"), "cities.csv": TableTime(static=True)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"tables": {}}, r"times.json: 'time_column' is missing"),
        ({"time_column": "day", "table": {}}, r"unknown key 'table'. Did you mean 'tables'\?"),
        ({"time_column": 3}, r"'time_column' must name a column, got 3"),
        ({"time_column": "day", "tables": {"a.csv": {}}}, r"'a.csv': must say either"),
    ],
)
def test_a_wrong_file_is_refused_with_the_key(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_times_file(written(tmp_path, content))


def test_declared_times_are_checked_against_the_problem(loans: Problem[InsightTask, Any]) -> None:
    times = DeclaredTimes(time_column="day", tables={"calls.csv": TableTime(time_column="at")})
    task = declare_times(loans.task, times)
    assert task.time_column == "day"
    assert dict(task.table_times) == {"calls.csv": TableTime(time_column="at")}
    assert loans.task.time_column is None
    with pytest.raises(InvalidInput, match="here: the time column 'default' is the target itself"):
        declare_times(loans.task, DeclaredTimes(time_column="default"), where="here")
    with pytest.raises(InvalidInput, match=r"declares 'call.csv', which is not there. Did you mean 'calls.csv'\?"):
        declare_times(loans.task, DeclaredTimes(time_column="day", tables={"call.csv": TableTime(static=True)}))
