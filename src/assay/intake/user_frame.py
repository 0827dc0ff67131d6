"""A user's table for those who compute with it: numbers as numbers, every other value as it is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.intake import tables
from assay.intake.table.layout.rows import read_cells
from assay.intake.table.layout.source import read_source
from assay.intake.table.options import TableOptions
from assay.intake.table.read import read_user_table
from assay.intake.table.reading import ColumnReading, TableReading
from assay.intake.table.values.words import MISSING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["UserFrame", "is_date", "is_plain", "read_texts", "read_user_frame"]

_PARTS = ("%Y", "%m", "%d", "%H", "%M", "%S", "%V", "quarter")  # numbers that are used as numbers
_TRUTHS = {"true": True, "false": False}


class UserFrame(NamedTuple):
    """The values to compute with, and how each column was read."""

    frame: pd.DataFrame
    reading: TableReading


def read_user_frame(path: Path, options: TableOptions, *, like: TableReading | None = None) -> UserFrame:
    """The values of a table.

    A CSV file with commas in UTF-8, and Parquet, are as pandas reads them, with further cells of numbers missing where
    they were read so. In any other text the numbers are those that were found, with their decimal sign; classes,
    answers and dates stay the texts that stand there. What the file leaves open is read as in ``like``, a table that
    was read before.
    """
    reading = read_user_table(path, options, like=like)
    names = [column.name for column in reading.columns]
    if is_plain(path, reading):
        plain = tables.read_table(path)
        if set(names) <= set(plain.columns) and len(plain) == len(reading.frame):  # nothing was skipped
            return UserFrame(_with_missing(plain[names], reading), reading)
    frame = _with_usual_types(reading.frame)
    if reading.separator is None:  # a workbook, whose cells have types
        return UserFrame(frame, reading)
    texts = read_texts(path, options)
    if len(texts) == len(frame) and set(names) <= set(texts.columns):
        for column in reading.columns:
            if column.type not in ("integer", "float") or frame[column.name].dtype.kind == "M":
                frame[column.name] = _file_values(texts[column.name])
    return UserFrame(frame, reading)


def read_texts(path: Path, options: TableOptions) -> pd.DataFrame:
    """The cells of a table as they are written; those of Parquet as they are."""
    if tables.is_parquet(path):
        return tables.read_table(path)
    cells = read_cells(read_source(path, options).text, options, str(path))
    return cells.frame.set_axis(cells.names, axis=1)


def is_date(column: ColumnReading) -> bool:
    """Whether a column holds dates or moments, and not only years, months or the like."""
    return column.role == "time" and column.time_format not in _PARTS


def is_plain(path: Path, reading: TableReading) -> bool:
    """Whether a file is CSV with commas, points and a header in UTF-8, or Parquet: what every library reads alike."""
    if tables.is_parquet(path):
        return True
    utf8 = (reading.encoding or "").lower().removesuffix("-sig") in ("utf-8", "utf8", "ascii")
    simple = reading.separator == "," and reading.decimal in (None, ".") and reading.header
    return path.suffix.lower() == ".csv" and utf8 and simple


def _with_missing(plain: pd.DataFrame, reading: TableReading) -> pd.DataFrame:
    """The frame with the numbers that were read wherever more cells are missing than in the frame, such as ``?``."""
    further = [
        column.name
        for column in reading.columns
        if column.type in ("integer", "float")
        and reading.frame[column.name].isna().sum() > plain[column.name].isna().sum()
    ]
    return plain.assign(**_with_usual_types(reading.frame[further])) if further else plain


def _with_usual_types(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the types that pandas gives the columns of a CSV file."""
    typed = frame.copy()
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind in "iuf":
            typed[name] = column.astype("float64" if column.isna().any() or column.dtype.kind == "f" else "int64")
        elif str(column.dtype) == "boolean" and not column.isna().any():
            typed[name] = column.astype(bool)
    return typed


def _file_values(column: pd.Series[Any]) -> pd.Series[Any]:
    lowered = column.str.lower()
    missing = lowered.isin(MISSING)
    if not missing.any() and column.str.fullmatch(r"-?[0-9]{1,15}").all():  # 0 and 1 are numbers, whatever they mean
        return column.astype("int64")
    if not missing.any() and set(lowered.unique()) <= set(_TRUTHS):
        return lowered.map(_TRUTHS).astype(bool)
    return column.mask(missing)
