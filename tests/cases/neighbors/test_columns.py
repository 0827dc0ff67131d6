import datetime
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.cases.neighbors.columns import Encoding, fit_encoding, read_table
from assay.core import InvalidInput


def test_frames_are_read_by_position_whatever_their_types() -> None:
    frame = pd.DataFrame(
        {
            "a": pd.array([1, None, 3], dtype="Int64"),
            "b": pd.array([True, None, False], dtype="boolean"),
            "c": pd.array(["x", "y", None], dtype="string"),
            "d": pd.Categorical([2, 1, 2]),
            "e": [0.5, np.nan, 1.5],
            "f": np.array(["u", None, "v"], dtype=object),
            "g": np.array([1, 2.5, None], dtype=object),
        },
        index=[7, 7, 9],
    )
    table = read_table(frame, what="X")
    np.testing.assert_array_equal(table.numbers[:, 0], [1, np.nan, 3])
    np.testing.assert_array_equal(table.numbers[:, 1], [1, np.nan, 0])
    np.testing.assert_array_equal(table.numbers[:, 4], [0.5, np.nan, 1.5])
    np.testing.assert_array_equal(table.numbers[:, 6], [1, 2.5, np.nan])
    assert {column: raw.tolist() for column, raw in table.categories.items()} == {
        1: [True, None, False],
        2: ["x", "y", None],
        3: [2, 1, 2],
        5: ["u", None, "v"],
    }


def test_lists_and_arrays_of_objects_keep_numbers_beside_texts() -> None:
    for rows in ([["a", 1], ["b", 2.5]], np.array([["a", 1], ["b", 2.5]], dtype=object), (("a", 1), ("b", 2.5))):
        table = read_table(rows, what="X")
        assert table.categories[0].tolist() == ["a", "b"]
        assert table.numbers[:, 1].tolist() == [1.0, 2.5]
    assert read_table(np.array([[True, False]]), what="X").categories[1].tolist() == [False]
    assert read_table(np.array([["p", "q"]]), what="X").categories[1].tolist() == ["q"]
    assert read_table([[Fraction(1, 2), "a"]], what="X").numbers[0, 0] == 0.5


def test_plain_numbers_are_not_copied() -> None:
    array = np.arange(6.0).reshape(3, 2)
    table = read_table(array, what="X")
    assert np.shares_memory(table.numbers, array)
    assert table.categories == {}
    assert read_table(array, what="X", categorical=[1]).categories[1].tolist() == [1.0, 3.0, 5.0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([["a", 1], ["b", "c"]], r"column '1' mixes texts and numbers \('c' and 1\)"),
        ([["a"], [True]], "mixes texts and numbers"),
        ([[{}, "a"]], "column '0', row 0: a dict is neither a number nor a text"),
        ([[1j, "a"]], "a complex is neither"),
        ([[b"a", "b"]], "a bytes is neither"),
        (np.array([[b"a"]]), "holds bytes. Decode"),
        ([["a", 10**400]], "column '1': holds the whole number a number of 1329 bits, beyond"),
        ([["a", 2**53 + 1]], "9007199254740993, beyond"),
        ([["a", Fraction(10**400)]], "too large for float64"),
        ([["a", np.inf]], "column '1', row 0 is inf. Fill"),
        ([["a", 1e200]], "column '1', row 0 is 1e.200. Rescale"),
        ([["a", 1], ["b"]], "rows differ in length"),
        ([[["a"], ["b"]]], "two-dimensional|not numbers"),
        ([["a", datetime.date(2020, 1, 1)]], "holds dates or times. Turn it into numbers"),
        (pd.DataFrame({"when": pd.to_datetime(["2020-01-01"]), "x": [1]}), "column 'when' holds dates"),
        (pd.DataFrame({"t": pd.to_timedelta([1], unit="s")}), "column 't' holds dates"),
        (pd.DataFrame({"p": pd.period_range("2020", periods=1, freq="D"), "x": ["a"]}), "column 'p' holds dates"),
        (pd.DataFrame({"z": [1j], "x": ["a"]}), "a complex is neither"),
        (pd.DataFrame({"i": [2**60], "x": ["a"]}), "column 'i': holds the whole number 1152921504606846976"),
        (pd.DataFrame({"i": [2**60]}), "column 'i': holds the whole number"),
        (np.array([[2**60]]), "holds the whole number"),
        (pd.DataFrame({"i": [object()]}), "an? object is neither"),
    ],
)
def test_what_is_neither_number_nor_category_is_refused(values: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_table(values, what="X")


def test_codes_are_places_among_the_training_categories() -> None:
    table = read_table([["b", 1.0], ["a", 2.0], [None, 3.0], ["b", 4.0]], what="X")
    encoding = fit_encoding(table)
    codes = encoding.encode(table, names=("p", "q"), what="X")
    np.testing.assert_array_equal(codes, [[0, 1], [1, 2], [np.nan, 3], [0, 4]])
    unseen = encoding.encode(read_table([["c", 1.0]], what="X"), names=("p", "q"), what="X")
    assert unseen[0, 0] == -1
    again = encoding.decode(codes)
    assert encoding.raw(again).tolist() == [["b", 1.0], ["a", 2.0], [None, 3.0], ["b", 4.0]]


def test_texts_and_numbers_are_never_compared() -> None:
    texts = fit_encoding(read_table([["1", 1.0]], what="X"))
    with pytest.raises(InvalidInput, match=r"column 'p': 1.0 is compared with the training categories '1', text with"):
        texts.encode(read_table([[1, 1.0]], what="X"), names=("p", "q"), what="X")
    with pytest.raises(InvalidInput, match="column 'q' holds texts, in training it held numbers"):
        texts.encode(read_table([["1", "z"]], what="X"), names=("p", "q"), what="X")


def test_without_categories_nothing_is_encoded() -> None:
    table = read_table(np.eye(2), what="X")
    assert Encoding().encode(table, names=("a", "b"), what="X") is table.numbers
    assert Encoding().raw(table) is table.numbers


def test_a_column_that_does_not_exist_is_refused() -> None:
    for values in (np.eye(2), [["a", 1]]):
        with pytest.raises(InvalidInput, match="no column 2; columns are 0 to 1"):
            read_table(values, what="X", categorical=[2])
