"""Files that cannot be written, as errors that name them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.core import InvalidInput

__all__ = ["writing"]


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Refuse a path that cannot be written; a full disk is no mistake of the user's and is raised as it is."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        place = error.filename or path
        raise InvalidInput(f"{place}: cannot be written ({error.strerror}). Give another path.") from None
