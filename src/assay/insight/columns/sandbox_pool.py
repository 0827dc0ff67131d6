"""The sandbox of this process: started when the first function must run, kept warm for all cells that follow."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager

from assay.core import InfrastructureFailed, InvalidInput
from assay.sandbox import Sandbox

__all__ = ["close_sandboxes", "shared_sandbox"]

_REMEMBERED = 256  # results kept by content, so that what several checks ask for is computed once

_open: dict[str, Sandbox] = {}


@contextmanager
def shared_sandbox(level: str) -> Iterator[Sandbox]:
    """The sandbox of this level; one whose processes died is replaced the next time.

    A machine that cannot keep the level is not the subject's fault: InfrastructureFailed, with the way out.
    """
    if level not in _open:
        try:
            _open[level] = Sandbox.start(level=level, remember=_REMEMBERED)
        except InvalidInput as error:
            raise InfrastructureFailed(str(error)) from error
        if len(_open) == 1:
            atexit.register(close_sandboxes)
    try:
        yield _open[level]
    except InfrastructureFailed:
        _open.pop(level).close()
        raise


def close_sandboxes() -> None:
    """End every sandbox of this process."""
    while _open:
        _open.popitem()[1].close()
