import json
import math
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from assay.cases.examine import describe, examine, oracle
from assay.cases.metrics import compute_correspondence
from assay.cases.problem import CasesAnswer, CasesEvidence, CasesTask, CasesTruth
from assay.core import Problem, SubjectFailed

RNG = np.random.default_rng(0)


def problem(queries: int = 12) -> Problem[CasesTask, CasesTruth]:
    labels = RNG.integers(0, 2, queries)
    task = CasesTask(
        train_X=RNG.normal(size=(30, 3)) * [1, 1000, 0.001],
        train_y=RNG.integers(0, 2, 30),
        query_X=RNG.normal(size=(queries, 3)) * [1, 1000, 0.001],
        predicted=RNG.integers(0, 2, queries),
        probabilities=np.full((queries, 2), 0.5),
        classes=(0, 1),
        feature_names=("a", "b", "c"),
    )
    return Problem(id="p", digest="d", task=task, truth=CasesTruth(labels=labels))


def test_correspondence_is_computed_again_in_the_standardised_space(monkeypatch: pytest.MonkeyPatch) -> None:
    given = problem()
    neighbors = np.array([RNG.choice(30, size=4, replace=False) for _ in range(12)])
    scaler = StandardScaler().fit(given.task.train_X)
    cases, queries = scaler.transform(given.task.train_X), scaler.transform(given.task.query_X)
    expected = [
        compute_correspondence(
            np.linalg.norm(cases[rows] - query, axis=1), given.task.train_y[rows], given.task.predicted[i]
        )
        for i, (rows, query) in enumerate(zip(neighbors, queries, strict=True))
    ]
    answer = CasesAnswer(scores=np.zeros(12), neighbors=neighbors)
    evidence = examine(given, answer, {"something_later": 1})
    assert evidence.correspondence is not None
    np.testing.assert_allclose(evidence.correspondence, expected, atol=1e-9)
    monkeypatch.setattr(sys.modules["assay.cases.examine"], "_BLOCK", 1)
    again = examine(given, answer, {}).correspondence
    assert again is not None
    np.testing.assert_array_equal(again, evidence.correspondence)


def test_the_wrong_predictions_are_those_that_the_truth_denies() -> None:
    given = problem()
    evidence = examine(given, CasesAnswer(scores=np.arange(12.0)), {})
    assert evidence.wrong.tolist() == (given.task.predicted != given.truth.labels).tolist()
    assert evidence.scores.tolist() == list(range(12))
    assert evidence.correspondence is None


@pytest.mark.parametrize(
    ("scores", "neighbors", "message"),
    [
        (np.zeros(5), None, "5 scores were given for 12 queries"),
        (np.zeros(12), np.full((12, 1), 30), "query 0 names case 30; the task has cases 0 to 29"),
        (np.zeros(12), np.full((12, 1), -1), "query 0 names case -1"),
        (np.zeros(12), np.full((12, 2), 7), "query 0 names case 7 twice"),
    ],
)
def test_an_answer_that_does_not_fit_the_task_is_the_subjects_fault(scores: Any, neighbors: Any, message: str) -> None:
    with pytest.raises(SubjectFailed, match=message) as caught:
        examine(problem(), CasesAnswer(scores=scores, neighbors=neighbors), {})
    assert caught.value.kind == "malformed answer"


def test_the_oracle_trusts_exactly_the_right_predictions() -> None:
    given = problem()
    evidence = examine(given, oracle(given), {})
    assert evidence.scores.tolist() == (~evidence.wrong).astype(float).tolist()


@pytest.mark.parametrize("scores", [[0.0, 0.5, 1.0, 0.25], [2.0] * 4, [-1e149, 1e149, 0.0, 1.0]])
@pytest.mark.parametrize("wrong", [[True, False, True, False], [True] * 4, [False] * 4])
def test_details_are_json_and_count_every_query_once(scores: list[float], wrong: list[bool]) -> None:
    details: Any = describe(CasesEvidence(scores=np.array(scores), wrong=np.array(wrong)))
    assert json.loads(json.dumps(details, allow_nan=False)) == details
    histogram = details["histogram"]
    assert sum(histogram["wrong"]) == details["wrong"] == sum(wrong)
    assert sum(histogram["right"]) + sum(histogram["wrong"]) == details["queries"] == 4
    assert len(histogram["edges"]) == len(histogram["right"]) + 1
    assert details["neighbors_given"] is False
    assert (details["mean_score_wrong"] is None) == (not any(wrong))
    if any(wrong):
        assert math.isclose(details["mean_score_wrong"], np.array(scores)[np.array(wrong)].mean())
