from __future__ import annotations

import pickle

import pytest

from assay.core import InfrastructureFailed, InvalidInput, MissingExtra, SubjectFailed, UnknownName
from assay.core.errors import suggest


def test_a_typo_is_answered_with_the_nearest_name_and_all_names() -> None:
    assert suggest("Correspondance", ["vote", "correspondence"]) == (
        "Did you mean 'correspondence'? Known: correspondence, vote."
    )


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("x0", [f"x{number}" for number in range(1, 8)], "x1"),
        ("x0", ["x1", "x2"], "x1"),
        ("X9", ["x2", "x10", "x11"], "x10"),
        ("x3", ["x4", "x2"], "x2"),
        ("recall@3", ["recall@k", "recall@5", "recall@10"], "recall@5"),
        ("x1", ["width", "x_1"], "x_1"),
    ],
)
def test_of_numbered_names_the_one_with_the_nearest_number_is_suggested(
    name: str, known: list[str], meant: str
) -> None:
    for order in (known, known[::-1]):
        assert suggest(name, order).startswith(f"Did you mean {meant!r}?")


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
