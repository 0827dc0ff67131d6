"""Event logs as tables: CSV and Parquet, read piece by piece, and pandas frames."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from assay.core import InvalidInput
from assay.drift.logs.columns import LogColumns, log_name
from assay.drift.logs.event_log import EventLog, Order
from assay.drift.logs.layout import (
    LogLayout,
    broken_parquet,
    demand_columns,
    find_csv_layout,
    find_layout,
    find_parquet_layout,
)
from assay.drift.logs.time_columns import TimeColumn
from assay.intake.csv_lines import frame_text
from assay.intake.table.layout.rows import read_cells
from assay.intake.table.layout.source import read_source
from assay.intake.table.options import TableOptions

__all__ = ["log_of_frame", "read_table", "write_table"]

_PIECE = 100_000  # rows held at once
_DETECT = TableOptions()
_EXCEL = (".xlsx", ".xlsm", ".xls", ".ods")


def read_table(
    path: str | Path, *, options: TableOptions = _DETECT, attributes: Sequence[str] = (), order: Order = "start"
) -> EventLog:
    """Read a log piece by piece; only the wanted columns are held. A workbook is small and read at once."""
    source = Path(path)
    if source.suffix.lower() in _EXCEL:
        from assay.intake.table.read import read_user_table

        frame = read_user_table(source, options).frame
        return log_of_frame(frame, name=log_name(source), options=options, attributes=attributes, order=order)
    layout = find_parquet_layout(source, options) if _is_parquet(source) else find_csv_layout(source, options)
    demand_columns(attributes, layout.names, str(source))
    columns = list(dict.fromkeys([*layout.roles.values(), *attributes]))
    pieces = _Pieces(str(source), layout, attributes, options)
    read = _parquet_pieces(source, columns) if _is_parquet(source) else _csv_pieces(source, columns, layout, options)
    for frame in read:
        pieces.add_piece(frame)
    return pieces.finish(log_name(source), order)


def log_of_frame(
    frame: pd.DataFrame,
    *,
    name: str,
    options: TableOptions = _DETECT,
    attributes: Sequence[str] = (),
    order: Order = "start",
) -> EventLog:
    """Make a log of a frame; the frame is not changed."""
    what = f"frame {name!r}"
    if not len(frame):
        raise InvalidInput(f"{what}: it has no rows. Give a frame with a row per event.")
    layout = find_layout(frame.set_axis([str(column) for column in frame.columns], axis=1), options, what)
    demand_columns(attributes, layout.names, what)
    pieces = _Pieces(what, layout, attributes, options)
    pieces.add_piece(frame)
    return pieces.finish(name, order)


def write_table(log: EventLog, path: str | Path) -> None:
    """Write a log as CSV (``.csv``, ``.csv.gz``) or Parquet."""
    target, frame = Path(path), log.to_frame()
    is_parquet = target.suffix.lower() == ".parquet"
    if not is_parquet or not log.local.is_utc:  # a column of times has one zone: local times are texts
        frame = frame.assign(**{"time:timestamp": _local_texts(log)})
    if is_parquet:
        frame.to_parquet(target, index=False)
    elif target.name.lower().endswith((".csv", ".csv.gz")):
        text = frame_text(frame).encode()
        # neither the time nor the name of the file enters the archive
        target.write_bytes(gzip.compress(text, mtime=0) if target.suffix.lower() == ".gz" else text)
    else:
        raise InvalidInput(f"{target}: a log is written as .xes, .xes.gz, .csv, .csv.gz or .parquet.")


def _local_texts(log: EventLog) -> pd.Series[Any]:
    """The local times of all events in ISO 8601, with their offsets."""
    stamps = pd.Series(pd.to_datetime(log.local.clock(log.times))).dt.strftime("%Y-%m-%dT%H:%M:%S.%f")
    return stamps + pd.Series(log.local.ahead(log.times)).map(lambda seconds: _offset(int(seconds)))


def _offset(seconds: int) -> str:
    """How ISO 8601 writes by how much a time is ahead of UTC.

    >>> _offset(7200), _offset(0)
    ('+02:00', '+00:00')
    """
    return str(timezone(timedelta(seconds=seconds))).removeprefix("UTC") or "+00:00"


class _Pieces(LogColumns):
    """The columns of a log while pieces of a table come in."""

    def __init__(self, what: str, layout: LogLayout, attributes: Sequence[str], options: TableOptions) -> None:
        super().__init__()
        self.what, self.chosen, self.attributes, self.notes = what, layout.roles, tuple(attributes), layout.notes
        self.time = TimeColumn(layout.roles["time"], options, time_format=layout.time_format)
        self.columns = {
            "case": (self.cases, self.case_codes),
            "activity": (self.activities, self.activity_codes),
            "resource": (self.resources, self.resource_codes),
        }
        self.further: dict[str, list[np.ndarray[Any, np.dtype[Any]]]] = {name: [] for name in self.attributes}

    def add_piece(self, frame: pd.DataFrame) -> None:
        """One more piece, in the order of the source."""
        for role in self.columns:
            if role in self.chosen:
                self._add_names(role, frame[self.chosen[role]])
        times, ahead = self.time.read(frame[self.chosen["time"]], self._place)
        self.times.frombytes(times.tobytes())
        self.ahead.frombytes(ahead.tobytes())
        for name in self.attributes:
            self.further[name].append(frame[name].to_numpy(dtype=object))

    def finish(self, name: str, order: Order) -> EventLog:
        """The finished log."""
        if not self.times:
            raise InvalidInput(f"{self.what}: it has a header and no events.")
        further = {key: np.concatenate(parts) for key, parts in self.further.items()}
        return self.log(name, attributes=further, order=order, notes=self.notes)

    def _place(self, row: int) -> str:
        return f"{self.what}, row {len(self.times) + row + 1}"  # those of the pieces before are known

    def _add_names(self, role: str, column: pd.Series[Any]) -> None:
        missing = column.isna().to_numpy() | (column.astype(str).str.strip() == "").to_numpy()
        if missing.any() and role != "resource":
            raise InvalidInput(
                f"{self._place(int(missing.argmax()))}: the {role} (column {self.chosen[role]!r}) is empty. "
                "Fill it in or remove the row."
            )
        codes, uniques = pd.factorize(column[~missing].astype(str).to_numpy(dtype=object))
        codes_by_name, code_column = self.columns[role]
        table = np.array([codes_by_name.setdefault(str(name), len(codes_by_name)) for name in uniques], dtype=np.int32)
        row_codes = np.full(len(column), -1, dtype=np.int32)
        row_codes[~missing] = table[codes]
        code_column.frombytes(row_codes.tobytes())


def _is_parquet(source: Path) -> bool:
    return source.suffix.lower() in (".parquet", ".pq")


def _csv_pieces(source: Path, columns: list[str], layout: LogLayout, options: TableOptions) -> Iterator[pd.DataFrame]:
    if layout.separator is None:  # cut by more than one sign: small, as nothing that writes many rows does this
        cells = read_cells(read_source(source, options).text, options, str(source))
        yield cells.frame.set_axis(cells.names, axis=1)[columns]
        return
    how: dict[str, Any] = {"usecols": columns, "dtype": str, "keep_default_na": False, "na_values": [""]}
    # without this, rows with more fields than the header would move all fields to other columns
    how |= {"index_col": False, "names": list(layout.names)}
    how |= {"header": 0, "skiprows": layout.first_line - 1} if layout.first_line else {"header": None}
    how |= {"sep": layout.separator, "encoding": layout.encoding, "chunksize": _PIECE}
    try:
        with pd.read_csv(source, **how) as reader:
            yield from reader
    except (pd.errors.ParserError, UnicodeError, LookupError, OSError, EOFError, zlib.error) as error:
        other = options.remedy("encoding", "cp1252") if isinstance(error, UnicodeError) else ""
        raise InvalidInput(
            f"{source}: not readable as CSV in {layout.encoding} ({str(error).strip()}). "
            + (
                f"Give another encoding, for example {other}."
                if other
                else "Correct the line, or write the file again."
            )
        ) from None


def _parquet_pieces(source: Path, columns: list[str]) -> Iterator[pd.DataFrame]:
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(source) as file:
            for batch in file.iter_batches(batch_size=_PIECE, columns=columns):
                batch.validate(full=True)  # else damaged text is met later, far from here
                # what pandas once noted about its index is of no use here
                yield batch.to_pandas(ignore_metadata=True)
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise broken_parquet(source, error) from None
