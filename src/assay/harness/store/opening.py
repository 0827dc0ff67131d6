"""Opening a store, with the errors that users meet; an older one is brought up to date when it is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from pathlib import Path

from assay.core import InfrastructureFailed, InvalidInput
from assay.harness.store.rows.ledger import begin_ledger
from assay.harness.store.schema import APPLICATION_ID, OLDEST, STORE_NAME, TABLES, TABLES_OF_3, TABLES_OF_4, VERSION

__all__ = ["connect", "damaged", "reading", "reporting_damage", "upgrade_store"]

# what SQLite adds by itself has no text, or a name of its own
_SCHEMA = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_MACHINE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY)  # no fault of the file


def connect(path: Path, *, create: bool, read_only: bool = False) -> sqlite3.Connection:
    """Open a store, or say why it cannot be opened."""
    if not create and not path.is_file():
        raise InvalidInput(
            f"{path}: there is no store here. Run something first, and give the folder that was its --out (in Python "
            "out=)."
        )
    mode = "ro" if read_only else "rwc" if create else "rw"
    address = f"{path.resolve().as_uri()}?mode={mode}"
    try:
        with ExitStack() as on_error:
            connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=60)
            on_error.callback(connection.close)
            connection.execute("PRAGMA busy_timeout = 60000")
            _demand_version(connection, path, create=create, read_only=read_only)
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
            f"{path}: this store cannot be opened ({error}). Restore it from a copy, or choose another results folder."
        ) from error
    return connection


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A separate connection for reading; damage that is found while it is open becomes an error that names the file."""
    with reporting_damage(path), closing(connect(path, create=False, read_only=True)) as connection:
        yield connection


@contextmanager
def reporting_damage(path: Path) -> Iterator[None]:
    """Turn the errors of queries and rows of a damaged file into one that names the file."""
    try:
        yield
    except (sqlite3.DatabaseError, ValueError, TypeError, KeyError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise damaged(path, error) from error


def damaged(path: Path, error: Exception) -> InvalidInput:
    """The error for a store that is not as it was written."""
    return InvalidInput(
        f"{path}: this store is damaged ({error}). Restore it from a copy, or choose another results folder."
    )


def upgrade_store(folder: Path) -> tuple[int, int]:
    """Bring the store of a results folder up to date; the versions before and after."""
    path = folder / STORE_NAME
    with closing(connect(path, create=False, read_only=True)) as connection:
        (before,) = connection.execute("PRAGMA user_version").fetchone()
    connect(path, create=False).close()
    return int(before), VERSION


def _demand_version(connection: sqlite3.Connection, path: Path, *, create: bool, read_only: bool) -> None:
    """Refuse a file of another version or another program; an empty one gets its tables when it may be written."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not tables and not version and create:
        connection.execute("BEGIN IMMEDIATE")
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            _make_tables(connection, TABLES + TABLES_OF_3 + TABLES_OF_4)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
        return
    if not tables and not version:
        raise InvalidInput(
            f"{path}: the store is still empty, its run was stopped as it started. Run the same command again."
        )
    if application != APPLICATION_ID:
        raise InvalidInput(f"{path}: this is a database, but not a store of Assay. Choose another results folder.")
    if version > VERSION:
        raise InvalidInput(
            f"{path}: written by a newer Assay (store version {version}, this one reads up to {VERSION}). "
            "Use that version, or choose another results folder."
        )
    if version < OLDEST:
        raise InvalidInput(
            f"{path}: written by an Assay before its first release (store version {version}; this reads {OLDEST}). "
            "Such stores cannot be brought up to date: run the same command again with another results folder."
        )
    if strange := set(connection.execute(_SCHEMA)) - _own_schema():
        names = ", ".join(sorted(f"{kind} {name}" for kind, name, _ in strange))
        raise InvalidInput(
            f"{path}: not as Assay made it ({names[:200]}). Fetch the store again from where it was run."
        )
    if version < VERSION and not read_only:
        connection.execute("BEGIN IMMEDIATE")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version < 3:
            _make_tables(connection, TABLES_OF_3)
            begin_ledger(connection)
        if version < VERSION:  # no other process was faster
            _make_tables(connection, TABLES_OF_4)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")


@cache
def _own_schema() -> frozenset[tuple[str, str, str]]:
    """The schema of our stores: a foreign view or trigger could run any statement, endlessly."""
    with closing(sqlite3.connect(":memory:")) as connection:
        _make_tables(connection, TABLES + TABLES_OF_3 + TABLES_OF_4)
        return frozenset(connection.execute(_SCHEMA))


def _make_tables(connection: sqlite3.Connection, statements: str) -> None:
    for statement in filter(str.strip, statements.split(";")):
        connection.execute(statement)
