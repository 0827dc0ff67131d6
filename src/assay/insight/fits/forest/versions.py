"""Which scikit-learn versions the shortcuts were verified with, and whether to trust others."""

from __future__ import annotations

import re
from collections.abc import Container

from assay.insight.fits.forest.sklearn_engine import installed_version

__all__ = ["VERIFIED", "fallback_notes", "merges_close_values", "note_check", "version_doubt"]

VERIFIED = ((1, 5, 1), (1, 9, 0))  # from the first up to, without, the second

_WITHOUT_MERGING = ((1, 6, 0), (1, 8, 0))

_checked: dict[str, bool] = {}  # what self-checks of this process found of a version


def version_doubt(version: str | None = None) -> str:
    """Why the shortcuts may not predict what this scikit-learn (the installed one) does; empty when they do.

    >>> version_doubt("1.7.2")
    ''
    >>> version_doubt("1.9.0")
    'scikit-learn 1.9.0 is not among the verified versions (1.5.1 to below 1.9.0)'
    """
    version = installed_version() if version is None else version
    if _checked.get(version, VERIFIED[0] <= _numbers(version) < VERIFIED[1]):
        return ""
    if version in _checked:
        return f"the self-check found predictions other than those of scikit-learn {version}"
    low, high = (".".join(map(str, bound)) for bound in VERIFIED)
    return f"scikit-learn {version} is not among the verified versions ({low} to below {high})"


def fallback_notes(engines: Container[str]) -> tuple[str, ...]:
    """What a record says when scikit-learn answered because its version is not verified; nothing under one that is."""
    doubt = version_doubt()
    if not doubt or "scikit-learn" not in engines:
        return ()
    return (f"forests: grown by scikit-learn itself, and scores may differ from those of verified versions: {doubt}.",)


def merges_close_values(version: str | None = None) -> bool:
    """Whether this scikit-learn (the installed one) takes neighbouring values within 1e-7 for one value.

    The rule was always meant to hold; in 1.6 and 1.7 it had no effect.

    >>> [merges_close_values(version) for version in ("1.5.1", "1.6.1", "1.7.2", "1.8.0")]
    [True, False, False, True]
    """
    numbers = _numbers(installed_version() if version is None else version)
    return not _WITHOUT_MERGING[0] <= numbers < _WITHOUT_MERGING[1]


def note_check(passed: bool) -> None:
    """Trust or distrust the installed version, as a self-check decided, until this process ends."""
    _checked[installed_version()] = passed


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(number) for number in re.findall(r"\d+", version)[:3]]
    return tuple(numbers + [0] * (3 - len(numbers)))
