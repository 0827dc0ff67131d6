"""Zip files: equal content gives equal bytes, and what is read from one stays in its folder and within the limits."""

from __future__ import annotations

import errno
import io
import lzma
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import IO, Final

from assay.core import InvalidInput
from assay.core.files.text import demand_size
from assay.intake import limits

__all__ = ["EPOCH", "demand_unpacked", "pack", "read_member", "unpack"]

EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the oldest time that a zip can name: the time of writing must not change a byte
_PIECE: Final = 1 << 20
_LOOKED_AT: Final = 1 << 12
# how XML begins: a tag, the mark of an encoding, a tag in UTF-16, UTF-32 or EBCDIC
_MARKUP: Final = (b"<", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0<", b"\0\0\0<", b"\0\0\xfe\xff", b"\x4c\x6f")
_DAMAGED: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
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


def demand_unpacked(file: IO[bytes], limit: int, *, what: str, markup: int | None = None) -> None:
    """Refuse a zip file whose files are too large together, or those that could be XML; ``markup`` is their limit.

    Declared sizes decide first. Then every packed file is unpacked piece by piece, and forgotten: one that holds more
    than it declares is refused, since readers unpack such a file whole. What is no zip file, or damaged, is left to
    its reader.
    """
    start = file.tell()
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            demand_size(sum(entry.file_size for entry in entries), limit, what=f"{what}, unpacked")
            looked_at = [_look(archive, entry) for entry in entries]
    except InvalidInput:
        raise
    except _DAMAGED:
        return
    finally:
        file.seek(start)
    if markup is not None:
        size = sum(entry.file_size for entry, (begins, _) in zip(entries, looked_at, strict=True) if _is_markup(begins))
        demand_size(size, markup, what=f"{what}, its XML, unpacked")
    for entry, (_, more) in zip(entries, looked_at, strict=True):
        if more:
            raise InvalidInput(f"{what}: {entry.filename!r} is larger than it says. Write the file again.")


def _look(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> tuple[bytes, bool]:
    """How a file begins, and whether it holds more than it declares."""
    longer = copy(entry)
    longer.file_size = entry.file_size + 1
    longer.CRC = None  # type: ignore[assignment] # of the declared bytes, when there are more
    begins, size = b"", 0
    with suppress(*_DAMAGED), archive.open(longer) as stream:
        begins = stream.read(_LOOKED_AT)
        size = len(begins)
        while entry.compress_type != zipfile.ZIP_STORED and (piece := stream.read(_PIECE)):
            size += len(piece)
    return begins, entry.compress_type != zipfile.ZIP_STORED and size > entry.file_size


def _is_markup(begins: bytes) -> bool:
    """Whether a parser of XML accepts this beginning, whatever the file's name says."""
    text = begins.lstrip()
    return not text or text.startswith(_MARKUP)


def read_member(archive: zipfile.ZipFile, name: str, *, path: Path) -> bytes:
    """One file of an archive, refused before it is unpacked when it is too large."""
    demand_size(archive.getinfo(name).file_size, limits.LARGEST_MEMBER, what=f"{path}: {name}")
    with archive.open(name) as stream:
        return stream.read(archive.getinfo(name).file_size + 1)  # without a number all would be unpacked at once


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
