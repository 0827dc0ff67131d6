"""Finding the subjects that a comparison names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.core import UnknownName
from assay.report import Results
from assay.report.comparing import compare_subjects, match_subject
from assay.report.result_set import ResultSet
from assay.report.text import comparison_table


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


def test_comparisons_of_several_tracks_name_theirs(make_results: Callable[..., Results]) -> None:
    rows: list[Any] = [("iris", subject, 0, share, 1.0, {}) for subject, share in (("a", 0.5), ("b", 0.7))]
    (toy,), (other,) = make_results(rows).tracks, make_results(rows, track="other").tracks
    both = ResultSet(folder=Path("results"), tracks=(toy, other))
    comparisons = compare_subjects(both, "a", "b")
    assert [entry.track for entry in comparisons] == ["toy", "other"]
    table = comparison_table(comparisons)
    assert [column.title for column in table.columns[:3]] == ["track", "a", "b"]
    assert [row[:3] for row in table.rows] == [("toy", "a", "b"), ("other", "a", "b")]
    assert comparison_table(comparisons[:1]).columns[0].title == "a"
