"""Zip files: equal content gives equal bytes, and what is read from one stays in its folder and within the limits."""

from __future__ import annotations

import errno
import io
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Final

from assay.core import InvalidInput
from assay.core.files.text import demand_size
from assay.intake import limits

__all__ = ["EPOCH", "demand_unpacked", "pack", "read_member", "unpack"]

EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the oldest time that a zip can name: the time of writing must not change a byte
_NAMING: Final = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EINVAL)


def pack(files: Mapping[str, bytes | Path], *, level: int) -> bytes:
    """A zip file of contents by name; one that is given by its path keeps its permissions."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, source in sorted(files.items()):
            content = source if isinstance(source, bytes) else source.read_bytes()
            mode = 0o644 if isinstance(source, bytes) else source.stat().st_mode & 0o777
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = mode << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, compresslevel=level)
    return buffer.getvalue()


def demand_unpacked(file: IO[bytes], limit: int, *, what: str, ending: str = "") -> None:
    """Refuse a zip file whose files, or those with the ending, are too large together, before one is unpacked.

    A file that is no zip file is left to its reader. Readers never unpack more than an entry declares.
    """
    start = file.tell()
    try:
        with zipfile.ZipFile(file) as archive:
            size = sum(entry.file_size for entry in archive.infolist() if entry.filename.endswith(ending))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        size = 0
    finally:
        file.seek(start)
    demand_size(size, limit, what=f"{what}, unpacked")


def read_member(archive: zipfile.ZipFile, name: str, *, path: Path) -> bytes:
    """One file of an archive, refused before it is unpacked when it is too large."""
    demand_size(archive.getinfo(name).file_size, limits.LARGEST_MEMBER, what=f"{path}: {name}")
    return archive.read(name)


def unpack(data: bytes, target: Path) -> Path:
    """The files of an archive in a folder that appears whole or not at all; no links, no devices."""
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=target.parent))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            needed, free = sum(entry.file_size for entry in entries), shutil.disk_usage(draft).free
            if needed > free:
                raise InvalidInput(f"archive: needs {needed:,} bytes in {target.parent}, where {free:,} are free.")
            for entry in entries:
                path = draft / entry.filename
                if not path.resolve().is_relative_to(draft.resolve()) or path.exists() or path.resolve() == draft:
                    raise InvalidInput(f"archive: {entry.filename!r} lies outside its folder, or is there twice.")
                path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, path.open("xb") as sink:
                    shutil.copyfileobj(source, sink)
                path.chmod(entry.external_attr >> 16 & 0o777 | 0o600)
        draft.replace(target)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"archive: it cannot be read ({error}).") from error
    except OSError as error:
        if error.errno not in _NAMING:
            raise
        raise InvalidInput(f"archive: a name in it cannot be that of a file ({error.strerror}).") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target
