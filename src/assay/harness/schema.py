"""The tables of the store, and opening them with the errors that users meet."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from assay.core import InvalidInput

__all__ = ["APPLICATION_ID", "VERSION", "connect"]

VERSION = 1
APPLICATION_ID = 0x41535359  # "ASSY": tells our files from any other SQLite file

_TABLES = """
CREATE TABLE blobs (
    digest TEXT PRIMARY KEY,
    content BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE answers (
    key TEXT PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('ok', 'failed')),
    blob TEXT REFERENCES blobs (digest),
    body TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE records (
    key TEXT PRIMARY KEY,
    answer_key TEXT NOT NULL REFERENCES answers (key),
    body TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE scores (
    record_key TEXT NOT NULL REFERENCES records (key),
    metric TEXT NOT NULL,
    value REAL,
    PRIMARY KEY (record_key, metric)
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
    digest TEXT NOT NULL
);
CREATE TABLE cells (
    run INTEGER NOT NULL REFERENCES runs (id),
    position INTEGER NOT NULL,
    record_key TEXT NOT NULL,
    answer_key TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
"""


def connect(path: Path, *, create: bool, read_only: bool = False) -> sqlite3.Connection:
    """Open a store, or say why it cannot be opened."""
    if not create and not path.is_file():
        raise InvalidInput(f"{path}: there is no store here. Run something first: assay run TRACK --out {path.parent}.")
    mode = "ro" if read_only else "rwc" if create else "rw"
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None, timeout=60
        )
        connection.execute("PRAGMA busy_timeout = 60000")
        _check_version(connection, path, create=create)
        if not read_only:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.DatabaseError as error:
        raise InvalidInput(
            f"{path}: this store cannot be opened ({error}). Restore it from a copy, or choose another --out folder."
        ) from error
    return connection


def _check_version(connection: sqlite3.Connection, path: Path, *, create: bool) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not tables and not version and create:
        connection.execute("BEGIN IMMEDIATE")
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in filter(str.strip, _TABLES.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
        return
    if not tables and not version:
        connection.close()
        raise InvalidInput(f"{path}: the store is still empty, its run was stopped as it started. Run the same again.")
    if application != APPLICATION_ID:
        connection.close()
        raise InvalidInput(f"{path}: this is a database, but not a store of Assay. Choose another --out folder.")
    if version > VERSION:
        connection.close()
        raise InvalidInput(
            f"{path}: written by a newer Assay (store version {version}, this one reads up to {VERSION}). "
            f"Upgrade: pip install --upgrade assay."
        )
