import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.insight.problem.times import TableTime, as_times, check_times, read_times

PATH = Path("problem.json")
DATED = TableTime(time_column="at")


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(columns)


def test_dates_of_any_iso_form_are_moments_of_one_scale() -> None:
    texts = ["2024-03-01", "2024-03-01 12:30:00.5", "2024-03-01T12:30:00+02:00", None]
    times = as_times(pd.Series(texts), what="x")
    assert [str(time) for time in times[:3]] == [
        "2024-03-01 00:00:00+00:00",
        "2024-03-01 12:30:00.500000+00:00",
        "2024-03-01 10:30:00+00:00",
    ]
    assert times.isna().tolist() == [False, False, False, True]


def test_numbers_are_times_too() -> None:
    assert as_times(pd.Series([1, 5]), what="x").tolist() == [1.0, 5.0]


def test_what_is_no_time_is_named_by_row() -> None:
    with pytest.raises(
        InvalidInput, match=r"orders.csv: row 2 holds '31/12/2024', which is not a time. Write ISO 8601"
    ):
        as_times(pd.Series(["2024-12-31", "31/12/2024"]), what="orders.csv")
    with pytest.raises(InvalidInput, match=r"orders.csv: holds truth values"):
        as_times(pd.Series([True, False]), what="orders.csv")


def test_declared_times_are_read_with_their_tables() -> None:
    content = {"time_column": "day", "tables": {"a.csv": {"time_column": "at"}, "b.csv": {"static": True}}}
    assert read_times(content, PATH) == ("day", {"a.csv": DATED, "b.csv": TableTime(static=True)})
    assert read_times({}, PATH) == (None, {})
    assert read_times({"time_column": None, "tables": None}, PATH) == (None, {})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"time_column": 3}, r"problem.json: 'time_column' must name a column, got 3"),
        ({"time_column": ""}, r"problem.json: 'time_column' must name a column, got ''"),
        ({"tables": []}, r"problem.json: 'tables' must map file names to their times, got list"),
        ({"tables": {"a.csv": "at"}}, r"'tables', 'a.csv': must be \{\"time_column\": \"NAME\"\} or .*, got 'at'"),
        ({"tables": {"a.csv": {"time": "at"}}}, r"'a.csv': unknown key 'time'. Did you mean 'time_column'"),
        ({"tables": {"a.csv": {"time_column": 3}}}, r"'a.csv': must be "),
        ({"tables": {"a.csv": {"static": "yes"}}}, r"'a.csv': must be "),
        ({"tables": {"a.csv": {}}}, r"'a.csv': must say either"),
        ({"tables": {"a.csv": {"static": False}}}, r"'a.csv': must say either"),
        ({"tables": {"a.csv": {"static": True, "time_column": "at"}}}, r"'a.csv': must say either"),
    ],
)
def test_a_wrong_declaration_is_named_with_file_and_key(content: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_times(content, PATH)


def check(time_column: str | None, table_times: dict[str, TableTime], **changes: pd.DataFrame) -> None:
    given = {
        "train": frame(day=["2024-01-01"]),
        "test": frame(day=["2024-02-01"]),
        "orders": frame(at=["2023-01-01", None]),
        **changes,
    }
    check_times(
        time_column,
        table_times,
        train=given["train"],
        test=given["test"],
        tables={"orders.csv": given["orders"]},
        where="problem 'p'",
    )


def test_good_declarations_pass() -> None:
    check(None, {})
    check(None, {"orders.csv": TableTime(static=True)})
    check("day", {})
    check("day", {"orders.csv": DATED})
    check("day", {"orders.csv": DATED}, orders=frame(at=[math.nan, math.nan]))
    numbers = {"train": frame(day=[3]), "test": frame(day=[4.5]), "orders": frame(at=[1, 2])}
    check("day", {"orders.csv": DATED}, **numbers)


@pytest.mark.parametrize(
    ("time_column", "table_times", "changes", "message"),
    [
        (
            "day",
            {"order.csv": DATED},
            {},
            r"'tables' declares 'order.csv', which is not there. Did you mean 'orders.csv'",
        ),
        (
            None,
            {"orders.csv": DATED},
            {},
            r"'orders.csv' has a time column but the problem has none. Add 'time_column'",
        ),
        ("days", {}, {}, r"'p', train.csv: time column 'days' is not there. Did you mean 'day'"),
        ("day", {}, {"test": frame(x=[1])}, r"'p', test.csv: time column 'day' is not there"),
        (
            "day",
            {},
            {"test": frame(day=["2024-01-01", None])},
            r"test.csv, column 'day': row 2 has no time of prediction",
        ),
        ("day", {}, {"train": frame(day=["soon"])}, r"column 'day': row 1 holds 'soon', which is not a time"),
        ("day", {"orders.csv": DATED}, {"orders": frame(x=[1])}, r"orders.csv: time column 'at' is not there"),
        (
            "day",
            {"orders.csv": DATED},
            {"orders": frame(at=[1, 2])},
            r"orders.csv: its times and those of train.csv must",
        ),
        ("day", {}, {"test": frame(day=[1])}, r"test.csv: its times and those of train.csv must all be dates or all"),
    ],
)
def test_declared_times_that_do_not_fit_the_tables_are_named(
    time_column: str | None, table_times: dict[str, TableTime], changes: dict[str, pd.DataFrame], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        check(time_column, table_times, **changes)
