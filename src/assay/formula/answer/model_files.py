"""Models as texts in files: one formula per line, a file per data set, a folder per subject."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assay.core import InvalidInput
from assay.core.files.near import near_path
from assay.core.files.text import LARGEST_JSON, demand_size, read_text
from assay.formula.answer.script import formulas_in
from assay.formula.equivalence.reading import natural_order

__all__ = ["formulas_in", "read_formulas", "subject_folders"]

_SUFFIXES = (".json", ".txt")


def read_formulas(path: Path) -> list[str]:
    """The formulas of a file, at least one."""
    demand_size(path.stat().st_size, LARGEST_JSON, what=str(path))
    formulas = formulas_in(read_text(path))
    if not formulas:
        raise InvalidInput(f"{path}: holds no formula; write one per line.")
    return formulas


def subject_folders(folder: Path) -> Mapping[str, tuple[Path, ...]]:
    """The subjects in a folder of models, each with the folders of its repetitions.

    ``<subject>/<data set>.txt`` is one repetition, ``<subject>/<repetition>/<data set>.txt`` several.
    """
    if not folder.is_dir():
        raise InvalidInput(f"{folder}: folder of models not found.{near_path(folder)}")
    folders: dict[str, tuple[Path, ...]] = {}
    for child in sorted(folder.iterdir()):
        if not child.is_dir() or child.name.startswith("."):
            continue
        inside = natural_order([entry.name for entry in child.iterdir() if entry.is_dir() and _has_models(entry)])
        if _has_models(child):
            if inside:
                raise InvalidInput(
                    f"{child}: models lie both here and in {inside[0]}; keep one file per data set, or one folder per "
                    "repetition."
                )
            folders[child.name] = (child,)
        elif inside:
            folders[child.name] = tuple(child / name for name in inside)
    if not folders:
        raise InvalidInput(
            f"{folder}: no models here. Each subject is a folder with a text file per data set: "
            "<subject>/<data set>.txt."
        )
    return folders


def _has_models(folder: Path) -> bool:
    return any(path.suffix in _SUFFIXES and path.is_file() for path in folder.iterdir())
