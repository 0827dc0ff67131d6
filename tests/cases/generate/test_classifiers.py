from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assay.cases.generate.classifiers import CLASSIFIERS, make_classifier
from assay.core import InvalidInput


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    return pd.DataFrame({"x": np.where(x > 2, np.nan, x), "flag": x > 0, "kind": np.where(x > 0, "up", "down")})


@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
def test_every_short_name_fits_mixed_columns_with_missing_values(frame: pd.DataFrame, name: str) -> None:
    labels = frame["kind"].to_numpy()
    model = make_classifier(name, frame).fit(frame, labels)
    assert (model.predict(frame) == labels).mean() > 0.9
    unknown = frame.assign(kind="sideways")  # a category that training never saw
    assert len(model.predict(unknown)) == len(frame)


def test_parameters_go_on_top_of_the_short_names_own(frame: pd.DataFrame) -> None:
    model = make_classifier("forest(n_estimators=7)", frame)
    assert model[-1].n_estimators == 7
    assert model[-1].random_state == 0


def test_any_class_can_be_named_by_its_module(frame: pd.DataFrame) -> None:
    model = make_classifier("sklearn.svm:SVC(probability=False, C=2.0)", frame)
    assert (type(model[-1]).__name__, model[-1].C) == ("SVC", 2.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forrest", "No classifier named 'forrest'. Did you mean 'forest'"),
        ("forest(n_estimatorz=3)", "Did you mean 'n_estimators'"),
        ("no_such_package:Thing", "'no_such_package' cannot be imported"),
        ("sklearn.svm:SVX", "'sklearn.svm' has no class 'SVX'"),
    ],
)
def test_a_wrong_classifier_is_explained(frame: pd.DataFrame, text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make_classifier(text, frame)
