from __future__ import annotations

from typing import Any

import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay.cases.problem.training import demand_classifier, train_model
from assay.core import InvalidInput


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
