"""How much was written: rows hidden by a damaged page are noticed, instead of being mistaken for work not done."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Final, NamedTuple

from assay.harness.store.schema import Altered, checksum, demand

__all__ = [
    "RUNS",
    "SUBJECTS",
    "WITHDRAWALS",
    "Entry",
    "begin_ledger",
    "book",
    "demand_count",
    "every_record",
    "read_ledger",
    "records_of",
]

RUNS: Final = "runs"
SUBJECTS: Final = "subjects"
WITHDRAWALS: Final = "withdrawals"
_RECORDS: Final = "records of "


class Entry(NamedTuple):
    """So many rows, and the sum of their numbers."""

    rows: int = 0
    total: int = 0


def records_of(track: str) -> str:
    """The name under which the records of a track are counted."""
    return _RECORDS + track


def begin_ledger(connection: sqlite3.Connection) -> None:
    """Count what a store of an earlier version holds."""
    rows = connection.execute("SELECT json_extract(body, '$.track'), count(*), sum(id) FROM records GROUP BY 1")
    for track, count, total in rows.fetchall():
        book(connection, records_of(track), count, total)
    count, total = connection.execute("SELECT count(*), coalesce(sum(id), 0) FROM runs").fetchone()
    book(connection, RUNS, count, total)


def book(connection: sqlite3.Connection, name: str, count: int, total: int) -> None:
    """So many more rows than before, inside the transaction that writes them; fewer when they are replaced."""
    entry = _read(connection, "WHERE name = ?", name).get(name, Entry())
    values = (name, entry.rows + count, entry.total + total)
    connection.execute("INSERT OR REPLACE INTO ledger VALUES (?, ?, ?, ?)", (*values, checksum(*map(str, values))))


def read_ledger(connection: sqlite3.Connection) -> dict[str, Entry] | None:
    """What was written, by name; None for a store of an earlier version, which does not say."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return None if version < 3 else _read(connection)


def demand_count(kind: str, expected: Entry, present: Entry) -> None:
    """Refuse rows that are not as many as were written, or others."""
    if present != expected:
        there = f"{present.rows:,} are there" if present.rows != expected.rows else "some are not there"
        raise Altered(f"of {expected.rows:,} {kind} that were written {there}")


def every_record(ledger: Mapping[str, Entry]) -> Entry:
    """The records of all tracks."""
    entries = [entry for name, entry in ledger.items() if name.startswith(_RECORDS)]
    return Entry(sum(entry.rows for entry in entries), sum(entry.total for entry in entries))


def _read(connection: sqlite3.Connection, where: str = "", *values: str) -> dict[str, Entry]:
    entries = {}
    for name, count, total, expected in connection.execute(
        f"SELECT name, count, total, checksum FROM ledger {where}", values
    ):
        demand(expected, str(name), str(count), str(total))
        entries[name] = Entry(count, total)
    return entries
