"""What a text does: announce or deny."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.drift.documents.cues import announcement, denies


@pytest.mark.parametrize(
    "text",
    [
        "The plan has been withdrawn.",
        "The pilot was cancelled.",
        "The existing rules remain unchanged.",
        "For you nothing changes.",
        "Everything stays as it is.",
        "The committee decided against it.",
        "The new rule does not take effect.",
        "The migration is postponed until further notice.",
    ],
)
def test_denials_are_heard(text: str) -> None:
    assert denies(text)
    assert announcement(text) < 0.1


@pytest.mark.parametrize(
    "text",
    [
        "From now on two signatures are required.",
        "The old form is replaced by a new one.",
        "The step is no longer needed; it becomes optional.",
        "A decision changes the procedure.",
    ],
)
def test_announcements_are_heard(text: str) -> None:
    assert not denies(text)
    assert announcement(text) > 0.5


def test_a_text_without_any_sign_lies_between() -> None:
    assert announcement("The choir sings.") < announcement("The choir must sing.") < 1.0


@given(st.text(max_size=200))
def test_the_value_is_a_share(text: str) -> None:
    assert 0.0 <= announcement(text) <= 1.0
