"""Packed columns say what the records say, whatever is packed, waiting, replaced or planned elsewhere."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.core import Budget, InvalidInput, Record, digest_json
from assay.harness import Cell, Plan, Store, SubjectRef, check_store
from assay.harness.process.isolation import Isolation
from assay.harness.store import blocks, store
from assay.harness.store.stored_answer import Finished, StoredAnswer
from assay.harness.store.stored_records import StoredRecords
from assay.stats import RecordTable
from assay.stats.record_table import LABELS


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 7)
    monkeypatch.setattr(store, "AT_ONCE", -1)


def cell(track: str, problem: int, subject: str) -> Cell:
    key = digest_json([track, problem, subject])
    return Cell(
        track=track,
        problem=f"p{problem}",
        problem_digest=digest_json(problem),
        folder="f",
        tags={"noise": problem % 3, "family": "ü"},
        subject=SubjectRef(kind="registered", name=subject, digest=digest_json(subject)),
        budget=Budget(seed=problem % 2),
        settings={},
        isolation=Isolation(),
        answer_key=f"answer {key}",
        record_key=key,
    )


def finished(cell: Cell, score: float, **scores: float) -> Finished:
    record = Record(
        key=cell.record_key,
        answer_key=cell.answer_key,
        track=cell.track,
        problem=cell.problem,
        problem_digest=cell.problem_digest,
        subject=cell.subject.name,
        subject_digest=cell.subject.digest,
        seed=cell.budget.seed,
        status="failed" if score < 0.2 else "ok",
        scores={"m": score, **scores},
        error_kind="crash" if score < 0.2 else None,
        tags=cell.tags,
        versions={"m": 1},
        budget=cell.budget.to_json(),
        seconds=score,
        cost={"tokens": 5.0} if score > 0.5 else {},
    )
    return record, StoredAnswer(status=record.status, payload=b"x")


def cells(track: str, count: int) -> list[Cell]:
    return [cell(track, problem, subject) for problem in range(count) for subject in ("a", "b")]


def mixed(count: int) -> Iterator[Finished]:
    """Two tracks in one store; older records of one lack a metric that newer ones have."""
    chance = random.Random(count)
    for number, (first, second) in enumerate(zip(cells("t", count), cells("u", count), strict=True)):
        yield finished(first, chance.random(), **({"new": chance.choice([1.0, math.nan])} if number > 9 else {}))
        yield finished(second, chance.random(), other=math.inf)


def same(actual: RecordTable, expected: RecordTable) -> None:
    for name in LABELS:
        assert actual.labels[name].values == expected.labels[name].values, name
        assert actual.labels[name].codes.tolist() == expected.labels[name].codes.tolist(), name
    for mine, theirs in (
        (actual.scores, expected.scores),
        (actual.costs, expected.costs),
        (actual.absent, expected.absent),
    ):
        assert sorted(mine) == sorted(theirs)
        for name in mine:
            assert np.array_equal(mine[name], theirs[name], equal_nan=mine[name].dtype != bool), name
    assert actual.seconds.tolist() == expected.seconds.tolist()
    assert [actual.key(row) for row in range(len(actual))] == [expected.key(row) for row in range(len(expected))]


@pytest.mark.parametrize("count", [1, 3, 7, 20])
def test_columns_are_those_of_the_records_in_the_order_of_the_plan(tmp_path: Path, count: int) -> None:
    everything = list(mixed(count))
    expected = {record.key: record for record, _ in everything}
    random.Random(1).shuffle(everything)  # cells end in any order
    with Store(tmp_path, create=True) as opened:
        runs = {
            track: opened.add_run(Plan(track=track, settings={}, cells=tuple(cells(track, count)))) for track in "tu"
        }
        for entry in everything:
            opened.commit(entry)
        for track, run in runs.items():
            records = opened.records(run)
            planned = [expected[one.record_key] for one in cells(track, count)]
            assert isinstance(records, StoredRecords)
            assert [record.content() for record in records] == [record.content() for record in planned]
            same(records.table, RecordTable.of(planned))
            order = np.random.default_rng(0).permutation(len(planned))[: len(planned) // 2 + 1]
            part = records.arranged(order)
            assert [record.key for record in part] == [planned[place].key for place in order]
            assert part[0].key == planned[order[0]].key
            assert [record.key for record in part[-1:]] == [planned[order[-1]].key]
            same(part.table, RecordTable.of([planned[place] for place in order]))
            assert part.digest != records.digest or len(order) == len(planned)
    assert check_store(tmp_path).whole


def test_of_a_replaced_record_the_latest_counts(tmp_path: Path) -> None:
    planned = cells("t", 10)
    with Store(tmp_path, create=True) as opened:
        run = opened.add_run(Plan(track="t", settings={}, cells=tuple(planned)))
        for one in planned:
            opened.commit(finished(one, 0.25))
        before = opened.records(run)
        opened.commit(finished(planned[0], 0.75))
        after = opened.records(run)
        assert isinstance(before, StoredRecords)
        assert isinstance(after, StoredRecords)
        assert before.table.scores["m"].tolist() == [0.25] * 20  # what was opened stays what it was
        assert after.table.scores["m"].tolist() == [0.75] + [0.25] * 19
        assert [record.scores["m"] for record in after] == [0.75] + [0.25] * 19
        assert before.digest != after.digest
        with pytest.raises(Exception, match="replaced while it was read"):
            before[0]
    assert check_store(tmp_path).whole


def test_a_plan_of_some_of_the_records_has_those_alone(tmp_path: Path) -> None:
    planned = cells("t", 12)
    with Store(tmp_path, create=True) as opened:
        opened.add_run(Plan(track="t", settings={}, cells=tuple(planned)))
        for one in planned:
            opened.commit(finished(one, 0.5))
        run = opened.add_run(Plan(track="t", settings={}, cells=(planned[5], cell("t", 99, "a"), planned[2])))
        assert [record.key for record in opened.records(run)] == [planned[5].record_key, planned[2].record_key]
        assert opened.planned(run) == 3


def test_nothing_finished_is_an_empty_table(tmp_path: Path) -> None:
    with Store(tmp_path, create=True) as opened:
        run = opened.add_run(Plan(track="t", settings={}, cells=(cell("t", 0, "a"),)))
        records = opened.records(run)
        assert isinstance(records, StoredRecords)
        assert (len(records), len(records.table), list(records)) == (0, 0, [])


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE columns SET content = zeroblob(length(content)) WHERE name = 'score m'", "checksum mismatch"),
        ("DELETE FROM columns WHERE name = 'id'", "is not whole"),
        ("UPDATE records SET checksum = x'00' WHERE id = 3", "was packed from another record 3"),
    ],
)
def test_damage_to_packed_columns_is_named(tmp_path: Path, statement: str, words: str) -> None:
    with Store(tmp_path, create=True) as opened:
        for one in cells("t", 10):
            opened.commit(finished(one, 0.5))
        opened._connection.execute(statement)
    assert any(words in trouble for trouble in check_store(tmp_path).troubles)


def test_damage_that_reading_meets_later_names_the_store(tmp_path: Path) -> None:
    with Store(tmp_path, create=True) as opened:
        run = opened.add_run(Plan(track="t", settings={}, cells=tuple(cells("t", 10))))
        for one in cells("t", 10):
            record, answer = finished(one, 0.5)
            opened.commit((replace(record, software={"numpy": "2.0"}), answer))
        records = opened.records(run)
        opened._connection.execute("DELETE FROM mappings")
        with pytest.raises(InvalidInput, match=r"assay.sqlite: this store is damaged \(what rows share is not there\)"):
            list(records)


def test_keys_that_share_their_first_half_are_told_apart() -> None:
    keys = np.array([[1, 2], [1, 3], [4, 5], [1, 2]], dtype="<u8")
    plan = np.array([[1, 3], [1, 2], [4, 6], [9, 9], [4, 5]], dtype="<u8")
    assert blocks._rows_in_plan(keys, plan).tolist() == [1, 3, 2]


@pytest.mark.parametrize("alike", [2, 1 << 40, 1 << 63])  # so few first halves that many keys share them, or none do
@pytest.mark.parametrize("change", ["nothing", "one missing", "one more", "one replaced", "one other"])
def test_rows_of_a_plan_are_those_of_its_keys(alike: int, change: str) -> None:
    chance = np.random.default_rng(0)
    plan = np.stack([chance.integers(0, alike, 300), np.arange(300)], axis=1).astype(np.uint64)
    keys = plan[chance.permutation(300)]
    if change == "one missing":
        keys = keys[1:]
    elif change in ("one more", "one replaced"):
        keys = np.concatenate([keys, keys[:1] if change == "one replaced" else keys[:1] + np.uint64(1000)])
    elif change == "one other":
        keys[7, 1] += np.uint64(1000)
    latest = {tuple(key): row for row, key in enumerate(keys.tolist())}
    expected = [latest[tuple(key)] for key in plan.tolist() if tuple(key) in latest]
    assert blocks._rows_in_plan(keys, plan).tolist() == expected
