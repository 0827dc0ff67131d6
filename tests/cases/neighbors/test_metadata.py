import datetime
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.cases import CaseExplainer
from assay.cases.neighbors.metadata import read_metadata
from assay.core import InvalidInput


def test_frames_mappings_and_lists_of_mappings_mean_the_same() -> None:
    expected = {"site": ("A", None), "year": (2020, 2021)}
    frame = pd.DataFrame({"site": ["A", None], "year": [2020, 2021]}, index=[9, 9])
    assert read_metadata(frame, cases=2) == expected
    assert read_metadata({"site": ["A", None], "year": np.array([2020, 2021])}, cases=2) == expected
    assert read_metadata([{"site": "A", "year": 2020}, {"year": 2021}], cases=2) == expected
    assert read_metadata(None, cases=2) == {}


def test_values_become_plain_json() -> None:
    frame = pd.DataFrame(
        {
            "when": pd.Series(["2020-01-02", None]).astype("datetime64[ns]"),
            "flag": pd.array([True, None], dtype="boolean"),
            "value": [np.float32(0.5), np.nan],
            "day": [datetime.date(2020, 1, 2), None],
            "tags": [["a", 1], {"b": np.int64(2)}],
        }
    )
    metadata = read_metadata(frame, cases=2)
    assert metadata["when"] == ("2020-01-02T00:00:00", None)
    assert metadata["flag"] == (True, None)
    assert metadata["value"] == (0.5, None)
    assert metadata["day"] == ("2020-01-02", None)
    assert json.loads(json.dumps(metadata["tags"], allow_nan=False)) == [["a", 1], {"b": 2}]


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"a": [1]}, "column 'a' has 1 entries for 2 cases"),
        (pd.DataFrame({"a": [1]}), "column 'a' has 1 entries for 2 cases"),
        ([{"a": 1}], "1 entries were given for 2 cases"),
        ({"a": "xy"}, "column 'a' must be a list with one entry per case, got 'xy'"),
        ({"a": 5}, "must be a list"),
        ([1, 2], "not a list"),
        ("ab", "not a str"),
        (5, "not a int"),
        ({"a": [object(), 1]}, "column 'a' holds a object"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "two columns have the same name"),
    ],
)
def test_metadata_that_does_not_fit_is_refused(metadata: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        read_metadata(metadata, cases=2)


def test_metadata_and_private_names_live_on_the_case_base() -> None:
    explainer = CaseExplainer(
        [[1.0, 2.0], [3.0, 4.0]], [0, 1], k=1, metadata={"site": ["A", "B"]}, private=["site", "x1"]
    )
    assert explainer.cases.private == {"site", "x1"}
    assert explainer.cases.metadata_of(1) == {"site": "B"}
    assert explainer.describe()["private"] == ["site", "x1"]
    # a private feature is compared nevertheless
    assert explainer.explain_instance([1.0, 4.1], predicted_class=1).neighbors[0].distance > 0.5
    with pytest.raises(InvalidInput, match="No feature or metadata column named 'sit'. Did you mean 'site'"):
        CaseExplainer([[1.0]], [0], k=1, metadata={"site": ["A"]}, private=["sit"])
    with pytest.raises(InvalidInput, match="must be a list of columns, got the text 'site'"):
        CaseExplainer([[1.0]], [0], k=1, metadata={"site": ["A"]}, private="site")


def test_private_values_are_in_nothing_that_is_shown() -> None:
    X = np.array([[1.0, 987654.321], [2.0, 123.0]])
    explainer = CaseExplainer(X, [0, 1], k=2, metadata={"name": ["Zanzibarine", "b"]}, private=("x1", "name"))
    batch = explainer.explain_batch(X, predictions=[0, 1], y=[0, 0])
    explanation = batch[0]
    shown = [
        explanation.summary(),
        json.dumps(explanation.to_dict()),
        repr(explanation),
        repr(batch),
        batch.to_frame().to_csv(),
        json.dumps(explainer.describe()),
        repr(explainer.cases),
    ]
    for text in shown:
        assert "987654" not in text
        assert "Zanzibarine" not in text
