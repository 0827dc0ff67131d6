"""The tables of the store, and the checksums of what they hold."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

__all__ = [
    "APPLICATION_ID",
    "CHECKSUM",
    "OLDEST",
    "STORE_NAME",
    "TABLES",
    "TABLES_OF_3",
    "TABLES_OF_4",
    "VERSION",
    "Altered",
    "checksum",
    "demand",
    "mismatches",
    "rows_of",
    "signed",
]

STORE_NAME = "assay.sqlite"
VERSION = 4
OLDEST = 2  # that this one reads; it is brought up to date when something is written
CHECKSUM = 16  # bytes
_CHUNK = 500  # bound variables per query, well below SQLite's limit
APPLICATION_ID = 0x41535359  # "ASSY": tells our files from any other SQLite file

# records have numbers that only grow: what is newer than the last block is found by them
TABLES = """
CREATE TABLE blobs (
    digest TEXT PRIMARY KEY,
    content BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE answers (
    key TEXT PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('ok', 'failed')),
    blob TEXT REFERENCES blobs (digest),
    body TEXT NOT NULL,
    checksum BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE records (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    answer_key TEXT NOT NULL REFERENCES answers (key),
    body TEXT NOT NULL,
    checksum BLOB NOT NULL
);
CREATE VIEW scores (record_key, metric, value) AS
    SELECT records.key, score.key, score.value FROM records, json_each(records.body, '$.scores') AS score;
CREATE TABLE blocks (
    id INTEGER PRIMARY KEY,
    track TEXT NOT NULL,
    count INTEGER NOT NULL,
    last INTEGER NOT NULL,
    names TEXT NOT NULL
);
CREATE TABLE columns (
    block INTEGER NOT NULL REFERENCES blocks (id),
    name TEXT NOT NULL,
    content BLOB NOT NULL,
    checksum BLOB NOT NULL,
    PRIMARY KEY (name, block)
) WITHOUT ROWID;
CREATE TABLE losses (
    record_key TEXT PRIMARY KEY,
    reason TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    track TEXT NOT NULL,
    created TEXT NOT NULL,
    settings TEXT NOT NULL,
    digest TEXT NOT NULL,
    keys BLOB NOT NULL,
    checksum BLOB NOT NULL
);
CREATE TABLE parts (
    run INTEGER NOT NULL REFERENCES runs (id),
    id INTEGER NOT NULL,
    body TEXT NOT NULL,
    checksum BLOB NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;
CREATE TABLE cells (
    run INTEGER NOT NULL REFERENCES runs (id),
    position INTEGER NOT NULL,
    record_key TEXT NOT NULL,
    answer_key TEXT NOT NULL,
    parts TEXT NOT NULL,
    checksum BLOB NOT NULL,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
"""

# what version 3 adds: counts of rows, which reveal rows that a damaged page hides; and withdrawn records
TABLES_OF_3 = """
CREATE TABLE ledger (
    name TEXT PRIMARY KEY,
    count INTEGER NOT NULL,
    total INTEGER NOT NULL,
    checksum BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE floors (
    record_key TEXT PRIMARY KEY,
    scores TEXT NOT NULL,
    checksum BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE withdrawals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    body TEXT NOT NULL,
    records BLOB NOT NULL,
    checksum BLOB NOT NULL
);
"""

# what version 4 adds: mappings that many rows share, and the parts of each subject, by which it has its digest
TABLES_OF_4 = """
CREATE TABLE mappings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    body TEXT NOT NULL UNIQUE,
    checksum BLOB NOT NULL
);
CREATE TABLE subjects (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    digest TEXT NOT NULL,
    body TEXT NOT NULL,
    checksum BLOB NOT NULL,
    UNIQUE (name, digest)
);
"""


def checksum(*contents: str | bytes | None) -> bytes:
    """Sixteen bytes by which altered contents are found."""
    total = hashlib.sha256()
    for content in contents:
        data = content.encode("utf-8", errors="surrogatepass") if isinstance(content, str) else content
        total.update(b"- " if data is None else b"%d " % len(data))
        total.update(data or b"")
    return total.digest()[:CHECKSUM]


def signed(*contents: str | bytes | None) -> tuple[Any, ...]:
    """A row's contents with their checksum at the end."""
    return (*contents, checksum(*contents))


def demand(expected: object, *contents: str | bytes | None) -> None:
    """Refuse contents that do not match their checksum."""
    is_text = all(content is None or isinstance(content, str | bytes) for content in contents)
    if not is_text or checksum(*contents) != expected:
        raise Altered("checksum mismatch")


def rows_of(connection: sqlite3.Connection, statement: str, keys: Sequence[str | int]) -> Iterator[Any]:
    """The rows that a statement gives for very many keys, which stand where its braces are."""
    for start in range(0, len(keys), _CHUNK):
        chunk = keys[start : start + _CHUNK]
        yield from connection.execute(statement.format(",".join("?" * len(chunk))), chunk)


def mismatches(connection: sqlite3.Connection, statement: str, what: str) -> Iterator[str]:
    """The rows whose contents do not match their checksum.

    A row of ``statement`` is what to call it, which goes into the braces of ``what``, then its contents and checksum.
    """
    for called, *contents, expected in connection.execute(statement):
        if checksum(*contents) != expected:
            yield f"{what.format(called)}: checksum mismatch"


class Altered(sqlite3.DatabaseError):
    """Contents do not fit their checksum; the caller, who knows the file, names it."""
