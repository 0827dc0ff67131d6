"""A store of version 1 becomes one of version 2: everything is there, or nothing was touched."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from assay.core import InvalidInput, canonical_json, plain
from assay.harness import RunSpec, Store, check_store, run, upgrade_store
from assay.harness.store import blocks
from assay.harness.store.schema import APPLICATION_ID, STORE_NAME
from assay.report import load

Spec = Callable[..., RunSpec]

# the tables as the first version made them
FIRST = """
CREATE TABLE blobs (digest TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE answers (
    key TEXT PRIMARY KEY, status TEXT NOT NULL CHECK (status IN ('ok', 'failed')),
    blob TEXT REFERENCES blobs (digest), body TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE records (
    key TEXT PRIMARY KEY, answer_key TEXT NOT NULL REFERENCES answers (key), body TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE scores (
    record_key TEXT NOT NULL REFERENCES records (key), metric TEXT NOT NULL, value REAL,
    PRIMARY KEY (record_key, metric)
) WITHOUT ROWID;
CREATE TABLE losses (record_key TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, track TEXT NOT NULL, created TEXT NOT NULL, settings TEXT NOT NULL, digest TEXT NOT NULL
);
CREATE TABLE cells (
    run INTEGER NOT NULL REFERENCES runs (id), position INTEGER NOT NULL, record_key TEXT NOT NULL,
    answer_key TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, position)
) WITHOUT ROWID;
"""


@pytest.fixture
def made(spec: Spec, tmp_path: Path) -> Path:
    """A finished run."""
    run([spec("oracle", "divide", seeds=(0, 1, 2))], out=tmp_path / "new")
    return tmp_path / "new"


@pytest.fixture
def old(made: Path, tmp_path: Path) -> Path:
    """The same run as the first version had stored it."""
    folder = tmp_path / "old"
    folder.mkdir()
    base = sqlite3.connect(folder / STORE_NAME)
    base.executescript(FIRST)
    base.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    base.execute("PRAGMA user_version = 1")
    base.execute("ATTACH ? AS new", (str(made / STORE_NAME),))
    for table in ("blobs", "losses"):
        base.execute(f"INSERT INTO main.{table} SELECT * FROM new.{table}")
    base.execute("INSERT INTO main.answers SELECT key, status, blob, body FROM new.answers")
    base.execute("INSERT INTO main.records SELECT key, answer_key, body FROM new.records")
    base.execute("INSERT INTO main.scores SELECT record_key, metric, value FROM new.scores")
    base.execute("INSERT INTO main.runs SELECT id, track, created, settings, digest FROM new.runs")
    with Store(made, read_only=True) as store:
        (latest,) = store.latest_runs()
        cells = store.cells(latest.id)
    for position, cell in enumerate(cells):
        row = (latest.id, position, cell.record_key, cell.answer_key, canonical_json(plain(asdict(cell))))
        base.execute("INSERT INTO main.cells VALUES (?, ?, ?, ?, ?)", row)
    base.commit()
    base.close()
    return folder


def contents(folder: Path) -> list[str]:
    with Store(folder, read_only=True) as store:
        return [record.content() for latest in store.latest_runs() for record in store.records(latest.id)]


def test_reading_an_old_store_says_how_to_bring_it_up_to_date(old: Path) -> None:
    before = (old / STORE_NAME).read_bytes()
    with pytest.raises(InvalidInput, match=r"written by an older Assay \(store version 1.*assay store upgrade"):
        load(old)
    assert (old / STORE_NAME).read_bytes() == before


def test_an_upgraded_store_holds_everything(made: Path, old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 5)  # some records are packed on the way, some wait
    assert upgrade_store(old) == (1, 2)
    assert upgrade_store(old) == (2, 2)
    assert contents(old) == contents(made)
    found = check_store(old)
    assert (found.whole, found.records, found.cells, found.unfinished) == (True, 12, 12, 0), found.troubles
    with Store(old, read_only=True) as mine, Store(made, read_only=True) as theirs:
        (one,), (other,) = mine.latest_runs(), theirs.latest_runs()
        assert one == other
        assert mine.cells(one.id) == theirs.cells(other.id)
        assert mine.losses(one.id) == theirs.losses(other.id)


def test_a_run_goes_on_in_an_old_store_without_calling_a_subject_again(old: Path, spec: Spec) -> None:
    result = run([spec("oracle", "divide", seeds=(0, 1, 2))], out=old)
    assert (result.solved, result.reused) == (0, 12)


def test_a_damaged_old_store_stays_as_it_was(old: Path) -> None:
    with sqlite3.connect(old / STORE_NAME) as base:
        base.execute("UPDATE cells SET body = 'no json' WHERE position = 3")
    base.close()
    with pytest.raises(InvalidInput, match="cannot be brought up to date: what it holds is damaged"):
        upgrade_store(old)
    with sqlite3.connect(old / STORE_NAME) as base:
        assert base.execute("PRAGMA user_version").fetchone() == (1,)
        assert base.execute("SELECT count(*) FROM scores").fetchone() == (12,)
    base.close()


def test_there_must_be_a_store_to_upgrade(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no store here"):
        upgrade_store(tmp_path)
    assert not (tmp_path / ".lock").exists()


def test_scores_can_be_asked_for_in_sql(made: Path) -> None:
    with sqlite3.connect(made / STORE_NAME) as base:
        rows = base.execute("SELECT metric, count(*), max(value) FROM scores GROUP BY metric").fetchall()
        (body,) = base.execute("SELECT body FROM records LIMIT 1").fetchone()
    base.close()
    assert rows == [("accuracy", 12, 1.0)]
    assert set(json.loads(body)["scores"]) == {"accuracy"}
