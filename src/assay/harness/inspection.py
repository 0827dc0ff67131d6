"""Is a store whole? Every page, every byte of every answer, every reference and every score is looked at."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from assay.core import InvalidInput, Record, digest_bytes
from assay.harness.schema import connect
from assay.harness.store import STORE_NAME

__all__ = ["StoreReport", "check_store"]

_SHOWN: Final = 20  # troubles of one kind that are named


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

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.troubles


def check_store(folder: Path) -> StoreReport:
    """Look at everything; nothing is changed. A file that cannot even be opened is an error."""
    path = folder / STORE_NAME
    connection = connect(path, create=False, read_only=True)
    try:
        troubles = list(_troubles(connection))
        counts = {
            "answers": _count(connection, "SELECT count(*) FROM answers"),
            "records": _count(connection, "SELECT count(*) FROM records"),
            "cells": _count(connection, "SELECT count(*) FROM cells"),
            "lost": _count(connection, "SELECT count(*) FROM losses"),
            "unfinished": _count(
                connection,
                "SELECT count(*) FROM cells LEFT JOIN records ON records.key = cells.record_key "
                "WHERE records.key IS NULL AND cells.run IN (SELECT max(id) FROM runs GROUP BY track)",
            ),
        }
    except sqlite3.DatabaseError as error:
        counts = dict.fromkeys(("answers", "records", "cells", "lost", "unfinished"), 0)
        troubles = [f"the file is damaged: {error}. Restore it from a copy; what is lost is run again."]
    finally:
        connection.close()
    return StoreReport(path=path, troubles=tuple(troubles), **counts)


def _count(connection: sqlite3.Connection, statement: str) -> int:
    return int(connection.execute(statement).fetchone()[0])


def _troubles(connection: sqlite3.Connection) -> Iterator[str]:
    pages = [row[0] for row in connection.execute(f"PRAGMA integrity_check({_SHOWN})") if row[0] != "ok"]
    yield from (f"database page: {text}" for text in pages)
    yield from _bounded("answer bytes", _altered_blobs(connection))
    yield from _bounded("reference", _dangling(connection))
    yield from _bounded("record", _bad_records(connection))


def _bounded(kind: str, troubles: Iterator[str]) -> Iterator[str]:
    found = 0
    for text in troubles:
        found += 1
        if found <= _SHOWN:
            yield f"{kind}: {text}"
    if found > _SHOWN:
        yield f"{kind}: {found - _SHOWN:,} more of this kind."


def _altered_blobs(connection: sqlite3.Connection) -> Iterator[str]:
    for digest, content in connection.execute("SELECT digest, content FROM blobs"):
        if digest_bytes(content) != digest:
            yield f"{digest[:12]} does not have the content that its name says"


def _dangling(connection: sqlite3.Connection) -> Iterator[str]:
    checks = {
        "SELECT answers.key FROM answers LEFT JOIN blobs ON blobs.digest = answers.blob "
        "WHERE answers.blob IS NOT NULL AND blobs.digest IS NULL": "answer {} lacks its bytes",
        "SELECT key FROM answers WHERE status = 'ok' AND blob IS NULL": "answer {} has no bytes",
        "SELECT records.key FROM records LEFT JOIN answers ON answers.key = records.answer_key "
        "WHERE answers.key IS NULL": "record {} lacks its answer",
        "SELECT DISTINCT scores.record_key FROM scores LEFT JOIN records ON records.key = scores.record_key "
        "WHERE records.key IS NULL": "scores of record {}, which is not there",
    }
    for statement, message in checks.items():
        for (key,) in connection.execute(statement):
            yield message.format(key[:12])


def _bad_records(connection: sqlite3.Connection) -> Iterator[str]:
    rows = connection.execute("SELECT key, answer_key, body FROM records ORDER BY key")
    scores = _grouped(connection.execute("SELECT record_key, metric, value FROM scores ORDER BY record_key, metric"))
    waiting = next(scores, None)
    for key, answer, body in rows:
        table: dict[str, float | None] = {}
        while waiting is not None and waiting[0] <= key:
            if waiting[0] == key:
                table = waiting[1]
            waiting = next(scores, None)
        try:
            record = Record.from_json(json.loads(body))
        except (ValueError, TypeError, KeyError, InvalidInput) as error:
            yield f"{key[:12]} cannot be read ({type(error).__name__}: {error})"
            continue
        if (record.key, record.answer_key) != (key, answer):
            yield f"{key[:12]} carries the key of another"
        elif {name: None if math.isnan(value) else value for name, value in record.scores.items()} != table:
            yield f"{key[:12]} and the table of scores disagree"


def _grouped(rows: Iterator[Any]) -> Iterator[tuple[str, dict[str, float | None]]]:
    current, values = "", dict[str, float | None]()
    for key, metric, value in rows:
        if key != current and values:
            yield current, values
            values = {}
        current = key
        values[metric] = value
    if values:
        yield current, values
