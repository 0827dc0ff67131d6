"""Findings of static analysis: each has a line, a kind and one sentence."""

from __future__ import annotations

import ast
from typing import Literal, NamedTuple, TypeAlias

__all__ = ["FindingKind", "Notes", "StaticFinding", "plural"]

FindingKind: TypeAlias = Literal[
    "syntax",  # it cannot be read
    "own-label",  # the target is read from the row
    "position",  # values are taken by position, where the target may stand
    "every-column",  # all columns are walked over, the target among them
    "computed-key",  # the column is decided at run time
    "own-train-row",  # labels of df_train are looked up with what identifies the row
    "train-label",  # labels of df_train are read
    "table-label",  # a table's column of the target's name is read
    "row-identity",  # index, position or order of the rows
    "undated",  # rows of a table are used whatever their time
    "literals",  # much data is written into the source
    "state",  # something is kept from one call to the next
    "clock",
    "randomness",
    "files",
    "network",
    "processes",
    "introspection",
    "dynamic-code",
]

_MOST = 60


class StaticFinding(NamedTuple):
    """A line that matters for the verdict, and why; it explains and never decides."""

    line: int
    kind: FindingKind
    words: str


class Notes:
    """Collects findings; the first of a kind on a line stays."""

    def __init__(self) -> None:
        self._findings: dict[tuple[int, FindingKind], StaticFinding] = {}

    def add(self, place: ast.AST | int, kind: FindingKind, words: str) -> None:
        """Add a finding at a node or a line."""
        line = place if isinstance(place, int) else getattr(place, "lineno", 1)
        if len(self._findings) < _MOST:
            self._findings.setdefault((line, kind), StaticFinding(line, kind, words))

    def sorted(self) -> tuple[StaticFinding, ...]:
        """All of them, by line."""
        return tuple(sorted(self._findings.values()))


def plural(count: int, word: str) -> str:
    """A count with its noun.

    >>> plural(1, "entry"), plural(20, "entry"), plural(3, "character")
    ('1 entry', '20 entries', '3 characters')
    """
    if count == 1:
        return f"1 {word}"
    return f"{count:,} {word[:-1] + 'ies' if word.endswith('y') else word + 's'}"
