"""Columns of numbers from and to CSV files; whatever cannot be used is named with its place."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import numpy as np

from assay.core import InvalidInput, UnknownName
from assay.core.arrays import FloatArray
from assay.core.display import counted
from assay.core.files.folders import demand_file
from assay.intake.table.options import TableOptions

__all__ = ["demand_finite", "read_columns", "read_header", "read_rows", "write_columns"]

_LINES = 200  # that tell what stands between two cells


def read_header(path: Path) -> tuple[str, ...]:
    """The names of the columns.

    Spaces around a name do not count; a name must not occur twice.
    """
    with _open(path) as stream:
        header = [name.strip() for name in next(csv.reader(stream), [])]
    if not header or not all(header):
        raise InvalidInput(f"{path}: needs a header line that names every column.")
    twice = next((name for place, name in enumerate(header) if name in header[:place]), None)
    if twice is not None:
        raise InvalidInput(f"{path}: the column {twice!r} occurs twice; rename one of them.")
    return tuple(header)


def read_rows(path: Path, *, remedy: str = "") -> tuple[list[str], list[dict[str, str]]]:
    """The names of the columns, and every row as texts by column; ``remedy`` is for a file that is not there.

    Cells are apart by commas, or where that makes one column only, by what else cuts the lines.
    """
    with _open(path, remedy=remedy) as stream:
        text = stream.read()
        if not text.strip():
            raise InvalidInput(f"{path}: the file is empty. Give a header line and at least one row.")
        reader = csv.DictReader(io.StringIO(text, newline=""))
        if len(reader.fieldnames or []) == 1:
            from assay.intake.table.layout.separators import find_separator

            sign = find_separator(text.splitlines()[:_LINES], TableOptions(), str(path)).sign
            reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=sign)
        return list(reader.fieldnames or []), list(reader)


@contextmanager
def _open(path: Path, *, remedy: str = "") -> Iterator[TextIO]:
    demand_file(path, remedy=remedy)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            yield stream
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"{path}: cannot be read as CSV ({error}). Give UTF-8 text with a header line.") from None


def read_columns(path: Path, names: Sequence[str]) -> FloatArray:
    """The named columns of a CSV file as a matrix of finite numbers, in the order of the names."""
    header = read_header(path)
    for name in names:
        if name not in header:
            raise InvalidInput(f"{path}: {UnknownName('column', name, header)}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a table without rows is refused below
            table = np.loadtxt(
                path,
                delimiter=",",
                skiprows=1,
                usecols=[header.index(name) for name in names],
                quotechar='"',
                comments=None,
                ndmin=2,
                encoding="utf-8-sig",
            )
    except ValueError as error:
        raise InvalidInput(f"{path}: {_explained(str(error), header)}") from None
    if not table.size:
        raise InvalidInput(f"{path}: the table has no rows.")
    demand_finite(table, names, path)
    return table


def demand_finite(table: FloatArray, names: Sequence[str], path: Path | str, *, otherwise: str = "") -> None:
    """Refuse a matrix with a value that is no finite number, by column and row; ``otherwise`` is a second remedy."""
    for place, name in enumerate(names):
        wrong = np.flatnonzero(~np.isfinite(table[:, place]))
        if len(wrong):
            raise InvalidInput(
                f"{path}: column {name!r} has no finite number in {counted(len(wrong), 'row')}, the first in row "
                f"{wrong[0] + 1}. Fill or remove them{otherwise}."
            )


def _explained(message: str, header: Sequence[str]) -> str:
    """Numpy's message with the column's name instead of its number."""
    place = re.search(
        r"could not convert string (?P<text>.*) to float64 at row (?P<row>\d+), column (?P<column>\d+)", message
    )
    if place is None:
        return f"cannot be read as a table ({message.partition(chr(10))[0]}). Give a header and rows of numbers."
    column = header[int(place["column"]) - 1]
    row = int(place["row"]) + 1
    return f"column {column!r} must hold numbers, found {place['text']} in row {row}. Encode or remove it."


def write_columns(path: Path, names: Sequence[str], values: FloatArray) -> None:
    """A CSV file whose numbers come back as they were; equal numbers give equal bytes."""
    if values.ndim != 2 or values.shape[1] != len(names):
        raise InvalidInput(f"{path}: {len(names)} columns are named, the values have shape {values.shape}.")
    quoted = ",".join(_quoted(name) for name in names)
    rows = (",".join(map(_shortest, row)) for row in values.tolist())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([quoted, *rows]) + "\n", encoding="utf-8", newline="\n")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"' if any(mark in name for mark in ',"\n\r') else name


def _shortest(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
