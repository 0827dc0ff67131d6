"""The store: one SQLite file (WAL); the driver alone writes, one transaction per finished cell."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from assay.core import (
    Budget,
    InfrastructureFailed,
    InvalidInput,
    Record,
    canonical_json,
    digest_bytes,
    digest_json,
    plain,
)
from assay.harness.answer import Finished, StoredAnswer
from assay.harness.plan import Cell, Plan
from assay.harness.references import SubjectRef
from assay.harness.schema import connect
from assay.harness.surroundings import Surroundings

__all__ = ["STORE_NAME", "Run", "Store"]

STORE_NAME = "assay.sqlite"
_CHUNK = 500  # bound variables per query, well below SQLite's limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One plan that was run into this store."""

    id: int
    track: str
    created: str
    settings: Mapping[str, Any]


class Store:
    """Answers and records by content key, and the plans they belong to."""

    def __init__(self, folder: Path, *, create: bool = False, read_only: bool = False) -> None:
        if create:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InvalidInput(f"{folder}: this results folder cannot be made ({error.strerror}).") from error
        self.path = folder / STORE_NAME
        self._connection = connect(self.path, create=create, read_only=read_only)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; nothing is pending, every commit is already on disk."""
        self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as error:
            raise InfrastructureFailed(
                f"{self.path}: writing failed ({error}). Finished cells are safe: free some space, then run again."
            ) from error

    def commit(self, finished: Finished) -> None:
        """Write one finished cell, whole or not at all."""
        answer, record = finished.answer, finished.record
        blob = None if answer.payload is None else digest_bytes(answer.payload)
        body = plain({name: value for name, value in asdict(answer).items() if name not in ("payload", "status")})
        with self._transaction() as connection:
            if blob is not None:
                connection.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (blob, answer.payload))
            connection.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)",
                (record.answer_key, answer.status, blob, canonical_json(body)),
            )
            connection.execute(
                "INSERT OR REPLACE INTO records VALUES (?, ?, ?)",
                (record.key, record.answer_key, canonical_json(record.to_json())),
            )
            connection.execute("DELETE FROM losses WHERE record_key = ?", (record.key,))
            connection.execute("DELETE FROM scores WHERE record_key = ?", (record.key,))
            connection.executemany(
                "INSERT INTO scores VALUES (?, ?, ?)",
                [(record.key, name, value) for name, value in record.scores.items()],  # nan is stored as NULL
            )

    def commit_loss(self, cell: Cell, reason: str) -> None:
        """Remember why a cell could not be finished; finishing it later forgets this."""
        with self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO losses VALUES (?, ?)", (cell.record_key, reason))

    def losses(self, run: int) -> tuple[tuple[Cell, str], ...]:
        """The cells of a plan that could not be finished, with the reasons."""
        rows = self._query(
            "SELECT cells.body, losses.reason FROM cells JOIN losses ON losses.record_key = cells.record_key "
            "WHERE cells.run = ? ORDER BY cells.position",
            (run,),
        )
        return tuple((_cell(json.loads(body)), reason) for body, reason in rows)

    def add_run(self, plan: Plan) -> int:
        """Remember a plan, unless it is the track's latest already; reports read the latest plan of each track."""
        digest = digest_json([cell.record_key for cell in plan.cells])
        known = list(self._query("SELECT id, digest FROM runs WHERE track = ? ORDER BY id DESC LIMIT 1", (plan.track,)))
        if known and known[0][1] == digest:
            return int(known[0][0])
        with self._transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO runs (track, created, settings, digest) VALUES (?, ?, ?, ?)",
                (
                    plan.track,
                    datetime.now(UTC).isoformat(timespec="seconds"),
                    canonical_json(dict(plan.settings)),
                    digest,
                ),
            )
            run = int(cursor.lastrowid or 0)
            connection.executemany(
                "INSERT INTO cells VALUES (?, ?, ?, ?, ?)",
                [
                    (run, position, cell.record_key, cell.answer_key, canonical_json(plain(asdict(cell))))
                    for position, cell in enumerate(plan.cells)
                ],
            )
        return run

    def runs(self) -> tuple[Run, ...]:
        """All plans, oldest first."""
        rows = self._query("SELECT id, track, created, settings FROM runs ORDER BY id")
        return tuple(Run(id=i, track=t, created=c, settings=json.loads(s)) for i, t, c, s in rows)

    def latest_runs(self) -> tuple[Run, ...]:
        """The latest plan of each track, by track name."""
        latest = {run.track: run for run in self.runs()}
        return tuple(latest[track] for track in sorted(latest))

    def cells(self, run: int) -> tuple[Cell, ...]:
        """The cells of a plan, in order."""
        rows = self._query("SELECT body FROM cells WHERE run = ? ORDER BY position", (run,))
        return tuple(_cell(json.loads(body)) for (body,) in rows)

    def records(self, run: int) -> tuple[Record, ...]:
        """The records of a plan that are there, in the plan's order."""
        rows = self._query(
            "SELECT records.body FROM cells JOIN records ON records.key = cells.record_key "
            "WHERE cells.run = ? ORDER BY cells.position",
            (run,),
        )
        return tuple(Record.from_json(json.loads(body)) for (body,) in rows)

    def times(self) -> dict[tuple[str, str], float]:
        """Mean seconds of solving and examining by problem digest and subject, from at most 20,000 records."""
        rows = self._query(
            "SELECT problem, subject, avg(seconds) FROM (SELECT json_extract(body, '$.problem_digest') AS problem, "
            "json_extract(body, '$.subject') AS subject, json_extract(body, '$.seconds') "
            "+ coalesce(json_extract(body, '$.cost.examine_seconds'), 0) AS seconds FROM records LIMIT 20000) "
            "GROUP BY problem, subject"
        )
        return {(problem, subject): seconds for problem, subject, seconds in rows if seconds is not None}

    def find_records(self, prefix: str) -> tuple[Record, ...]:
        """Records whose key starts with the prefix."""
        rows = self._query("SELECT body FROM records WHERE substr(key, 1, ?) = ? ORDER BY key", (len(prefix), prefix))
        return tuple(Record.from_json(json.loads(body)) for (body,) in rows)

    def record_status(self, keys: Sequence[str]) -> dict[str, str]:
        """Of these record keys, those present, with the status of their answers."""
        return self._lookup(
            "SELECT records.key, answers.status FROM records JOIN answers ON answers.key = records.answer_key "
            "WHERE records.key IN ({})",
            keys,
        )

    def answer_status(self, keys: Sequence[str]) -> dict[str, str]:
        """Of these answer keys, those present, with their status."""
        return self._lookup("SELECT key, status FROM answers WHERE key IN ({})", keys)

    def answer(self, key: str) -> StoredAnswer:
        """A stored answer with its bytes."""
        rows = list(
            self._query(
                "SELECT answers.status, answers.body, blobs.content FROM answers "
                "LEFT JOIN blobs ON blobs.digest = answers.blob WHERE answers.key = ?",
                (key,),
            )
        )
        if not rows:
            raise InvalidInput(f"{self.path}: holds no answer {key[:12]!r}.")
        ((status, body, payload),) = rows
        return StoredAnswer(status=status, payload=payload, **json.loads(body))

    def _lookup(self, statement: str, keys: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for start in range(0, len(keys), _CHUNK):
            chunk = keys[start : start + _CHUNK]
            found.update(self._query(statement.format(",".join("?" * len(chunk))), tuple(chunk)))
        return found

    def _query(self, statement: str, values: Iterable[object] = ()) -> Iterator[Any]:
        try:
            yield from self._connection.execute(statement, tuple(values))
        except sqlite3.DatabaseError as error:
            raise InvalidInput(
                f"{self.path}: this store is damaged ({error}). Restore it from a copy, or choose another --out folder."
            ) from error


def _cell(body: Mapping[str, Any]) -> Cell:
    return Cell(
        **{
            **body,
            "subject": SubjectRef(**body["subject"]),
            "budget": Budget(**body["budget"]),
            "surroundings": Surroundings.from_json(body["surroundings"]),
        }
    )
