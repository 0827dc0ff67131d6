"""Writing a report file: whole or not at all."""

from __future__ import annotations

import secrets
from pathlib import Path

from assay.core import InvalidInput

__all__ = ["write_whole"]


def write_whole(path: Path, content: bytes) -> None:
    """Put the content at a path through a temporary file beside it, so that nobody reads half a report."""
    draft = path.parent / f".assay-{secrets.token_hex(8)}.tmp"
    try:
        try:
            with draft.open("xb") as stream:
                stream.write(content)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"{path}: cannot be written ({error.strerror}). Give the path of a file in a folder that exists."
        ) from error
