"""A client for any OpenAI-compatible chat endpoint."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from assay.chat.exchange import Response, post
from assay.chat.failure import ChatFailed
from assay.chat.key import Key, read_key
from assay.chat.remedies import status_remedy
from assay.chat.reply import ChatReply, read_reply
from assay.chat.waiting import own_wait, requested_wait
from assay.core import InvalidInput
from assay.core.checks import demand_whole

__all__ = ["ChatClient"]

_AGAIN = frozenset({408, 409, 425, 429})  # and every 5xx
_PATH = "/chat/completions"
_LIMITS = ("max_tokens", "max_completion_tokens")  # of a reply, by its old name and by its new one


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatClient:
    """An endpoint and a model. The key is read from ``key_variable`` with each request and kept nowhere.

    Without a key no header is sent. Rate limits, server errors, time-outs, broken connections and malformed replies are
    tried again, up to ``retries`` times, after the wait that the server asks for, else one that doubles.

    >>> ChatClient(base_url="http://localhost:8000/v1", model="small").url
    'http://localhost:8000/v1/chat/completions'
    """

    base_url: str
    model: str
    key_variable: str | None = "ASSAY_CHAT_KEY"
    seconds: float = 60.0  # for one attempt
    retries: int = 4
    first_wait: float = 1.0
    longest_wait: float = 60.0  # a server that asks for more is not waited for
    largest_reply: int = 4 * 1024**2  # bytes
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        _address(self.base_url)
        for name in ("seconds", "first_wait", "longest_wait"):
            value = getattr(self, name)
            least = 0.0 if name == "first_wait" else math.ulp(0.0)
            if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < math.inf:
                raise InvalidInput(f"chat: {name} must be a positive number of seconds, got {value!r}.")
        for name, least in (("retries", 0), ("largest_reply", 1), ("max_tokens", 1)):
            value = getattr(self, name)
            if value is None and name == "max_tokens":
                continue
            demand_whole(value, f"chat: {name}", least=least)
        if not isinstance(self.model, str) or not self.model:
            raise InvalidInput("chat: model must be a name, such as 'gpt-4o-mini'.")

    @property
    def url(self) -> str:
        """Where requests go."""
        return _address(self.base_url).geturl()

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        temperature: float = 0.0,
        seed: int | None = None,
        within: float | None = None,
        max_tokens: int | None = None,
        paid_once: bool = False,
    ) -> ChatReply:
        """The model's reply to messages with a role and a content; ``within`` seconds hold all attempts and waits.

        ``max_tokens`` of a reply win over the client's own. With ``paid_once``, a request that the model may have
        worked on is not sent again: one that timed out, broke off, or was answered with nonsense.
        """
        most = self.max_tokens if max_tokens is None else max_tokens
        content = self._content(messages, temperature, seed)
        limit = _LIMITS[0]
        began = time.monotonic()
        end = began + within if within is not None else math.inf
        attempt = 0
        while True:
            attempt += 1
            key = read_key(self.key_variable)
            response = None
            body = _body(content, limit, most)
            try:
                response = self._post(body, key, min(self.seconds, end - time.monotonic()))
                if response.status == 400 and limit == _LIMITS[0] and most and _LIMITS[1].encode() in response.body:
                    limit = _LIMITS[1]  # newer models know the limit by this name only
                    continue
                if response.status != 200:
                    raise self._complaint(response, has_key=bool(key))
                reply = read_reply(response.body, seconds=time.monotonic() - began, attempts=attempt)
                return reply._replace(text=key.hide(reply.text))  # JSON can spell a key in several ways
            except ChatFailed as failure:
                wait = self._wait(failure, response, body, attempt)
                if paid_once and failure.may_have_worked:
                    wait = None
                final = failure.after(attempt)
            if wait is None or time.monotonic() + wait >= end:
                raise final  # here, where no frame and no context of it has seen the key
            time.sleep(wait)

    def _content(self, messages: Sequence[Mapping[str, str]], temperature: float, seed: int | None) -> dict[str, Any]:
        conversation = [dict(message) for message in messages]
        if not conversation or any(
            not isinstance(entry.get(name), str) for entry in conversation for name in ("role", "content")
        ):
            raise InvalidInput("chat: messages must be mappings with texts as 'role' and 'content', at least one.")
        content: dict[str, Any] = {"model": self.model, "messages": conversation, "temperature": temperature}
        if seed is not None:
            content["seed"] = seed
        return content

    def _post(self, body: bytes, key: Key, seconds: float) -> Response:
        if seconds <= 0:
            raise ChatFailed("time-out", "there is no time left for a request")
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Connection": "close",
            "User-Agent": "assay",
        }
        address = _address(self.base_url)
        headers |= key.headers()
        response = post(address, body, headers, seconds=seconds, largest=self.largest_reply)
        return response._replace(body=key.hide_in(response.body))

    def _complaint(self, response: Response, *, has_key: bool) -> ChatFailed:
        status, text = response.status, response.body.decode(errors="replace")
        remedy = status_remedy(
            status, text, model=self.model, url=self.url, key_variable=self.key_variable, has_key=has_key
        )
        kind = "refused" if status in (401, 403) or 300 <= status < 400 else "status"
        return ChatFailed(kind, f"HTTP {status}", reply=text, status=status, remedy=remedy)

    def _wait(self, failure: ChatFailed, response: Response | None, body: bytes, attempt: int) -> float | None:
        """Seconds before the next attempt; None when there is none."""
        final = failure.kind in ("refused", "blocked") or (
            failure.kind == "status" and failure.status not in _AGAIN and failure.status < 500
        )
        if final or attempt > self.retries:
            return None
        requested = requested_wait(response.retry_after) if response is not None else None
        if requested is None:
            return own_wait(attempt, body, first=self.first_wait, longest=self.longest_wait)
        return requested if requested <= self.longest_wait else None


def _body(content: Mapping[str, Any], limit: str, most: int | None) -> bytes:
    return json.dumps(content if most is None else {**content, limit: most}, allow_nan=False).encode()


def _address(base_url: str) -> SplitResult:
    """The address of requests; a URL with a secret inside is refused without being shown."""
    try:
        url = urlsplit(base_url)
        port, host = url.port, url.hostname
    except (ValueError, AttributeError, TypeError):
        raise InvalidInput("chat: base_url is not a URL; write it as in https://host/v1.") from None
    if url.username is not None or url.password is not None or url.query or url.fragment:
        raise InvalidInput("chat: base_url must hold no user, password, query or fragment; keys belong in a variable.")
    if url.scheme not in ("http", "https") or not host or port == 0:
        raise InvalidInput(f"chat: base_url must be of the form https://host/v1, got {base_url!r}.")
    if any(char.isspace() or not char.isprintable() or not char.isascii() for char in base_url):
        raise InvalidInput("chat: base_url must be printable ASCII without spaces, as in https://host/v1.")
    return url._replace(path=url.path.rstrip("/").removesuffix(_PATH) + _PATH)
