"""Space on the disk: whether a subject filled it, or the machine had none, which is not the subject's failure."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Final

from assay.core import InfrastructureFailed, SubjectFailed
from assay.core.files.removal import tree_size

__all__ = ["DiskGuard", "NoSpace", "is_full"]

_NONE_LEFT: Final = (errno.ENOSPC, errno.EDQUOT)
_RESERVE: Final = 64 << 20  # bytes that a subject must leave to the store
_MUCH: Final = 64 << 20  # bytes: who wrote less has met a disk that others had filled
_LITTLE: Final = 1 << 20


class NoSpace(InfrastructureFailed):
    """The disk is full through no fault of the subject's."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"no space left on the disk of {folder.parent}: free some, then run again")


def is_full(error: OSError) -> bool:
    """Whether this error says that there is no room."""
    return error.errno in _NONE_LEFT


class DiskGuard:
    """Keeps a subject from filling the disk from its folder, and knows whose fault a full disk is."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._free = shutil.disk_usage(folder).free
        self._reserve = min(_RESERVE, self._free // 8)

    def look(self) -> SubjectFailed | None:
        """Whether the folder fills the disk."""
        full = shutil.disk_usage(self._folder).free < self._reserve and self._own_doing()
        return _filled() if full else None

    def judge(self, failure: SubjectFailed | None) -> SubjectFailed | None:
        """Whose fault a failure is, asked while the folder is still there: NoSpace is raised when not the subject's."""
        if failure is None or failure.kind == "disk":
            return failure
        little = shutil.disk_usage(self._folder).free < min(_LITTLE, self._reserve)
        complains = os.strerror(errno.ENOSPC) in str(failure)  # may blame the subject itself, never excuse it
        if (little or complains) and self._own_doing():
            return _filled()
        if little:
            raise NoSpace(self._folder)
        return failure

    def _own_doing(self) -> bool:
        """Whether the folder holds much, and more than half of what was free at the start."""
        return tree_size(self._folder) > max(_MUCH, self._free // 2)


def _filled() -> SubjectFailed:
    return SubjectFailed("disk", "filled the disk from its working folder")
