from typing import Any

import numpy as np
import pytest

from assay.cases import CaseExplainer
from assay.cases.problem import CasesTask
from assay.cases.subjects import SUBJECTS
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


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("correspondence", {"k": 0}, "got 0"),
        ("correspondence", {"k": "all"}, "got 'all'"),
        ("correspondence", {"weighting": "cubes"}, "Did you mean 'cubed'"),
        ("correspondence", {"weighting": ("cubed",)}, "No weighting named"),
        ("vote", {"k": 2.5}, "got 2.5"),
    ],
)
def test_bad_parameters_are_refused(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        SUBJECTS[name](**parameters)


def test_more_neighbours_than_cases_are_refused() -> None:
    with pytest.raises(InvalidInput, match="k=51 neighbours were asked of a case base of 50"):
        SUBJECTS["vote"](k=51).solve(TASK, Budget())
