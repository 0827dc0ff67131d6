from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import math
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.sandbox.guest.output import MAX_TEXT, NotAValue, build_column, plain_value


class Colour(enum.IntEnum):
    RED = 3


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (True, True),
        (np.True_, True),
        (3, 3),
        (np.int8(3), 3),
        (np.uint64(2**64 - 1), float(2**64 - 1)),
        (Colour.RED, 3),
        (0.5, 0.5),
        (np.float32(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.longdouble("1e4000"), math.inf),
        (math.inf, math.inf),
        (10**30, 1e30),
        (10**400, math.inf),
        (-(10**400), -math.inf),
        (decimal.Decimal("0.25"), 0.25),
        (fractions.Fraction(1, 4), 0.25),
        ("text", "text"),
        (np.str_("text"), "text"),
        ("a\ud800b", "a?b"),
        (pd.NaT, None),
        (pd.NA, None),
        (np.datetime64("NaT", "s"), None),
        (pd.Timestamp("2024-02-29 10:00"), "2024-02-29 10:00:00"),
        (datetime.date(2024, 2, 29), "2024-02-29"),
        (np.datetime64("2024-02-29"), "2024-02-29"),
        (pd.Timedelta(days=2), "2 days 00:00:00"),
        ({"cost": None}, "{'cost': None}"),
        (np.array(4), 4),
    ],
)
def test_values_become_plain_ones(value: Any, plain: object) -> None:
    result = plain_value(value)
    assert result == plain
    assert type(result) is type(plain)


def test_not_a_number_stays_so() -> None:
    assert math.isnan(plain_value(np.float64("nan")))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value", [[1], (1, 2), {1}, np.arange(2), pd.Series([1]), pd.DataFrame(), object(), print, 1j, b"x", iter([])]
)
def test_what_cannot_stand_in_a_cell_is_refused_by_name(value: object) -> None:
    with pytest.raises(NotAValue, match=f"returned a {type(value).__name__}; each row needs one number"):
        plain_value(value)


def test_text_is_bounded() -> None:
    assert plain_value("x" * MAX_TEXT) == "x" * MAX_TEXT
    with pytest.raises(NotAValue, match="returned a text of 10001 characters; at most 10000"):
        plain_value("x" * (MAX_TEXT + 1))


@pytest.mark.parametrize(
    ("values", "kind", "listed"),
    [
        ([], pa.null(), []),
        ([None, None], pa.null(), [None, None]),
        ([True, None], pa.bool_(), [True, None]),
        ([True, 2], pa.int64(), [1, 2]),
        ([1, 0.5, None], pa.float64(), [1.0, 0.5, None]),
        ([True, 0.5], pa.float64(), [1.0, 0.5]),
        ([1, "a", None, float("nan")], pa.string(), ["1", "a", None, None]),
        ([2**62, 1], pa.int64(), [2**62, 1]),
    ],
)
def test_a_column_has_one_type(values: list[Any], kind: object, listed: list[object]) -> None:
    column = build_column(values)
    assert (column.type, column.to_pylist()) == (kind, listed)


scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=5)


@given(st.lists(scalars, max_size=8))
def test_any_returned_values_make_a_valid_column_of_their_length(values: list[Any]) -> None:
    column = build_column([plain_value(value) for value in values])
    column.validate(full=True)
    assert len(column) == len(values)
    assert all(entry is None for value, entry in zip(values, column.to_pylist(), strict=True) if value is None)
