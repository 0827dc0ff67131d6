"""Classes of two files belong together by name."""

from __future__ import annotations

import numpy as np
import pytest

from assay.conformal.problem.matching import in_class_order
from assay.core import InvalidInput

MATRIX = np.array([[0.25, 0.75]])


@pytest.mark.parametrize("expected", [("no", "yes"), ("yes", "no")])
def test_a_single_column_stands_for_both_classes_of_another_file(expected: tuple[str, str]) -> None:
    ordered = in_class_order(MATRIX, ("not yes", "yes"), expected, where="new.csv")
    assert ordered[0, expected.index("yes")] == 0.75
    back = in_class_order(MATRIX, expected, ("not yes", "yes"), where="new.csv")
    assert back[0, 1] == MATRIX[0, expected.index("yes")]


def test_without_names_on_one_side_columns_are_taken_by_position() -> None:
    assert in_class_order(MATRIX, None, ("b", "a"), where="new.npz").tolist() == MATRIX.tolist()
    with pytest.raises(InvalidInput, match=r"new\.npz: has 2 classes where 3 are expected"):
        in_class_order(MATRIX, None, ("a", "b", "c"), where="new.npz")
