import datetime
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.insight.columns.typed_columns import TEXT, as_column, as_frame

GONE = "missing"
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.decimals(),
    st.dates(),
    st.just(pd.NaT),
)


def column(values: Any, **options: Any) -> pd.Series:
    return as_column(pd.Series(values, **options), what="answer, column 'c'")


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        (np.array([1, 2], dtype=np.int8), "int64", [1, 2]),
        (np.array([1, 2], dtype=np.uint64), "int64", [1, 2]),
        (np.array([1, 2**64 - 1], dtype=np.uint64), "float64", [1.0, float(2**64 - 1)]),
        (np.array([0.5, np.inf], dtype=np.float32), "float64", [0.5, math.inf]),
        (np.array([True, False]), "bool", [True, False]),
        (pd.array([1, None], dtype="Int64"), "float64", [1.0, math.nan]),
        (pd.array([True, None], dtype="boolean"), "object", [True, math.nan]),
        (pd.array([True, False], dtype="boolean"), "bool", [True, False]),
        (pd.Categorical(["a", None, "b"]), TEXT, ["a", math.nan, "b"]),
        (pd.Categorical([3, 1]), "int64", [3, 1]),
        (pd.Series(["a", None]), TEXT, ["a", math.nan]),
        (pd.Series(["a", None], dtype=object), TEXT, ["a", math.nan]),
        (pd.Series([None, pd.NA, pd.NaT], dtype=object), "float64", [math.nan] * 3),
        (pd.Series([1, 2.5, None], dtype=object), "float64", [1.0, 2.5, math.nan]),
        (pd.Series([1, 10**30], dtype=object), "float64", [1.0, 1e30]),
        (pd.Series([10**400, -(10**400)], dtype=object), "float64", [math.inf, -math.inf]),
        (pd.Series([1, "a", True], dtype=object), TEXT, ["1", "a", "True"]),
        (pd.Series([Decimal("1.5"), "a"], dtype=object), TEXT, ["1.5", "a"]),
        (pd.Series(pd.to_datetime(["2024-01-31", ""], errors="coerce")), TEXT, ["2024-01-31 00:00:00", math.nan]),
        (pd.Series([datetime.date(2024, 1, 31)]), TEXT, ["2024-01-31"]),
        (pd.Series([], dtype=object), "float64", []),
        (pd.Series([], dtype="int64"), "int64", []),
    ],
)
def test_every_type_of_pandas_becomes_one_of_four(values: Any, dtype: Any, expected: list[Any]) -> None:
    plain = column(values)
    assert plain.dtype == dtype
    assert [GONE if cell != cell else cell for cell in plain] == [GONE if cell != cell else cell for cell in expected]
    pd.testing.assert_series_equal(as_column(plain, what="c"), plain)


@pytest.mark.parametrize("cell", [[1], (1,), {"a": 1}, {1}, np.array([1]), b"x", pd.Series([1])])
def test_cells_that_hold_more_than_one_value_are_refused_by_column(cell: Any) -> None:
    values = pd.Series([1.0, None], dtype=object)
    values.iat[1] = cell
    with pytest.raises(InvalidInput, match=rf"answer, column 'c': holds a {type(cell).__name__}. A cell must be one"):
        as_column(values, what="answer, column 'c'")


@given(st.lists(SCALARS, max_size=8))
def test_plain_columns_stay_as_they_are_and_keep_their_missing_values(cells: list[Any]) -> None:
    given_values = pd.Series(cells, dtype=object)
    plain = column(given_values)
    assert plain.dtype in ("int64", "float64", "bool", "object", TEXT)
    missing = [cell is None or cell is pd.NaT or str(cell).lower().strip("-s") == "nan" for cell in cells]
    texts = [isinstance(cell, str) for cell in cells]
    assert plain.isna().tolist() == [gone and not text for gone, text in zip(missing, texts, strict=True)]
    pd.testing.assert_series_equal(as_column(plain, what="c"), plain)


def test_a_frame_is_copied_and_counted_from_zero() -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=[7, 9])
    plain = as_frame(frame, what="train")
    frame.loc[7, "a"] = 5
    assert plain["a"].tolist() == [1, 2]
    assert plain.index.tolist() == [0, 1]
    assert as_frame(pd.DataFrame(index=[4, 5]), what="train").shape == (2, 0)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"a": [1]}, r"train: must be a pandas DataFrame, got dict"),
        (pd.DataFrame([[1]]), r"train: column names must be texts, got 0"),
        (pd.DataFrame([[1]], columns=[""]), r"train: column names must be texts, got ''"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), r"train: column 'a' is there 2 times"),
        (pd.DataFrame({"a": [[1, 2]]}), r"train, column 'a': holds a list"),
    ],
)
def test_what_is_no_table_of_an_answer_is_refused(frame: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        as_frame(frame, what="train")


@pytest.mark.parametrize("gap", [np.float32("nan"), np.float64("nan"), np.datetime64("NaT", "s"), pd.NaT, pd.NA, None])
def test_a_missing_value_of_any_library_is_missing_beside_texts(gap: object) -> None:
    column = as_column(pd.Series(["a", gap], dtype=object), what="c")
    assert column.isna().tolist() == [False, True]
