"""The tables of the store, and opening them with the errors that users meet."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path

from assay.core import InfrastructureFailed, InvalidInput

__all__ = [
    "APPLICATION_ID",
    "CHECKSUM",
    "STORE_NAME",
    "TABLES",
    "VERSION",
    "Altered",
    "checksum",
    "connect",
    "demand",
    "upgrade_store",
]

STORE_NAME = "assay.sqlite"
VERSION = 2
CHECKSUM = 16  # bytes
APPLICATION_ID = 0x41535359  # "ASSY": tells our files from any other SQLite file

# what SQLite adds by itself has no text, or a name of its own
_SCHEMA = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_MACHINE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY)  # no fault of the file

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


def checksum(*contents: str | bytes | None) -> bytes:
    """Sixteen bytes by which altered contents are found."""
    total = hashlib.sha256()
    for content in contents:
        data = content.encode("utf-8", errors="surrogatepass") if isinstance(content, str) else content
        total.update(b"- " if data is None else b"%d " % len(data))
        total.update(data or b"")
    return total.digest()[:CHECKSUM]


def demand(written: object, *contents: str | bytes | None) -> None:
    """Refuse contents that are not what was written."""
    known = all(content is None or isinstance(content, str | bytes) for content in contents)
    if not known or checksum(*contents) != written:
        raise Altered("what is read is not what was written")


class Altered(sqlite3.DatabaseError):
    """Contents do not fit their checksum; whoever knows the file says which it is."""


def connect(path: Path, *, create: bool, read_only: bool = False) -> sqlite3.Connection:
    """Open a store, or say why it cannot be opened."""
    if not create and not path.is_file():
        raise InvalidInput(f"{path}: there is no store here. Run something first: assay run TRACK --out {path.parent}.")
    mode = "ro" if read_only else "rwc" if create else "rw"
    address = f"{path.resolve().as_uri()}?mode={mode}"
    try:
        with ExitStack() as on_error:
            connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=60)
            on_error.callback(connection.close)
            connection.execute("PRAGMA busy_timeout = 60000")
            _demand_version(connection, path, create=create)
            if not read_only:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
            on_error.pop_all()
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # its messages may hold broken bytes of the file
        if getattr(error, "sqlite_errorcode", None) in _MACHINE:
            raise InfrastructureFailed(
                f"{path}: cannot be opened ({error}). Finished cells are safe: free some space, then run again."
            ) from error
        raise InvalidInput(
            f"{path}: this store cannot be opened ({error}). Restore it from a copy, or choose another --out folder."
        ) from error
    return connection


def upgrade_store(folder: Path) -> tuple[int, int]:
    """Bring the store of a results folder up to date; the versions before and after.

    All releases so far write the same version, so there is nothing to do but to open it.
    """
    connect(folder / STORE_NAME, create=False).close()
    return VERSION, VERSION


def _demand_version(connection: sqlite3.Connection, path: Path, *, create: bool) -> None:
    """Refuse a file of another version or another program; an empty one gets its tables when it may be written."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not tables and not version and create:
        connection.execute("BEGIN IMMEDIATE")
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in filter(str.strip, TABLES.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
        return
    if not tables and not version:
        raise InvalidInput(f"{path}: the store is still empty, its run was stopped as it started. Run the same again.")
    if application != APPLICATION_ID:
        raise InvalidInput(f"{path}: this is a database, but not a store of Assay. Choose another --out folder.")
    if version > VERSION:
        raise InvalidInput(
            f"{path}: written by a newer Assay (store version {version}, this one reads up to {VERSION}). "
            f"Upgrade: pip install --upgrade assay."
        )
    if version < VERSION:
        raise InvalidInput(
            f"{path}: written by an Assay before its first release (store version {version}; this reads {VERSION}). "
            "Such stores cannot be brought up to date: run the same again into another --out folder."
        )
    if strange := set(connection.execute(_SCHEMA)) - _known_schema():
        names = ", ".join(sorted(f"{kind} {name}" for kind, name, _ in strange))
        raise InvalidInput(
            f"{path}: not as Assay made it ({names[:200]}). Fetch the store again from where it was run."
        )


@cache
def _known_schema() -> frozenset[tuple[str, str, str]]:
    """What a store of ours is made of: a view or a trigger from elsewhere could run anything, without an end."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLES)
        return frozenset(connection.execute(_SCHEMA))
