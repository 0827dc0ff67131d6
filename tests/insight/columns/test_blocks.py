import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.insight.columns.blocks import pack, unpack
from assay.insight.columns.typed_columns import TEXT, as_frame

KINDS: tuple[st.SearchStrategy[Any], ...] = (
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.booleans(),
    st.none() | st.booleans(),
    st.none() | st.text(alphabet=st.characters(codec="utf-8"), max_size=5),
)


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.integers(0, 6))
    chosen = draw(st.lists(st.sampled_from(KINDS), max_size=4))
    columns = {
        f"c{place}": pd.Series(draw(st.lists(kind, min_size=rows, max_size=rows)), dtype=object)
        for place, kind in enumerate(chosen)
    }
    return as_frame(pd.DataFrame(columns, index=range(rows)), what="frame")


def through_json(about: object) -> Any:
    return json.loads(json.dumps(about))


@given(frames())
def test_tables_come_back_value_by_value_and_type_by_type(frame: pd.DataFrame) -> None:
    about, data = pack(frame)
    again, rest = unpack(through_json(about), memoryview(data + b"tail"))
    pd.testing.assert_frame_equal(again, frame, check_exact=True)
    assert bytes(rest) == b"tail"
    assert pack(again) == (about, data)


def test_the_bits_of_a_float_survive() -> None:
    frame = as_frame(pd.DataFrame({"x": [-0.0, np.inf, 5e-324, 0.1 + 0.2, np.nan]}), what="frame")
    about, data = pack(frame)
    again, _ = unpack(through_json(about), memoryview(data))
    assert again["x"].to_numpy().tobytes() == frame["x"].to_numpy().tobytes()


def test_missing_texts_and_empty_texts_are_two_things() -> None:
    frame = as_frame(pd.DataFrame({"t": ["", None, "é", "nan"]}), what="frame")
    about, data = pack(frame)
    again, _ = unpack(through_json(about), memoryview(data))
    assert again["t"].isna().tolist() == [False, True, False, False]
    assert again["t"].dtype == TEXT
    assert again["t"].iloc[[0, 2, 3]].tolist() == ["", "é", "nan"]


TEXTS = np.array([1, -1], dtype="<i4").tobytes() + b"a"


@pytest.mark.parametrize(
    ("about", "data", "message"),
    [
        (None, b"", r"a table must be described by its rows and columns"),
        ({"rows": 1}, b"", r"a table must be described by its rows and columns"),
        ({"rows": 1, "columns": {}}, b"", r"a table must be described by its rows and columns"),
        ({"rows": -1, "columns": []}, b"", r"a table must have from 0 to 1000000000 rows, got -1"),
        ({"rows": True, "columns": []}, b"", r"a table must have from 0 to"),
        ({"rows": 1.0, "columns": []}, b"", r"a table must have from 0 to"),
        ({"rows": 10**18, "columns": [["a", "int", 8]]}, b"x" * 8, r"a table must have from 0 to"),
        ({"rows": 10**9, "columns": [["a", "int", 8]]}, b"x" * 8, r"column 'a' has 8 bytes for 1000000000 rows"),
        ({"rows": 1, "columns": [["a", "int"]]}, b"", r"a column must be described by name, kind and bytes"),
        ({"rows": 1, "columns": [["a", "object", 8]]}, b"x" * 8, r"a column must be described by name, kind"),
        ({"rows": 1, "columns": [["a", [], 8]]}, b"x" * 8, r"a column must be described by name, kind"),
        ({"rows": 1, "columns": [["", "int", 8]]}, b"x" * 8, r"a column must be described by name, kind"),
        ({"rows": 1, "columns": [["a", "int", -8]]}, b"x" * 8, r"a column must be described by name, kind"),
        ({"rows": 1, "columns": [["a", "int", 8]]}, b"x" * 7, r"column 'a' should have 8 bytes, 7 are left"),
        ({"rows": 1, "columns": [["a", "int", 8]] * 2}, b"x" * 16, r"column 'a' occurs twice in a table"),
        ({"rows": 1, "columns": [["a", "bool", 1]]}, b"\2", r"column 'a' holds something that is not True or False"),
        ({"rows": 2, "columns": [["a", "flag", 2]]}, b"\1\3", r"column 'a' holds something that is not True or False"),
        ({"rows": 2, "columns": [["a", "flag", 2]]}, b"\1\0", r"column 'a' is of kind 'flag' without a missing"),
        ({"rows": 2, "columns": [["a", "text", 7]]}, b"x" * 7, r"column 'a' has 7 bytes for 2 rows of text"),
        ({"rows": 2, "columns": [["a", "text", 10]]}, TEXTS + b"b", r"lengths of its texts do not add up"),
        ({"rows": 2, "columns": [["a", "text", 8]]}, TEXTS[:8], r"lengths of its texts do not add up"),
        (
            {"rows": 1, "columns": [["a", "text", 4]]},
            b"\xf0\xff\xff\xff",
            r"column 'a' holds a text of negative length",
        ),
        ({"rows": 1, "columns": [["a", "text", 4]]}, b"\xff" * 4, r"column 'a' is of kind 'text' and holds none"),
        ({"rows": 1, "columns": [["a", "text", 5]]}, b"\1\0\0\0\xff", r"column 'a' holds text that is not UTF-8"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(about: object, data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        unpack(about, memoryview(data))


def test_text_that_is_not_unicode_cannot_be_packed() -> None:
    frame = pd.DataFrame({"t": pd.Series(["\ud800"], dtype=object)})
    with pytest.raises(InvalidInput, match=r"column 't' holds text that is not Unicode"):
        pack(frame)
