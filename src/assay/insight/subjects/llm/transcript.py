"""The messages of a conversation: as JSON for the answer's notes, shortened for the log of a failure."""

from __future__ import annotations

import json
import sys

__all__ = ["Transcript"]

_IN_LOG = 3200  # characters of all messages in a log, which keeps its last 4000


class Transcript:
    """The messages to and from the model, and remarks of the agent between them."""

    def __init__(self) -> None:
        self.messages: list[dict[str, str]] = []  # as they are sent
        self._all: list[dict[str, str]] = []

    def say(self, role: str, content: str) -> None:
        """Add a message to the conversation."""
        self.messages.append({"role": role, "content": content})
        self._all.append(self.messages[-1])

    def remark(self, text: str) -> None:
        """Add a line of the agent's own, which the model does not see."""
        self._all.append({"role": "agent", "content": text})
        self.log(text)

    def log(self, text: str) -> None:
        """Print a line."""
        sys.stderr.write(f"llm: {text}\n")

    def notes(self) -> tuple[str, ...]:
        """All of it, for the answer."""
        return tuple(json.dumps(entry, ensure_ascii=False) for entry in self._all)

    def print_short(self) -> None:
        """Print the conversation, if there is one, where no answer will carry it; long messages lose their middle."""
        if not any(entry["role"] == "assistant" for entry in self._all):
            return
        room = _IN_LOG // max(len(self._all), 1)
        sys.stderr.write("llm: the conversation, long messages shortened\n")
        for entry in self._all:
            sys.stderr.write(f"[{entry['role']}] {shorten(entry['content'], room)}\n")


def shorten(text: str, most: int) -> str:
    """A text without its middle.

    >>> shorten("0123456789", 7), shorten("0123", 7)
    ('012 … 89', '0123')
    """
    if len(text) <= most:
        return text
    return f"{text[: (most - 1) // 2]} … {text[len(text) - max((most - 3) // 2, 0) :]}"
