"""The cells of a plan as rows: what many of them share is written once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from assay.core import Budget, Json, canonical_json, plain
from assay.harness.metric_facts import MetricFacts
from assay.harness.plan import Cell
from assay.harness.process.isolation import Isolation
from assay.harness.store.schema import Altered, demand, signed
from assay.harness.subject_ref import SubjectRef
from assay.stats.sequential.decisions import Decisions

__all__ = [
    "FINGERPRINT",
    "fingerprints",
    "read_cells",
    "read_decisions",
    "read_metrics",
    "write_cells",
    "write_decisions",
    "write_metrics",
]

FINGERPRINT: Final = 16  # bytes of a key that are kept: 128 bits, so no two keys share them
_HEX: Final = frozenset("0123456789abcdef")

# a cell's body is the union of its parts: each has few forms in a plan
_PARTS: Final = (
    ("track", "settings", "isolation"),
    ("problem", "problem_digest", "folder", "tags"),
    ("subject",),
    ("budget",),
)
_METRICS: Final = -1  # the part that no cell refers to: the metrics of the plan beside the track's own
_DECISIONS: Final = -2  # and that of a run that stopped when decided
_STORED: Final = {"isolation": "surroundings"}  # names of the first release that are others now


def fingerprints(keys: Iterable[str]) -> bytes:
    """Sixteen bytes per key: the first half of a digest; any other text is digested first."""
    return b"".join(_fingerprint(key) for key in keys)


def _fingerprint(key: str) -> bytes:
    if len(key) == 4 * FINGERPRINT and _HEX.issuperset(key):
        return bytes.fromhex(key[: 2 * FINGERPRINT])
    return hashlib.sha256(key.encode("utf-8", errors="surrogatepass")).digest()[:FINGERPRINT]


def write_cells(connection: sqlite3.Connection, run: int, cells: Sequence[Cell]) -> None:
    """Write the cells of a plan, inside the caller's transaction."""
    parts: dict[str, int] = {}
    numbers: dict[tuple[int, ...], int] = {}
    rows = []
    for position, cell in enumerate(cells):
        places = []
        for names in _PARTS:
            values = [getattr(cell, name) for name in names]
            # the same objects, the same part: texts are made once per problem, subject and seed, not once per cell
            same = tuple(map(id, values))
            if same not in numbers:
                body = {_STORED.get(name, name): _plain(value) for name, value in zip(names, values, strict=True)}
                numbers[same] = parts.setdefault(canonical_json(body), len(parts))
            places.append(str(numbers[same]))
        rows.append((run, position, *signed(cell.record_key, cell.answer_key, " ".join(places))))
    connection.executemany(
        "INSERT INTO parts VALUES (?, ?, ?, ?)", [(run, number, *signed(text)) for text, number in parts.items()]
    )
    connection.executemany("INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?)", rows)


def write_metrics(connection: sqlite3.Connection, run: int, metrics: Sequence[MetricFacts]) -> None:
    """Write what a plan's own metrics are, inside the caller's transaction; without any nothing is written."""
    _write_part(connection, run, _METRICS, [facts.to_json() for facts in metrics])


def read_metrics(connection: sqlite3.Connection, run: int) -> tuple[MetricFacts, ...]:
    """The metrics of a plan beside the track's own."""
    return tuple(MetricFacts.from_json(facts) for facts in _read_part(connection, run, _METRICS) or ())


def write_decisions(connection: sqlite3.Connection, run: int, decisions: Decisions | None) -> None:
    """Write the decisions of a run that stopped when decided, inside the caller's transaction; None deletes them."""
    _write_part(connection, run, _DECISIONS, None if decisions is None else plain(decisions.to_json()))


def read_decisions(connection: sqlite3.Connection, run: int) -> Decisions | None:
    """The decisions of a run that stopped when decided."""
    body = _read_part(connection, run, _DECISIONS)
    return None if body is None else Decisions.from_json(body)


def _write_part(connection: sqlite3.Connection, run: int, part: int, value: Json) -> None:
    connection.execute("DELETE FROM parts WHERE run = ? AND id = ?", (run, part))
    if value:
        connection.execute("INSERT INTO parts VALUES (?, ?, ?, ?)", (run, part, *signed(canonical_json(value))))


def _read_part(connection: sqlite3.Connection, run: int, part: int) -> Any:
    row = connection.execute("SELECT body, checksum FROM parts WHERE run = ? AND id = ?", (run, part)).fetchone()
    if row is None:
        return None
    body, expected = row
    demand(expected, body)
    return json.loads(body)


def read_cells(
    connection: sqlite3.Connection, run: int, where: str = "", values: tuple[Any, ...] = ()
) -> Iterator[Cell]:
    """The cells of a plan in order; ``where`` narrows them down."""
    parts: dict[str, dict[str, Any]] = {}

    def part(number: str) -> dict[str, Any]:
        if number not in parts:
            body = _read_part(connection, run, int(number))
            if body is None:
                raise Altered("a part of a plan is not there")
            parts[number] = _objects(body)
        return parts[number]

    rows = connection.execute(
        f"SELECT record_key, answer_key, parts, checksum FROM cells WHERE run = ? {where} ORDER BY position",
        (run, *values),
    )
    for record_key, answer_key, numbers, expected in rows:
        demand(expected, record_key, answer_key, numbers)
        body: dict[str, Any] = {}
        for number in numbers.split(" "):
            body |= part(number)
        yield Cell(record_key=record_key, answer_key=answer_key, **body)


def _plain(value: Any) -> Json:
    if isinstance(value, Isolation):
        return value.to_json()
    if isinstance(value, SubjectRef):  # its parts are written once, beside the plans
        body = asdict(replace(value, parts={}))
        return plain({name: entry for name, entry in body.items() if entry or name not in ("parts", "base")})
    return plain(asdict(value) if isinstance(value, Budget) else value)


def _objects(body: dict[str, Any]) -> dict[str, Any]:
    values = dict(body)
    if "subject" in body:
        values["subject"] = SubjectRef(**body["subject"])
    if "budget" in body:
        values["budget"] = Budget(**body["budget"])
    if _STORED["isolation"] in body:
        values["isolation"] = Isolation.from_json(values.pop(_STORED["isolation"]))
    return values
