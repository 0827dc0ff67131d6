from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.cases.neighbors.checks import as_k, as_label, as_labels, as_matrix, column_names, listed
from assay.core import InvalidInput


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.0], r"two-dimensional.*got shape \(2,\)"),
        ([[1.0], [2.0, 3.0]], "rows differ in length"),
        ([["a"]], "not numbers"),
        ([["1.5", 2]], "not numbers"),
        (np.array([[1, "x"]], dtype=object), "'x' is not a number"),
        (np.array([[1, None]], dtype=object), "row 0, column 1 is nan"),
        ([[1.0, 2.0], [3.0, np.inf]], "row 1, column 1 is inf"),
        ([[1e160]], "Rescale"),
        ([[1j]], "not numbers"),
        (np.empty((3, 0)), "no features"),
        (pd.DataFrame({"age": [1.0, np.nan]}), "row 1, column 'age' is nan"),
        (pd.DataFrame({"age": [1], "plan": ["a"]}), "column 'plan' holds"),
        (np.ma.masked_array([[1.0, 2.0]], mask=[[False, True]]), "column 1 is nan"),
    ],
)
def test_a_matrix_that_cannot_be_compared_is_refused(values: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        as_matrix(values, what="X")


def test_a_sparse_matrix_is_refused_with_the_remedy() -> None:
    from scipy.sparse import csr_matrix

    with pytest.raises(InvalidInput, match="toarray"):
        as_matrix(csr_matrix(np.eye(2)), what="X")


def test_numbers_of_every_kind_become_float64_and_arrays_are_not_copied() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": [True, False], "c": pd.array([1, 2], dtype="Int64")}, index=[9, 4])
    assert as_matrix(frame, what="X").tolist() == [[1.0, 1.0, 1.0], [2.0, 0.0, 2.0]]
    assert as_matrix(np.array([[1, 2.5]], dtype=object), what="X").dtype == np.float64
    assert as_matrix(((1, 2), (3, 4)), what="X").tolist() == [[1.0, 2.0], [3.0, 4.0]]
    array = np.zeros((2, 2))
    assert np.shares_memory(as_matrix(array, what="X"), array)
    assert column_names(frame) == ("a", "b", "c")
    assert column_names(array) is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1], [2]], r"got shape \(2, 1\). Pass y.ravel"),
        ([1, None], "None is not a label"),
        (["a", np.nan], "nan is not a label"),
        (["a", 1], "mixes texts and numbers"),
        (np.array([b"a"]), "whole numbers or texts"),
        ([1.0, np.nan], "nan is not a class label"),
        ([1.25], "1.25 is not a class label"),
        ([1e300], "is not a class label"),
        (pd.Series(["a", None]), "is not a label"),
        ([object()], "is not a label"),
    ],
)
def test_labels_that_are_no_classes_are_refused(values: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        as_labels(values, what="y")


def test_labels_of_every_source_are_taken_by_position() -> None:
    assert as_labels(pd.Series(["b", "a"], index=[7, 3]), what="y").tolist() == ["b", "a"]
    assert as_labels(pd.Series(pd.Categorical([2, 1])), what="y").tolist() == [2, 1]
    assert as_labels((True, False), what="y").tolist() == [True, False]
    assert as_labels(np.array(["a"], dtype=object), what="y").dtype.kind == "U"
    assert as_labels(np.array([3, 4], dtype=object), what="y").dtype.kind == "i"
    assert as_labels(np.array(["a", "bc"], dtype=np.dtypes.StringDType()), what="y").tolist() == ["a", "bc"]
    assert as_labels([], what="y").shape == (0,)
    assert type(as_label(np.int64(3), what="y")) is int
    assert type(as_label(np.str_("a"), what="y")) is str


@pytest.mark.parametrize("k", [0, -1, 2.5, True, False, None, "some", [1], np.True_])
def test_a_k_that_is_no_count_is_refused(k: object) -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        as_k(k, available=10)


def test_k_may_be_any_integer_up_to_the_case_base() -> None:
    assert as_k(np.int32(4), available=4) == 4
    assert as_k("all", available=4) == 4
    with pytest.raises(InvalidInput, match="k=5 neighbours were asked of a case base of 4"):
        as_k(5, available=4)


def test_long_lists_are_shortened_in_messages() -> None:
    assert listed(["a", 1]) == "'a', 1"
    assert listed([1, 2, 3], most=2) == "1, 2 and 1 more"
