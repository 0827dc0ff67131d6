from __future__ import annotations

from typing import Any

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
        ("sklearn.svm:SVR", "SVR is a regressor, which predicts numbers"),
        ("xgboost:XGBRegressor(n_estimators=3)", "XGBRegressor is a regressor"),
        ("os:getcwd", r"has no predict\(\)"),
        ("builtins:dict", "is not a class"),
    ],
)
def test_a_wrong_classifier_is_explained(frame: pd.DataFrame, text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make_classifier(text, frame)


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Names that libraries object to, gaps, categories as texts and as pandas has them, a column without a value."""
    rng = np.random.default_rng(0)
    x, kind = rng.normal(size=200), rng.choice(["red", "green"], 200)
    table = pd.DataFrame(
        {"x <1>[a]": np.where(x > 1.5, np.nan, x), "kind": kind, "flag": x > 0, "empty": [None] * 200}
    ).assign(same=pd.Categorical(kind))
    table.loc[:9, "kind"] = None
    return table, np.where((x > 0) | (kind == "red"), "yes", "no")


@pytest.mark.parametrize(
    "text",
    [
        "xgboost:XGBClassifier(n_estimators=8)",
        "xgboost:XGBClassifier(n_estimators=8, enable_categorical=False)",
        "lightgbm:LGBMClassifier(num_iterations=8)",  # LightGBM's own name, which its signature does not have
    ],
)
def test_boosted_trees_take_gaps_categories_and_texts_as_labels(
    mixed: tuple[pd.DataFrame, np.ndarray[Any, Any]], text: str
) -> None:
    table, labels = mixed
    model = make_classifier(text, table).fit(table, labels)
    assert model.classes_.tolist() == ["no", "yes"]
    assert (model.predict(table) == labels).mean() > 0.9
    assert model.classes_[model.predict_proba(table).argmax(axis=1)].tolist() == model.predict(table).tolist()
    assert len(model.predict(table.assign(kind="blue"))) == 200  # a category that training never saw


def test_boosted_trees_answer_in_numbers_where_labels_were_numbers() -> None:
    table = pd.DataFrame({"x": np.repeat([0.0, 1.0, 2.0], 20)})
    model = make_classifier("xgboost:XGBClassifier(n_estimators=5)", table).fit(table, np.repeat([3, 7, 5], 20))
    assert model.predict(table).tolist() == np.repeat([3, 7, 5], 20).tolist()


@pytest.mark.parametrize("text", ["xgboost:XGBClassifier(n_estimatorz=3)", "lightgbm:LGBMClassifier(n_estimatorz=3)"])
def test_a_mistyped_parameter_of_an_open_signature_is_found(frame: pd.DataFrame, text: str) -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'n_estimators'"):
        make_classifier(text, frame)
    assert make_classifier(text.replace("n_estimatorz", "whatever_else"), frame)


def test_what_the_user_says_of_chatter_stays(frame: pd.DataFrame) -> None:
    assert make_classifier("lightgbm:LGBMClassifier", frame).classifier.get_params()["verbose"] == -1
    assert make_classifier("lightgbm:LGBMClassifier(verbose=1)", frame).classifier.get_params()["verbose"] == 1
