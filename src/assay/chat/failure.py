"""What can go wrong with an endpoint, in words that hold no key."""

from __future__ import annotations

from assay.core import AssayError

__all__ = ["ChatFailed"]

_SHOWN = 200  # characters of what the server said


class ChatFailed(AssayError):
    """The endpoint gave no usable reply; ``remedy`` is a sentence that says what may help.

    ``kind`` is "blocked" (this process may not use the network), "unreachable", "refused", "status", "time-out",
    "broken" (the connection ended before the reply did) or "malformed".

    >>> raise ChatFailed("status", "HTTP 500", reply="over  loaded", attempts=5, remedy="Try later.")
    Traceback (most recent call last):
        ...
    assay.chat.failure.ChatFailed: chat endpoint: HTTP 500 (attempts: 5). Try later. It said: over loaded
    """

    def __init__(
        self, kind: str, message: str, *, reply: str = "", status: int = 0, remedy: str = "", attempts: int = 1
    ) -> None:
        shown = " ".join("".join(char if char.isprintable() else " " for char in reply).split())
        if len(shown) > _SHOWN:
            shown = shown[: _SHOWN - 1] + "…"
        times = f" (attempts: {attempts})" if attempts > 1 else ""
        sentences = [f"chat endpoint: {message}{times}.", remedy, f"It said: {shown}" if shown else ""]
        super().__init__(" ".join(sentence for sentence in sentences if sentence))
        self.kind = kind
        self.status = status
        self.attempts = attempts
        self._parts = (message, shown, remedy)

    @property
    def may_have_worked(self) -> bool:
        """Whether the model may have worked on the request, which costs tokens although no reply came."""
        return self.kind in ("time-out", "broken", "malformed")

    def after(self, attempts: int) -> ChatFailed:
        """The failure again, saying how often it was tried; the old one's frames hold the request."""
        return ChatFailed._of(self.kind, self._parts, self.status, attempts)

    @classmethod
    def _of(cls, kind: str, parts: tuple[str, str, str], status: int, attempts: int) -> ChatFailed:
        message, shown, remedy = parts
        return cls(kind, message, reply=shown, status=status, remedy=remedy, attempts=attempts)

    def __reduce__(self) -> tuple[object, tuple[str, tuple[str, str, str], int, int]]:
        return ChatFailed._of, (self.kind, self._parts, self.status, self.attempts)
