"""The rows of a finished cell: its answer and its record."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict

from assay.core import Record, canonical_json, digest_bytes, plain
from assay.harness.store.rows.ledger import book, records_of
from assay.harness.store.rows.shared import intern, record_row
from assay.harness.store.schema import signed
from assay.harness.store.stored_answer import StoredAnswer

__all__ = ["insert_answer", "insert_finished"]


def insert_answer(connection: sqlite3.Connection, key: str, answer: StoredAnswer) -> None:
    """Write an answer, its bytes once for all answers that are alike."""
    blob = None if answer.payload is None else digest_bytes(answer.payload)
    fields = {name: value for name, value in asdict(answer).items() if name not in ("payload", "status", "files")}
    body = {**fields, "software": intern(connection, answer.software)}
    if blob is not None:
        connection.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (blob, answer.payload))
    row = signed(key, answer.status, blob, canonical_json(plain(body)))
    connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)


def insert_finished(connection: sqlite3.Connection, record: Record, answer: StoredAnswer) -> None:
    """Write a finished cell, its record in place of an earlier one, and delete its loss."""
    insert_answer(connection, record.answer_key, answer)
    replaced = connection.execute("SELECT id FROM records WHERE key = ?", (record.key,)).fetchone()
    number = connection.execute(
        "INSERT OR REPLACE INTO records (key, answer_key, body, checksum) VALUES (?, ?, ?, ?)",
        record_row(connection, record),
    ).lastrowid
    book(
        connection, records_of(record.track), 0 if replaced else 1, int(number or 0) - (replaced[0] if replaced else 0)
    )
    connection.execute("DELETE FROM losses WHERE record_key = ?", (record.key,))
