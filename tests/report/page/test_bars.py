from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import Interval
from assay.report.page.bars import SHADES, Axis, Bar, axis_of


def test_positions_are_shares_of_the_axis() -> None:
    assert Axis(0.0, 1.0).bar(Interval(0.5, 0.25, 1.0)) == Bar(50.0, 25.0, 100.0)
    assert Axis(-1.0, 3.0).bar(Interval(0.0, math.nan, math.nan)) == Bar(25.0, None, None)
    assert Axis(0.0, 1.0).bar(Interval(math.nan, math.nan, math.nan)) is None
    assert Axis(0.0, 1.0).bar(Interval(math.inf, math.nan, math.nan)) is None


@pytest.mark.parametrize("values", [[], [math.nan], [math.inf]])
def test_without_finite_values_the_axis_is_the_usual_one(values: list[float]) -> None:
    assert axis_of(values) == Axis(0.0, 1.0)


@given(st.lists(st.floats(min_value=-1e12, max_value=1e12), min_size=1))
def test_every_value_lies_on_its_axis(values: list[float]) -> None:
    axis = axis_of(values)
    assert all(0 <= axis.place(value) <= 100 for value in values)


def test_better_is_darker_by_the_goal() -> None:
    axis = Axis(0.0, 1.0)
    assert (axis.shade(0.0, "max"), axis.shade(1.0, "max")) == (1, SHADES)
    assert (axis.shade(0.0, "min"), axis.shade(1.0, "min")) == (SHADES, 1)
    assert axis.shade(math.nan, "max") == 0
    assert (axis.shade(math.inf, "max"), axis.shade(-math.inf, "max")) == (SHADES, 1)
