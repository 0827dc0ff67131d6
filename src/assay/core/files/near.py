"""The nearest name to a path that does not exist: most such paths are mistyped."""

from __future__ import annotations

import os
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path

__all__ = ["near_path"]

_MOST_NAMES = 10_000  # of a folder that are looked at
_CLOSE = 0.5  # of names without their endings


def near_path(path: Path) -> str:
    """A suggestion for a path that does not exist: the nearest name beside it, as a sentence after a space, or "".

    Of ``studies/problms/p1`` the part that is mistyped is replaced, and the rest kept where that leads somewhere.
    """
    missing = path
    while missing.parent != missing and not _exists(missing.parent):
        missing = missing.parent
    try:
        with os.scandir(missing.parent) as listing:
            names = [entry.name for _, entry in zip(range(_MOST_NAMES), listing, strict=False)]
    except (OSError, ValueError):
        return ""
    names = [name for name in names if not name.startswith(".") or missing.name.startswith(".")]
    folded = {name.lower(): name for name in sorted(names)}
    close = get_close_matches(missing.name.lower(), list(folded), n=1, cutoff=0.6)
    if not close or path.name in ("", ".") or _exists(path):
        return ""
    found = missing.with_name(folded[close[0]])
    if SequenceMatcher(None, missing.stem.lower(), found.stem.lower()).ratio() < _CLOSE:  # only the endings are alike
        return ""
    whole = found / path.relative_to(missing)
    best = whole if _exists(whole) else found
    return f" Did you mean {str(best) + '/' * best.is_dir()!r}?"


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # longer than names can be, or with a zero byte
        return False
