"""The largest of everything that is read from outside; what is larger is refused before it is parsed."""

from __future__ import annotations

from typing import Final

from assay.core.files.text import LARGEST_JSON

__all__ = [
    "LARGEST_ANSWER",
    "LARGEST_ARRAYS",
    "LARGEST_JSON",
    "LARGEST_LOG",
    "LARGEST_MARKUP",
    "LARGEST_MEMBER",
    "LARGEST_PACKAGE",
    "LARGEST_TABLE",
    "LONGEST_CELL",
    "LONGEST_ROW",
    "LONGEST_TAG",
]

LARGEST_ANSWER: Final = 512 * 1024**2  # bytes of an encoded answer, in every track
LARGEST_TABLE: Final = 1024**3  # bytes of a CSV file, or of the values in a Parquet file
LONGEST_ROW: Final = 4_000_000  # characters of a row in a CSV file
LONGEST_CELL: Final = 1_000_000  # characters of a cell in a CSV file
LARGEST_LOG: Final = 4 * 1024**3  # bytes of an event log that is packed, unpacked
LONGEST_TAG: Final = 16 * 1024**2  # bytes of one tag in an event log
LARGEST_MEMBER: Final = 2 * 1024**3  # bytes of one file in an archive, unpacked
LARGEST_ARRAYS: Final = 8 * 1024**3  # bytes of all arrays of an npz file, unpacked
LARGEST_PACKAGE: Final = 512 * 1024**2  # bytes of all files in an office document, unpacked
LARGEST_MARKUP: Final = 32 * 1024**2  # bytes of its XML, which takes twenty times as much memory when it is parsed
