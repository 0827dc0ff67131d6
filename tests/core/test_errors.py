from __future__ import annotations

import pickle

import pytest

from assay.core import InfrastructureFailed, InvalidInput, MissingExtra, SubjectFailed, UnknownName
from assay.core.errors import suggest


def test_a_typo_is_answered_with_the_nearest_name_and_all_names() -> None:
    assert suggest("Correspondance", ["vote", "correspondence"]) == (
        "Did you mean 'correspondence'? Known: correspondence, vote."
    )


def test_a_name_far_from_all_is_answered_with_the_list_alone() -> None:
    assert suggest("zzzzzz", ["vote", "knn"]) == "Known: knn, vote."


def test_the_users_mistakes_are_value_errors_and_the_other_troubles_are_not() -> None:
    assert issubclass(UnknownName, InvalidInput)
    assert issubclass(MissingExtra, InvalidInput)
    assert issubclass(InvalidInput, ValueError)
    assert not issubclass(SubjectFailed, InvalidInput)
    assert not issubclass(InfrastructureFailed, (InvalidInput, SubjectFailed))


def test_a_subjects_failure_keeps_its_kind_between_processes() -> None:
    failure = pickle.loads(pickle.dumps(SubjectFailed("timeout", "no answer")))
    assert (failure.kind, str(failure)) == ("timeout", "no answer")


@pytest.mark.parametrize(("what", "verb"), [("Plots", "need"), ("The Ray runner", "needs")])
def test_a_missing_extra_says_how_to_install_it(what: str, verb: str) -> None:
    message = str(MissingExtra(what, "ray", "ray"))
    assert message == f"{what} {verb} ray, which is not installed: pip install 'ray>=2.52'."
    assert str(MissingExtra(what, "unheard", "of")).endswith("pip install 'unheard'.")
