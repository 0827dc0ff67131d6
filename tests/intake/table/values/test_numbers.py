"""Numbers as people write them."""

from __future__ import annotations

from typing import Literal

import pandas as pd
import pytest

from assay.intake.table.values.numbers import read_numbers


@pytest.mark.parametrize(
    ("texts", "values", "decimal", "thousands"),
    [
        (["1", "-2", "30"], [1, -2, 30], None, None),
        (["1.5", "2.25"], [1.5, 2.25], ".", None),
        (["1,5", "-0,25"], [1.5, -0.25], ",", None),
        (["1.234,50", "12,5"], [1234.5, 12.5], ",", "."),
        (["1,234.50", "12.5"], [1234.5, 12.5], ".", ","),
        (["1,234", "999", "12,000,000"], [1234, 999, 12000000], None, ","),
        (["1'234.5", "12.5"], [1234.5, 12.5], ".", "'"),
        (["1\u202f234,5", "12,5"], [1234.5, 12.5], ",", "\u202f"),
        (["$1,234.50", "$2.50"], [1234.5, 2.5], ".", ","),
        (["12,5 %", "3,0 %"], [12.5, 3.0], ",", None),
        (["(12.50)", "3.25"], [-12.5, 3.25], ".", None),
        (["12.5-", "3.25"], [-12.5, 3.25], ".", None),
        (["1.5e-3", "2E5"], [0.0015, 200000.0], ".", None),
        (["3 kg", "4 kg"], [3, 4], None, None),
        (["1 day", "4 days"], [1, 4], None, None),
    ],
)
def test_the_usual_spellings_are_read(
    texts: list[str], values: list[float], decimal: str | None, thousands: str | None
) -> None:
    numbers = read_numbers(pd.Series(texts, dtype="str"))
    assert numbers is not None
    assert numbers.values.tolist() == values
    assert (numbers.decimal, numbers.thousands) == (decimal, thousands)


@pytest.mark.parametrize(("decimal", "value"), [(".", 1.234), (",", 1234)])
def test_three_digits_behind_one_mark_are_read_as_the_rest_of_the_file(
    decimal: Literal[".", ","], value: float
) -> None:
    numbers = read_numbers(pd.Series(["1.234", "2.345"], dtype="str"), decimal)
    assert numbers is not None
    assert numbers.values[0] == value
    assert not numbers.certain


@pytest.mark.parametrize(
    "texts",
    [
        ["007", "12"],
        ["1.2.3"],
        ["12345e6", "4071e8a"],
        ["+49 151 123456"],
        ["192.168.100.200"],
        ["3 kg", "4 km"],
        ["a", "1"],
        ["inf"],
        ["12-25"],
        ["(5", "4)"],
        ["0x10", "0x1F"],
        ["10", "0x10"],
    ],
)
def test_codes_and_other_texts_are_no_numbers(texts: list[str]) -> None:
    assert read_numbers(pd.Series(texts, dtype="str")) is None
