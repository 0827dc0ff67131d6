"""What many rows share is written once: mappings (versions of libraries), and the parts of subjects."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from assay.core import Record, canonical_json, plain
from assay.harness.process.observation import WRITTEN
from assay.harness.store.rows.ledger import SUBJECTS, Entry, book, demand_count, read_ledger
from assay.harness.store.schema import Altered, demand, mismatches, signed

__all__ = [
    "Mappings",
    "StoredSubject",
    "adopt_subject",
    "intern",
    "note_files",
    "read_subjects",
    "record_row",
    "shared_troubles",
    "write_subject",
]

_MOST_FILES: Final = 1000  # of one subject, over all its cells
_SINCE: Final = 4  # the version of the store that has these tables
_BY_DEFAULT: Final = {"withdrawn": False, "imported": ""}  # not written


def intern(connection: sqlite3.Connection, mapping: Mapping[str, str]) -> int:
    """Write a mapping unless it is there; the number by which rows refer to it, 0 for an empty one."""
    if not mapping:
        return 0
    body = canonical_json(plain(dict(mapping)))
    row = connection.execute("SELECT id FROM mappings WHERE body = ?", (body,)).fetchone()
    if row is None:
        row = (connection.execute("INSERT INTO mappings (body, checksum) VALUES (?, ?)", signed(body)).lastrowid,)
    return int(row[0])


class Mappings:
    """The shared mappings of a store, each read once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._by_number: dict[int, dict[str, str]] = {0: {}}

    def get(self, number: int) -> dict[str, str]:
        """The mapping of a number; one that is not there is an error."""
        if number not in self._by_number:
            row = self._connection.execute("SELECT body, checksum FROM mappings WHERE id = ?", (number,)).fetchone()
            if row is None:
                raise Altered("what rows share is not there")
            demand(row[1], row[0])
            self._by_number[number] = json.loads(row[0])
        return self._by_number[number]

    def record(self, body: str) -> Record:
        """A record from its row."""
        values = json.loads(body)
        if isinstance(software := values.get("software"), int):
            values["software"] = self.get(software)
        return Record.from_json(values)


def record_row(connection: sqlite3.Connection, record: Record) -> tuple[Any, ...]:
    """The row of a record: its keys, all of it as JSON, and the checksum of these."""
    body = {name: value for name, value in record.to_json().items() if _BY_DEFAULT.get(name) != value}
    body["software"] = intern(connection, record.software)
    return signed(record.key, record.answer_key, canonical_json(body))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSubject:
    """The parts of a subject in this store, and the files that it was observed to read."""

    name: str
    digest: str
    base: str  # the digest of what could be found without running it
    parts: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)  # as they were when they were first seen


def read_subjects(connection: sqlite3.Connection, name: str | None = None) -> list[StoredSubject]:
    """The subjects of this name, or all, in the order in which they came; none in a store of an earlier version."""
    if connection.execute("PRAGMA user_version").fetchone()[0] < _SINCE:
        return []
    rows = connection.execute("SELECT id, name, digest, body, checksum FROM subjects ORDER BY id").fetchall()
    expected = (read_ledger(connection) or {}).get(SUBJECTS, Entry())
    demand_count("subjects", expected, Entry(len(rows), sum(row[0] for row in rows)))
    mappings = Mappings(connection)
    return [_subject(mappings, *row[1:]) for row in rows if name in (None, row[1])]


def _subject(mappings: Mappings, name: str, digest: str, body: str, expected: bytes) -> StoredSubject:
    demand(expected, name, digest, body)
    values: dict[str, Any] = json.loads(body)
    return StoredSubject(
        name=name, digest=digest, base=values["base"], parts=mappings.get(values["parts"]), files=values["files"]
    )


def write_subject(connection: sqlite3.Connection, subject: StoredSubject) -> None:
    """Write a subject unless it is there, inside the caller's transaction."""
    present = connection.execute(
        "SELECT 1 FROM subjects WHERE name = ? AND digest = ?", (subject.name, subject.digest)
    ).fetchone()
    if present is None:
        cursor = connection.execute(
            "INSERT INTO subjects (name, digest, body, checksum) VALUES (?, ?, ?, ?)", _row(connection, subject)
        )
        book(connection, SUBJECTS, 1, int(cursor.lastrowid or 0))


def _row(connection: sqlite3.Connection, subject: StoredSubject) -> tuple[Any, ...]:
    parts = intern(connection, subject.parts)
    body = canonical_json(plain({"base": subject.base, "parts": parts, "files": subject.files}))
    return signed(subject.name, subject.digest, body)


def note_files(connection: sqlite3.Connection, name: str, digest: str, files: Mapping[str, str]) -> None:
    """Add files that a subject was seen to read and that are not among its parts; those known already stay."""
    for subject in read_subjects(connection, name):
        noted = {**subject.parts, **subject.files}
        new = {
            path: content
            for path, content in files.items()
            if path not in noted or (content == WRITTEN and subject.files.get(path) != WRITTEN)
        }
        new = dict(list(new.items())[: _MOST_FILES - len(subject.files)])
        if subject.digest == digest and new:
            *_, body, new_checksum = _row(connection, replace(subject, files={**subject.files, **new}))
            connection.execute(
                "UPDATE subjects SET body = ?, checksum = ? WHERE name = ? AND digest = ?",
                (body, new_checksum, name, digest),
            )


def shared_troubles(connection: sqlite3.Connection) -> Iterator[str]:
    """Mappings and subjects whose checksum does not match, and mappings that are missing."""
    if connection.execute("PRAGMA user_version").fetchone()[0] < _SINCE:
        return
    yield from mismatches(connection, "SELECT id, body, checksum FROM mappings", "mapping {}")
    subjects = "SELECT name, name, digest, body, checksum FROM subjects"
    yield from mismatches(connection, subjects, "the subject {}")
    for table, place in (("records", "$.software"), ("answers", "$.software"), ("subjects", "$.parts")):
        number_in_row = f"CASE WHEN json_valid(body) THEN json_extract(body, '{place}') END"
        for (number,) in connection.execute(
            f"SELECT DISTINCT {number_in_row} AS mapping FROM {table} "
            "WHERE mapping != 0 AND mapping NOT IN (SELECT id FROM mappings)"
        ):
            yield f"mapping {number}, which {table} refer to, is not there"


def adopt_subject(connection: sqlite3.Connection, subject: StoredSubject) -> str | None:
    """Take over a subject from another store; the file in which they differ, if they do."""
    for present in read_subjects(connection, subject.name):
        if present.digest == subject.digest:
            for path, content in subject.files.items():
                if WRITTEN not in (content, present.files.get(path)) and present.files.get(path, content) != content:
                    return path
    write_subject(connection, subject)
    note_files(connection, subject.name, subject.digest, subject.files)
    return None
