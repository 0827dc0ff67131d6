"""The text of a table's file: unpacked, within the limits, and decoded."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path
from typing import NamedTuple

from assay.core import InvalidInput
from assay.core.files.folders import demand_file
from assay.core.files.text import demand_size, read_bytes
from assay.intake import limits
from assay.intake.table.options import TableOptions

__all__ = ["Source", "find_encoding", "read_source"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_CP1252 = (0x81, 0x8D, 0x8F, 0x90, 0x9D)


class Source(NamedTuple):
    """A text, its encoding, and what the user should know of it."""

    text: str
    encoding: str
    note: str = ""


def read_source(path: Path, options: TableOptions) -> Source:
    """The text of a file."""
    demand_file(path)
    data = _unpacked(path) if path.suffix.lower() == ".gz" else read_bytes(path, limits.LARGEST_TABLE)
    if options.encoding is not None:
        return Source(_decoded(data, options.encoding, path, options), options.encoding)
    encoding = find_encoding(data, path, options)
    note = ""
    if encoding in ("latin-1", "cp1252"):
        other = options.remedy("encoding", "cp1250")
        note = f"The file is not UTF-8; it was read as {encoding}. If letters are wrong, give another such as {other}."
    elif encoding.startswith("utf-16-"):
        note = f"The file has no byte order mark; its zero bytes say {encoding}."
    return Source(_decoded(data, encoding, path, options), encoding, note)


def _unpacked(path: Path) -> bytes:
    """What a packed file holds; its size is known before anything is held."""
    size = line = 0
    try:
        with gzip.open(path, "rb") as stream:
            while piece := stream.read(1 << 20):
                size += len(piece)
                last = piece.rfind(b"\n")
                line = line + len(piece) if last < 0 else len(piece) - last
                demand_size(size, limits.LARGEST_TABLE, what=f"{path}, unpacked")
                demand_size(
                    line, 4 * limits.LONGEST_ROW, what=f"{path}: a line"
                )  # of characters, each up to four bytes
        with gzip.open(path, "rb") as stream:
            return stream.read()
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(f"{path}: cannot be unpacked ({error}). Fetch or write it again.") from None


def find_encoding(data: bytes, path: Path, options: TableOptions) -> str:
    """The encoding of some bytes from the beginning of a text on."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    head = data[: 1 << 16]
    if b"\0" in head:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if odd > len(head) // 4 and even < odd // 8:
            return "utf-16-le"
        if even > len(head) // 4 and odd < even // 8:
            return "utf-16-be"
    nul = data.find(b"\0")
    if nul >= 0:
        raise InvalidInput(
            f"{path}: a NUL at byte {nul}: this is not a text file. Give CSV, Parquet or Excel"
            f", or name the encoding, for example {options.remedy('encoding', 'utf-16')}."
        )
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        upper = data.translate(None, bytes(range(0x80)) + bytes(range(0xA0, 0x100)))
        return "latin-1" if not upper or any(byte in upper for byte in _NOT_CP1252) else "cp1252"
    return "utf-8"


def _decoded(data: bytes, encoding: str, path: Path, options: TableOptions) -> str:
    try:
        codec = codecs.lookup(encoding)
        if not getattr(codec, "_is_text_encoding", True):
            raise LookupError
    except (LookupError, ValueError):
        raise InvalidInput(
            f"The encoding {encoding!r} is not known. Give one such as {options.remedy('encoding', 'utf-8')} "
            f"or {options.remedy('encoding', 'cp1252')}."
        ) from None
    if codec.name == "utf-8":
        encoding = "utf-8-sig"  # a byte order mark never belongs to the first name
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start : error.start + 1].hex()
        raise InvalidInput(
            f"{path}: line {line} cannot be read as {encoding.removesuffix('-sig')}: byte 0x{byte} at position "
            f"{error.start} ({error.reason}). Leave the encoding out to have it detected, or give another."
        ) from None
    except (ValueError, UnicodeError) as error:
        raise InvalidInput(f"{path}: cannot be read as {encoding} ({error}). Give another encoding.") from None
    if "\0" in text:
        raise InvalidInput(
            f"{path}: read as {encoding}, it holds a NUL at character {text.find(chr(0))}. Give another encoding."
        )
    return text.removeprefix("\ufeff")
