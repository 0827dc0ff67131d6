"""What can go wrong with an endpoint, in words that hold no key."""

from __future__ import annotations

from assay.core import AssayError

__all__ = ["ChatFailed"]

_SHOWN = 200  # characters of what the server said


class ChatFailed(AssayError):
    """The endpoint gave no usable reply; ``kind`` is "refused", "unreachable", "time-out", "status" or "malformed".

    >>> raise ChatFailed("status", "HTTP 500 after 5 attempts", reply="over  loaded")
    Traceback (most recent call last):
        ...
    assay.chat.failure.ChatFailed: chat endpoint: HTTP 500 after 5 attempts. It said: over loaded
    """

    def __init__(self, kind: str, message: str, *, reply: str = "", status: int = 0) -> None:
        shown = " ".join("".join(char if char.isprintable() else " " for char in reply).split())
        if len(shown) > _SHOWN:
            shown = shown[: _SHOWN - 1] + "…"
        super().__init__(f"chat endpoint: {message}." + (f" It said: {shown}" if shown else ""))
        self.kind = kind
        self.status = status

    @classmethod
    def of(cls, kind: str, message: str, status: int) -> ChatFailed:
        """A failure with a message as it stands."""
        failure = cls(kind, "", status=status)
        failure.args = (message,)
        return failure

    def __reduce__(self) -> tuple[object, tuple[str, str, int]]:
        return ChatFailed.of, (self.kind, str(self), self.status)
