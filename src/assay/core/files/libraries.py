"""Installed libraries by the names that code imports: which distribution is it, in which version? None is imported."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from pathlib import Path

__all__ = ["STANDARD", "library_versions"]

STANDARD = frozenset({*sys.stdlib_module_names, "__main__", "__future__"})
ABSENT = "not installed"
_OWN = {"assay": "assay-discovery"}  # the metadata of an editable installation lists no files
_NAMES = ("top_level.txt", "RECORD")  # of a distribution's metadata: what it installs


def library_versions(names: Iterable[str]) -> dict[str, str]:
    """The versions of the distributions that hold these top-level modules, by distribution, the built-in ones left out.

    A module that is not there is said to be absent: installing it may change what runs. One that belongs to no
    distribution has no version, and is left out.

    >>> list(library_versions(["numpy", "json"]))
    ['numpy']
    """
    versions: dict[str, str] = {}
    for name in sorted(set(names) - STANDARD):
        owner = _distribution_of(name)
        if owner is not None:
            try:
                versions[owner] = version(owner)
            except (PackageNotFoundError, ValueError):
                versions[owner] = ABSENT
    return versions


@cache
def _distribution_of(module: str) -> str | None:
    """The distribution that holds a module, or the module's own name when there is none; most are called alike."""
    try:
        return distribution(_OWN.get(module, module)).metadata["Name"]
    except (PackageNotFoundError, ValueError):
        pass
    try:
        spec = PathFinder.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        return module
    for place in [spec.origin] if spec.origin else list(spec.submodule_search_locations or ()):
        for parent in Path(place).parents:
            for info in _metadata_folders(str(parent)):
                if _holds(info, module):
                    return Distribution.at(info).metadata["Name"]
            if parent.name in ("site-packages", "dist-packages"):
                break
    return None


@cache
def _metadata_folders(folder: str) -> tuple[Path, ...]:
    return tuple(sorted(Path(folder).glob("*.dist-info")))


def _holds(info: Path, module: str) -> bool:
    for name in _NAMES:
        try:
            text = (info / name).read_text("utf-8", errors="replace")
        except OSError:
            continue
        if re.search(rf"^{re.escape(module)}(\.py|/|\.[\w-]+\.so|$)", text, re.MULTILINE):
            return True
    return False
