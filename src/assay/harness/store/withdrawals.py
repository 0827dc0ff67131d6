"""Records that are withdrawn: they stay in the store, count nowhere, and the reason is kept."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core import Json, canonical_json
from assay.harness.store.rows.ledger import WITHDRAWALS, Entry, book, demand_count, read_ledger
from assay.harness.store.schema import checksum, demand, rows_of, signed

__all__ = [
    "Withdrawal",
    "add_withdrawal",
    "answers_of",
    "lift_withdrawal",
    "matching_records",
    "read_withdrawals",
    "withdrawn_answers",
    "withdrawn_records",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """Why and when records were withdrawn, and which: what is not named (None) stands for all."""

    subject: str
    reason: str
    created: str
    records: int  # that were withdrawn
    track: str | None = None
    problem: str | None = None
    seed: int | None = None
    restored: str | None = None  # when they were brought back
    number: int = 0  # in its store
    cells: int = 0  # of a plan that are without a record because of it

    def to_json(self) -> dict[str, Json]:
        """As printed, exported and kept."""
        return dict(asdict(self))

    def __str__(self) -> str:
        parts = [f"track {self.track}"] if self.track else []
        parts += [f"problem {self.problem}"] if self.problem else []
        parts += [] if self.seed is None else [f"seed {self.seed}"]
        where = f" ({', '.join(parts)})" if parts else ""
        restored = f", restored {self.restored}" if self.restored else ""
        return f"{self.records:,} records of {self.subject}{where}, {self.created}{restored}: {self.reason}"


def matching_records(
    connection: sqlite3.Connection, subject: str, *, track: str | None, problem: str | None, seed: int | None
) -> NDArray[np.int64]:
    """The numbers of the records of a subject, of all plans, that are not withdrawn yet."""
    numbers = [
        number
        for number, body in connection.execute("SELECT id, body FROM records ORDER BY id")
        if _matches(json.loads(body), subject=subject, track=track, problem=problem, seed=seed)
    ]
    return np.setdiff1d(np.array(numbers, dtype=np.int64), withdrawn_records(connection))


def _matches(body: dict[str, Any], **filters: str | int | None) -> bool:
    return all(value is None or body[name] == value for name, value in filters.items())


def add_withdrawal(connection: sqlite3.Connection, withdrawal: Withdrawal, records: NDArray[np.int64]) -> Withdrawal:
    """Withdraw these records, inside the caller's transaction."""
    new = replace(withdrawal, records=int(records.size), cells=0, number=0)
    number = connection.execute(
        "INSERT INTO withdrawals (body, records, checksum) VALUES (?, ?, ?)",
        signed(canonical_json(new.to_json()), records.astype("<i8").tobytes()),
    ).lastrowid
    book(connection, WITHDRAWALS, 1, int(number or 0))
    return replace(new, number=int(number or 0))


def lift_withdrawal(connection: sqlite3.Connection, number: int) -> Withdrawal | None:
    """Bring the records of a withdrawal back; None when it is not found, or was lifted before."""
    for withdrawal, records in _rows(connection):
        if withdrawal.number == number and withdrawal.restored is None:
            lifted = replace(withdrawal, restored=datetime.now(UTC).isoformat(timespec="seconds"))
            content = records.astype("<i8").tobytes()
            body = canonical_json(replace(lifted, number=0).to_json())
            connection.execute(
                "UPDATE withdrawals SET body = ?, checksum = ? WHERE id = ?", (body, checksum(body, content), number)
            )
            return lifted
    return None


def read_withdrawals(connection: sqlite3.Connection) -> tuple[tuple[Withdrawal, NDArray[np.int64]], ...]:
    """All withdrawals, oldest first, with the numbers of their records."""
    ledger = read_ledger(connection)
    if ledger is None:
        return ()
    withdrawals = tuple(_rows(connection))
    here = Entry(len(withdrawals), sum(withdrawal.number for withdrawal, _ in withdrawals))
    demand_count("withdrawals", ledger.get(WITHDRAWALS, Entry()), here)
    return withdrawals


def _rows(connection: sqlite3.Connection) -> Iterator[tuple[Withdrawal, NDArray[np.int64]]]:
    rows = connection.execute("SELECT id, body, records, checksum FROM withdrawals ORDER BY id").fetchall()
    for number, body, content, expected in rows:
        demand(expected, body, content)
        yield replace(Withdrawal(**json.loads(body)), number=number), np.frombuffer(content, dtype="<i8")


def withdrawn_records(connection: sqlite3.Connection) -> NDArray[np.int64]:
    """The numbers of all records that are withdrawn now, in order."""
    active = [records for withdrawal, records in read_withdrawals(connection) if withdrawal.restored is None]
    return np.unique(np.concatenate(active)).astype(np.int64) if active else np.empty(0, dtype=np.int64)


def answers_of(connection: sqlite3.Connection, records: Sequence[int]) -> set[str]:
    """The keys of the answers of those of the records that are still there."""
    return {key for (key,) in rows_of(connection, "SELECT answer_key FROM records WHERE id IN ({})", records)}


def withdrawn_answers(connection: sqlite3.Connection) -> set[str]:
    """The keys of answers that are withdrawn, also where other versions of the metrics would score them.

    An answer with a record that is not withdrawn was computed again since, or restored.
    """
    gone = withdrawn_records(connection)
    answers = answers_of(connection, gone.tolist())
    if answers:
        withdrawn = set(gone.tolist())
        for number, key in connection.execute("SELECT id, answer_key FROM records"):
            if key in answers and number not in withdrawn:
                answers.discard(key)
    return answers
