from __future__ import annotations

import pytest

from assay.insight.subjects.llm.transcript import shorten


@pytest.mark.parametrize("most", range(2, 12))
def test_a_shortened_text_is_short_however_little_room_there_is(most: int) -> None:
    text = "abcdefghijklmnopqrstuvwxyz"
    assert len(shorten(text, most)) <= most + 1
