import json
from typing import Any

import numpy as np
import pytest

from assay.cases import CaseExplainer, Explanation

X = np.array([[0.0, 10.0], [1.0, 10.0], [2.0, 30.0], [8.0, 30.0]])


def explain(true_class: object = None, **options: Any) -> Explanation:
    explainer = CaseExplainer(
        X, [0, 0, 1, 1], k=3, feature_names=["size", "age"], class_names=["small", "big"], **options
    )
    return explainer.explain_instance([1.0, 11.0], predicted_class=0, true_class=true_class)


def test_a_summary_tells_the_prediction_the_neighbours_and_what_the_number_is_not() -> None:
    text = explain(true_class=1).summary()
    assert "Prediction: small (wrong: the true class is big)" in text
    assert "2 of the 3 nearest of 4 training cases agree" in text
    assert "1. small  agrees" in text
    assert "3. big    differs" in text
    assert "age 11 against 10" in text
    assert "agreement with these neighbours, not correctness" in text
    assert "high from 0.85, medium from 0.7) depend on the domain" in text
    assert "(right: the true class is small)" in explain(true_class=0).summary()
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
