"""Is a store whole? Every page, every byte of every answer, every reference and every score is looked at."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assay.core import digest_bytes
from assay.harness.store.opening import connect
from assay.harness.store.rows.ledger import RUNS, SUBJECTS, WITHDRAWALS, Entry, demand_count, every_record, read_ledger
from assay.harness.store.rows.plans import fingerprints
from assay.harness.store.rows.shared import shared_troubles
from assay.harness.store.schema import STORE_NAME, Altered, mismatches
from assay.harness.store.withdrawals import Withdrawal, read_withdrawals

__all__ = ["StoreReport", "check_store"]

_SHOWN: Final = 20  # troubles of one kind that are named
_COUNTS: Final = {
    "answers": "SELECT count(*) FROM answers",
    "records": "SELECT count(*) FROM records",
    "cells": "SELECT count(*) FROM cells",
    "lost": "SELECT count(*) FROM losses",
    "unfinished": "SELECT count(*) FROM cells LEFT JOIN records ON records.key = cells.record_key "
    "WHERE records.key IS NULL AND cells.run IN (SELECT max(id) FROM runs GROUP BY track)",
}
_ANSWERS: Final = "SELECT substr(key, 1, 12), key, status, blob, body, checksum FROM answers"
_RECORDS: Final = "SELECT substr(key, 1, 12), key, answer_key, body, checksum FROM records"
_REFERENCES: Final = {
    "SELECT answers.key FROM answers LEFT JOIN blobs ON blobs.digest = answers.blob "
    "WHERE answers.blob IS NOT NULL AND blobs.digest IS NULL": "answer {} lacks its bytes",
    "SELECT key FROM answers WHERE status = 'ok' AND blob IS NULL": "answer {} has no bytes",
    "SELECT records.key FROM records LEFT JOIN answers ON answers.key = records.answer_key "
    "WHERE answers.key IS NULL": "record {} lacks its answer",
    "SELECT answers.key FROM answers LEFT JOIN records ON records.answer_key = answers.key "
    # those of lost cells are kept, as when a metric broke; a list, since a condition on each answer scans all cells
    "WHERE records.key IS NULL AND answers.key NOT IN (SELECT cells.answer_key FROM cells JOIN losses "
    "USING (record_key))": "the record of answer {} is not there",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreReport:
    """What a store holds, and what is wrong with it."""

    path: Path
    answers: int
    records: int
    cells: int
    unfinished: int  # cells of the latest plans without a record: the same run command does them
    lost: int
    troubles: tuple[str, ...]
    withdrawals: tuple[Withdrawal, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.troubles


def check_store(folder: Path) -> StoreReport:
    """Look at everything; nothing is changed. A file that cannot even be opened is an error."""
    path = folder / STORE_NAME
    connection = connect(path, create=False, read_only=True)
    withdrawals: tuple[Withdrawal, ...] = ()
    try:
        connection.execute("BEGIN")  # one state, whatever a run writes meanwhile
        troubles = list(_troubles(connection))
        counts = {name: int(connection.execute(query).fetchone()[0]) for name, query in _COUNTS.items()}
        withdrawals = tuple(withdrawal for withdrawal, _ in read_withdrawals(connection))
    except (sqlite3.DatabaseError, TypeError, ValueError, AttributeError) as error:
        counts = dict.fromkeys(_COUNTS, 0)
        troubles = [f"the file is damaged: {error}. Restore it from a copy; what is lost is run again."]
    finally:
        connection.close()
    return StoreReport(path=path, troubles=tuple(troubles), withdrawals=withdrawals, **counts)


def _troubles(connection: sqlite3.Connection) -> Iterator[str]:
    pages = [row[0] for row in connection.execute(f"PRAGMA integrity_check({_SHOWN})") if row[0] != "ok"]
    yield from (f"database page: {text}" for text in pages)
    yield from _bounded("answer bytes", _altered_blobs(connection))
    yield from _bounded("answer", mismatches(connection, _ANSWERS, "{}"))
    yield from _bounded("plan", _altered_plans(connection))
    yield from _bounded("reference", _dangling(connection))
    yield from _bounded("record", mismatches(connection, _RECORDS, "{}"))
    yield from _bounded("packed records", _bad_blocks(connection))
    yield from _bounded("shared by rows", shared_troubles(connection))
    yield from _bounded("count", _missed(connection))


def _bounded(kind: str, troubles: Iterator[str]) -> Iterator[str]:
    count = 0
    for text in troubles:
        count += 1
        if count <= _SHOWN:
            yield f"{kind}: {text}"
    if count > _SHOWN:
        yield f"{kind}: {count - _SHOWN:,} more of this kind."


def _altered_blobs(connection: sqlite3.Connection) -> Iterator[str]:
    for digest, content in connection.execute("SELECT digest, content FROM blobs"):
        if digest_bytes(content) != digest:
            yield f"{digest[:12]} does not have the content that its name says"


def _dangling(connection: sqlite3.Connection) -> Iterator[str]:
    for statement, message in _REFERENCES.items():
        for (key,) in connection.execute(statement):
            yield message.format(str(key)[:12])
    for run, keys in connection.execute("SELECT id, keys FROM runs ORDER BY id"):
        planned = connection.execute("SELECT record_key FROM cells WHERE run = ? ORDER BY position", (run,))
        if fingerprints(key for (key,) in planned) != keys:
            yield f"plan {run} and its cells disagree"


def _altered_plans(connection: sqlite3.Connection) -> Iterator[str]:
    plans = "SELECT id, track, created, settings, digest, keys, checksum FROM runs"
    yield from mismatches(connection, plans, "{}")
    cells = "SELECT run, record_key, answer_key, parts, checksum FROM cells"
    yield from mismatches(connection, cells, "a cell of {}")
    yield from mismatches(connection, "SELECT run, body, checksum FROM parts", "a part of {}")


def _missed(connection: sqlite3.Connection) -> Iterator[str]:
    """Rows that were written and are not there."""
    ledger = read_ledger(connection)
    if ledger is None:
        return
    checks = {
        "records": (every_record(ledger), "SELECT count(*), coalesce(sum(id), 0) FROM records NOT INDEXED"),
        "plans": (ledger.get(RUNS, Entry()), "SELECT count(*), coalesce(sum(id), 0) FROM runs"),
        "withdrawals": (ledger.get(WITHDRAWALS, Entry()), "SELECT count(*), coalesce(sum(id), 0) FROM withdrawals"),
    }
    if SUBJECTS in ledger:
        checks["subjects"] = (ledger[SUBJECTS], "SELECT count(*), coalesce(sum(id), 0) FROM subjects NOT INDEXED")
    for kind, (expected, statement) in checks.items():
        try:
            demand_count(kind, expected, Entry(*connection.execute(statement).fetchone()))
        except Altered as missed:
            yield str(missed)


def _bad_blocks(connection: sqlite3.Connection) -> Iterator[str]:
    from assay.harness.store.blocks import block_troubles

    yield from block_troubles(connection)
