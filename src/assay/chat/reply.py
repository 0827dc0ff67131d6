"""A reply of a language model, read out of an OpenAI-compatible response."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from assay.chat.failure import ChatFailed

__all__ = ["ChatReply", "read_reply"]

_REMEDY = "Is base_url an OpenAI-compatible endpoint? It usually ends with /v1."


class ChatReply(NamedTuple):
    """What the model wrote, what it cost in tokens (0 where the server does not say) and in seconds, waits included."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    attempts: int = 1


def read_reply(body: bytes, *, seconds: float, attempts: int) -> ChatReply:
    """The first choice of a response body.

    >>> body = b'{"choices": [{"message": {"content": "yes"}}], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}'
    >>> read_reply(body, seconds=0.5, attempts=1)
    ChatReply(text='yes', prompt_tokens=7, completion_tokens=1, seconds=0.5, attempts=1)
    """
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        shown = body.decode(errors="replace")
        raise ChatFailed("malformed", "the reply is not JSON", reply=shown, remedy=_REMEDY) from None
    choices = content.get("choices") if isinstance(content, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    text = _text(message) if isinstance(message, dict) else None
    if text is None:
        text = body.decode(errors="replace")
        message = "the reply has no text in choices[0].message.content"
        raise ChatFailed("malformed", message, reply=text, remedy=_REMEDY)
    usage = content.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return ChatReply(text, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"), seconds, attempts)


def _text(message: Mapping[str, Any]) -> str | None:
    """The content, whether one text or a list of parts; a model that says nothing says the empty text."""
    if "content" not in message:
        return None
    content = message["content"]
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if content is None:
        return ""
    # lone surrogates are legal in JSON's escapes and in no file that keeps a transcript
    return content.encode(errors="replace").decode() if isinstance(content, str) else None


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0
