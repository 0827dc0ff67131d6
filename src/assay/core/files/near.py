"""The nearest name to a path that does not exist: most such paths are mistyped."""

from __future__ import annotations

import os
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path

from assay.core.errors import nearest

__all__ = ["is_there", "near_path"]

_MOST_NAMES = 10_000  # of a folder that are looked at
_CLOSE = 0.5  # of names without their endings


def near_path(path: Path) -> str:
    """A suggestion for a path that does not exist: the nearest name beside it, as a sentence after a space, or "".

    Of ``studies/problms/p1`` the part that is mistyped is replaced, and the rest kept where that leads somewhere.
    """
    missing = path
    while missing.parent != missing and not is_there(missing.parent):
        missing = missing.parent
    try:
        with os.scandir(missing.parent) as listing:
            names = [entry.name for entry in islice(listing, _MOST_NAMES)]
    except (OSError, ValueError):
        return ""
    names = [name for name in names if not name.startswith(".") or missing.name.startswith(".")]
    close = nearest(missing.name, sorted(names), cutoff=0.6)
    if close is None or path.name in ("", ".") or is_there(path):
        return ""
    similar = missing.with_name(close)
    if SequenceMatcher(None, missing.stem.lower(), similar.stem.lower()).ratio() < _CLOSE:  # only the endings are alike
        return ""
    whole = similar / path.relative_to(missing)
    best = whole if is_there(whole) else similar
    return f" Did you mean {str(best) + '/' * best.is_dir()!r}?"


def is_there(path: Path) -> bool:
    """Whether there is a file or a folder; no for a name that no file can have."""
    try:
        return path.exists()
    except (OSError, ValueError):  # longer than names can be, or with a zero byte
        return False
