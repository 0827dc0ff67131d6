"""A look at a log's CSV file before it is read: within the limits, its encoding, and lines spread over it."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path
from typing import NamedTuple

from assay.core import InvalidInput
from assay.core.files.text import demand_size
from assay.intake import limits
from assay.intake.table.options import TableOptions
from assay.intake.table.source import find_encoding

__all__ = ["Sample", "take_sample"]

_CHUNK = 1 << 20
_HEAD = 1 << 18  # bytes of the beginning
_BLOCK = 1 << 12  # bytes from each further place
_BLOCKS = 64  # places
_ASCII = bytes(range(0x80))


class Sample(NamedTuple):
    """Whole lines of a text from its beginning and from places spread over it, and its encoding."""

    text: str
    encoding: str


def take_sample(source: Path, options: TableOptions) -> Sample:
    """Lines of a file, plain or gzipped; the whole file is looked at once, a piece at a time."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    head, blocks, odd = b"", [], b""
    size = line = 0
    step = chunks = 0
    is_utf8 = True
    try:
        with gzip.open(source, "rb") if source.suffix.lower() == ".gz" else source.open("rb") as file:
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                last = chunk.rfind(b"\n")
                line = line + len(chunk) if last < 0 else len(chunk) - last
                if source.suffix.lower() == ".gz":
                    demand_size(size, limits.LARGEST_LOG, what=f"{source}, unpacked")
                    demand_size(line, 4 * limits.LONGEST_ROW, what=f"{source}: a line")  # characters of up to 4 bytes
                if is_utf8:
                    try:
                        decoder.decode(chunk)
                    except UnicodeDecodeError:
                        is_utf8 = False
                if not is_utf8 and len(odd) < _CHUNK:
                    odd += chunk.translate(None, _ASCII)
                if not head:
                    head = chunk if size < _CHUNK else _whole_lines(chunk[:_HEAD], first=True)
                    continue
                chunks += 1
                if chunks % (1 << step) == 0:
                    blocks.append(_whole_lines(chunk[:_BLOCK]))
                if len(blocks) > _BLOCKS:
                    blocks, step = blocks[::2], step + 1
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(f"{source}: not readable as CSV ({error}). Fetch or write it again.") from None
    encoding = find_encoding(head + odd, source, options) if options.encoding is None else options.encoding
    if encoding.startswith(("utf-16", "utf-32")):
        blocks = []  # their line ends are no single bytes
    try:
        return Sample((head + b"".join(blocks)).decode(encoding, "replace").removeprefix("\ufeff"), encoding)
    except LookupError:
        raise InvalidInput(
            f"The encoding {encoding!r} is not known. Give one such as {options.remedy('encoding', 'cp1252')}."
        ) from None


def _whole_lines(piece: bytes, *, first: bool = False) -> bytes:
    start = 0 if first else piece.find(b"\n") + 1
    return piece[start : piece.rfind(b"\n") + 1]
