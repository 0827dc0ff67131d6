"""One writer at a time per results folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.core import InvalidInput

__all__ = ["LOCK_NAME", "locked"]

LOCK_NAME = ".lock"


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """One run at a time per results folder; the kernel drops the lock of a killed run."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(out / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o644)
    except (FileExistsError, NotADirectoryError):
        file = next((place for place in (out, *out.parents) if place.is_file()), out)
        raise InvalidInput(f"{out}: results go into a folder, and {file} is a file. Name another folder.") from None
    except OSError as error:
        raise InvalidInput(f"{out}: this results folder cannot be written ({error.strerror}).") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidInput(
                f"{out}: another run is writing here. Wait for it, or choose another results folder."
            ) from None
        yield
    finally:
        os.close(descriptor)
