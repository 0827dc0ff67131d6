"""What addresses inside the page start with."""

from __future__ import annotations

import re
from collections.abc import Collection

__all__ = ["slug", "unlike"]

_RESERVED = frozenset({"overview", "main", "theme", "live"})


def slug(name: str, used: Collection[str]) -> str:
    """A track's name as the start of addresses inside the page: letters, digits and hyphens, unlike the others.

    >>> slug("Formula: 2nd", []), slug("main", []), slug("cases", ["cases"])
    ('formula-2nd', 'track-main', 'cases-2')
    """
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return unlike(plain if plain and plain not in _RESERVED else f"track-{plain}".rstrip("-"), used)


def unlike(base: str, used: Collection[str]) -> str:
    """A name, numbered where it is taken.

    >>> unlike("cases", []), unlike("cases", ["cases", "cases-2"])
    ('cases', 'cases-3')
    """
    name, number = base, 1
    while name in used:
        number += 1
        name = f"{base}-{number}"
    return name
