"""Temporary folders that live as long as an object, or as this process."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from functools import cache
from pathlib import Path

__all__ = ["TemporaryFolder", "process_folder"]


class TemporaryFolder:
    """A folder that is removed when nothing refers to this object any more, at the latest when the process ends."""

    def __init__(self, purpose: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=f"assay-{purpose}-"))
        self._remove = weakref.finalize(self, _remove, self.path, os.getpid())

    def __repr__(self) -> str:
        return f"TemporaryFolder({str(self.path)!r})"


def _remove(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked process ends with the same finalizers
        shutil.rmtree(path, ignore_errors=True)


@cache
def _of_process(owner: int) -> TemporaryFolder:
    return TemporaryFolder("session")


def process_folder(*parts: str) -> Path:
    """A folder for what must outlive a call: captured subjects, built-in problems."""
    folder = _of_process(os.getpid()).path.joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
