"""Removing and measuring folders that somebody else has filled: of any depth, with any modes, links never followed."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

__all__ = ["remove_tree", "tree_size"]

_DEEPEST = 100  # folders within each other; more are an error
_HEAP = 1 << 60
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is in it, as far as the system lets us; nothing is raised when some must stay.

    Folders within are moved up before they are emptied, so that no path grows long however deep they lie.
    """
    with contextlib.suppress(OSError):
        top = os.open(folder, _OPEN)
        try:
            _empty(top)
        finally:
            os.close(top)
        folder.rmdir()


def _empty(top: int) -> None:
    moved = 0
    names = _unlink_files(top)
    while names:
        name = names.pop()
        with contextlib.suppress(OSError):  # what cannot be removed stays, the rest goes
            child = os.open(name, _OPEN, dir_fd=top)
            try:
                for inner in _unlink_files(child):
                    moved += 1
                    outer = f".removed-{os.getpid()}-{moved}"
                    os.rename(inner, outer, src_dir_fd=child, dst_dir_fd=top)
                    names.append(outer)
            finally:
                os.close(child)
            os.rmdir(name, dir_fd=top)


def _unlink_files(folder: int) -> list[str]:
    """Remove all but the folders in a folder; the names of these, which can be opened now."""
    os.fchmod(folder, 0o700)
    folders = []
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            if stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
                os.chmod(name, 0o700, dir_fd=folder)
                folders.append(name)
            else:
                os.unlink(name, dir_fd=folder)
    return folders


def tree_size(folder: Path) -> int:
    """Bytes on the disk of all that is in a folder; huge for one that is deeper than anybody needs."""
    total = 0
    waiting = [(str(folder), 0)]
    while waiting:
        place, depth = waiting.pop()
        if depth > _DEEPEST:
            return _HEAP
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    with contextlib.suppress(OSError):  # gone meanwhile
                        status = entry.stat(follow_symlinks=False)
                        total += status.st_blocks * 512
                        if stat.S_ISDIR(status.st_mode):
                            waiting.append((entry.path, depth + 1))
        except OSError:  # gone meanwhile, or closed by its maker, who may have put anything into it
            continue
    return total
