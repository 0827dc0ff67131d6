"""Withdrawing the records of a subject, undoing that, and carrying it over when stores are merged."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from assay.core import InvalidInput, UnknownName
from assay.core.display import shell_word
from assay.harness.store.lock import locked
from assay.harness.store.rows.shared import Mappings
from assay.harness.store.store import Store
from assay.harness.store.withdrawals import (
    Withdrawal,
    add_withdrawal,
    lift_withdrawal,
    matching_records,
    read_withdrawals,
    withdrawn_answers,
    withdrawn_records,
)

__all__ = ["adopt_withdrawals", "restore_records", "withdraw_records"]


def withdraw_records(
    folder: Path,
    subject: str,
    *,
    reason: str,
    track: str | None = None,
    problem: str | None = None,
    seed: int | None = None,
) -> Withdrawal:
    """Let the records of a subject, of all plans, count nowhere from now on; they and the reason are kept."""
    if not reason.strip():
        raise InvalidInput("a withdrawal needs a reason, which reports will show: --reason TEXT.")
    Store(folder, read_only=True).close()  # a clear error before anything is written
    with locked(folder), Store(folder) as store, store.transaction() as connection:
        numbers = matching_records(connection, subject, track=track, problem=problem, seed=seed)
        if not numbers.size:
            known = {name for (name,) in connection.execute("SELECT json_extract(body, '$.subject') FROM records")}
            if subject not in known:
                raise UnknownName(f"subject in {folder}", subject, sorted(known))
            raise InvalidInput(
                f"{folder}: {subject!r} has no record of this track, problem and seed that is not withdrawn already."
            )
        now = datetime.now(UTC).isoformat(timespec="seconds")
        withdrawal = Withdrawal(
            subject=subject, reason=reason, created=now, records=0, track=track, problem=problem, seed=seed
        )
        return add_withdrawal(connection, withdrawal, numbers)


def restore_records(folder: Path, number: int) -> Withdrawal:
    """Let the records of a withdrawal count again; that they were withdrawn, and why, is kept."""
    Store(folder, read_only=True).close()
    with locked(folder), Store(folder) as store, store.transaction() as connection:
        lifted = lift_withdrawal(connection, number)
        if lifted is None:
            raise InvalidInput(
                f"{folder}: withdrawal {number} not found, or already undone. "
                f"List withdrawals: assay store check {shell_word(folder)}."
            )
        return lifted


def adopt_withdrawals(target: Store, source: Store) -> None:
    """Withdraw in one store what is withdrawn in another; records that it lacks are copied, as withdrawn ones."""
    with source.snapshot() as there, target.transaction() as here:
        gone = withdrawn_answers(there)
        mappings = Mappings(there)
        for withdrawal, numbers in read_withdrawals(there):
            active = set() if withdrawal.restored is not None else set(numbers.tolist())
            records = [
                mappings.record(body)
                for number, answer, body in there.execute("SELECT id, answer_key, body FROM records ORDER BY id")
                if number in active and answer in gone
            ]
            present = target.record_status([record.key for record in records])
            target.commit(*((entry, source.answer(entry.answer_key)) for entry in records if entry.key not in present))
            answers = {record.answer_key for record in records}
            same = [number for number, key in here.execute("SELECT id, answer_key FROM records") if key in answers]
            new = np.setdiff1d(np.array(same, dtype=np.int64), withdrawn_records(here))
            if new.size:
                add_withdrawal(here, withdrawal, new)
