from typing import Any

import numpy as np
import pytest

from assay.cases.neighbors.naming import as_class_names, as_columns, as_feature_names, as_feature_weights, as_private
from assay.core import InvalidInput


def test_columns_may_be_named_or_counted() -> None:
    assert as_columns(["b", 0], None, ("a", "b")) == {0, 1}
    assert as_columns(["q"], ["p", "q"], ("a", "b")) == {1}
    assert as_columns(None, None, None) == frozenset()  # type: ignore[arg-type]


def test_a_feature_that_is_not_named_weighs_one() -> None:
    weights = as_feature_weights({"b": 3}, ("a", "b"))
    assert weights is not None
    assert weights.tolist() == [1.0, 3.0]
    assert as_feature_weights(None, ("a",)) is None


def test_names_have_defaults() -> None:
    assert as_feature_names(None, None, 2) == ("x0", "x1")
    assert as_feature_names(np.array(["p", "q"]), ("a", "b"), 2) == ("p", "q")
    assert as_class_names(None, np.array([3, 4])) == {3: "3", 4: "4"}
    assert as_private(["m"], ("a",), {"m": (1,)}) == {"m"}


@pytest.mark.parametrize("values", [5, 1.5, object(), np.int64(3), type, "ab"])
def test_what_is_no_list_of_names_is_refused(values: Any) -> None:
    with pytest.raises(InvalidInput, match="feature_names: must be a list of 2 names"):
        as_feature_names(values, None, 2)
    with pytest.raises(InvalidInput, match="class_names: must be a list of 2 names"):
        as_class_names(values, np.array([0, 1]))
    with pytest.raises(InvalidInput, match="categorical: must be a list of features"):
        as_columns(values, None, None)
    with pytest.raises(InvalidInput, match="private: must be a list of columns"):
        as_private(values, ("a",), {})


@pytest.mark.parametrize("values", [[["a"]], [5], [None]])
def test_what_is_no_column_is_not_known(values: Any) -> None:
    with pytest.raises(InvalidInput, match="No feature or metadata column named"):
        as_private(values, ("a",), {})
