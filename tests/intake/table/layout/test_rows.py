"""Names of columns that stand more than once or not at all."""

from __future__ import annotations

import pytest

from assay.intake.table.layout.rows import distinct_names


@pytest.mark.parametrize(
    ("names", "distinct"),
    [
        (["#2", ""], ["#2", "#2 (2)"]),
        (["a  b", "a  b"], ["a b", "a b (2)"]),
        (["a ", " a"], ["a", "a (2)"]),
        (["a", "a", "a (2)"], ["a", "a (3)", "a (2)"]),
    ],
)
def test_a_name_that_stands_twice_gets_a_number_behind_it_and_a_note(names: list[str], distinct: list[str]) -> None:
    notes: list[str] = []
    assert distinct_names(names, notes) == distinct
    assert len(notes) == 1
    assert f"in place 2 is called {distinct[1]!r}" in notes[0]


def test_names_that_differ_are_kept_without_a_note() -> None:
    notes: list[str] = []
    assert distinct_names(["", "a  b", "b"], notes) == ["#1", "a b", "b"]
    assert not notes
