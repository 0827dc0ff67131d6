from __future__ import annotations

import math
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core import Budget, InfrastructureFailed, InvalidInput, Record
from assay.harness.plan import Cell, Plan
from assay.harness.process.isolation import Isolation
from assay.harness.store.schema import VERSION
from assay.harness.store.store import STORE_NAME, Store
from assay.harness.store.stored_answer import Finished, StoredAnswer
from assay.harness.subject_ref import SubjectRef


def finished(key: str, *, score: float = 0.5, payload: bytes | None = b"answer") -> Finished:
    record = Record(
        key=key,
        answer_key=f"answer-{key}",
        track="t",
        problem="p",
        problem_digest="d",
        subject="s",
        subject_digest="e",
        seed=0,
        status="ok",
        scores={"m": score, "undefined": math.nan},
        tags={"noise": 0.1},
        details={"text": "ünï"},
    )
    return record, StoredAnswer(status="ok", payload=payload, log="printed")


def cell(key: str) -> Cell:
    return Cell(
        track="t",
        problem="p",
        problem_digest="d",
        folder="f",
        tags={"noise": 0.1},
        subject=SubjectRef(kind="registered", name="s", digest="e", parameters={"k": 5, "names": ("a", "b")}),
        budget=Budget(seed=3),
        settings={"preset": "spec"},
        isolation=Isolation(environment=("KEY",)),
        answer_key=f"answer-{key}",
        record_key=key,
    )


def test_what_is_committed_is_read_back_equal(tmp_path: Path) -> None:
    with Store(tmp_path, create=True) as store:
        store.commit(finished("a"))
        (record,) = store.find_records("a")
        assert record.content() == finished("a")[0].content()
        assert math.isnan(record.scores["undefined"])
        assert store.answer("answer-a") == finished("a")[1]


def test_equal_answers_are_stored_once(tmp_path: Path) -> None:
    with Store(tmp_path, create=True) as store:
        for key in "abc":
            store.commit(finished(key, payload=b"same"))
    with sqlite3.connect(tmp_path / STORE_NAME) as raw:
        assert raw.execute("SELECT count(*) FROM blobs").fetchone() == (1,)
    raw.close()


def test_records_come_in_the_order_of_the_plan_and_only_from_it(tmp_path: Path) -> None:
    with Store(tmp_path, create=True) as store:
        run = store.add_run(Plan(track="t", settings={}, cells=(cell("b"), cell("a"), cell("c"))))
        for key in ("x", "a", "b"):
            store.commit(finished(key))
        assert [record.key for record in store.records(run)] == ["b", "a"]
        assert store.record_status(["a", "c", "x"]) == {"a": "ok", "x": "ok"}


def test_a_plan_survives_storage(tmp_path: Path) -> None:
    with Store(tmp_path, create=True) as store:
        run = store.add_run(Plan(track="t", settings={}, cells=(cell("a"),)))
        (stored,) = store.cells(run)
        assert stored.subject.parameters["k"] == 5
        assert (store.problem_folder("a"), store.problem_folder("b")) == (Path("f"), None)
        assert (stored.budget, stored.isolation.environment, stored.tags) == (Budget(seed=3), ("KEY",), {"noise": 0.1})


def test_the_same_plan_again_is_the_same_run(tmp_path: Path) -> None:
    plan = Plan(track="t", settings={}, cells=(cell("a"),))
    with Store(tmp_path, create=True) as store:
        assert store.add_run(plan) == store.add_run(plan)
        other = store.add_run(Plan(track="t", settings={}, cells=(cell("b"),)))
        assert [run.id for run in store.latest_runs()] == [other]


def test_a_missing_store_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no store here. Run something first"):
        Store(tmp_path)


def test_a_store_killed_at_its_birth_is_said_to_be_empty_and_can_still_be_made(tmp_path: Path) -> None:
    (tmp_path / STORE_NAME).touch()
    with pytest.raises(InvalidInput, match="the store is still empty, its run was stopped as it started"):
        Store(tmp_path, read_only=True)
    with Store(tmp_path, create=True) as store:
        store.commit(finished("a"))
    with Store(tmp_path) as store:
        assert store.record_status(["a"]) == {"a": "ok"}


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    Store(tmp_path, create=True).close()
    raw = sqlite3.connect(tmp_path / STORE_NAME)
    raw.execute(f"PRAGMA user_version = {VERSION + 1}")
    raw.close()
    with pytest.raises(
        InvalidInput, match=f"written by a newer Assay \\(store version {VERSION + 1}, .*Use that version"
    ):
        Store(tmp_path)


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to look at", b"SQLite format 3\0" + b"\7" * 4096]
)
def test_a_corrupt_store_is_refused_with_a_remedy(tmp_path: Path, content: bytes) -> None:
    (tmp_path / STORE_NAME).write_bytes(content)
    with pytest.raises(InvalidInput, match="cannot be opened .*Restore it from a copy"):
        Store(tmp_path)


def test_a_store_damaged_inside_is_refused_when_read(tmp_path: Path) -> None:
    with Store(tmp_path, create=True) as store:
        run = store.add_run(Plan(track="t", settings={}, cells=tuple(cell(f"{i:05}") for i in range(300))))
        for i in range(300):
            store.commit(finished(f"{i:05}", payload=bytes(1000 + i)))
    path = tmp_path / STORE_NAME
    damaged = bytearray(path.read_bytes())
    for start in range(8192, len(damaged) - 4096, 4096):
        damaged[start : start + 64] = b"\xff" * 64
    path.write_bytes(damaged)
    with pytest.raises(InvalidInput, match="damaged|cannot be opened"), Store(tmp_path) as store:
        store.records(run)


def test_another_database_is_not_taken_for_a_store(tmp_path: Path) -> None:
    raw = sqlite3.connect(tmp_path / STORE_NAME)
    raw.execute("CREATE TABLE theirs (x)")
    raw.commit()
    raw.close()
    with pytest.raises(InvalidInput, match="a database, but not a store of Assay"):
        Store(tmp_path, create=True)


def test_a_failed_write_is_rolled_back_whole(tmp_path: Path) -> None:
    with Store(tmp_path, create=True) as store:
        store.commit(finished("a"))
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(InfrastructureFailed, match="database or disk is full.*Finished cells are safe"):
            store.commit(finished("b", payload=bytes(100_000)))
        assert [record.key for record in store.find_records("")] == ["a"]
    with Store(tmp_path) as store:
        assert store.record_status(["a", "b"]) == {"a": "ok"}


WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_store import Store, finished
with Store(Path({folder!r}), create=True) as store:
    for index in range(100_000):
        store.commit(finished(f"{{index:06}}"))
        print(index, flush=True)
"""


def test_no_acknowledged_commit_is_lost_when_the_writer_is_killed(tmp_path: Path) -> None:
    source = WRITER.format(tests=str(Path(__file__).parent), folder=str(tmp_path))
    for trial in range(5):
        with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(0.03 * (trial + 1))
            writer.kill()
            acknowledged = [int(line) for line in writer.stdout.read().split()]
        with Store(tmp_path) as store:
            present = {int(record.key) for record in store.find_records("")}
            assert set(acknowledged) <= present
            assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_cell_that_has_a_record_is_not_lost_as_well(tmp_path: Path) -> None:
    with Store(tmp_path, create=True) as store:
        run = store.add_run(Plan(track="t", settings={}, cells=(cell("a"), cell("b"))))
        store.commit(finished("a"))
        for key in ("a", "b"):
            store.commit_loss(cell(key), "a worker died", {"m": 0.0})  # of the first one the retry
        for key in ("a", "b"):
            answer = replace(finished(key)[1], payload=b"of the retry")
            store.commit_loss(cell(key), "a metric broke", answer=answer)
        assert store.answer("answer-a") == finished("a")[1]
        assert [lost.record_key for lost, _ in store.losses(run)] == ["b"]
        assert store.floors() == {"b": {"m": 0.0}}
