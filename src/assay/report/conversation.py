"""The conversation that a subject noted in its record: messages with their roles, in order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from assay.core import Record
from assay.report.wording import shown

__all__ = ["NOTES", "Message", "conversation_of", "conversation_text"]

NOTES = "subject_notes"  # of a record's details


class Message(NamedTuple):
    """One message, or a remark of the agent, whose role is "agent"."""

    role: str
    content: str


def conversation_of(record: Record) -> tuple[Message, ...]:
    """The messages of a record; none where its notes are no conversation.

    A note is a message when it is a JSON object with texts as ``role`` and ``content``; a last note that is none
    tells how many were left out.
    """
    notes = record.details.get(NOTES)
    if not isinstance(notes, list | tuple):
        return ()
    messages = [_message(note) for note in notes]
    if len(messages) > 1 and messages[-1] is None:
        messages[-1] = Message("agent", str(notes[-1]))
    valid = tuple(message for message in messages if message is not None)
    return valid if len(valid) == len(messages) else ()


def conversation_text(messages: tuple[Message, ...]) -> str:
    r"""The messages one below the other, each under its role.

    >>> print(conversation_text((Message("user", "Find two."), Message("assistant", "Here\nthey are."))))
    [user]
      Find two.
    [assistant]
      Here
      they are.
    """
    lines = []
    for message in messages:
        lines.append(f"[{shown(message.role)}]")
        lines += [f"  {line}" for line in shown(message.content, lines=True).splitlines()]
    return "\n".join(lines)


def _message(note: object) -> Message | None:
    try:
        content = json.loads(note) if isinstance(note, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, Mapping):
        return None
    role, text = content.get("role"), content.get("content")
    return Message(role, text) if isinstance(role, str) and isinstance(text, str) else None
