"""The key of an endpoint: read when a request is made, and never shown."""

from __future__ import annotations

import os
from typing import NoReturn
from urllib.parse import quote

from assay.core import InvalidInput

__all__ = ["Key", "read_key"]

_HIDDEN = "[key]"


class Key:
    """A secret that neither prints nor pickles; an empty one stands for endpoints that ask for none.

    >>> key = Key("sk-1234")
    >>> key, str(key), key.hide("your key sk-1234 is wrong")
    ([key], '[key]', 'your key [key] is wrong')
    """

    __slots__ = ("_secret",)

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def __repr__(self) -> str:
        return _HIDDEN

    def __bool__(self) -> bool:
        return bool(self._secret)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is not pickled")

    def headers(self) -> dict[str, str]:
        """The header that carries the key, if there is one."""
        return {"Authorization": f"Bearer {self._secret}"} if self._secret else {}

    def hide(self, text: str) -> str:
        """The text without the key, should a server repeat it."""
        if not self._secret:
            return text
        return text.replace(self._secret, _HIDDEN).replace(quote(self._secret, safe=""), _HIDDEN)

    def hide_in(self, body: bytes) -> bytes:
        """The same for bytes that a server sent."""
        return body.replace(self._secret.encode(), _HIDDEN.encode()) if self._secret else body


def read_key(variable: str | None) -> Key:
    """The key in an environment variable; none when the variable is unset or no variable is named."""
    secret = os.environ.get(variable, "").strip() if variable else ""
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise InvalidInput(
            f"the key in {variable} has characters that are not allowed in an HTTP header; set it again."
        )
    return Key(secret)
