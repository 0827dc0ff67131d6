from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.intake.models import demand_classes

QUANTITIES = [0.5, 1.25, 3.0]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (QUANTITIES, r"y holds 3 different numbers in 3 rows, such as 0.5: a quantity, not a class. Name a column"),
        (pd.Series(QUANTITIES, dtype=object), "3 different numbers in 3 rows"),
        (np.arange(1000), "y holds 1,000 different numbers in 1,000 rows"),
        ([1.0, float("inf"), 2.0], "3 different numbers in 3 rows, such as inf"),
        (["a", "a"], r"y holds one class only, 'a', in 2 rows: there is nothing to tell apart"),
        ([1, 1, 1], "one class only, 1, in 3 rows"),
    ],
)
def test_a_quantity_and_a_single_class_are_no_labels(labels: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        demand_classes(labels, what="y")


@pytest.mark.parametrize("labels", [["a", "b"], [0, 1], [0.0, 1.0], [True, False], list(range(20)), [*range(50)] * 2])
def test_classes_of_every_kind_are_labels(labels: Any) -> None:
    demand_classes(labels, what="y")
