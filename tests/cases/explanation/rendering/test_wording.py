import json
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cases.explanation.rendering.wording import as_json, is_missing, one_line, shorten, shorten_apart, tell


@given(st.text(st.characters()))
def test_a_line_stays_one_line_that_any_terminal_shows(text: str) -> None:
    line = one_line(text)
    assert line.isprintable()
    assert len(line.splitlines()) <= 1
    assert line.encode("utf-8").decode("utf-8") == line  # a lone surrogate could not be written


def test_what_can_be_printed_is_left_as_it_is() -> None:
    assert one_line("größe in µm, 漢字 <b>") == "größe in µm, 漢字 <b>"
    assert one_line("\x1b[31mred") == "\\x1b[31mred"
    assert one_line("abc\u202edef") == "abc\\u202edef"
    assert one_line(17) == "17"


@given(st.text(max_size=60), st.integers(3, 40))
def test_a_shortened_text_is_never_longer_than_allowed(text: str, most: int) -> None:
    short = shorten(text, most=most)
    assert len(short) <= most
    assert short == text or "…" in short


def test_long_names_that_differ_stay_apart() -> None:
    names = [f"a long name of feature {letter} as it was exported" for letter in "abc"]
    assert shorten_apart(names, most=20) == ["…a…", "…b…", "…c…"]
    assert shorten_apart(["short", "also short"], most=20) == ["short", "also short"]
    assert shorten_apart(["same", "same"], most=10) == ["same", "same"]
    assert shorten_apart([], most=10) == []
    assert shorten_apart(["x" * 50], most=10) == [shorten("x" * 50, most=10)]


@pytest.mark.parametrize("value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT", "s")])
def test_every_kind_of_missing_is_missing(value: object) -> None:
    assert is_missing(value)
    assert tell(value) == "missing"
    assert as_json(value) is None


def test_numbers_are_told_with_the_digits_that_matter() -> None:
    assert [
        tell(value) for value in (12345.0, 12345.67, -9.5e6, 0.000123456, 1e9, -3.0, np.float32(0.5), 7, "x\ny")
    ] == [
        "12345",
        "12346",
        "-9500000",
        "0.0001235",
        "1e+09",
        "-3",
        "0.5",
        "7",
        "x\\ny",
    ]


def test_values_that_json_does_not_know_become_texts() -> None:
    odd = {
        1: np.array([1, 2]),
        "day": date(2024, 1, 31),
        "price": Decimal("1.10"),
        "set": frozenset({3}),
        "flag": np.bool_(True),
        "text": np.str_("a"),
        "minus": float("-inf"),
        "stamp": np.datetime64("2024-01-31T12:00:00", "ns"),
    }
    assert as_json(odd) == {
        "1": [1, 2],
        "day": "2024-01-31",
        "price": "1.10",
        "set": [3],
        "flag": True,
        "text": "a",
        "minus": "-inf",
        "stamp": "2024-01-31T12:00:00.000000000",
    }


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.dates() | st.binary()


@given(st.recursive(_SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8))
def test_whatever_comes_in_strict_json_comes_out(value: object) -> None:
    body = as_json(value)
    assert json.loads(json.dumps(body, allow_nan=False)) == body


def test_zero_has_no_sign() -> None:
    assert [tell(-0.0), tell(np.float32(-0.0))] == ["0", "0"]
