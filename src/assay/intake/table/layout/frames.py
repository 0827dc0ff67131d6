"""Tables that come with types: Parquet files, Excel sheets, pandas and polars frames."""

from __future__ import annotations

import csv
import io
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from assay.core import InvalidInput, MissingExtra
from assay.core.files.folders import demand_file
from assay.core.files.text import demand_size
from assay.intake import limits
from assay.intake.archives import demand_unpacked
from assay.intake.csv_lines import LineFeeds

__all__ = ["frame_of", "sheet_text"]


def frame_of(source: Any) -> pd.DataFrame:
    """A pandas frame of any frame that speaks Arrow's C interface; an index that has a name becomes a column."""
    if not isinstance(source, pd.DataFrame):
        if not hasattr(source, "__arrow_c_stream__"):
            raise InvalidInput(
                f"A table is a path or a data frame (pandas, polars), got {type(source).__name__}. "
                "Give a path, or make a frame of it: pandas.DataFrame(...)."
            )
        source = pa.table(source).to_pandas()
    frame: pd.DataFrame = source
    if isinstance(frame.index, pd.MultiIndex | pd.DatetimeIndex) or frame.index.name is not None:
        frame = frame.reset_index(names=_index_names(frame))
    return frame.reset_index(drop=True)


def _index_names(frame: pd.DataFrame) -> list[str]:
    names = [str(name) if name is not None else "index" for name in frame.index.names]
    return [name if name not in frame.columns else f"{name} (index)" for name in names]


def sheet_text(path: Path) -> tuple[str, list[str]]:
    """The first sheet of a workbook with cells in it, as comma-separated text, and notes."""
    demand_file(path)
    if path.suffix.lower() == ".xls":
        raise InvalidInput(f"{path}: the old Excel format is not read. Save it as .xlsx or CSV.")
    try:
        import openpyxl  # type: ignore[import-untyped]
    except ImportError:
        raise MissingExtra("Excel files", "openpyxl", "excel") from None
    with path.open("rb") as package:
        demand_unpacked(package, limits.LARGEST_PACKAGE, what=str(path))
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        try:
            filled = [
                sheet
                for sheet in book.worksheets
                if any(any(cell is not None for cell in row) for row in sheet.iter_rows(max_row=50, values_only=True))
            ]
            if not filled:
                raise InvalidInput(f"{path}: no sheet holds a table.")
            text = _sheet_csv(filled[0], path)
        finally:
            book.close()
    except (InvalidInput, MemoryError):
        raise
    except Exception as error:  # openpyxl raises classes of many kinds for damaged files
        raise InvalidInput(
            f"{path}: cannot be read as an Excel workbook ({error}). Save it again, or as CSV."
        ) from error
    if len(filled) == 1:
        return text, []
    others = ", ".join(repr(sheet.title) for sheet in filled[1:])
    return text, [f"The first sheet, {filled[0].title!r}, was read; not read: {others}."]


def _sheet_csv(sheet: Any, path: Path) -> str:
    stream = io.StringIO(newline="")
    writer = csv.writer(LineFeeds(stream), lineterminator=LineFeeds.TERMINATOR)
    width = sheet.max_column or 1
    for row in sheet.iter_rows(values_only=True):
        cells = [_cell(value) for value in row]
        writer.writerow(cells + [""] * (width - len(cells)))
        if stream.tell() > limits.LARGEST_TABLE:
            demand_size(stream.tell(), limits.LARGEST_TABLE, what=f"{path}, its cells")
    return stream.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ") if value.time() != time() else value.date().isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)
