"""Object-centric event logs, OCEL 2.0 as JSON, XML or SQLite, flattened: the objects of one type are the cases."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from assay.core import InvalidInput, UnknownName
from assay.core.files.text import demand_size, read_json_value
from assay.drift.logs.columns import LogColumns, log_name
from assay.drift.logs.event_log import EventLog, Order
from assay.drift.logs.timestamps import Clock
from assay.intake import limits
from assay.intake.fields import short
from assay.intake.table.options import TableOptions

__all__ = ["OCEL_SUFFIXES", "is_ocel", "read_ocel"]

OCEL_SUFFIXES = (".json", ".jsonocel", ".xml", ".xmlocel", ".sqlite", ".sqlite3", ".db")

_RESOURCES = ("resource", "org:resource", "user")
_DETECT = TableOptions()


class _Event(NamedTuple):
    """An event, the objects that take part in it, and its attributes by name."""

    id: str
    activity: str
    time: str
    objects: Sequence[str]
    attributes: Mapping[str, str]


class _Source(NamedTuple):
    """The type of every object, and the events."""

    types: Mapping[str, str]
    events: Iterator[_Event]


def is_ocel(path: Path) -> bool:
    """Whether the name of a file is that of an object-centric log."""
    return path.suffix.lower() in OCEL_SUFFIXES


def read_ocel(path: str | Path, *, options: TableOptions = _DETECT, order: Order = "start") -> EventLog:
    """Read a log; the role ``case`` names the type of the objects that are the cases.

    An event in which several such objects take part belongs to each of their cases, one without any to none; the notes
    say how many there are. The role ``resource`` names an attribute of events.
    """
    source = Path(path)
    for role in options.columns:
        if role not in ("case", "resource"):
            raise InvalidInput(
                f"{source}: an object-centric log says itself what its activities and times are. "
                f"Leave {options.remedy('columns', options.columns[role], role=role)} out."
            )
    demand_size(source.stat().st_size, limits.LARGEST_LOG, what=str(source))
    suffix = source.suffix.lower()
    read = _read_json if suffix.startswith(".json") else _read_xml if suffix.startswith(".xml") else _read_sqlite
    types, events = read(source)
    chosen = _object_type(types, options, source)
    columns, clock = LogColumns(), Clock(options)
    shared = unowned = 0
    for event in events:
        time, ahead = clock.read(event.time, lambda event=event: f"{source}, event {event.id!r}")  # type: ignore[misc]
        owners = [name for name in dict.fromkeys(event.objects) if types.get(name) == chosen]
        shared += len(owners) > 1
        unowned += not owners
        for owner in owners:
            code = columns.cases.setdefault(owner, len(columns.cases))
            columns.add(code, event.activity, time, _resource(event, options), ahead)
    if not columns.times:
        raise InvalidInput(
            f"{source}: no event has an object of the type {chosen!r}. Name another one with "
            f"{options.remedy('columns', 'TYPE', role='case')}: {_listed(types)}."
        )
    notes = [f"Cases are the objects of the type {chosen!r}; the file has {_listed(types)}."]
    if shared:
        notes.append(f"{shared} events have several such objects and belong to the case of each.")
    if unowned:
        notes.append(f"{unowned} events have none and are left out.")
    return columns.log(log_name(source), order=order, notes=notes)


def _object_type(types: Mapping[str, str], options: TableOptions, source: Path) -> str:
    kinds = sorted(set(types.values()))
    chosen = options.columns.get("case")
    if chosen is None and len(kinds) == 1:
        return kinds[0]
    if chosen is None:
        raise InvalidInput(
            f"{source}: it is object-centric. Name the type of the objects that are the cases, for example "
            f"{options.remedy('columns', kinds[0] if kinds else 'TYPE', role='case')}. It has {_listed(types)}."
        )
    if chosen not in kinds:
        raise UnknownName(f"type of object in {source}", chosen, kinds)
    return chosen


def _listed(types: Mapping[str, str]) -> str:
    return ", ".join(map(repr, sorted(set(types.values())))) or "no objects"


def _resource(event: _Event, options: TableOptions) -> str | None:
    if name := options.columns.get("resource"):
        return event.attributes.get(name)
    return next((value for key, value in event.attributes.items() if key.lower() in _RESOURCES), None)


def _read_json(source: Path) -> _Source:
    content = read_json_value(source)
    if not isinstance(content, dict) or not all(isinstance(content.get(key), list) for key in ("objects", "events")):
        raise InvalidInput(f"{source}: an OCEL 2.0 log has the lists 'objects' and 'events', got {short(content)}.")

    def field(entry: Any, key: str, what: str) -> str:
        if not isinstance(entry, dict) or not isinstance(entry.get(key), str):
            raise InvalidInput(f"{source}: {what} has no {key!r} as a text, got {short(entry)}.")
        return str(entry[key])

    def entries(entry: dict[str, Any], key: str) -> list[Any]:
        value = entry.get(key) or []
        if not isinstance(value, list):
            raise InvalidInput(f"{source}: {key!r} must be a list, got {short(value)}.")
        return value

    def events() -> Iterator[_Event]:
        for entry in content["events"]:
            id = field(entry, "id", "an event")
            what = f"event {id!r}"
            attributes = {field(one, "name", what): one.get("value") for one in entries(entry, "attributes")}
            yield _Event(
                id,
                field(entry, "type", what),
                field(entry, "time", what),
                [field(one, "objectId", what) for one in entries(entry, "relationships")],
                {name: str(value) for name, value in attributes.items() if value is not None},
            )

    types = {field(one, "id", "an object"): field(one, "type", "an object") for one in content["objects"]}
    return _Source(types, events())


def _read_xml(source: Path) -> _Source:
    types: dict[str, str] = {}
    entries: list[_Event] = []

    def needed(element: ElementTree.Element, key: str) -> str:
        value = element.get(key)
        if value is None:
            raise InvalidInput(f"{source}: <{element.tag}> lacks {key!r}, it has {short(dict(element.attrib))}.")
        return value

    depth = 0
    try:
        for moment, element in ElementTree.iterparse(source, events=("start", "end")):
            depth += 1 if moment == "start" else -1
            if moment == "start" or depth != 2:  # entries stand below the log and its lists
                continue
            if element.tag == "object":
                types[needed(element, "id")] = needed(element, "type")
            elif element.tag == "event":
                related = [one.get("object-id") for one in element.iterfind("./objects/*")]
                attributes = {one.get("name", ""): one.text for one in element.iterfind("./attributes/attribute")}
                entries.append(
                    _Event(
                        needed(element, "id"),
                        needed(element, "type"),
                        needed(element, "time"),
                        [name for name in related if name is not None],
                        {name: text for name, text in attributes.items() if text},
                    )
                )
            element.clear()
    except ElementTree.ParseError as error:
        raise InvalidInput(f"{source}: broken XML ({error}). Repair the file or export it again.") from None
    if not entries:
        raise InvalidInput(f"{source}: no <event> was found. Is it an OCEL 2.0 log? A XES log is called .xes.")
    return _Source(types, iter(entries))


def _read_sqlite(source: Path) -> _Source:
    try:
        with closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as base:
            base.execute("PRAGMA trusted_schema = OFF")
            types = {str(id): str(kind) for id, kind in base.execute("SELECT ocel_id, ocel_type FROM object")}
            objects: dict[str, list[str]] = {}
            for event, object in base.execute("SELECT ocel_event_id, ocel_object_id FROM event_object"):
                objects.setdefault(str(event), []).append(str(object))
            entries: list[_Event] = []
            for kind, table in base.execute("SELECT ocel_type, ocel_type_map FROM event_map_type").fetchall():
                quoted = f"event_{table}".replace('"', '""')
                cursor = base.execute(f'SELECT * FROM "{quoted}"')
                names = [str(column[0]) for column in cursor.description]
                for row in cursor:
                    cells = {name: str(cell) for name, cell in zip(names, row, strict=True) if cell is not None}
                    id, time = cells.pop("ocel_id", ""), cells.pop("ocel_time", "")
                    entries.append(_Event(id, str(kind), time, objects.get(id, ()), cells))
    except sqlite3.Error as error:
        raise InvalidInput(f"{source}: not readable as an OCEL 2.0 database ({error}). Export it again.") from None
    # tables hold one activity each; equal times would else stay in the order of the tables
    return _Source(types, iter(sorted(entries, key=lambda event: event.time)))
