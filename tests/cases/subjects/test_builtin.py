from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.cases import CaseExplainer
from assay.cases.problem.task import CasesTask
from assay.cases.subjects.builtin import SUBJECTS
from assay.cases.subjects.conformal_knn import credibility
from assay.cases.subjects.detector import default_detector_scores
from assay.cases.subjects.neighbourhood_detector import neighbourhood_detector_scores
from assay.cases.subjects.second_opinion import second_opinion_scores
from assay.cases.subjects.trust import nearest_distance_scores, trust_scores
from assay.core import Budget, InvalidInput, Subject, parse_call

RNG = np.random.default_rng(0)
TASK = CasesTask(
    train_X=RNG.normal(size=(50, 3)) * [1, 50, 2],
    train_y=RNG.choice(["a", "b", "c"], 50),
    query_X=RNG.normal(size=(20, 3)) * [1, 50, 2],
    predicted=RNG.choice(["a", "b", "c"], 20),
    probabilities=RNG.dirichlet([1, 1, 1], size=20),
    classes=("a", "b", "c"),
    feature_names=("x", "y", "z"),
)


def test_correspondence_scores_what_the_explainer_says() -> None:
    answer = SUBJECTS["correspondence"](k=7, weighting="squared").solve(TASK, Budget())
    batch = CaseExplainer(TASK.train_X, TASK.train_y, k=7, weighting="squared").explain_batch(
        TASK.query_X, predictions=TASK.predicted
    )
    np.testing.assert_array_equal(answer.scores, batch.correspondence)
    assert answer.neighbors is not None
    np.testing.assert_array_equal(answer.neighbors, batch.indices)


def test_vote_is_the_share_of_agreeing_neighbours() -> None:
    answer = SUBJECTS["vote"](k=4).solve(TASK, Budget())
    assert answer.neighbors is not None
    shares = (TASK.train_y[answer.neighbors] == TASK.predicted[:, None]).mean(axis=1)
    np.testing.assert_allclose(answer.scores, shares)


def test_max_probability_looks_at_no_cases() -> None:
    answer = SUBJECTS["max-probability"]().solve(TASK, Budget())
    np.testing.assert_array_equal(answer.scores, TASK.probabilities.max(axis=1))
    assert answer.neighbors is None


def test_the_scores_are_those_of_the_functions_behind_them() -> None:
    data = (TASK.train_X, TASK.train_y, TASK.query_X, TASK.predicted)
    trust = SUBJECTS["trust-score"](k=3, alpha=0.1).solve(TASK, Budget()).scores
    np.testing.assert_array_equal(trust, trust_scores(*data, k=3, alpha=0.1))
    conformal = SUBJECTS["conformal-knn"](k=3).solve(TASK, Budget()).scores
    np.testing.assert_array_equal(conformal, credibility(*data, k=3))
    nearest = SUBJECTS["nearest-distance"]().solve(TASK, Budget())
    np.testing.assert_array_equal(nearest.scores, nearest_distance_scores(*data))
    assert nearest.unfamiliarity is not None
    assert (nearest.unfamiliarity <= -nearest.scores).all()


@pytest.mark.parametrize(
    ("name", "scores"),
    [("detector", default_detector_scores), ("neighbourhood-detector", neighbourhood_detector_scores)],
)
def test_detectors_answer_with_probabilities_and_all_they_know(name: str, scores: Any) -> None:
    learnable = np.where(TASK.train_X[:, 0] > 0, "a", "b")
    data = (TASK.train_X, learnable, TASK.query_X, TASK.predicted)
    confidence = 0.4 + scores(*data, TASK.probabilities).by_cases / 2
    rest = (1 - confidence) / 2
    task = replace(TASK, train_y=learnable, probabilities=np.column_stack([confidence, rest, rest]))
    detected = scores(*data, task.probabilities)
    # the earlier one listens to the classifier, else what the cases say would do as well
    assert (detected.confidence_weight > 0) == (name == "neighbourhood-detector")
    answer = SUBJECTS[name]().solve(task, Budget())
    np.testing.assert_array_equal(answer.scores, detected.probability)
    assert not np.allclose(answer.scores, detected.by_cases)
    assert ((answer.scores >= 0) & (answer.scores <= 1)).all()
    assert answer.neighbors is not None
    assert answer.neighbors.shape == (20, 10)
    assert answer.suspicion is not None
    assert len(answer.suspicion) == 50
    assert answer.unfamiliarity is not None
    assert len(answer.unfamiliarity) == 20


def test_the_seed_of_the_detector_is_part_of_its_name_and_of_its_scores() -> None:
    other = SUBJECTS["detector"](seed=1)
    assert (SUBJECTS["detector"]().name, other.name) == ("detector", "detector(seed=1)")
    assert (other.solve(TASK, Budget()).scores != SUBJECTS["detector"]().solve(TASK, Budget()).scores).any()


def test_the_second_opinion_is_its_function_alone_and_with_the_classifiers_confidence() -> None:
    inputs = (TASK.train_X, TASK.train_y, TASK.query_X, TASK.predicted)
    alone = SUBJECTS["second-opinion"](trees=10, seed=3).solve(TASK, Budget(seed=8))
    assert (alone.scores == second_opinion_scores(*inputs, trees=10, seed=3)).all()
    both = SUBJECTS["second-opinion-and-confidence"](trees=10).solve(TASK, Budget())
    assert (both.scores == second_opinion_scores(*inputs, TASK.probabilities, trees=10)).all()
    assert alone.neighbors is None


@pytest.mark.parametrize("name", sorted(SUBJECTS))
def test_names_are_canonical_and_rebuild_the_subject(name: str) -> None:
    subject = SUBJECTS[name]()
    assert isinstance(subject, Subject)
    call = parse_call(subject.name)
    again = SUBJECTS[call.name](**call.parameters)
    assert again == subject
    assert again.name == subject.name
    assert again.digest == subject.digest
    assert len(subject.digest) == 64


def test_parameters_stand_in_the_name() -> None:
    assert SUBJECTS["correspondence"](k=9).name == "correspondence(k=9)"
    assert SUBJECTS["vote"]().name == "vote(k=5)"
    assert SUBJECTS["trust-score"](alpha=0.1).name == "trust-score(alpha=0.1, k=2)"
    assert SUBJECTS["detector"]().name == "detector"


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("correspondence", {"k": 0}, "got 0"),
        ("correspondence", {"k": "all"}, "got 'all'"),
        ("correspondence", {"weighting": "cubes"}, "Did you mean 'cubed'"),
        ("correspondence", {"weighting": ("cubed",)}, "No weighting named"),
        ("vote", {"k": 2.5}, "got 2.5"),
        ("trust-score", {"k": 0}, "got 0"),
        ("trust-score", {"alpha": 1}, "alpha must be a share"),
        ("conformal-knn", {"k": -1}, "got -1"),
        ("second-opinion", {"trees": 0}, "trees must be"),
        ("second-opinion-and-confidence", {"seed": -1}, "seed must be"),
    ],
)
def test_bad_parameters_are_refused(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        SUBJECTS[name](**parameters)


def test_more_neighbours_than_cases_are_refused() -> None:
    with pytest.raises(InvalidInput, match="k=51 neighbours were asked of a case base of 50"):
        SUBJECTS["vote"](k=51).solve(TASK, Budget())
