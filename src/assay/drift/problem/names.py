"""Document names as people write them: found in a corpus by name, or by normalised stem."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import PurePosixPath

from assay.core import InvalidInput

__all__ = ["NameBook", "normalised_stem"]

_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")
_SHOWN = 5


def normalised_stem(name: str) -> str:
    """A name without folder, suffix, letter case, and kind of separator.

    >>> normalised_stem("notes/2020-03-02_New Rule.PDF")
    '2020_03_02_new_rule'
    >>> normalised_stem("2020-03-02_new-rule")
    '2020_03_02_new_rule'
    """
    stem = _SUFFIX.sub("", PurePosixPath(name.replace("\\", "/").strip()).name)
    return re.sub(r"[\s_-]+", "_", stem.casefold()).strip("_")


class NameBook:
    """The names of a corpus, found exactly or, where that is unambiguous, by normalised stem."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)
        self._exact = frozenset(self._names)
        self._by_stem: dict[str, list[str]] = {}
        for name in self._names:
            self._by_stem.setdefault(normalised_stem(name), []).append(name)

    def find(self, name: str) -> str | None:
        """The document of that name; None when there is none, an error when the stem fits several."""
        if name in self._exact:
            return name
        matches = self._by_stem.get(normalised_stem(name), [])
        if len(matches) > 1:
            raise InvalidInput(f"document {name!r} could be {' or '.join(map(repr, matches))}: write the whole name.")
        return matches[0] if matches else None

    def resolve(self, names: Iterable[str], *, what: str) -> tuple[str, ...]:
        """The documents of all names, or an error that lists the unknown ones."""
        entries = list(names)
        documents = [self.find(name) for name in entries]
        unknown = [name for name, document in zip(entries, documents, strict=True) if document is None]
        if unknown:
            listed = ", ".join(map(repr, unknown[:_SHOWN])) + (", ..." if len(unknown) > _SHOWN else "")
            near = get_close_matches(normalised_stem(unknown[0]), list(self._by_stem), n=1)
            hint = f" Did you mean {self._by_stem[near[0]][0]!r}?" if near else ""
            raise InvalidInput(f"{what}: not in the corpus of {len(self._names)} documents: {listed}.{hint}")
        return tuple(document for document in documents if document is not None)
