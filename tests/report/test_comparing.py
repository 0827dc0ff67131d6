"""Finding the subjects that a comparison names."""

from __future__ import annotations

import pytest

from assay.core import UnknownName
from assay.report.comparing import match_subject


@pytest.mark.parametrize(
    ("text", "known", "found"),
    [
        ("LogLinear", ["mine:LogLinear", "linear"], "mine:LogLinear"),
        ("LogLinear", ["mine:LogLinear(degree=2)", "linear"], "mine:LogLinear(degree=2)"),
        ("linear", ["mine:linear", "linear(seed=1)"], "linear(seed=1)"),  # the nearer reading first
        ("mine:LogLinear", ["mine:LogLinear", "mine:LogLinear(degree=2)"], "mine:LogLinear"),
    ],
)
def test_a_subject_of_a_file_is_found_without_the_files_name(text: str, known: list[str], found: str) -> None:
    assert match_subject(text, known) == found


@pytest.mark.parametrize("known", [["mine:LogLinear", "theirs:LogLinear"], ["knn(k=5)", "knn(k=7)"]])
def test_a_short_name_of_two_subjects_is_not_guessed(known: list[str]) -> None:
    text = known[0].partition("(")[0].rpartition(":")[2]
    with pytest.raises(UnknownName, match=f"No subject named '{text}'"):
        match_subject(text, known)
