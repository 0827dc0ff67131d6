"""Finished records as packed columns: what leaderboards read of very many records, without reading each of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from assay.core import Record
from assay.harness.store.opening import reading
from assay.harness.store.rows.ledger import Entry, demand_count
from assay.harness.store.rows.plans import FINGERPRINT, fingerprints
from assay.harness.store.rows.shared import Mappings
from assay.harness.store.schema import CHECKSUM, Altered, checksum
from assay.stats import RecordTable
from assay.stats.record_table import LABELS, Coded, Lazy

__all__ = ["BLOCK", "Columns", "block_troubles", "pack", "read_columns", "seal"]

BLOCK: Final = 2048  # records of one block
_LABEL, _SCORE, _ABSENT, _COST = "label ", "score ", "absent ", "cost "


def pack(ids: Sequence[int], records: Sequence[Record]) -> dict[str, bytes]:
    """The columns of these records as bytes, by name."""
    table = RecordTable.of(records)
    columns: dict[str, bytes] = {
        "id": np.asarray(ids, dtype="<i8").tobytes(),
        "key": fingerprints(record.key for record in records),
        "seconds": table.seconds.astype("<f8").tobytes(),
    }
    for name, column in table.labels.items():
        values = json.dumps(column.values, ensure_ascii=True).encode()
        columns[_LABEL + name] = len(values).to_bytes(8, "little") + values + column.codes.astype("<u2").tobytes()
    columns |= {_SCORE + name: scores.astype("<f8").tobytes() for name, scores in table.scores.items()}
    columns |= {_ABSENT + name: rows.tobytes() for name, rows in table.absent.items()}
    columns |= {_COST + kind: amounts.astype("<f8").tobytes() for kind, amounts in table.costs.items()}
    return columns


def seal(connection: sqlite3.Connection) -> int:
    """Pack the records that no block has, as far as they fill one; how many still wait. A block is of one track."""
    while True:
        rows = connection.execute(
            "SELECT id, body, checksum FROM records "
            "WHERE id > (SELECT coalesce(max(last), 0) FROM blocks) ORDER BY id LIMIT ?",
            (BLOCK,),
        ).fetchall()
        if len(rows) < BLOCK:
            return len(rows)
        mappings = Mappings(connection)
        by_track: dict[str, tuple[list[int], list[Record], list[bytes]]] = {}
        for number, body, row_checksum in rows:
            record = mappings.record(body)
            ids, records, checksums = by_track.setdefault(record.track, ([], [], []))
            ids.append(number)
            records.append(record)
            checksums.append(row_checksum)
        for track, (ids, records, checksums) in by_track.items():
            columns = {**pack(ids, records), "checksum": b"".join(checksums)}
            block = connection.execute(
                "INSERT INTO blocks (track, count, last, names) VALUES (?, ?, ?, ?)",
                (track, len(ids), rows[-1][0], json.dumps(list(columns))),
            ).lastrowid
            connection.executemany(
                "INSERT INTO columns VALUES (?, ?, ?, ?)",
                [(block, name, content, checksum(content)) for name, content in columns.items()],
            )


def block_troubles(connection: sqlite3.Connection) -> Iterator[str]:
    """Packed columns whose checksum does not match, or were packed from other records than are there."""
    for block, name, content, expected in connection.execute("SELECT block, name, content, checksum FROM columns"):
        if checksum(content) != expected:
            yield f"column {name!r} of block {block}: checksum mismatch"
    for (block,) in connection.execute("SELECT id FROM blocks ORDER BY id").fetchall():
        content = dict(
            connection.execute(
                "SELECT name, content FROM columns WHERE block = ? AND name IN ('id', 'checksum')", (block,)
            )
        )
        ids = np.frombuffer(content.get("id", b""), dtype="<i8").tolist()
        if len(content.get("checksum", b"")) != CHECKSUM * len(ids) or not ids:
            yield f"block {block} is not whole"
            continue
        now = dict(connection.execute("SELECT id, checksum FROM records WHERE id BETWEEN ? AND ?", (ids[0], ids[-1])))
        for place, number in enumerate(ids):
            packed = content["checksum"][CHECKSUM * place : CHECKSUM * (place + 1)]
            if now.get(number, packed) != packed:  # one that is not there was replaced
                yield f"block {block} was packed from another record {number}"


def _label(content: bytes) -> tuple[list[str], NDArray[np.int64]]:
    size = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + size]), np.frombuffer(content, dtype="<u2", offset=8 + size).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The records of one plan that are there, in the plan's order: their ids in the store, and the table of them."""

    ids: NDArray[np.int64]
    table: RecordTable


def read_columns(
    path: Path,
    connection: sqlite3.Connection,
    track: str,
    plan: bytes,
    *,
    expected: Entry | None = None,
    withdrawn: NDArray[np.int64] | None = None,
) -> Columns:
    """The records of a plan, which is given by the fingerprints of its cells.

    Columns are read from the file at their first use; what is written there later does not change them.
    Records that are ``expected`` and are not there are an error; those ``withdrawn`` are left out.
    """
    reader = _Reader(path, connection, track)
    every_id, keys = reader.numbers("id", "<i8"), reader.keys()
    if expected is not None:
        demand_count("records", expected, _live(every_id, keys, expected))
    rows = _rows_in_plan(keys, np.frombuffer(plan, dtype="<u8").reshape(-1, 2))
    if withdrawn is not None and withdrawn.size:
        rows = rows[~np.isin(every_id[rows], withdrawn)]
    ids = every_id[rows].astype(np.int64)
    return Columns(
        ids=ids,
        table=RecordTable(
            labels=Lazy(LABELS, lambda name: reader.label(name).take(rows)),
            seconds=reader.numbers("seconds", "<f8")[rows],
            scores=Lazy(reader.named(_SCORE), lambda name: reader.numbers(_SCORE + name, "<f8")[rows]),
            absent=_absent(reader, rows),
            costs=Lazy(reader.named(_COST), lambda kind: reader.numbers(_COST + kind, "<f8")[rows]),
            key=lambda row: reader.key(int(ids[row])),
        ),
    )


def _live(ids: NDArray[np.int64], keys: NDArray[np.uint64], expected: Entry) -> Entry:
    """How many records there are; a block also holds replaced ones: of equal keys only the latest counts."""
    present = Entry(int(ids.size), int(ids.sum()))
    if present == expected or not ids.size:
        return present
    order = np.lexsort((ids, keys[:, 1], keys[:, 0]))
    latest = np.ones(ids.size, dtype=np.bool_)
    latest[:-1] = (keys[order][1:] != keys[order][:-1]).any(axis=1)
    return Entry(int(latest.sum()), int(ids[order][latest].sum()))


def _rows_in_plan(keys: NDArray[np.uint64], plan: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The row of each cell of the plan that has one, in the plan's order; of several with the same key the latest."""
    rows = _rows_one_to_one(keys, plan)
    return _rows_looked_up(keys, plan) if rows is None else rows


def _rows_one_to_one(keys: NDArray[np.uint64], plan: NDArray[np.uint64]) -> NDArray[np.int64] | None:
    """The rows where keys and plan are the same in another order, as after an undisturbed run; None where they differ.

    The leading bits of a key are sorted together with its place, which takes half as long as sorting and looking up.
    """
    if len(keys) != len(plan) or not len(plan):
        return None
    places = np.arange(len(plan), dtype=np.uint64)
    low_bits = np.uint64((1 << max(1, (len(plan) - 1).bit_length())) - 1)
    stored, planned = (np.sort((halves & ~low_bits) | places) for halves in (keys[:, 0], plan[:, 0]))
    rows = np.empty(len(plan), dtype=np.int64)
    rows[planned & low_bits] = stored & low_bits
    return rows if np.array_equal(keys[rows], plan) else None


def _rows_looked_up(keys: NDArray[np.uint64], plan: NDArray[np.uint64]) -> NDArray[np.int64]:
    import pyarrow as pa
    import pyarrow.compute as pc

    latest_first, planned = (
        pa.FixedSizeBinaryArray.from_buffers(pa.binary(FINGERPRINT), len(each), [None, pa.py_buffer(each.tobytes())])
        for each in (keys[::-1], plan)
    )
    places = pc.index_in(planned, value_set=latest_first).drop_null().to_numpy()
    rows: NDArray[np.int64] = len(keys) - 1 - places.astype(np.int64)
    return rows


def _absent(reader: _Reader, rows: NDArray[np.int64]) -> dict[str, NDArray[np.bool_]]:
    absent = {}
    for name in reader.named(_SCORE):
        if _ABSENT + name in reader.names or not reader.everywhere(_SCORE + name):
            lacking = reader.flags(_SCORE + name, _ABSENT + name)[rows]
            if lacking.any():
                absent[name] = lacking
    return absent


class _Reader:
    """The blocks of a track, and behind them the records that are in none yet, as they are at this moment."""

    def __init__(self, path: Path, connection: sqlite3.Connection, track: str) -> None:
        self._path = path
        blocks = connection.execute(
            "SELECT id, count, names FROM blocks WHERE track = ? ORDER BY id", (track,)
        ).fetchall()
        self._blocks = [number for number, _, _ in blocks]
        self._counts = [count for _, count, _ in blocks]
        tail = connection.execute(
            "SELECT id, body FROM records WHERE id > (SELECT coalesce(max(last), 0) FROM blocks) ORDER BY id"
        )
        mappings = Mappings(connection)
        pairs = [(number, mappings.record(body)) for number, body in tail]
        pairs = [(number, record) for number, record in pairs if record.track == track]
        self._tail = pack([number for number, _ in pairs], [record for _, record in pairs]) if pairs else {}
        if pairs:
            self._counts.append(len(pairs))
        self._named: dict[str, set[int]] = {}
        for block, _, names in blocks:
            for name in json.loads(names):
                self._named.setdefault(name, set()).add(block)
        for name in self._tail:
            self._named.setdefault(name, set()).add(-1)

    @property
    def names(self) -> Collection[str]:
        """The columns that any block has."""
        return self._named

    def named(self, prefix: str) -> tuple[str, ...]:
        """What stands behind the prefix, sorted."""
        return tuple(sorted(name.removeprefix(prefix) for name in self._named if name.startswith(prefix)))

    def everywhere(self, name: str) -> bool:
        """Whether every block has this column."""
        return len(self._named.get(name, ())) == len(self._counts)

    def key(self, number: int) -> str:
        """The key of a record."""
        with reading(self._path) as connection:
            row = connection.execute("SELECT key FROM records WHERE id = ?", (number,)).fetchone()
        return str(row[0]) if row else "(replaced since)"

    def keys(self) -> NDArray[np.uint64]:
        """The fingerprints, in two halves."""
        return np.frombuffer(b"".join(self._contents("key")), dtype="<u8").reshape(-1, 2)

    def numbers(self, name: str, kind: str) -> NDArray[Any]:
        """One column of numbers; nan for all rows of a block that does not have it."""
        parts = [
            np.full(count, np.nan) if content is None else np.frombuffer(content, dtype=kind)
            for content, count in zip(self._pieces(name), self._counts, strict=True)
        ]
        return np.concatenate(parts) if parts else np.empty(0, dtype=kind)

    def flags(self, column: str, absent: str) -> NDArray[np.bool_]:
        """The rows that lack a metric: those that say so, and all of a block without its column."""
        parts = [
            np.full(count, scores is None) if flags is None else np.frombuffer(flags, dtype=np.bool_)
            for scores, flags, count in zip(self._pieces(column), self._pieces(absent), self._counts, strict=True)
        ]
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.bool_)

    def label(self, name: str) -> Coded:
        """One column of texts, with one code over all blocks."""
        places: dict[str, int] = {}
        parts = []
        for content in self._contents(_LABEL + name):
            values, codes = _label(content)
            here = np.array([places.setdefault(value, len(places)) for value in values], dtype=np.int64)
            parts.append(here[codes])
        ordered = sorted(places)
        moved = np.empty(len(places), dtype=np.int64)
        moved[[places[value] for value in ordered]] = np.arange(len(places))
        return Coded(tuple(ordered), moved[np.concatenate(parts)] if parts else np.empty(0, dtype=np.int64))

    def _contents(self, name: str) -> Iterator[bytes]:
        return (content for content in self._pieces(name) if content is not None)

    def _pieces(self, name: str) -> Iterator[bytes | None]:
        """The column of each block in turn, then that of the tail."""
        contents: dict[int, bytes] = {}
        with reading(self._path) as connection:
            for block, content, expected in connection.execute(
                "SELECT block, content, checksum FROM columns WHERE name = ? AND block <= ?",
                (name, self._blocks[-1] if self._blocks else -1),
            ):
                if checksum(content) != expected:
                    raise Altered(f"column {name!r} of block {block}: checksum mismatch")
                contents[block] = content
            for block in self._blocks:
                if block not in contents and block in self._named.get(name, ()):
                    raise Altered(f"column {name!r} of block {block} is not there")
        yield from (contents.get(block) for block in self._blocks)
        if self._tail:
            yield self._tail.get(name)
