"""How a log's table is written: its columns, which part each plays, and the format of its times; found in a sample."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from assay.core import InvalidInput, UnknownName
from assay.core.errors import suggest
from assay.drift.logs.sample import take_sample
from assay.drift.logs.time_columns import NUMBERED
from assay.intake import limits
from assay.intake.table.options import TableOptions
from assay.intake.tables import demand_decoded

__all__ = ["LogLayout", "broken_parquet", "find_csv_layout", "find_layout", "find_parquet_layout"]

_SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "case": ("caseconceptname", "caseid", "case", "traceid"),
    "activity": ("conceptname", "activity", "activityname", "event"),
    "time": ("timetimestamp", "timestamp", "completetimestamp", "time", "datetime", "date"),
    "resource": ("orgresource", "resource", "user"),
}
_NEEDED = frozenset({"case", "activity", "time"})
_ROWS = 500  # of each row group that is looked at
_GROUPS = 16


class LogLayout(NamedTuple):
    """The columns of a log and the part that each plays; how its times are written, None for ISO 8601.

    A text without a ``separator`` is not cut by a single sign, and is read at once.
    """

    names: tuple[str, ...]
    roles: Mapping[str, str]
    time_format: str | None = None
    notes: tuple[str, ...] = ()
    separator: str | None = ","
    encoding: str = "utf-8"
    first_line: int = 1  # of the events, from 0


def find_csv_layout(source: Path, options: TableOptions) -> LogLayout:
    """The layout of a CSV file: as usual logs have it, else as the general reader of tables finds it."""
    sample = take_sample(source, options)
    line = sample.text.partition("\n")[0]
    separator: str | None = max((",", ";", "\t"), key=line.count)
    usual = options.separator is None and set(_usual(line.split(separator))) >= _NEEDED
    notes: list[str] = []
    first_line = 1
    if usual:
        try:
            how: dict[str, Any] = {"dtype": str, "keep_default_na": False, "na_values": [""], "index_col": False}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", pd.errors.ParserWarning)  # cells beyond the header
                frame = pd.read_csv(io.StringIO(sample.text), sep=separator, on_bad_lines="skip", **how)
        except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
            raise InvalidInput(f"{source}: not readable as CSV ({str(error).strip()}).") from None
    else:
        from assay.intake.table.layout.rows import read_cells

        cells = read_cells(sample.text, options, str(source))
        frame = cells.frame.set_axis(cells.names, axis=1)
        separator = cells.separator if cells.separator is not None and len(cells.separator) == 1 else None
        first_line, notes = cells.first_line - 1, list(cells.notes)
        if not cells.header:
            notes.append("The file names no columns; they are called #1, #2, ...")
    layout = find_layout(frame, options, str(source), notes=notes)
    if options.encoding is None and sample.encoding not in ("utf-8", "utf-8-sig"):
        other = options.remedy("encoding", "cp1250")
        note = f"The text was read as {sample.encoding}. If letters are wrong, name another encoding, such as {other}."
        layout = layout._replace(notes=(*layout.notes, note))
    return layout._replace(separator=separator, encoding=sample.encoding, first_line=first_line)


def find_parquet_layout(source: Path, options: TableOptions) -> LogLayout:
    """The layout of a Parquet file, from rows of some of its row groups."""
    import pyarrow
    import pyarrow.parquet as parquet

    try:
        demand_decoded(source, limits.LARGEST_LOG)
        with parquet.ParquetFile(source) as file:
            groups = file.metadata.num_row_groups
            batches = [
                next(file.iter_batches(batch_size=_ROWS, row_groups=[group]), None)
                for group in range(0, groups, max(1, groups // _GROUPS))
            ]
            schema = file.schema_arrow
            table = pyarrow.Table.from_batches([batch for batch in batches if batch is not None], schema)
            table.validate(full=True)
            return find_layout(table.to_pandas(ignore_metadata=True), options, str(source))
    except InvalidInput:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise broken_parquet(source, error) from None


def broken_parquet(source: Path, error: Exception) -> InvalidInput:
    """The error for a Parquet file that cannot be read."""
    return InvalidInput(f"{source}: not readable as Parquet ({str(error).strip()}). Fetch or write it again.")


def find_layout(frame: pd.DataFrame, options: TableOptions, what: str, *, notes: Sequence[str] = ()) -> LogLayout:
    """The layout of a table, of which all columns and some rows are given."""
    names = [str(name) for name in frame.columns]
    roles = _named_roles(names, options, what)
    for role, name in _usual([name for name in names if name not in options.ignore]).items():
        roles.setdefault(role, name)
    for role, name in roles.items():
        if names.count(name) > 1:
            raise InvalidInput(f"{what}: {names.count(name)} columns are named {name!r} ({role}). Rename all but one.")
    detected = not set(roles) >= _NEEDED
    time_format = options.time_format
    if detected or (time_format is None and not _is_iso(frame[roles["time"]])):
        from assay.intake.table.read import read_user_table

        text_format = None if time_format in NUMBERED else time_format  # numbers are found by their size
        reading = read_user_table(frame, replace(options, columns=roles, time_format=text_format), name=what)
        if detected:
            for column in reading.columns:
                if column.role in ("case", "activity", "resource"):
                    roles.setdefault(column.role, column.name)
        for role in ("time", "case", "activity"):  # without times the others are not told apart
            if role not in roles and not reading.find(role):
                ignored = f" Ignored: {', '.join(map(repr, options.ignore))}." if options.ignore else ""
                raise InvalidInput(
                    f"{what}: no column looks like the {role}. Name it with "
                    f"{options.remedy('columns', 'NAME', role=role)}. Columns: "
                    f"{', '.join(name for name in names if name not in options.ignore)}.{ignored}"
                )
            roles[role] = roles.get(role) or reading.column(role).name
        if time_format is None and not _is_iso(frame[roles["time"]]):
            reading.times(roles["time"])  # refuses what is no time, and day and month that cannot be told apart
            time_format = reading[roles["time"]].time_format
    if detected or time_format != options.time_format:
        time = f" ({time_format})" if time_format is not None else ""
        chosen = [f"{role} = {roles[role]!r}{time if role == 'time' else ''}" for role in _SPELLINGS if role in roles]
        notes = (*notes, f"Columns taken: {', '.join(chosen)}.")
    return LogLayout(tuple(names), roles, time_format, tuple(notes))


def _named_roles(names: Sequence[str], options: TableOptions, what: str) -> dict[str, str]:
    """The columns that the user named, by role."""
    for role, name in options.columns.items():
        if role not in _SPELLINGS:
            raise UnknownName("column of a log", role, _SPELLINGS)
        demand_columns([name], names, what)
    demand_columns(options.ignore, names, what)
    return dict(options.columns)


def demand_columns(columns: Sequence[str], names: Sequence[str], what: str) -> None:
    """Columns that a table has."""
    for name in columns:
        if name not in names:
            raise InvalidInput(f"{what}: there is no column {name!r}. {suggest(name, names)}")


def _usual(names: Sequence[str]) -> dict[str, str]:
    """The columns with the usual names of logs, by role."""
    plain = {re.sub(r"[^a-z]", "", name.lower()): name for name in reversed(names)}
    by_role = {
        role: next((plain[spelling] for spelling in spellings if spelling in plain), None)
        for role, spellings in _SPELLINGS.items()
    }
    return {role: name for role, name in by_role.items() if name is not None}


def _is_iso(column: pd.Series[Any]) -> bool:
    """Whether most of the texts are times in ISO 8601; the others are then refused one by one."""
    if not (pd.api.types.is_object_dtype(column.dtype) or isinstance(column.dtype, pd.StringDtype)):
        return not pd.api.types.is_numeric_dtype(column.dtype)
    texts = [value.strip() for value in column if isinstance(value, str) and value.strip()]
    return sum(map(_reads, texts)) >= len(texts) / 2


def _reads(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return not text.isdecimal()
