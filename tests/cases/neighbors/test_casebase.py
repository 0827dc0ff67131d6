from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.cases.neighbors.casebase import build_case_base
from assay.core import InvalidInput

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]])
Y = ["b", "a", "b"]


def test_names_come_from_the_frame_and_labels_are_sorted_classes() -> None:
    cases = build_case_base(pd.DataFrame(X, columns=["age", "size"], index=[5, 6, 7]), pd.Series(Y, index=[1, 1, 2]))
    assert cases.feature_names == ("age", "size")
    assert cases.classes.tolist() == ["a", "b"]
    assert cases.class_names == {"a": "a", "b": "b"}
    assert build_case_base(X, Y).feature_names == ("x0", "x1")


def test_names_may_be_arrays_and_classes_may_be_named_by_order_or_by_mapping() -> None:
    cases = build_case_base(X, [1, 0, 1], feature_names=np.array(["p", "q"]), class_names=np.array(["no", "yes"]))
    assert cases.feature_names == ("p", "q")
    assert cases.class_names == {0: "no", 1: "yes"}
    assert build_case_base(X, [1, 0, 1], class_names={1: "yes"}).class_names == {0: "0", 1: "yes"}
    assert cases.name_of(7) == "7"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_train": ["a"]}, "X_train has 3 rows but y_train has 1 labels"),
        ({"X_train": np.empty((0, 2)), "y_train": []}, "training set is empty"),
        ({"X_train": [["red", "blue"]] * 3}, "X_train: holds .*not numbers"),
        ({"y_train": [["a"], ["b"], ["a"]]}, "ravel"),
        ({"feature_names": ["one"]}, "1 names were given for 2 features"),
        ({"feature_names": ["one", "one"]}, "'one' is given twice"),
        ({"feature_names": "ab"}, "must be a list of 2 names, got the text 'ab'"),
        ({"class_names": ["only"]}, "one name for each of the 2 classes in the order 'a', 'b'"),
        ({"class_names": {"c": "x"}}, "'c' is not a training class. Known classes: 'a', 'b'"),
        ({"X_train": np.array([[1.0, np.nan]] * 3)}, "X_train: row 0, column 1 is nan"),
    ],
)
def test_training_cases_that_do_not_fit_together_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        build_case_base(**{"X_train": X, "y_train": Y, **arguments})


def test_one_query_may_be_flat_or_a_table_of_one_row() -> None:
    cases = build_case_base(pd.DataFrame(X, columns=["age", "size"]), Y)
    frame = pd.DataFrame([[7.0, 8.0]], columns=["age", "size"])
    for query in ([7, 8], (7.0, 8.0), np.array([7.0, 8.0]), [[7.0, 8.0]], frame, frame.iloc[0]):
        assert cases.read_one(query, what="x").raw.tolist() == [[7.0, 8.0]]
    with pytest.raises(InvalidInput, match="must be one row, got 3. Use explain_batch"):
        cases.read_one(X, what="x")
    with pytest.raises(InvalidInput, match="has 3 features, the training cases have 2"):
        cases.read_one([1.0, 2.0, 3.0], what="x")
    with pytest.raises(InvalidInput, match="x: "):
        cases.read_one([1.0, [2.0]], what="x")


def test_the_same_columns_in_another_order_are_refused_and_other_names_go_by_position() -> None:
    cases = build_case_base(pd.DataFrame(X, columns=["age", "size"]), Y)
    with pytest.raises(InvalidInput, match="another order"):
        cases.read(pd.DataFrame(X, columns=["size", "age"]), what="X")
    with pytest.raises(InvalidInput, match="another order"):
        cases.read_one(pd.Series({"size": 1.0, "age": 2.0}), what="x")
    assert cases.read(pd.DataFrame(X, columns=["u", "v"]), what="X").raw.tolist() == X.tolist()


def test_labels_of_queries_are_checked_against_training() -> None:
    cases = build_case_base(X, Y)
    with pytest.raises(InvalidInput, match="class 'c' was never seen in training. Known classes: 'a', 'b'"):
        cases.labels(["c"], count=1, what="predictions", allow_unseen=False)
    assert cases.labels(["c"], count=1, what="predictions", allow_unseen=True).tolist() == ["c"]
    with pytest.raises(InvalidInput, match="text with number"):
        cases.labels([1], count=1, what="predictions", allow_unseen=True)
    with pytest.raises(InvalidInput, match=r"2 were given for 3 row\(s\)"):
        cases.labels(["a", "b"], count=3, what="predictions", allow_unseen=False)
