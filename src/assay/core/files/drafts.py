"""New folders, written whole or not at all."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.core.errors import InvalidInput

__all__ = ["demand_new_folder", "new_folder"]


def demand_new_folder(folder: Path) -> None:
    """Refuse a folder with something in it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"{folder}: already exists and is not empty. Choose a new folder.")


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A draft to fill, which becomes the folder as a whole at the end; an error or Ctrl-C leaves nothing behind.

    Messages that name the draft name the folder instead.
    """
    demand_new_folder(folder)
    above = [path for path in folder.absolute().parents if not path.exists()]
    draft = folder.parent / f".{folder.name}-{secrets.token_hex(4)}"  # beside it, so that renaming is one step
    try:
        draft.mkdir(parents=True)
        yield draft
        demand_new_folder(folder)
        draft.replace(folder)
    except BaseException as error:
        shutil.rmtree(draft, ignore_errors=True)
        for path in above:  # the innermost first; a folder that is not empty any more stays
            try:
                path.rmdir()
            except OSError:
                break
        if isinstance(error, InvalidInput) and str(draft) in str(error):
            raise InvalidInput(str(error).replace(str(draft), str(folder))) from None
        raise
