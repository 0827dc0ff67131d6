"""Folders from elsewhere: only files inside of them are read, whatever links and names say."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from assay.core.errors import InvalidInput
from assay.core.files.near import is_there, near_path

__all__ = [
    *("demand_closed", "demand_file", "demand_inside", "demand_own"),
    *("find_inside", "is_file", "is_there", "user_path", "walk"),
]

_MOST_NAMES: Final = 10_000  # of a folder that are looked at
_LISTED: Final = 5  # names that an error shows


def demand_closed(folder: Path) -> None:
    """Refuse a folder with a link that leads out of it or nowhere, a pipe or a device; hidden files are not looked at.

    A link to a file outside would bring that file before subjects and into reports, and a pipe has no end.
    """
    root = folder.resolve()
    for path in walk(folder):
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        if path.is_symlink():
            demand_inside(path, root)
        elif not path.is_file() and not path.is_dir():
            raise InvalidInput(f"{path}: is neither a file nor a folder, but a pipe or a device. Remove it.")


def demand_inside(path: Path, root: Path) -> None:
    """Refuse a path that links lead out of a folder, which is given resolved, or nowhere."""
    if not _leads_inside(path, root):
        raise InvalidInput(f"{path}: is a link that leads out of {root}, or nowhere. Put the file itself there.")


def demand_own(path: Path, root: Path) -> None:
    """Refuse a file of somebody else's that leads elsewhere: through a link, or as a second name of another file."""
    demand_inside(path, root)
    if path.stat().st_nlink > 1:
        raise InvalidInput(f"{path}: is a second name of another file (a hard link). Put a copy of the file there.")


def walk(folder: Path) -> Iterator[Path]:
    """Everything below a folder, at any depth, in no order; links are named, never followed.

    A folder that cannot be listed counts as empty. ``Path.rglob`` fails, under some Pythons, at a link to a name that
    nothing can have and in a thousand folders within each other.
    """
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listing:
                entries = [(Path(entry.path), entry.is_dir(follow_symlinks=False)) for entry in listing]
        except OSError:
            continue
        for path, is_folder in entries:
            yield path
            if is_folder:
                waiting.append(path)


def is_file(path: Path) -> bool:
    """Whether there is a file; a link to a name that nothing can have leads to none."""
    try:
        return path.is_file()
    except OSError:
        return False


def demand_file(path: Path, *, remedy: str = "") -> None:
    """A file that is there and can be read to its end: not a folder, a pipe or a device."""
    if not is_file(path):
        raise InvalidInput(f"{path}: {_no_file(path, suggesting=not remedy)}{remedy and f' {remedy}'}")


def _no_file(path: Path, *, suggesting: bool) -> str:
    """What is at a path instead of a file; for a folder also its first files, which are likely candidates."""
    try:
        if not path.is_dir():
            return f"file not found.{near_path(path) if suggesting else ''}"
        files = sorted(entry.name for entry in islice(path.iterdir(), _MOST_NAMES) if not entry.name.startswith("."))
    except OSError:
        return "file not found."
    named = f" It holds {', '.join(files[:_LISTED])}{', ...' * (len(files) > _LISTED)}." if files else " It is empty."
    return f"this is a folder, and a file is needed.{named}"


def find_inside(folder: Path, name: str) -> Path | None:
    """What has this name in a folder; None when there is nothing, or when name or links lead out of the folder."""
    path = folder / name
    return path if is_there(path) and _leads_inside(path, folder.resolve()) else None


def _leads_inside(path: Path, root: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):  # nothing there, or links in a circle
        return False


def user_path(path: str | Path) -> Path:
    """A path as people write it: a ``~`` at its start is their home folder."""
    try:
        return Path(path).expanduser()
    except RuntimeError:  # a ~user that this machine does not have
        return Path(path)
