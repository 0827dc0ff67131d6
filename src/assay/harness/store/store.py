"""The store: one SQLite file (WAL); the driver alone writes, one transaction per finished cell."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core import (
    InvalidInput,
    Record,
    canonical_json,
    digest_bytes,
    digest_json,
)
from assay.harness.metric_facts import MetricFacts
from assay.harness.plan import Cell, Plan
from assay.harness.store.database import Database
from assay.harness.store.rows.finished import insert_answer, insert_finished
from assay.harness.store.rows.floors import read_floors, write_floors
from assay.harness.store.rows.ledger import RUNS, Entry, book, demand_count, every_record, read_ledger, records_of
from assay.harness.store.rows.plans import (
    FINGERPRINT,
    fingerprints,
    read_cells,
    read_decisions,
    read_metrics,
    write_cells,
    write_decisions,
    write_metrics,
)
from assay.harness.store.rows.shared import (
    Mappings,
    StoredSubject,
    note_files,
    read_subjects,
    write_subject,
)
from assay.harness.store.schema import STORE_NAME, Altered, demand, signed
from assay.harness.store.stored_answer import Finished, StoredAnswer
from assay.stats.sequential.decisions import Decisions

if TYPE_CHECKING:
    from assay.harness.store.withdrawals import Withdrawal

__all__ = ["STORE_NAME", "Run", "Store"]

AT_ONCE = 2_000  # records of a store up to which they are read into memory as a whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One plan that was run into this store."""

    id: int
    track: str
    created: str
    settings: Mapping[str, Any]
    metrics: tuple[MetricFacts, ...] = ()  # that it has beside the track's own
    decisions: Decisions | None = None  # of a run that stopped when decided


class Store(Database):
    """Answers and records by content key, and the plans they belong to."""

    def __init__(self, folder: Path, *, create: bool = False, read_only: bool = False) -> None:
        super().__init__(folder, create=create, read_only=read_only)
        self._mappings = Mappings(self._connection)
        self._noted: set[tuple[str, str, str]] = set()  # subject, digest, file that it was seen to read
        self._commits, self._due = 0, 1  # the first commit finds out how many wait

    def commit(self, *finished: Finished) -> None:
        """Write the records and answers of finished cells, all of them or none."""
        with self._transaction() as connection:
            for record, answer in finished:
                insert_finished(connection, record, answer)
                self._note_files(connection, record, answer)
        self._seal_when_due(len(finished))

    def _note_files(self, connection: sqlite3.Connection, record: Record, answer: StoredAnswer) -> None:
        files = {(record.subject, record.subject_digest, path) for path in answer.files} - self._noted
        if files:
            note_files(connection, record.subject, record.subject_digest, answer.files)
            self._noted |= files

    def subjects(self, name: str | None = None) -> list[StoredSubject]:
        """The stored subjects of this name, or all, in the order in which they came."""
        with self._readable():
            return read_subjects(self._connection, name)

    def answered_before(self, run: int, name: str) -> str | None:
        """The digest under which a subject gave answers to the latest plan of the track before this run."""
        with self._readable():
            for earlier, part, digest in self._connection.execute(
                "SELECT parts.run, parts.id, json_extract(body, '$.subject.digest') FROM parts "
                "WHERE run < ? AND json_extract(body, '$.subject.name') = ? "
                "AND run IN (SELECT id FROM runs WHERE track = (SELECT track FROM runs WHERE id = ?)) "
                "ORDER BY run DESC",
                (run, name, run),
            ).fetchall():
                if self._connection.execute(
                    "SELECT 1 FROM cells JOIN answers ON answers.key = cells.answer_key "
                    "WHERE run = ? AND ' ' || parts || ' ' LIKE ? LIMIT 1",
                    (earlier, f"% {part} %"),
                ).fetchone():
                    return str(digest)
        return None

    def _seal_when_due(self, new: int) -> None:
        """Every so many commits, pack what has come; a crash before it only leaves the packing to the next run."""
        self._commits += new
        if self._commits >= self._due:
            from assay.harness.store.blocks import BLOCK, seal

            with self._transaction() as connection:
                waiting = seal(connection)
            self._commits, self._due = 0, BLOCK - waiting

    def commit_loss(
        self,
        cell: Cell,
        reason: str,
        floors: Mapping[str, float] | None = None,
        *,
        answer: StoredAnswer | None = None,
    ) -> None:
        """Remember why a cell could not be finished, and what a failure there scores; finishing it forgets this.

        A cell that has a record, and was tried again, keeps it with its answer and is not lost. An answer that could
        not be scored is kept, so that its subject need not be called again.
        """
        with self._transaction() as connection:
            lost = connection.execute(
                "INSERT OR REPLACE INTO losses SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM records WHERE key = ?)",
                (cell.record_key, reason, cell.record_key),
            )
            if not lost.rowcount:
                return
            if answer is not None:
                insert_answer(connection, cell.answer_key, answer)
            if floors is not None:
                write_floors(connection, cell.record_key, floors)

    def losses(self, run: int) -> tuple[tuple[Cell, str], ...]:
        """The cells of a plan that could not be finished, with the reasons."""
        lost = dict(self._query("SELECT record_key, reason FROM losses"))
        if not lost:
            return ()
        where = "AND record_key IN (SELECT record_key FROM losses)"
        with self._readable():
            return tuple((cell, lost[cell.record_key]) for cell in read_cells(self._connection, run, where))

    def floors(self) -> dict[str, dict[str, float]]:
        """By record key, what a failure scores in a lost cell, by metric; cells without such a value are absent."""
        with self._readable():
            return read_floors(self._connection)

    def add_run(self, plan: Plan) -> int:
        """Remember a plan, unless it is the track's latest already; reports read the latest plan of each track."""
        digest = digest_json([cell.record_key for cell in plan.cells])
        latest = self._query("SELECT id, digest FROM runs WHERE track = ? ORDER BY id DESC LIMIT 1", (plan.track,))
        if latest and latest[0][1] == digest:
            run = int(latest[0][0])
            with self._transaction() as connection:
                if read_metrics(connection, run) != plan.metrics:  # aggregates leave keys as they are
                    write_metrics(connection, run, plan.metrics)
            return run
        values = (
            plan.track,
            datetime.now(UTC).isoformat(timespec="seconds"),
            canonical_json(dict(plan.settings)),
            digest,
            fingerprints(cell.record_key for cell in plan.cells),
        )
        with self._transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO runs (track, created, settings, digest, keys, checksum) VALUES (?, ?, ?, ?, ?, ?)",
                signed(*values),
            )
            run = int(cursor.lastrowid or 0)
            book(connection, RUNS, 1, run)
            write_cells(connection, run, plan.cells)
            write_metrics(connection, run, plan.metrics)
            for subject in plan.subjects:
                base = subject.base or subject.digest
                write_subject(
                    connection,
                    StoredSubject(name=subject.name, digest=subject.digest, base=base, parts=subject.parts),
                )
        return run

    def decide(self, run: int, decisions: Decisions | None) -> None:
        """Remember the decisions of a run that stopped when decided; None for other runs."""
        with self._transaction() as connection:
            if read_decisions(connection, run) != decisions:
                write_decisions(connection, run, decisions)

    def withdrawals(self, run: int | None = None) -> tuple[Withdrawal, ...]:
        """All withdrawals, or those that concern a plan, with the number of its cells that lack a record for it."""
        from assay.harness.store.withdrawals import answers_of, read_withdrawals, withdrawn_answers

        with self.snapshot():
            withdrawals = read_withdrawals(self._connection)
            if run is None or not withdrawals:
                return tuple(withdrawal for withdrawal, _ in withdrawals)
            gone = withdrawn_answers(self._connection)
            planned = {key for (key,) in self._query("SELECT answer_key FROM cells WHERE run = ?", (run,))} & gone
            ((track,),) = self._query("SELECT track FROM runs WHERE id = ?", (run,))
            concerned = []
            for withdrawal, numbers in withdrawals:
                cells = 0
                if withdrawal.restored is None:
                    cells = len(planned & answers_of(self._connection, numbers.tolist()))
                if withdrawal.track in (None, track):
                    concerned.append(replace(withdrawal, cells=cells))
            return tuple(concerned)

    def withdrawn_answers(self) -> set[str]:
        """The keys of the answers that count nowhere."""
        from assay.harness.store.withdrawals import withdrawn_answers

        with self.snapshot():
            return withdrawn_answers(self._connection)

    def runs(self) -> tuple[Run, ...]:
        """All plans, oldest first."""
        runs = []
        with self.snapshot():
            ledger = read_ledger(self._connection)
            for number, *values, expected in self._query(
                "SELECT id, track, created, settings, digest, keys, checksum FROM runs ORDER BY id"
            ):
                demand(expected, *values)
                track, created, settings = values[:3]
                runs.append(
                    Run(
                        id=number,
                        track=track,
                        created=created,
                        settings=json.loads(settings),
                        metrics=read_metrics(self._connection, number),
                        decisions=read_decisions(self._connection, number),
                    )
                )
            if ledger is not None:
                demand_count("plans", ledger.get(RUNS, Entry()), Entry(len(runs), sum(run.id for run in runs)))
        return tuple(runs)

    def latest_runs(self) -> tuple[Run, ...]:
        """The latest plan of each track, by track name."""
        latest = {run.track: run for run in self.runs()}
        return tuple(latest[track] for track in sorted(latest))

    def cells(self, run: int) -> tuple[Cell, ...]:
        """The cells of a plan, in order."""
        with self._readable():
            cells = tuple(read_cells(self._connection, run))
            self._demand_whole(run, len(cells))
            return cells

    def planned(self, run: int) -> int:
        """How many cells a plan has."""
        ((size,),) = self._query("SELECT length(keys) FROM runs WHERE id = ?", (run,))
        return int(size) // FINGERPRINT

    def planned_problems(self, run: int) -> int:
        """How many problems a plan has."""
        ((count,),) = self._query(
            "SELECT count(DISTINCT json_extract(body, '$.problem')) FROM parts WHERE run = ?", (run,)
        )
        return int(count)

    def _demand_whole(self, run: int, cells: int) -> None:
        if cells != self.planned(run):
            raise Altered(f"of the {self.planned(run)} cells of a plan {cells} are there")

    def records(self, run: int) -> Sequence[Record]:
        """The records of a plan that are there and not withdrawn, in the plan's order.

        Very many are read when they are asked for. Records that were written and cannot be found are an error.
        """
        from assay.harness.store.withdrawals import withdrawn_records

        ((finished,),) = self._query("SELECT coalesce(max(id), 0) FROM records")  # at least as many as there are
        with self.snapshot():
            ledger, withdrawn = read_ledger(self._connection), withdrawn_records(self._connection)
            if finished <= AT_ONCE:
                return self._few_records(run, ledger, frozenset(withdrawn.tolist()))
            from assay.harness.store.blocks import read_columns
            from assay.harness.store.stored_records import StoredRecords

            ((track, keys),) = self._query("SELECT track, keys FROM runs WHERE id = ?", (run,))
            expected = None if ledger is None else ledger.get(records_of(track), Entry())
            columns = read_columns(self.path, self._connection, track, keys, expected=expected, withdrawn=withdrawn)
            return StoredRecords(self.path, columns)

    def _few_records(
        self, run: int, ledger: Mapping[str, Entry] | None, withdrawn: frozenset[int]
    ) -> tuple[Record, ...]:
        planned = self._query(
            "SELECT record_key, answer_key, parts, checksum FROM cells WHERE run = ? ORDER BY position", (run,)
        )
        for *values, row_checksum in planned:
            demand(row_checksum, *values)
        self._demand_whole(run, len(planned))
        stored = dict(self._query("SELECT id, key FROM records NOT INDEXED"))  # the index may hide what the table has
        if ledger is not None:
            demand_count("records", every_record(ledger), Entry(len(stored), sum(stored)))
        numbers = {key: number for number, key in stored.items()}
        expected = [numbers[key] for key, *_ in planned if key in numbers]
        rows = self._query(
            "SELECT records.id, key, records.answer_key, records.body, records.checksum FROM cells "
            "JOIN records ON records.key = cells.record_key WHERE cells.run = ? ORDER BY cells.position",
            (run,),
        )
        if [number for number, *_ in rows] != expected:
            raise Altered(f"of {len(expected):,} records of a plan {len(rows):,} are found by their keys")
        return tuple(self._record(*row) for number, *row in rows if number not in withdrawn)

    def times(self) -> dict[tuple[str, str], float]:
        """Mean seconds of solving and examining by problem digest and subject, from at most 20,000 records."""
        rows = self._query(
            "SELECT problem, subject, avg(seconds) FROM (SELECT json_extract(body, '$.problem_digest') AS problem, "
            "json_extract(body, '$.subject') AS subject, json_extract(body, '$.seconds') "
            "+ coalesce(json_extract(body, '$.cost.examine_seconds'), 0) AS seconds FROM records LIMIT 20000) "
            "GROUP BY problem, subject"
        )
        return {(problem, subject): seconds for problem, subject, seconds in rows if seconds is not None}

    def problem_folder(self, record_key: str) -> Path | None:
        """Where the problem of a record lay when it was planned; None where no plan has it."""
        ((run,),) = self._query("SELECT max(run) FROM cells WHERE record_key = ?", (record_key,))
        if run is None:
            return None
        with self._readable():
            (cell, *_) = read_cells(self._connection, run, "AND record_key = ?", (record_key,))
        return Path(cell.folder)

    def find_records(self, prefix: str) -> tuple[Record, ...]:
        """Records whose key starts with the prefix; those that are withdrawn say so."""
        from assay.harness.store.withdrawals import withdrawn_records

        with self.snapshot():
            withdrawn = set(withdrawn_records(self._connection).tolist())
            rows = self._query(
                "SELECT id, key, answer_key, body, checksum FROM records WHERE substr(key, 1, ?) = ? ORDER BY key",
                (len(prefix), prefix),
            )
            return tuple(replace(self._record(*row), withdrawn=number in withdrawn) for number, *row in rows)

    def _record(self, key: str, answer: str, body: str, expected: bytes) -> Record:
        demand(expected, key, answer, body)
        return self._mappings.record(body)

    def record_status(self, keys: Sequence[str]) -> dict[str, str]:
        """Of these record keys, those present, with the status of their answers."""
        return self._lookup(
            "SELECT records.key, answers.status FROM records JOIN answers ON answers.key = records.answer_key "
            "WHERE records.key IN ({})",
            keys,
        )

    def demand_records(self, keys: Sequence[str]) -> None:
        """Refuse a store that has lost records, or does not find some of these by their keys."""
        with self.snapshot():
            ledger = read_ledger(self._connection)
            ((count, total),) = self._query("SELECT count(*), coalesce(sum(id), 0) FROM records")
            if ledger is not None:
                demand_count("records", every_record(ledger), Entry(count, total))
            missing = set(keys).difference(self.record_status(keys))
            if missing and count:
                hidden = sum(key in missing for (key,) in self._connection.execute("SELECT key FROM records"))
                if hidden:
                    raise Altered(f"{hidden:,} records that were written are not found by their keys")

    def answer_status(self, keys: Sequence[str]) -> dict[str, str]:
        """Of these answer keys, those present, with their status."""
        return self._lookup("SELECT key, status FROM answers WHERE key IN ({})", keys)

    def answer(self, key: str) -> StoredAnswer:
        """A stored answer with its bytes."""
        rows = self._query(
            "SELECT answers.status, answers.blob, answers.body, answers.checksum, blobs.content FROM answers "
            "LEFT JOIN blobs ON blobs.digest = answers.blob WHERE answers.key = ?",
            (key,),
        )
        if not rows:
            raise InvalidInput(f"{self.path}: holds no answer {key[:12]!r}.")
        ((status, blob, body, expected, payload),) = rows
        with self._readable():
            demand(expected, key, status, blob, body)
            if blob is not None and (payload is None or digest_bytes(payload) != blob):
                raise Altered("checksum mismatch in the bytes of an answer")
            values = json.loads(body)
            values["software"] = self._mappings.get(values.get("software", 0))
            return StoredAnswer(status=status, payload=payload, **values)
