"""CSV as Assay writes it: rows end with a line feed, and every cell with a line break of any kind is quoted."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LineFeeds", "csv_text", "frame_text", "write_frame", "write_rows"]


class LineFeeds(io.TextIOBase):
    r"""A stream for rows that a CSV writer ends with carriage return and line feed; the line feed alone is written.

    With a line feed as its terminator, the writer of Python 3.11 leaves carriage returns unquoted, and a reader of
    the file takes them for the end of a row.

    >>> stream = io.StringIO(newline="")
    >>> _ = csv.writer(LineFeeds(stream), lineterminator=LineFeeds.TERMINATOR).writerow(["a\rb", "c"])
    >>> stream.getvalue()
    '"a\rb",c\n'
    """

    TERMINATOR = "\r\n"

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> int:
        """Write one row."""
        return self._stream.write(row.removesuffix(self.TERMINATOR) + "\n")


def write_rows(stream: TextIO, rows: Iterable[Sequence[object]]) -> None:
    """Write rows to a text stream that was opened with ``newline=""``."""
    csv.writer(LineFeeds(stream), lineterminator=LineFeeds.TERMINATOR).writerows(rows)


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV."""
    stream = io.StringIO(newline="")
    write_rows(stream, rows)
    return stream.getvalue()


def write_frame(stream: TextIO, frame: pd.DataFrame) -> None:
    """Write a data frame without its index, to a text stream that was opened with ``newline=""``."""
    frame.to_csv(LineFeeds(stream), index=False, lineterminator=LineFeeds.TERMINATOR)


def frame_text(frame: pd.DataFrame) -> str:
    """A data frame as CSV, without its index."""
    stream = io.StringIO(newline="")
    write_frame(stream, frame)
    return stream.getvalue()
