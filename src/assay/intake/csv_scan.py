"""A look at a CSV file before it is parsed: encoding, size, header, row lengths; in bounded memory."""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from assay.core import InvalidInput
from assay.core.files.folders import demand_file
from assay.intake import limits

__all__ = ["longest_cells", "scan_csv"]

_CHUNK = 1024**2
_AT_ONCE = 8 * _CHUNK  # bytes that are looked at as a whole
_LINE, _COMMA, _MARK = b'\n,"'
_EDGES = tuple(b'\n\r,"')  # what may stand beside a quotation mark outside of the text that it encloses


def scan_csv(path: Path) -> tuple[str, ...]:
    """The column names of a CSV file that can be parsed; whatever is wrong with it is an InvalidInput that names it."""
    demand_file(path)
    size = path.stat().st_size
    if size > limits.LARGEST_TABLE:
        raise InvalidInput(f"{path}: {size} bytes are more than the {limits.LARGEST_TABLE} allowed for one table.")
    _demand_text(path)
    if size <= _AT_ONCE and (names := _plain_header(path.read_bytes())):
        _demand_distinct(names, path)
        return tuple(names)
    with longest_cells(), path.open(encoding="utf-8-sig", newline="") as stream:
        return _scan_rows(stream, path)


def _plain_header(content: bytes) -> list[str]:
    """The column names of a table in which every line has as many cells; else empty.

    Cells are counted for all lines at once. Whatever is unusual, blank lines and quotation marks within a cell
    included, is left to a reader of rows.
    """
    import numpy as np

    if content.count(b"\r") != content.count(b"\r\n"):
        return []
    letters = np.frombuffer(content, dtype=np.uint8)
    ends, commas = np.flatnonzero(letters == _LINE), np.flatnonzero(letters == _COMMA)
    if b'"' in content:
        marks = np.flatnonzero(letters == _MARK)
        before = np.append(letters, _LINE)[marks[::2] - 1]  # of the first letter of all, the last
        after = np.append(letters, _LINE)[marks[1::2] + 1]
        if len(marks) % 2 or not (np.isin(before, _EDGES).all() and np.isin(after, _EDGES).all()):
            return []
        ends, commas = (places[np.searchsorted(marks, places) % 2 == 0] for places in (ends, commas))
    if not content.endswith(b"\n"):
        ends = np.append(ends, len(letters))
    cells = np.diff(np.searchsorted(commas, ends), prepend=0)
    long = np.diff(ends, prepend=-1).max(initial=0) > min(limits.LONGEST_CELL, limits.LONGEST_ROW)
    if long or len(ends) < 2 or not cells[0] or (cells != cells[0]).any():
        return []
    header = next(csv.reader([content[: ends[0]].decode("utf-8-sig").removesuffix("\r")]))
    return [name or f"Unnamed: {place}" for place, name in enumerate(header)]


@contextmanager
def longest_cells() -> Iterator[None]:
    """Let csv read cells up to the limit; csv keeps its limit for the whole process, so it is put back afterwards."""
    before = csv.field_size_limit(limits.LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _demand_text(path: Path) -> None:
    """UTF-8, with or without a byte order mark, and no NUL."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    read = 0
    with path.open("rb") as stream:
        while True:
            chunk = stream.read(_CHUNK)
            pending = len(decoder.getstate()[0])  # the first bytes of a character that the last chunk cut in two
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                byte = read - pending + error.start
                raise InvalidInput(
                    f"{path}: not UTF-8 text ({error.reason} at byte {byte}). Save the table as UTF-8."
                ) from None
            nul = chunk.find(b"\0")
            if nul >= 0:
                raise InvalidInput(f"{path}: a NUL at byte {read + nul}: this is not a text file. Save it as UTF-8.")
            if not chunk:
                return
            read += len(chunk)


def _scan_rows(stream: TextIO, path: Path) -> tuple[str, ...]:
    lines = _Lines(stream)
    reader = csv.reader(lines)
    header: list[str] = []
    rows = 0
    with _naming_long_cells(lines, path, header):
        for row in reader:
            lines.forget()
            if not row or (len(row) == 1 and not row[0].strip()):  # blank lines are skipped in parsing too
                continue
            if not header:
                header.extend(name or f"Unnamed: {place}" for place, name in enumerate(row))
                _demand_distinct(header, path)
                continue
            rows += 1
            if len(row) != len(header):
                raise InvalidInput(
                    f"{path}: line {reader.line_num} has {len(row)} cells, the header has {len(header)} columns. "
                    "Give every row one cell per column."
                )
    _demand_closed_quotes(lines.last, path)
    if not header:
        raise InvalidInput(f"{path}: the file is empty. Give a header line and at least one row.")
    if not rows:
        raise InvalidInput(f"{path}: the table has no rows. Columns: {', '.join(header)}.")
    return tuple(header)


def _demand_distinct(header: list[str], path: Path) -> None:
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise InvalidInput(
            f"{path}: column {twice[0]!r} occurs {header.count(twice[0])} times in the header. "
            "Every column needs a name of its own."
        )


def _demand_closed_quotes(row: list[str], path: Path) -> None:
    """Only the last row can have an open quotation mark: it reaches to the end of the file."""
    try:
        list(csv.reader(row, strict=True))
    except csv.Error as error:
        if "end of data" in str(error):
            raise InvalidInput(
                f"{path}: the file ends inside quotation marks. Close the one opened in the row that begins with "
                f"{row[0][:60]!r}."
            ) from None


class _Lines(Iterator[str]):
    """Lines of a stream, never more of one than the longest row; remembers those of the row being read."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.pending: list[str] = []
        self.last: list[str] = []
        self._length = 0

    def __next__(self) -> str:
        line = self._stream.readline(limits.LONGEST_ROW + 1)
        if not line:
            raise StopIteration
        self.pending.append(line)
        self._length += len(line)
        if self._length > limits.LONGEST_ROW:
            raise csv.Error("row too long")
        return line

    def forget(self) -> None:
        """A row is complete."""
        self.last, self.pending = self.pending, []
        self._length = 0


@contextmanager
def _naming_long_cells(lines: _Lines, path: Path, header: list[str]) -> Iterator[None]:
    try:
        yield
    except csv.Error:  # a cell or row is too long
        csv.field_size_limit(2 * limits.LONGEST_ROW)
        cells = next(csv.reader(lines.pending), [])
        for place, cell in enumerate(cells):
            if len(cell) > limits.LONGEST_CELL:
                where = f"column {header[place]!r}" if place < len(header) else f"column number {place + 1}"
                raise InvalidInput(
                    f"{path}: a cell in {where} is longer than the {limits.LONGEST_CELL} characters allowed. "
                    "Shorten it, or check that every quotation mark is closed."
                ) from None
        raise InvalidInput(f"{path}: a row is longer than the {limits.LONGEST_ROW} characters allowed.") from None
