from __future__ import annotations

import math

import pytest

from assay.core import Interval
from assay.report.wording import duration, format_interval, format_number, format_p_value, shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (1, "1.000"),
        (99.9994, "99.999"),
        (100.0, "100.0"),
        (-12345.0, "-1.234e+04"),
        (-0.0004, "-4.0e-04"),
        (-math.inf, "-∞"),
    ],
)
def test_numbers_have_digits_that_fit_their_size(value: float, text: str) -> None:
    assert format_number(value) == text


def test_an_interval_has_one_style_and_no_negative_zero() -> None:
    assert format_interval(Interval(0.0, -0.00001, 0.5)) == "0.000 [0.000, 0.500]"
    assert format_interval(Interval(250.0, 3.14159, 400.0)) == "250.0 [3.1, 400.0]"
    assert format_interval(Interval(2e-5, 1e-5, 3e-5)) == "2.0e-05 [1.0e-05, 3.0e-05]"


def test_what_is_undefined_is_a_dash() -> None:
    nan = math.nan
    assert format_interval(Interval(nan, nan, nan)) == "–"
    assert format_number(nan) == format_p_value(nan) == duration(nan) == "–"


def test_infinite_means_are_shown_without_bounds() -> None:
    assert format_interval(Interval(math.inf, math.nan, math.nan)) == "∞"


def test_control_and_direction_characters_are_written_out() -> None:
    assert shown("a\u202eb\u200bc\x9b\ud800") == "a\\u202eb\\u200bc\\x9b\\ud800"
    assert shown("a\nb\tc\r") == "a\\nb\\tc\\r"
    assert shown("a\nb\tc\r", lines=True) == "a\nb\tc\\r"
    assert shown("Größe ≤ 3 模型") == "Größe ≤ 3 模型"
