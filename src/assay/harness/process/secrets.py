"""Secret values: removed from what is stored, and detected in names and answers."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from assay.core import InvalidInput

__all__ = ["SECRET_NAME", "Mask", "refuse_secrets"]

_LEAST: Final = 6  # characters: shorter values stand in any text by chance
_SURE: Final = 8  # characters of a value whose presence alone is held against an answer or a name
SECRET_NAME: Final = re.compile(  # names of variables that hold a secret
    r"(?:^|_|API|ACCESS)KEY(?:$|_)|TOKEN(?!IZ)|SECRET|PASSW(?:OR)?D|PASSPHRASE|CREDENTIAL", re.IGNORECASE
)
_OPTION: Final = re.compile(
    r"(?<![\w-])--?(?:api[-_]?key|access[-_]?key|(?:auth[-_]?|access[-_]?)?token|secret|passw(?:or)?d)(?:=|\s+)(?=[^\s-])",
    re.IGNORECASE,
)
_IN_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]{0,30}://[^\s/@'\"]+@", re.IGNORECASE)


class Mask:
    """Replaces the values of environment variables by their names, in what subjects print, raise or answer.

    Masked are the variables that subjects were given by name, and all whose names say that they hold a secret.

    >>> mask = Mask({"AGENT_KEY": "sk-12345678", "MODEL": "small"}, passed=["MODEL", "AGENT_KEY"])
    >>> mask.hide("401: sk-12345678 is wrong")
    '401: [AGENT_KEY] is wrong'
    >>> mask.longest
    11
    """

    def __init__(self, environment: Mapping[str, str], *, passed: Iterable[str] = ()) -> None:
        granted = frozenset(passed)
        self._names: dict[str, str] = {}
        for name in sorted(environment):
            if name in granted or SECRET_NAME.search(name):
                for form in _forms(environment[name]):
                    self._names.setdefault(form, name)
        self._telling = {
            form.encode(errors="surrogateescape"): name
            for form, name in self._names.items()
            if SECRET_NAME.search(name) and len(form) >= _SURE
        }
        # the longest first: one value may stand inside another
        forms = sorted(self._names, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, forms))) if forms else None
        self.longest = max((len(form.encode(errors="surrogateescape")) for form in forms), default=0)

    @classmethod
    def of_process(cls, passed: Iterable[str]) -> Mask:
        """Of this process's own environment."""
        return cls(os.environ, passed=passed)

    def hide(self, text: str) -> str:
        """The text with names in the place of values."""
        return text if self._pattern is None else self._pattern.sub(lambda match: f"[{self._names[match[0]]}]", text)

    def variable_in(self, content: bytes) -> str | None:
        """The name of a secret variable whose value stands in these bytes."""
        return next((name for form, name in self._telling.items() if form in content), None)


def refuse_secrets(text: str) -> None:
    """Refuse the name of a subject with a secret in it, which every record would repeat; the message does not."""
    mask = Mask(os.environ)
    remedy = (
        "it would be in every record. Put it into a variable, and let the subject read that: --pass-env NAME, or "
        "environment=['NAME'] in Python."
    )
    if name := mask.variable_in(text.encode(errors="surrogateescape")):
        raise InvalidInput(f"the value of the variable {name} is part of a subject's name or command; {remedy}")
    if _IN_ADDRESS.search(text):
        raise InvalidInput(f"an address with a user or password in it is part of a subject's name or command; {remedy}")
    if _OPTION.search(text):
        raise InvalidInput(f"a key or password is part of a subject's name or command; {remedy}")


def _forms(value: str) -> set[str]:
    """How a value may be spelled: as it is, in JSON, in an address, line by line, and the password in it alone."""
    bare = value.strip()
    if bare.startswith("/") and "\n" not in bare:  # a path tells where a secret lies, which is none itself
        return set()
    forms = {value, bare, quote(bare, safe="", errors="replace"), *bare.splitlines()}
    try:
        password = urlsplit(bare).password
    except ValueError:
        password = None
    if password:
        forms |= {password, unquote(password)}
    forms |= {json.dumps(form)[1:-1] for form in forms} | {json.dumps(form, ensure_ascii=False)[1:-1] for form in forms}
    return {form for form in forms if len(form) >= _LEAST}
