"""Event logs written as XES, plain or gzipped."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput
from assay.drift.logs.event_log import EventLog
from assay.drift.logs.xes import KEYS

__all__ = ["ILLEGAL", "write_xes"]

ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 cannot hold
_OF_TRACE = "case:"  # how the names of columns begin that belong to traces
_Columns = Mapping[str, npt.NDArray[Any]]


def write_xes(log: EventLog, path: str | Path) -> None:
    """Write a log as XES, gzipped when the name says so; the same bytes for the same log.

    Further columns become attributes of events, and of traces where their names begin with ``case:``.
    """
    target = Path(path)
    of_events = {name: column for name, column in log.attributes.items() if not name.startswith(_OF_TRACE)}
    of_traces = {name: _once_per_case(log, name, target) for name in log.attributes if name not in of_events}
    texts = {value for column in log.attributes.values() for value in column if isinstance(value, str)}
    for name in (log.name, *log.cases, *log.activities, *log.resources, *log.attributes, *sorted(texts)):
        if ILLEGAL.search(name):
            raise InvalidInput(
                f"{target}: {name!r} has a character that XML cannot hold. Rename it, or write .csv or .parquet."
            )
    for role, key in KEYS.items():  # those are written already
        (of_traces if role == "case" else of_events).pop(_OF_TRACE + key if role == "case" else key, None)
    of_traces = {name.removeprefix(_OF_TRACE): column for name, column in of_traces.items()}
    with target.open("wb") as raw:
        if target.suffix == ".gz":
            # neither the time nor the name of the file enters the archive
            with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
                _write(log, of_traces, of_events, packed)
        else:
            _write(log, of_traces, of_events, raw)


def _once_per_case(log: EventLog, name: str, target: Path) -> npt.NDArray[Any]:
    """The column's value of each case; an error where events of one case differ."""
    column, offsets = log.attributes[name], log.offsets
    for case, (first, end) in enumerate(pairwise(offsets)):
        value = column[first]
        if any(not _is_same(value, other) for other in column[first + 1 : end]):
            raise InvalidInput(
                f"{target}: {name!r} differs between events of case {log.cases[case]!r}; as its name begins with "
                f"'case:', a trace has it once. Rename the column, or write .csv or .parquet."
            )
    return column[offsets[:-1]]


def _is_same(value: Any, other: Any) -> bool:
    return _is_missing(other) if _is_missing(value) else not _is_missing(other) and bool(value == other)


def _is_missing(value: Any) -> bool:
    from pandas import isna

    return value is None or bool(isna(value))


def _write(log: EventLog, of_traces: _Columns, of_events: _Columns, file: Any) -> None:
    names = [quoteattr(name) for name in log.activities]
    people = [quoteattr(name) for name in log.resources]
    out = io.TextIOWrapper(file, encoding="utf-8", newline="\n", write_through=False)
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1.0" xmlns="http://www.xes-standard.org/">\n')
    out.write(f'  <string key="concept:name" value={quoteattr(log.name)}/>\n')
    offsets = log.offsets
    for case, name in enumerate(log.cases):
        out.write(f'  <trace>\n    <string key="concept:name" value={quoteattr(name)}/>\n')
        out.writelines(f"    {element}\n" for element in _elements(of_traces, case))
        for event in range(offsets[case], offsets[case + 1]):
            stamp = log.local.moment(int(log.times[event])).isoformat(
                timespec="microseconds" if log.times[event] % 1_000_000 else "milliseconds"
            )
            out.write(f'    <event>\n      <string key="concept:name" value={names[log.activity_codes[event]]}/>\n')
            out.write(f'      <date key="time:timestamp" value="{stamp}"/>\n')
            if log.resource_codes is not None and log.resource_codes[event] >= 0:
                out.write(f'      <string key="org:resource" value={people[log.resource_codes[event]]}/>\n')
            out.writelines(f"      {element}\n" for element in _elements(of_events, event))
            out.write("    </event>\n")
        out.write("  </trace>\n")
    out.write("</log>\n")
    out.flush()
    out.detach()


def _elements(columns: _Columns, place: int) -> Iterator[str]:
    """The attributes at one place of the columns, without those that are missing there."""
    for key, column in columns.items():
        if not _is_missing(column[place]):
            kind, text = _typed(column[place])
            yield f"<{kind} key={quoteattr(key)} value={quoteattr(text)}/>"


def _typed(value: Any) -> tuple[str, str]:
    """The element that XES has for a value, and its text."""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, bool | np.bool_):
        return "boolean", str(bool(value)).lower()
    if isinstance(value, int | np.integer):
        return "int", str(int(value))
    if isinstance(value, float | np.floating):
        return "float", repr(float(value))
    if isinstance(value, datetime):
        return "date", value.isoformat()
    return "string", str(value)
