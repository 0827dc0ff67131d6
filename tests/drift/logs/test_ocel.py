import json
import sqlite3
from pathlib import Path

import pytest

from assay.core import InvalidInput, UnknownName
from assay.drift.logs.read import read_log

# event, type, time, objects
EVENTS = [
    ("e1", "order", "2024-01-01T09:00:00Z", ["o1", "i1", "i2"]),
    ("e2", "pick", "2024-01-02T09:00:00Z", ["i1"]),
    ("e3", "pick", "2024-01-03T09:00:00Z", ["i2"]),
    ("e4", "bill", "2024-01-04T09:00:00Z", ["o1"]),
    ("e5", "order", "2024-01-05T09:00:00Z", ["o2", "o2"]),
]
OBJECTS = {"o1": "Order", "o2": "Order", "i1": "Item", "i2": "Item"}


def write_json(path: Path) -> Path:
    content = {
        "objectTypes": [{"name": "Order", "attributes": []}, {"name": "Item", "attributes": []}],
        "eventTypes": [],
        "objects": [{"id": id, "type": kind} for id, kind in OBJECTS.items()],
        "events": [
            {
                "id": id, "type": kind, "time": time,
                "attributes": [{"name": "resource", "value": f"R-{id}"}],
                "relationships": [{"objectId": name, "qualifier": "of"} for name in names],
            }
            for id, kind, time, names in EVENTS
        ],
    }  # fmt: skip
    path.write_text(json.dumps(content))
    return path


def write_xml(path: Path) -> Path:
    objects = "".join(f'<object id="{id}" type="{kind}"><attributes/></object>' for id, kind in OBJECTS.items())
    events = "".join(
        f'<event id="{id}" type="{kind}" time="{time}"><attributes><attribute name="resource">R-{id}</attribute>'
        "</attributes><objects>"
        + "".join(f'<relationship object-id="{name}" qualifier="of"/>' for name in names)
        + "</objects></event>"
        for id, kind, time, names in EVENTS
    )
    head = '<?xml version="1.0"?><log><object-types><object-type name="Order"/></object-types><event-types/>'
    path.write_text(f"{head}<objects>{objects}</objects><events>{events}</events></log>")
    return path


def write_sqlite(path: Path) -> Path:
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE object (ocel_id TEXT, ocel_type TEXT)")
    base.execute("CREATE TABLE event_object (ocel_event_id TEXT, ocel_object_id TEXT, ocel_qualifier TEXT)")
    base.execute("CREATE TABLE event_map_type (ocel_type TEXT, ocel_type_map TEXT)")
    base.executemany("INSERT INTO object VALUES (?, ?)", OBJECTS.items())
    for kind in dict.fromkeys(event[1] for event in EVENTS):
        base.execute("INSERT INTO event_map_type VALUES (?, ?)", (kind, kind.title()))
        base.execute(f"CREATE TABLE event_{kind.title()} (ocel_id TEXT, ocel_time TEXT, resource TEXT)")
    for id, kind, time, names in EVENTS:
        base.execute(f"INSERT INTO event_{kind.title()} VALUES (?, ?, ?)", (id, time, f"R-{id}"))
        base.executemany("INSERT INTO event_object VALUES (?, ?, 'of')", [(id, name) for name in names])
    base.commit()
    base.close()
    return path


WRITERS = {"log.json": write_json, "log.xml": write_xml, "log.sqlite": write_sqlite}


@pytest.mark.parametrize("name", WRITERS)
def test_the_objects_of_a_named_type_are_the_cases(tmp_path: Path, name: str) -> None:
    path = WRITERS[name](tmp_path / name)
    orders = read_log(path, columns={"case": "Order"})
    assert (orders.cases, orders.trace(0), orders.trace(1)) == (("o1", "o2"), ("order", "bill"), ("order",))
    assert orders.resources == ("R-e1", "R-e4", "R-e5")
    assert orders.notes == (
        "Cases are the objects of the type 'Order'; the file has 'Item', 'Order'.",
        "2 events have none and are left out.",
    )
    items = read_log(path, columns={"case": "Item"}, order="end")
    assert (items.cases, items.trace(0), items.trace(1)) == (("i1", "i2"), ("order", "pick"), ("order", "pick"))
    assert "1 events have several such objects" in items.notes[1]


def test_a_missing_or_unknown_type_is_told_with_those_there_are(tmp_path: Path) -> None:
    path = write_json(tmp_path / "log.json")
    with pytest.raises(InvalidInput, match=r"columns=\{'case': 'Item'\}.*'Item', 'Order'"):
        read_log(path)
    with pytest.raises(UnknownName, match="'Ordr'.*Did you mean 'Order'"):
        read_log(path, columns={"case": "Ordr"})
    with pytest.raises(InvalidInput, match=r"says itself.*columns=\{'time': 'when'\} out"):
        read_log(path, columns={"case": "Order", "time": "when"})


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", "{}", "lists 'objects' and 'events'"),
        ("a.json", '{"objects": [{"id": "o"}], "events": []}', "an object has no 'type'"),
        ("a.json", '{"objects": [{"id": "o", "type": "t"}], "events": []}', "no event has an object of the type 't'"),
        ("a.xml", "<log><events>", "broken XML"),
        ("a.xml", "<log><events/></log>", "no <event> was found"),
        ("a.sqlite", "no database", "not readable as an OCEL 2.0 database"),
    ],
)
def test_broken_object_centric_logs_are_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InvalidInput, match=message):
        read_log(tmp_path / name)
