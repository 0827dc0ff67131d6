"""Stores of version 1 become stores of version 2: one transaction, all of it or nothing."""

from __future__ import annotations

import json
import sqlite3
from itertools import groupby
from pathlib import Path

from assay.core import InvalidInput
from assay.harness.store.lock import locked
from assay.harness.store.plan_rows import PlanRows, fingerprints
from assay.harness.store.schema import STORE_NAME, TABLES, VERSION, checksum, connect, stored_version

__all__ = ["migrate", "upgrade_store"]

_OLD = ("answers", "records", "scores", "runs", "cells")  # tables that have another form now


def migrate(connection: sqlite3.Connection) -> None:
    """Bring an open store up to date; when anything fails it stays as it was."""
    connection.execute("BEGIN EXCLUSIVE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 1:  # else another process was quicker
            _from_first(connection)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if isinstance(error, ValueError | KeyError | TypeError):
            raise InvalidInput(
                f"this store of version 1 cannot be brought up to date: what it holds is damaged ({error}). "
                "It is as it was; restore it from a copy."
            ) from error
        raise


def upgrade_store(folder: Path) -> tuple[int, int]:
    """Bring the store of a results folder up to date, under its lock; the versions before and after."""
    path = folder / STORE_NAME
    if not path.is_file():
        connect(path, create=False)  # says what to do
    with locked(folder):
        before = stored_version(path)
        connect(path, create=False).close()
        return before, stored_version(path)


def _from_first(connection: sqlite3.Connection) -> None:
    for table in _OLD:
        connection.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    kept = ("blobs", "losses")
    for statement in filter(str.strip, TABLES.split(";")):
        if not any(f"CREATE TABLE {table} " in statement for table in kept):
            connection.execute(statement)
    # in the order of their plans, so that numbers grow as they would have, had this version written them
    connection.create_function("checksum", -1, checksum, deterministic=True)
    connection.execute(
        "INSERT INTO answers SELECT key, status, blob, body, checksum(key, status, blob, body) FROM old_answers"
    )
    connection.execute(
        "INSERT INTO records (key, answer_key, body, checksum) "
        "SELECT key, answer_key, body, checksum(key, answer_key, body) FROM old_records "
        "LEFT JOIN (SELECT record_key, min(run) AS run, min(position) AS position FROM old_cells GROUP BY record_key) "
        "AS planned ON planned.record_key = old_records.key ORDER BY planned.run, planned.position, key"
    )
    connection.execute("INSERT INTO runs SELECT id, track, created, settings, digest, x'', x'' FROM old_runs")
    cells = connection.execute("SELECT run, record_key, answer_key, body FROM old_cells ORDER BY run, position")
    for run, rows in groupby(cells, key=lambda row: row[0]):
        plan = PlanRows(run)
        keys = []
        for _, record_key, answer_key, body in rows:
            plan.add_plain(record_key, answer_key, json.loads(body))
            keys.append(record_key)
        plan.write(connection)
        connection.execute("UPDATE runs SET keys = ? WHERE id = ?", (fingerprints(keys), run))
    connection.execute("UPDATE runs SET checksum = checksum(track, created, settings, digest, keys)")
    from assay.harness.store.blocks import seal

    for table in _OLD:
        connection.execute(f"DROP TABLE old_{table}")
    seal(connection)
