from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.report.test_text import printed

from assay.core import Record
from assay.report import record_view
from assay.report.conversation import Message, conversation_of, conversation_text

SAID = [json.dumps({"role": role, "content": words}) for role, words in (("user", "find [b]it[/b]"), ("agent", "late"))]


def test_notes_that_are_messages_are_a_conversation_and_no_detail(toy_record: Record) -> None:
    record = replace(toy_record, details={"subject_notes": SAID, "columns": 3})
    assert conversation_of(record) == (Message("user", "find [b]it[/b]"), Message("agent", "late"))
    assert "subject_notes" not in printed(record_view(record))
    assert '"columns": 3' in printed(record_view(record))


def test_what_was_left_out_of_a_long_conversation_is_its_last_remark(toy_record: Record) -> None:
    found = conversation_of(replace(toy_record, details={"subject_notes": [*SAID, "7 more, in the answer"]}))
    assert found[-1] == Message("agent", "7 more, in the answer")


@pytest.mark.parametrize(
    "notes",
    [
        None,
        [],
        "text",
        ["plain words"],
        [SAID[0], "words", SAID[1]],
        ["[" * 90_000],
        ['{"role": 1, "content": "x"}'],
        [3],
    ],
)
def test_other_notes_stay_with_the_details(toy_record: Record, notes: object) -> None:
    record = replace(toy_record, details={"subject_notes": notes})  # type: ignore[dict-item]
    assert conversation_of(record) == ()
    assert "subject_notes" in printed(record_view(record))


def test_a_conversation_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in conversation_text((Message("\x1b[2J", "\x1b[2J"),))
