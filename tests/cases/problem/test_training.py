from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay.cases.problem.training import demand_classes, demand_classifier, train_model
from assay.core import InvalidInput

QUANTITIES = [0.5, 1.25, 3.0]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (QUANTITIES, r"y holds 3 different numbers in 3 rows, such as 0.5: a quantity, not a class. Name a column"),
        (pd.Series(QUANTITIES, dtype=object), "3 different numbers in 3 rows"),
        (np.arange(1000), "y holds 1,000 different numbers in 1,000 rows"),
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


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        make_pipeline(StandardScaler(), LinearRegression()),
        GridSearchCV(LinearRegression(), {"fit_intercept": [True]}),
    ],
)
def test_a_regressor_is_no_classifier_wherever_it_hides(model: Any) -> None:
    with pytest.raises(InvalidInput, match="is a regressor, which predicts numbers"):
        demand_classifier(model, what="model")


def test_what_a_library_objects_to_is_one_line() -> None:
    with pytest.raises(InvalidInput, match=r"model cannot be trained on these columns \(ValueError: ") as caught:
        train_model(LogisticRegression(), [["a"], ["b"]], ["a", "b"], what="model")
    assert "\n" not in str(caught.value)
