"""The libraries of Assay's extras, as its own metadata names them: what an install hint may tell people to install."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from assay.version import DISTRIBUTION

__all__ = ["extras", "install_hint"]

_EARLIER = "assay"  # the distribution's former name; an index may have another project under it
_REQUIREMENT = re.compile(r"(?P<library>[A-Za-z0-9._-]+)(?P<versions>[^;]*);.*\bextra == ['\"](?P<extra>[^'\"]+)['\"]")


@cache
def extras() -> dict[str, dict[str, str]]:
    """Of each extra the libraries with what to ask an installer for; empty where nothing is installed under our name.

    >>> extras()["pysr"]
    {'pysr': 'pysr>=1.0'}
    """
    libraries: dict[str, dict[str, str]] = {}
    for text in _requirements():
        if match := _REQUIREMENT.match(text):
            requirement = f"{match['library']}{match['versions'].strip()}"
            libraries.setdefault(match["extra"], {})[match["library"]] = requirement
    return libraries


def install_hint(libraries: list[str], extra: str) -> str:
    """The command that installs these libraries: it names them, and never a distribution called like us.

    >>> install_hint(["crepes", "mapie"], "peers")
    "pip install 'crepes>=0.9' 'mapie>=1.3'"
    """
    requirements = extras().get(extra, {})
    return " ".join(["pip install", *(f"'{requirements.get(library, library)}'" for library in libraries)])


def _requirements() -> list[str]:
    for name in (DISTRIBUTION, _EARLIER):
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            continue
        if _is_ours(installed):
            return list(installed.requires or ())
    return []


def _is_ours(installed: Distribution) -> bool:
    return any(entry.group == "assay.tracks" and entry.value == "assay.cases:TRACK" for entry in installed.entry_points)
