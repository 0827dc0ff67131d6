from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.insight.search import kernels
from assay.insight.search.kernels import KERNELS, kernel_source

DAY = datetime(1970, 1, 1)


def standing_alone(*names: str) -> dict[str, Any]:
    """Kernels executed from their handed-out text, with nothing else in reach."""
    space: dict[str, Any] = {"np": np, "pd": pd, "re": re, "datetime": datetime, "UTC": UTC}
    exec(kernel_source(names), space)
    return space


@pytest.mark.parametrize("value", [407, 407.0, "407", "407.0", " 407 ", np.int64(407), np.float64(407)])
def test_a_key_is_the_same_however_it_is_typed(value: object) -> None:
    assert kernels.key_of(value) == "407"


@pytest.mark.parametrize("value", [None, float("nan"), pd.NaT, pd.NA, ""])
def test_a_missing_value_is_no_key(value: object) -> None:
    assert kernels.key_of(value) is None


@pytest.mark.parametrize(
    ("value", "number"), [("127mg", 127.0), ("$1,250.50", 1250.5), ("True", 1.0), ("no", 0.0), (True, 1.0), (3, 3.0)]
)
def test_numbers_are_read_from_texts_and_truth_values(value: object, number: float) -> None:
    assert kernels.number_of(value) == number


def test_what_is_no_number_is_missing() -> None:
    assert math.isnan(kernels.number_of("often"))
    assert math.isnan(kernels.number_of(None))


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 1, 1)))
def test_a_date_is_its_days_since_1970_also_before(moment: datetime) -> None:
    days = kernels.day_of(moment.isoformat(sep=" "))
    assert days == pytest.approx((moment - DAY).total_seconds() / 86400.0, abs=1e-9)


def test_dates_in_other_spellings_and_zones_are_read() -> None:
    assert kernels.day_of("2021-05-19T02:00:00+02:00") == (datetime(2021, 5, 19) - DAY).days
    assert kernels.day_of("05/19/2021") == (datetime(2021, 5, 19) - DAY).days
    assert kernels.day_of("1935-02-01") < 0
    assert math.isnan(kernels.day_of("soon"))
    assert math.isnan(kernels.day_of(pd.NaT))


@given(st.lists(st.one_of(st.none(), st.integers(-9, 9), st.floats(allow_nan=True), st.text(max_size=3)), max_size=12))
def test_a_column_gives_what_its_values_give_one_by_one(values: list[Any]) -> None:
    column = pd.Series(values, dtype=object)
    found = kernels.numbers_of(column)
    expected = np.array([kernels.number_of(value) for value in values], dtype=np.float64)
    np.testing.assert_array_equal(found, expected)
    assert kernels.keys_of(column).tolist() == [kernels.key_of(value) for value in values]


def test_words_in_lists_are_counted_whole_and_in_runs() -> None:
    text = "['Late', 'Late', 'On-time', 'Late', 'Later']"
    assert kernels.count_in(text, "Late") == 3.0
    assert kernels.run_in(text, "Late") == 2.0
    assert kernels.counts_of(pd.Series([text, None]), "Late").tolist() == [3.0, 0.0]


def test_a_slope_is_that_of_least_squares() -> None:
    days, values = np.array([0.0, 2.0, 5.0, 9.0]), np.array([1.0, 0.0, 4.0, 3.0])
    assert kernels.slope_of(days, values) == pytest.approx(np.polyfit(days, values, 1)[0])
    assert kernels.slope_of(np.zeros(3), np.arange(3.0)) == 0.0


def test_rows_are_grouped_in_order_of_time_and_without_those_left_out() -> None:
    keys = np.array(["a", "b", "a", None, "a"], dtype=object)
    days = np.array([3.0, 1.0, 2.0, 0.0, np.nan])
    groups = kernels.group_rows(keys, np.array([1, 1, 1, 1, 1]), days, np.arange(5.0))
    assert set(groups) == {"a", "b"}
    assert groups["a"][1].tolist() == [4.0, 2.0, 0.0]
    assert kernels.group_rows(keys, np.zeros(5), days, days) == {}


def test_look_ups_take_the_first_row_of_a_key_and_follow_a_new_table() -> None:
    kept: dict[Any, Any] = {}
    tables = {"p.csv": pd.DataFrame({"id": [1, 1, 2.0], "price": [5, 6, 7]})}
    found = kernels.joined(kept, tables, pd.Series(["1", "2", "9"]), "p.csv", "id", "price")
    assert found.tolist()[:2] == [5, 7]
    assert found.isna().tolist() == [False, False, True]
    tables = {"p.csv": pd.DataFrame({"id": [1], "price": [8]})}
    assert kernels.look_up(kept, tables, "p.csv", "id", "price") == {"1": 8}


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_every_kernel_is_handed_out_with_all_it_uses_and_without_annotations(name: str) -> None:
    space = standing_alone(name)
    assert callable(space[name])
    assert not space[name].__annotations__
    used = {code for code in space[name].__code__.co_names if code in KERNELS}
    assert used <= space.keys()


def test_handed_out_text_computes_the_same() -> None:
    space = standing_alone("joined", "days_of", "entropy_of", "divide", "plain")
    values = pd.Series(["2024-02-29", None, "1969-12-31 12:00"])
    np.testing.assert_array_equal(space["days_of"](values), kernels.days_of(values))
    assert space["entropy_of"](np.array([1, 1, 2, 3.0])) == kernels.entropy_of(np.array([1, 1, 2, 3.0]))
    assert space["divide"](1.0, 0.0) == 0.0
    assert space["plain"](float("inf")) == 0.0
