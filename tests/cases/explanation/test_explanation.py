import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.cases import CaseExplainer, Explanation
from assay.cases.explanation.context import Familiarity, Unlike

X = np.array([[0.0, 10.0], [1.0, 10.0], [2.0, 30.0], [8.0, 30.0]])


def explain(true_class: object = None, **options: Any) -> Explanation:
    explainer = CaseExplainer(
        X, [0, 0, 1, 1], k=3, feature_names=["size", "age"], class_names=["small", "big"], **options
    )
    return explainer.explain_instance([1.0, 11.0], predicted_class=0, true_class=true_class)


def test_a_summary_tells_the_prediction_the_neighbours_and_what_the_number_is_not() -> None:
    text = explain(true_class=1).summary()
    assert "Prediction: small (0), wrong: the true class is big (1)" in text
    assert "2 of the 3 nearest of 4 training cases agree" in text
    assert "1. small (0)  agrees" in text
    assert "3. big (1)    differs" in text
    assert "age 11 against 10" in text
    assert "agreement with these neighbours, not correctness" in text
    assert "high from 0.85, medium from 0.7) depend on the domain" in text
    assert "small (0), right: the true class is small (0)" in explain(true_class=0).summary()
    assert "true class" not in explain().summary()


def test_a_summary_says_when_the_nearest_case_is_the_query_itself() -> None:
    same = CaseExplainer(X, [0, 0, 1, 1], k=1).explain_instance(X[2], predicted_class=1)
    assert "identical to the query" in same.summary()


@pytest.mark.parametrize("labels", [[0, 0, 1, 1], ["a", "a", "b", "b"], [True, True, False, False]])
@pytest.mark.parametrize("known", [False, True])
def test_a_dictionary_is_strict_json_and_comes_back(labels: list[Any], known: bool) -> None:
    explainer = CaseExplainer(X.astype(np.float32), np.array(labels), k=2, thresholds=(float(np.float32(0.5)), 0))
    body = explainer.explain_instance(
        np.array([1, 2], dtype=np.float32),
        predicted_class=np.array(labels)[0],
        true_class=np.array(labels)[3] if known else None,
    ).to_dict()
    assert json.loads(json.dumps(body, allow_nan=False)) == body
    assert body["predicted_class"] == labels[0]
    assert body["is_correct"] is (False if known else None)
    assert body["neighbors"][0]["features"] == {"x0": 1.0, "x1": 10.0}  # type: ignore[index,call-overload]


def test_correctness_is_unknown_without_the_truth() -> None:
    assert explain().is_correct is None
    assert explain(true_class=0).is_correct is True
    assert explain(true_class=1).is_correct is False


def test_thresholds_are_the_explainers() -> None:
    assert explain().correspondence == pytest.approx(0.967, abs=1e-3)
    assert explain().interpretation == "high"
    assert explain(thresholds=(0.99, 0.9)).interpretation == "medium"
    assert explain(thresholds=(0.99, 0.97)).interpretation == "low"


def test_differences_add_up_to_the_distance_and_stand_in_order_of_their_share() -> None:
    explanation = explain()
    for neighbor in explanation.neighbors:
        differences = explanation.differences(neighbor)
        shares = [abs(difference.scaled) for difference in differences]
        assert shares == sorted(shares, reverse=True)
        assert np.sqrt(np.sum(np.square(shares))) == pytest.approx(neighbor.distance)
    first = explanation.differences()[0]
    assert (first.name, first.query, first.case) == ("age", 11.0, 10.0)


def explained(**columns: Any) -> Explanation:
    """An explanation whose context says: the nearest unlike case is 2, all else as given."""
    explainer = CaseExplainer(X, [0, 0, 1, 1], k=2, feature_names=["size", "age"], class_names=["small", "big"])
    context: Any = SimpleNamespace(
        unlike=lambda *_, **__: Unlike(np.array([columns.get("index", 2)]), np.array([columns.get("distance", 1.9)])),
        familiarity=lambda *_: Familiarity(np.array([0.9]), np.array([True])),
        fidelity=lambda *_: np.array([0.5]),
        prior=lambda *_: np.array([0.5]),
    )
    return replace(explainer.explain_batch([[1.0, 11.0]], predictions=[0]), context=context)[0]


def test_the_nearest_unlike_neighbour_is_a_case_and_its_contrast_a_table() -> None:
    shown = explained()
    unlike = shown.nearest_unlike
    assert unlike is not None
    assert (unlike.index, unlike.distance, unlike.label, unlike.features.tolist()) == (2, 1.9, 1, [2.0, 30.0])
    contrast = shown.contrast()
    assert contrast.rows == shown.differences(unlike)
    assert [(row.name, row.query, row.case) for row in contrast] == [("age", 11.0, 30.0), ("size", 1.0, 2.0)]
    assert contrast[0].scaled == pytest.approx((11 - 30) / X[:, 1].std())


def test_an_unlike_neighbour_that_is_absent_or_infinitely_far_is_none() -> None:
    for shown in (explained(index=-1, distance=np.nan), explained(distance=np.inf)):
        assert shown.nearest_unlike is None
        assert len(shown.contrast()) == 0
        assert shown.to_dict()["nearest_unlike"] is None


def test_a_dictionary_holds_what_was_added_and_keeps_what_was_there() -> None:
    body = explained().to_dict()
    assert list(body)[:11] == [
        "predicted_class",
        "predicted_class_name",
        "true_class",
        "true_class_name",
        "is_correct",
        "correspondence",
        "interpretation",
        "unfamiliar",
        "thresholds",
        "query",
        "neighbors",
    ]
    assert json.loads(json.dumps(body, allow_nan=False)) == body
    unlike: Any = body["nearest_unlike"]
    assert (unlike["index"], unlike["label_name"], unlike["agrees"]) == (2, "big", False)
    assert unlike["features"] == {"size": 2.0, "age": 30.0}
    assert [row["feature"] for row in unlike["contrast"]] == ["age", "size"]
    assert (body["prior_lift"], body["fidelity"]) == (2.0, 0.5)
    assert (body["distance_percentile"], body["unfamiliar"]) == (0.9, True)
    assert body["cautions"] == list(explained().cautions())
    assert body["probabilities"] is None
    bare = replace(explained(), lazy=None).to_dict()
    assert {name: bare[name] for name in ("nearest_unlike", "prior_lift", "fidelity", "unfamiliar")} == {
        "nearest_unlike": None,
        "prior_lift": None,
        "fidelity": None,
        "unfamiliar": None,
    }


def test_a_repr_is_short_and_shows_no_values() -> None:
    shown = explained()
    warned = "Explanation(predicted 0, correspondence 1 (high, but the query is unfamiliar), 2 neighbours: 0 at 0.1 "
    assert repr(shown).startswith(warned)
    assert len(repr(shown)) < 150
    assert repr(shown.neighbors[0]) == f"Neighbor(index=1, distance={shown.neighbors[0].distance!r}, label=0)"


def test_the_explainers_own_unlike_case_is_as_far_as_its_contrast_says() -> None:
    shown = explain()
    unlike = shown.nearest_unlike
    assert unlike is not None
    assert unlike.label != shown.predicted_class
    assert np.sqrt(sum(row.scaled**2 for row in shown.contrast())) == pytest.approx(unlike.distance)
    assert shown.prior_lift == pytest.approx(shown.correspondence / 0.5)


def test_mixed_and_missing_values_are_told_summed_up_and_drawn() -> None:
    table = pd.DataFrame(
        {
            "size": [1.0, 2.0, np.nan, 8.0, 9.0, 1.5],
            "colour": ["red", "blue", None, "blue", "blue", "red"],
            "new": [True, False, True, False, True, True],
        }
    )
    explainer = CaseExplainer(table, ["a", "a", "a", "b", "b", "b"], k=3, metadata={"id": list(range(6))})
    query = pd.DataFrame({"size": [np.nan, 3.0], "colour": ["red", "green"], "new": [True, False]})
    for shown in explainer.explain_batch(query, predictions=["a", "b"]):
        body = shown.to_dict()
        assert json.loads(json.dumps(body, allow_nan=False)) == body
        text = shown.summary()
        assert "(case " in text
        assert "id " in text
        shown.plot().canvas.draw()
        assert ">scaled<" in shown._repr_html_()
    first = explainer.explain_instance(query.iloc[:1], predicted_class="a")
    assert first.to_dict()["query"] == {"size": None, "colour": "red", "new": True}
    assert {row.name: row.kind for row in first.contrast()} == {
        "size": "number",
        "colour": "category",
        "new": "category",
    }
    size = next(row for row in first.contrast() if row.name == "size")
    assert (size.query, size.shown) == (None, "not comparable")
    assert "missing against" in size.sides
    second = explainer.explain_instance(query.iloc[1:], predicted_class="b")
    colour = next(row for row in second.contrast() if row.name == "colour")
    assert (colour.query, colour.shown) == ("green", "differs")


def test_gower_contrasts_add_up_to_the_distance() -> None:
    table = pd.DataFrame({"size": [1.0, 2.0, 8.0], "colour": ["red", "blue", "blue"]})
    explainer = CaseExplainer(table, [0, 0, 1], k=2, feature_weights={"colour": 3.0})
    shown = explainer.explain_instance(pd.DataFrame({"size": [2.5], "colour": ["red"]}), predicted_class=0)
    assert shown.nearest_unlike is not None
    assert sum(abs(row.scaled) for row in shown.contrast()) == pytest.approx(shown.nearest_unlike.distance)
    assert [row.name for row in shown.contrast()] == ["colour", "size"]
