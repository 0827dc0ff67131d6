"""The cells of a plan as rows: what many of them share is written once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, Final

from assay.core import Budget, canonical_json, plain
from assay.harness.plan import Cell
from assay.harness.process.isolation import Surroundings
from assay.harness.store.schema import Altered, checksum, demand
from assay.harness.subject_ref import SubjectRef

__all__ = ["FINGERPRINT", "PlanRows", "fingerprints", "read_cells"]

FINGERPRINT: Final = 16  # bytes of a key that are kept: 128 bits, so no two keys share them
_HEX: Final = frozenset("0123456789abcdef")

# a cell's body is the union of its parts: each has few forms in a plan
_PARTS: Final = (
    ("track", "settings", "surroundings"),
    ("problem", "problem_digest", "folder", "tags"),
    ("subject",),
    ("budget",),
)


def fingerprints(keys: Iterable[str]) -> bytes:
    """Sixteen bytes per key: the first half of a digest; any other text is digested first."""
    return b"".join(_fingerprint(key) for key in keys)


def _fingerprint(key: str) -> bytes:
    if len(key) == 4 * FINGERPRINT and _HEX.issuperset(key):
        return bytes.fromhex(key[: 2 * FINGERPRINT])
    return hashlib.sha256(key.encode("utf-8", errors="surrogatepass")).digest()[:FINGERPRINT]


class PlanRows:
    """Collects the rows of one plan."""

    def __init__(self, run: int) -> None:
        self._run = run
        self._parts: dict[str, int] = {}
        self._seen: dict[tuple[int, ...], tuple[int, tuple[object, ...]]] = {}
        self._cells: list[tuple[int, int, str, str, str, bytes]] = []

    def add(self, cell: Cell) -> None:
        """One more cell."""
        numbers = []
        for names in _PARTS:
            values = tuple(getattr(cell, name) for name in names)
            # the same objects, the same part: texts are made once per problem, subject and seed, not once per cell
            known = self._seen.get(tuple(map(id, values)))
            if known is None:
                body = {name: plain(_values(value)) for name, value in zip(names, values, strict=True)}
                number = self._part(canonical_json(body))
                self._seen[tuple(map(id, values))] = (number, values)
            else:
                number = known[0]
            numbers.append(number)
        self._row(cell.record_key, cell.answer_key, numbers)

    def add_plain(self, record_key: str, answer_key: str, body: Mapping[str, Any]) -> None:
        """One more cell, as plain values."""
        texts = (canonical_json({name: body[name] for name in names}) for names in _PARTS)
        self._row(record_key, answer_key, [self._part(text) for text in texts])

    def _part(self, text: str) -> int:
        return self._parts.setdefault(text, len(self._parts))

    def _row(self, record_key: str, answer_key: str, numbers: list[int]) -> None:
        values = (record_key, answer_key, " ".join(map(str, numbers)))
        self._cells.append((self._run, len(self._cells), *values, checksum(*values)))

    def write(self, connection: sqlite3.Connection) -> None:
        """Write them all, inside the caller's transaction."""
        connection.executemany(
            "INSERT INTO parts VALUES (?, ?, ?, ?)",
            [(self._run, number, text, checksum(text)) for text, number in self._parts.items()],
        )
        connection.executemany("INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?)", self._cells)


def read_cells(
    connection: sqlite3.Connection, run: int, where: str = "", values: tuple[Any, ...] = ()
) -> Iterator[Cell]:
    """The cells of a plan in order; ``where`` narrows them down."""
    parts: dict[str, dict[str, Any]] = {}

    def part(number: str) -> dict[str, Any]:
        if number not in parts:
            row = connection.execute(
                "SELECT body, checksum FROM parts WHERE run = ? AND id = ?", (run, int(number))
            ).fetchone()
            if row is None:
                raise Altered("a part of a plan is not there")
            body, written = row
            demand(written, body)
            parts[number] = _objects(json.loads(body))
        return parts[number]

    rows = connection.execute(
        f"SELECT record_key, answer_key, parts, checksum FROM cells WHERE run = ? {where} ORDER BY position",
        (run, *values),
    )
    for record_key, answer_key, numbers, written in rows:
        demand(written, record_key, answer_key, numbers)
        body: dict[str, Any] = {}
        for number in numbers.split(" "):
            body |= part(number)
        yield Cell(record_key=record_key, answer_key=answer_key, **body)


def _values(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _objects(body: dict[str, Any]) -> dict[str, Any]:
    made = dict(body)
    if "subject" in body:
        made["subject"] = SubjectRef(**body["subject"])
    if "budget" in body:
        made["budget"] = Budget(**body["budget"])
    if "surroundings" in body:
        made["surroundings"] = Surroundings.from_json(body["surroundings"])
    return made
