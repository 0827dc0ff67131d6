import json
import math
import sys
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from assay.cases.answer.answer import CasesAnswer
from assay.cases.examine.evidence import CasesEvidence
from assay.cases.examine.examination import describe, examine, oracle
from assay.cases.metrics import compute_correspondence
from assay.cases.problem.task import CasesTask, CasesTruth
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
    task_and_truth = problem()
    neighbors = np.array([RNG.choice(30, size=4, replace=False) for _ in range(12)])
    scaler = StandardScaler().fit(task_and_truth.task.train_X)
    cases, queries = scaler.transform(task_and_truth.task.train_X), scaler.transform(task_and_truth.task.query_X)
    expected = [
        compute_correspondence(
            np.linalg.norm(cases[rows] - query, axis=1),
            task_and_truth.task.train_y[rows],
            task_and_truth.task.predicted[i],
        )
        for i, (rows, query) in enumerate(zip(neighbors, queries, strict=True))
    ]
    answer = CasesAnswer(scores=np.zeros(12), neighbors=neighbors)
    evidence = examine(task_and_truth, answer, {"something_later": 1})
    assert evidence.correspondence is not None
    np.testing.assert_allclose(evidence.correspondence, expected, atol=1e-9)
    monkeypatch.setattr(sys.modules["assay.cases.examine.examination"], "_BLOCK", 1)
    again = examine(task_and_truth, answer, {}).correspondence
    assert again is not None
    np.testing.assert_array_equal(again, evidence.correspondence)


def test_the_wrong_predictions_are_those_that_the_truth_denies() -> None:
    task_and_truth = problem()
    evidence = examine(task_and_truth, CasesAnswer(scores=np.arange(12.0)), {})
    assert evidence.wrong.tolist() == (task_and_truth.task.predicted != task_and_truth.truth.labels).tolist()
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


def rich_problem() -> Problem[CasesTask, CasesTruth]:
    """Twelve queries, of which the last two are copies of the first two."""
    task_and_truth = problem()
    twins = np.full(12, -1)
    twins[:2] = [10, 11]
    query_X = np.concatenate([task_and_truth.task.query_X[:10], task_and_truth.task.query_X[:2] * 1.0001])
    predicted = np.concatenate([task_and_truth.task.predicted[:10], task_and_truth.task.predicted[:2]])
    task = replace(
        task_and_truth.task, query_X=query_X, predicted=predicted, twins=twins, train_predicted=RNG.integers(0, 2, 30)
    )
    ood = np.arange(12) == 5
    truth = CasesTruth(labels=task_and_truth.truth.labels, ood=ood, mislabelled=np.arange(30) < 3)
    return replace(task_and_truth, task=task, truth=truth)


def test_copies_of_queries_count_for_stability_only() -> None:
    task_and_truth = rich_problem()
    neighbors = np.array([RNG.choice(30, size=4, replace=False) for _ in range(12)])
    answer = CasesAnswer(
        scores=np.arange(12.0), neighbors=neighbors, unfamiliarity=np.arange(12.0), suspicion=np.arange(30.0)
    )
    evidence = examine(task_and_truth, answer, {})
    assert evidence.scores.tolist() == list(range(10))
    assert evidence.wrong.tolist() == (task_and_truth.task.predicted != task_and_truth.truth.labels)[:10].tolist()
    assert evidence.unfamiliarity is not None
    assert evidence.ood is not None
    assert len(evidence.unfamiliarity) == len(evidence.ood) == 10
    assert evidence.twin_neighbors is not None
    np.testing.assert_array_equal(evidence.twin_neighbors[0], neighbors[:2])
    np.testing.assert_array_equal(evidence.twin_neighbors[1], neighbors[10:])
    np.testing.assert_array_equal(evidence.suspicion, np.arange(30.0))


def test_what_neighbours_are_like_is_computed_again() -> None:
    task_and_truth = rich_problem()
    neighbors = np.array([RNG.choice(30, size=4, replace=False) for _ in range(12)])
    evidence = examine(task_and_truth, CasesAnswer(scores=np.zeros(12), neighbors=neighbors), {})
    scaler = StandardScaler().fit(task_and_truth.task.train_X)
    cases, queries = scaler.transform(task_and_truth.task.train_X), scaler.transform(task_and_truth.task.query_X)
    exact = NearestNeighbors(n_neighbors=4).fit(cases).kneighbors(queries[:10])[1]
    apart = [np.mean([np.linalg.norm(cases[a] - cases[b]) for a, b in combinations(row, 2)]) for row in neighbors[:10]]
    assert evidence.exact_neighbors is not None
    assert evidence.neighbor_distances is not None
    np.testing.assert_array_equal(evidence.exact_neighbors, exact)
    np.testing.assert_allclose(evidence.neighbor_distances, apart, atol=1e-9)
    np.testing.assert_array_equal(evidence.neighbor_labels, task_and_truth.task.train_y[neighbors[:10]])
    assert task_and_truth.task.train_predicted is not None
    np.testing.assert_array_equal(evidence.neighbor_predictions, task_and_truth.task.train_predicted[neighbors[:10]])
    single = examine(task_and_truth, CasesAnswer(scores=np.zeros(12), neighbors=neighbors[:, :1]), {})
    assert single.neighbor_distances is not None
    assert np.isnan(single.neighbor_distances).all()


def test_doubts_about_another_number_of_cases_are_the_subjects_fault() -> None:
    with pytest.raises(SubjectFailed, match="5 entries of suspicion were given for 30 cases"):
        examine(problem(), CasesAnswer(scores=np.zeros(12), suspicion=np.zeros(5)), {})


def test_the_oracle_knows_what_was_planted() -> None:
    task_and_truth = rich_problem()
    evidence = examine(task_and_truth, oracle(task_and_truth), {})
    np.testing.assert_array_equal(evidence.unfamiliarity, evidence.ood)
    np.testing.assert_array_equal(evidence.suspicion, task_and_truth.truth.mislabelled)


def test_the_oracle_trusts_exactly_the_right_predictions() -> None:
    task_and_truth = problem()
    evidence = examine(task_and_truth, oracle(task_and_truth), {})
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
