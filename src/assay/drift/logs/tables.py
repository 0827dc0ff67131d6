"""Event logs as tables: CSV and Parquet, read piece by piece, and pandas frames."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from assay.core import InvalidInput, UnknownName
from assay.core.errors import suggest
from assay.core.files.text import demand_size
from assay.drift.logs.columns import LogColumns
from assay.drift.logs.event_log import EventLog, Order, Times
from assay.drift.logs.timestamps import Clock, find_zone
from assay.intake import limits
from assay.intake.tables import demand_decoded

__all__ = ["log_of_frame", "read_table", "write_table"]

_PIECE = 100_000  # rows held at once
_SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "case": ("caseconceptname", "caseid", "case", "traceid"),
    "activity": ("conceptname", "activity", "activityname", "event"),
    "time": ("timetimestamp", "timestamp", "completetimestamp", "time", "datetime", "date"),
    "resource": ("orgresource", "resource", "user"),
}


def read_table(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    attributes: Sequence[str] = (),
    timezone: str | None = None,
    order: Order = "start",
) -> EventLog:
    """Read a CSV or Parquet log; only the wanted columns are held."""
    source = Path(path)
    parquet = source.suffix.lower() == ".parquet"
    header = _parquet_header(source) if parquet else _csv_header(source)
    chosen = _choose(header, columns, attributes, str(source))
    wanted = list(dict.fromkeys([*chosen.values(), *attributes]))
    pieces = _Pieces(str(source), chosen, attributes, timezone)
    for frame in (_parquet_pieces if parquet else _csv_pieces)(source, wanted):
        pieces.add_piece(frame)
    name = source.name.removesuffix(".gz").removesuffix(source.suffix).removesuffix(".csv")
    return pieces.finish(name, order)


def log_of_frame(
    frame: pd.DataFrame,
    *,
    name: str,
    columns: Mapping[str, str] | None = None,
    attributes: Sequence[str] = (),
    timezone: str | None = None,
    order: Order = "start",
) -> EventLog:
    """Make a log of a frame; the frame is not changed."""
    what = f"frame {name!r}"
    pieces = _Pieces(what, _choose([str(c) for c in frame.columns], columns, attributes, what), attributes, timezone)
    pieces.add_piece(frame)
    return pieces.finish(name, order)


def write_table(log: EventLog, path: str | Path) -> None:
    """Write a log as CSV (``.csv``, ``.csv.gz``) or Parquet."""
    target, frame = Path(path), log.to_frame()
    if target.suffix.lower() == ".parquet":
        frame.to_parquet(target, index=False)
    elif target.name.lower().endswith((".csv", ".csv.gz")):
        stamps = frame["time:timestamp"].dt.strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")
        text = frame.assign(**{"time:timestamp": stamps}).to_csv(index=False, lineterminator="\n").encode()
        # neither the time nor the name of the file enters the archive
        target.write_bytes(gzip.compress(text, mtime=0) if target.suffix.lower() == ".gz" else text)
    else:
        raise InvalidInput(f"{target}: a log is written as .xes, .xes.gz, .csv, .csv.gz or .parquet.")


class _Pieces(LogColumns):
    """The columns of a log while pieces of a table come in."""

    def __init__(self, what: str, chosen: Mapping[str, str], attributes: Sequence[str], timezone: str | None) -> None:
        super().__init__()
        self.what, self.chosen, self.attributes = what, chosen, tuple(attributes)
        self.zone, self.clock, self.timezone = find_zone(timezone), Clock(timezone), timezone
        self.columns = {
            "case": (self.cases, self.case_codes),
            "activity": (self.activities, self.activity_codes),
            "resource": (self.resources, self.resource_codes),
        }
        self.further: dict[str, list[np.ndarray[Any, np.dtype[Any]]]] = {name: [] for name in self.attributes}
        self.rows = 0

    def add_piece(self, frame: pd.DataFrame) -> None:
        """One more piece, in the order of the source."""
        for role in self.columns:
            if role in self.chosen:
                self._add_names(role, frame[self.chosen[role]])
        self.times.frombytes(self._stamps(frame[self.chosen["time"]]).tobytes())
        for name in self.attributes:
            self.further[name].append(frame[name].to_numpy(dtype=object))
        self.rows += len(frame)

    def finish(self, name: str, order: Order) -> EventLog:
        """The finished log."""
        if not self.rows:
            raise InvalidInput(f"{self.what}: it has a header and no events.")
        return self.log(
            name, attributes={key: np.concatenate(parts) for key, parts in self.further.items()}, order=order
        )

    def _place(self, row: int) -> str:
        return f"{self.what}, row {self.rows + row + 1}"

    def _add_names(self, role: str, column: pd.Series[Any]) -> None:
        missing = column.isna().to_numpy() | (column.astype(str).str.strip() == "").to_numpy()
        if missing.any() and role != "resource":
            raise InvalidInput(
                f"{self._place(int(missing.argmax()))}: the {role} (column {self.chosen[role]!r}) is empty. "
                "Fill it in or remove the row."
            )
        codes, uniques = pd.factorize(column[~missing].astype(str).to_numpy(dtype=object))
        known, known_codes = self.columns[role]
        table = np.array([known.setdefault(str(name), len(known)) for name in uniques], dtype=np.int32)
        row_codes = np.full(len(column), -1, dtype=np.int32)
        row_codes[~missing] = table[codes]
        known_codes.frombytes(row_codes.tobytes())

    def _stamps(self, column: pd.Series[Any]) -> Times:
        missing = column.isna().to_numpy()
        if missing.any():
            raise InvalidInput(
                f"{self._place(int(missing.argmax()))}: the time (column {self.chosen['time']!r}) is empty. "
                "Fill it in or remove the row."
            )
        if isinstance(column.dtype, pd.DatetimeTZDtype):
            return _nanoseconds(column.dt.tz_convert("UTC"))
        if pd.api.types.is_datetime64_dtype(column.dtype):
            # a clock set back gives one time twice: the earlier is meant, as Python has it
            zoned = column.dt.tz_localize(
                self.zone, ambiguous=np.ones(len(column), dtype=bool), nonexistent="shift_forward"
            )
            return _nanoseconds(zoned.dt.tz_convert("UTC"))
        read, place = self.clock.read, self._place
        texts = [value if isinstance(value, str) else _iso(value) for value in column]
        return np.fromiter(
            (read(text.strip(), _place_of(place, row)) for row, text in enumerate(texts)),
            dtype=np.int64,
            count=len(texts),
        )


def _place_of(place: Callable[[int], str], row: int) -> Callable[[], str]:
    return lambda: place(row)


def _iso(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _nanoseconds(column: pd.Series[Any]) -> Times:
    years = column.dt.year
    if not 1678 <= int(years.min()) <= int(years.max()) <= 2261:
        raise InvalidInput(f"column {column.name!r}: a time lies outside the years 1678 to 2261. Correct it.")
    stamps: Times = column.dt.tz_localize(None).to_numpy(dtype="datetime64[ns]").astype(np.int64)
    return stamps


def _choose(
    header: Sequence[str], columns: Mapping[str, str] | None, attributes: Sequence[str], what: str
) -> dict[str, str]:
    """Which column plays which part: as told, or by its usual name."""
    for role in columns or {}:
        if role not in _SPELLINGS:
            raise UnknownName("column of a log", role, _SPELLINGS)
    plain = {re.sub(r"[^a-z]", "", name.lower()): name for name in reversed(header)}
    chosen = {}
    for role, spellings in _SPELLINGS.items():
        if columns is not None and role in columns:
            if columns[role] not in header:
                raise InvalidInput(f"{what}: there is no column {columns[role]!r}. {suggest(columns[role], header)}")
            chosen[role] = columns[role]
            continue
        usual = [plain[spelling] for spelling in spellings if spelling in plain]
        if usual:
            chosen[role] = usual[0]
        elif role != "resource":
            raise InvalidInput(
                f"{what}: no column looks like the {role}. Name it with columns={{{role!r}: ...}}. "
                f"Columns: {', '.join(header)}."
            )
    for name in attributes:
        if name not in header:
            raise InvalidInput(f"{what}: there is no column {name!r}. {suggest(name, header)}")
    return chosen


def _separator(source: Path) -> str:
    with gzip.open(source, "rb") if source.suffix.lower() == ".gz" else source.open("rb") as file:
        line = file.readline(1 << 20)
    return max((",", ";", "\t"), key=lambda sign: line.count(sign.encode()))


def _demand_unpacked(source: Path) -> None:
    """Refuse a packed table that unpacks to too much, or to a line without an end."""
    if source.suffix.lower() != ".gz":
        return
    size = line = 0
    with gzip.open(source, "rb") as file:
        while piece := file.read(1 << 20):
            size += len(piece)
            last = piece.rfind(b"\n")
            line = line + len(piece) if last < 0 else len(piece) - last
            demand_size(size, limits.LARGEST_LOG, what=f"{source}, unpacked")
            demand_size(line, 4 * limits.LONGEST_ROW, what=f"{source}: a line")  # of characters, each up to four bytes


def _csv_header(source: Path) -> list[str]:
    try:
        _demand_unpacked(source)
        return [str(name) for name in pd.read_csv(source, sep=_separator(source), nrows=0).columns]
    except (
        pd.errors.ParserError,
        pd.errors.EmptyDataError,
        UnicodeDecodeError,
        OSError,
        EOFError,
        zlib.error,
    ) as error:
        raise InvalidInput(f"{source}: not readable as CSV in UTF-8 ({error}).") from None


def _csv_pieces(source: Path, wanted: list[str]) -> Iterator[pd.DataFrame]:
    options: dict[str, Any] = {"usecols": wanted, "dtype": str, "keep_default_na": False, "na_values": [""]}
    # without this, rows with more fields than the header would move all fields to other columns
    options["index_col"] = False
    try:
        with pd.read_csv(source, sep=_separator(source), chunksize=_PIECE, **options) as reader:
            yield from reader
    except (pd.errors.ParserError, UnicodeDecodeError, OSError, EOFError, zlib.error) as error:
        raise InvalidInput(f"{source}: not readable as CSV in UTF-8 ({str(error).strip()}).") from None


def _parquet_header(source: Path) -> list[str]:
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        demand_decoded(source, limits.LARGEST_LOG)
        return list(parquet.read_schema(source).names)
    except InvalidInput:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise _broken_parquet(source, error) from None


def _parquet_pieces(source: Path, wanted: list[str]) -> Iterator[pd.DataFrame]:
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(source) as file:
            for batch in file.iter_batches(batch_size=_PIECE, columns=wanted):
                batch.validate(full=True)  # else damaged text is met later, far from here
                # what pandas once noted about its index is of no use here
                yield batch.to_pandas(ignore_metadata=True)
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise _broken_parquet(source, error) from None


def _broken_parquet(source: Path, error: Exception) -> InvalidInput:
    return InvalidInput(f"{source}: not readable as Parquet ({str(error).strip()}). Fetch or write it again.")
