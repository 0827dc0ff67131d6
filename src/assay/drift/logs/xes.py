"""XES event logs, plain or gzipped, read as a stream of which only the wanted keys are kept."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, get_args
from xml.parsers import expat

import numpy as np

from assay.core import InvalidInput, UnknownName
from assay.core.files.text import demand_size
from assay.drift.logs.columns import LogColumns, log_name
from assay.drift.logs.event_log import Duplicates, EventLog, Order
from assay.drift.logs.timestamps import Clock
from assay.drift.logs.xes_scan import Unusual, scan_traces
from assay.intake import limits
from assay.intake.table.options import TableOptions

__all__ = ["KEYS", "read_xes"]

# the usual keys; the case is named by an attribute of the trace, the others by attributes of the event
KEYS: Mapping[str, str] = {
    "case": "concept:name",
    "activity": "concept:name",
    "time": "time:timestamp",
    "resource": "org:resource",
}

_CHUNK = 1 << 20
_DETECT = TableOptions()
_VALUES: Mapping[str, Callable[[str], Any]] = {"int": int, "float": float, "boolean": lambda text: text == "true"}


def read_xes(
    path: str | Path,
    *,
    options: TableOptions = _DETECT,
    attributes: Sequence[str] = (),
    order: Order = "start",
    duplicates: Duplicates = "apart",
) -> EventLog:
    """Read a log; ``attributes`` are keys of events, or of their trace when they begin with ``case:``.

    A regular file is scanned quickly, beside a parser that proves it well-formed. Whatever is unusual (comments, nested
    attributes, other quotes, events without a time) is read again element by element, where errors name the line.
    """
    source = Path(path)
    keys = dict(KEYS)
    for role, key in options.columns.items():
        if role not in KEYS:
            raise UnknownName("column of a log", role, KEYS)
        keys[role] = key.removeprefix("case:") if role == "case" else key
    try:
        if attributes:
            raise Unusual
        traces = _Traces(source, keys, (), options, duplicates)
        _scan(source, traces)
    except Unusual:
        traces = _Traces(source, keys, tuple(attributes), options, duplicates)
        _parse(source, traces)
    return traces.finish(order)


class _Traces(LogColumns):
    """The columns of a XES file, and what was unusual about its traces."""

    def __init__(
        self,
        source: Path,
        keys: Mapping[str, str],
        attributes: tuple[str, ...],
        options: TableOptions,
        duplicates: str,
    ) -> None:
        if duplicates not in get_args(Duplicates):
            raise UnknownName("treatment of duplicates", duplicates, get_args(Duplicates))
        super().__init__()
        self.source, self.keys, self.clock = source, keys, Clock(options)
        self.duplicates = duplicates
        self.repeated: dict[str, int] = {}  # by how many traces a name is borne
        self.attributes: dict[str, list[Any]] = {key: [] for key in attributes}
        self.empty = self.merged = 0

    def case(self, name: str, place: Callable[[], str]) -> int:
        """The code of a trace that has events."""
        if name in self.cases:
            if self.duplicates == "error":
                raise InvalidInput(
                    f"{place()}: a second trace is named {name!r}. Rename it, or leave duplicates='error' out."
                )
            if self.duplicates == "merge":
                self.merged += 1
            else:
                name = self._numbered(name)
        return self.cases.setdefault(name, len(self.cases))

    def _numbered(self, name: str) -> str:
        """The name with a number that no other trace bears so far."""
        self.repeated[name] = self.repeated.get(name, 1) + 1
        numbers = count(self.repeated[name])
        return next(numbered for number in numbers if (numbered := f"{name} ({number})") not in self.cases)

    def finish(self, order: Order) -> EventLog:
        """The finished log."""
        if not self.times:
            raise InvalidInput(f"{self.source}: no trace with events was found. Is it an event log in XES?")
        notes = []
        if self.empty:
            notes.append(f"{self.empty} traces without events were left out.")
        if self.merged:
            notes.append(f"{self.merged} traces were joined with an earlier one of the same name.")
        if self.repeated:
            name, times = next(iter(self.repeated.items()))
            notes.append(
                f"{len(self.repeated)} names are borne by several traces, as {name!r} by {times}. They are kept as "
                f"cases of their own, numbered from the second on: '{name} (2)'."
            )
        return self.log(
            log_name(self.source),
            attributes={key: np.fromiter(values, dtype=object) for key, values in self.attributes.items()},
            order=order,
            notes=notes,
        )


def _chunks(source: Path) -> Iterator[bytes]:
    """The content piece by piece; a broken archive, or one that unpacks to too much, is refused."""
    size = 0
    try:
        with _open(source) as file:
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                if isinstance(file, gzip.GzipFile):
                    demand_size(size, limits.LARGEST_LOG, what=f"{source}: the gzip archive, unpacked")
                yield chunk
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InvalidInput(f"{source}: the gzip archive is broken or truncated ({error}). Fetch it again.") from None


def _open(source: Path) -> gzip.GzipFile | BinaryIO:
    with source.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(source, "rb") if packed else source.open("rb")


def _broken(source: Path, error: expat.ExpatError) -> InvalidInput:
    reason = expat.ErrorString(error.code)
    end = error.code in (expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
                         expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN])  # fmt: skip
    remedy = "The file ends too early; fetch it again." if end else "Repair the file or export it again."
    return InvalidInput(f"{source}, line {error.lineno}: broken XES ({reason}). {remedy}")


def _feed(parser: expat.XMLParserType, chunk: bytes, source: Path) -> None:
    """Parse a piece; an empty one is the end."""
    try:
        parser.Parse(chunk, not chunk)
    except InvalidInput:
        raise
    except expat.ExpatError as error:
        raise _broken(source, error) from None
    except (LookupError, ValueError) as error:
        remedy = "Declare UTF-8 in the first line, or export the file again."
        raise InvalidInput(f"{source}, line 1: the file cannot be decoded ({error}). {remedy}") from None


def _parsed(parser: expat.XMLParserType, source: Path) -> Iterator[bytes]:
    """The content piece by piece, each parsed; a parser holds back a tag until it has all of it."""
    size = 0
    for chunk in _chunks(source):
        _feed(parser, chunk, source)
        size += len(chunk)
        if size - parser.CurrentByteIndex > limits.LONGEST_TAG:
            raise InvalidInput(
                f"{source}, line {parser.CurrentLineNumber}: a tag is longer than the {limits.LONGEST_TAG} bytes "
                "allowed. Is it an event log in XES?"
            )
        yield chunk
    _feed(parser, b"", source)


def _scan(source: Path, traces: _Traces) -> None:
    """The quick way; the parser without handlers only proves the file well-formed."""
    prover = expat.ParserCreate()

    def nowhere() -> str:
        return str(source)

    keys = traces.keys
    for name, events in scan_traces(
        _parsed(prover, source), keys["case"], (keys["activity"], keys["time"], keys["resource"])
    ):
        if not events:
            traces.empty += 1
            continue
        try:
            code = traces.case(name, nowhere)
            for activity, time, resource in events:
                if activity is None or time is None:
                    raise Unusual
                stamp, ahead = traces.clock.read(time, nowhere)
                traces.add(code, activity, stamp, resource, ahead)
        except InvalidInput:
            raise Unusual from None  # read again, to name the line


def _parse(source: Path, traces: _Traces) -> None:
    """The careful way: every element is looked at."""
    parser = expat.ParserCreate()
    reader = _Elements(traces, lambda: f"{source}, line {parser.CurrentLineNumber}")
    parser.StartElementHandler, parser.EndElementHandler = reader.open, reader.close
    for _ in _parsed(parser, source):
        continue


_Attributes = dict[str, tuple[str, Any]]  # the text by key, which names and times are read from, and the value


class _Elements:
    """Follows the elements of the file: log, trace, event, and attributes directly inside them."""

    def __init__(self, traces: _Traces, place: Callable[[], str]) -> None:
        self.traces, self.place = traces, place
        self.depth = 0
        self.trace_depth = self.event_depth = 0
        self.trace: _Attributes = {}
        self.event: _Attributes = {}
        self.waiting: list[tuple[_Attributes, str]] = []

    def open(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        kind = tag.rpartition(":")[2]
        if self.depth == 1 and kind != "log":
            raise InvalidInput(f"{self.place()}: the first element is <{tag}>, not <log>. Is it an event log in XES?")
        if kind == "trace" and self.depth == 2:
            self.trace_depth, self.trace, self.waiting = self.depth, {}, []
        elif kind == "event" and self.trace_depth and self.depth == self.trace_depth + 1:
            self.event_depth, self.event = self.depth, {}
        elif "key" in attributes:
            parent = self.depth - 1
            if parent == self.event_depth:
                self.event.setdefault(attributes["key"], self._value(kind, attributes))
            elif parent == self.trace_depth:
                self.trace.setdefault(attributes["key"], self._value(kind, attributes))

    def close(self, tag: str) -> None:
        if self.depth == self.event_depth:
            self.event_depth = 0
            # the name of the trace may stand behind its events
            self.waiting.append((self.event, self.place()))
        elif self.depth == self.trace_depth:
            self.trace_depth = 0
            self._finish()
        self.depth -= 1

    def _value(self, kind: str, attributes: dict[str, str]) -> tuple[str, Any]:
        text = attributes.get("value", "")
        try:
            return text, _VALUES[kind](text) if kind in _VALUES else text
        except ValueError:
            raise InvalidInput(f"{self.place()}: {text!r} under {attributes['key']!r} is no {kind}.") from None

    def _finish(self) -> None:
        traces, keys = self.traces, self.traces.keys
        if not self.waiting:
            traces.empty += 1
            return
        if keys["case"] not in self.trace:
            raise InvalidInput(
                f"{self.place()}: the trace that ends here has no {keys['case']!r}. Name another key with "
                f"{traces.clock.options.remedy('columns', 'KEY', role='case')}. "
                f"It has: {', '.join(map(repr, self.trace)) or 'no attributes'}."
            )
        code = traces.case(self.trace[keys["case"]][0], self.place)
        for event, place in self.waiting:
            for role in ("activity", "time"):
                if keys[role] not in event:
                    raise InvalidInput(
                        f"{place}: the event that ends here has no {keys[role]!r}. Name another key with "
                        f"{traces.clock.options.remedy('columns', 'KEY', role=role)}. "
                        f"It has: {', '.join(map(repr, event)) or 'no attributes'}."
                    )
            resource = event[keys["resource"]][0] if keys["resource"] in event else None
            time, ahead = traces.clock.read(event[keys["time"]][0], lambda place=place: place)  # type: ignore[misc]
            traces.add(code, event[keys["activity"]][0], time, resource, ahead)
            for key, values in traces.attributes.items():
                value = self.trace.get(key[5:]) if key.startswith("case:") else event.get(key)
                values.append(None if value is None else value[1])
