"""A results folder of an earlier release opens as it is; versions that this one cannot read are refused."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core import Budget, InvalidInput
from assay.harness import RunSpec, Store, check_store, run, upgrade_store
from assay.harness.process.isolation import Isolation
from assay.harness.store import store as store_module
from assay.harness.store.schema import APPLICATION_ID, STORE_NAME, VERSION
from assay.harness.store.stored_records import StoredRecords
from assay.report import leaderboard, load

Spec = Callable[..., RunSpec]

RELEASE = Path(__file__).parent / "data" / "release_0_1_0.sql"  # written by 0.1.0 with blocks of five records


@pytest.fixture
def old_store(spec: Spec, tmp_path: Path) -> Path:
    """A finished run."""
    run([spec("oracle", "divide", seeds=(0, 1, 2))], out=tmp_path / "new")
    return tmp_path / "new"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A results folder as release 0.1.0 wrote it."""
    folder = tmp_path / "old"
    folder.mkdir()
    base = sqlite3.connect(folder / STORE_NAME)
    base.executescript(RELEASE.read_text())
    base.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    base.execute("PRAGMA user_version = 2")
    base.close()
    return folder


def test_a_results_folder_of_the_first_release_opens_and_is_whole(old: Path) -> None:
    report = check_store(old)
    assert (report.whole, report.records, report.cells, report.unfinished) == (True, 11, 12, 1), report.troubles
    (entry,) = load(old).tracks
    assert (entry.planned, entry.pending, len(entry.failed)) == (12, 1, 1)
    assert [record.scores["coverage"] for record in entry.records[:3]] == [0.0, 1 / 16, 2 / 16]
    assert [row.subject for row in leaderboard(entry).rows]
    with Store(old) as store:
        (latest,) = store.latest_runs()
        cells = store.cells(latest.id)
        ((lost, reason),) = store.losses(latest.id)
        assert store.answer(cells[1].answer_key).payload == b"answer 1"
    assert cells[0].isolation == Isolation(environment=("KEY",), network=True)
    assert (cells[0].budget, cells[0].tags, cells[0].subject.name) == (
        Budget(seed=0),
        {"noise": 0.0, "family": "ü"},
        "divide",
    )
    assert (lost, reason) == (cells[-1], "a worker died")


def test_packed_columns_of_the_first_release_are_read(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "AT_ONCE", -1)
    with Store(old, read_only=True) as store:
        records = store.records(store.latest_runs()[0].id)
    assert isinstance(records, StoredRecords)
    assert records.table.scores["coverage"].tolist() == [record.scores["coverage"] for record in records]
    assert records.table.labels["subject"].values == ("divide", "guess")


def test_a_store_of_the_first_release_is_brought_up_to_date_once_and_whole(old: Path) -> None:
    before = [record.content() for record in load(old).tracks[0].records]
    assert upgrade_store(old) == (2, VERSION)
    assert upgrade_store(old) == (VERSION, VERSION)
    assert check_store(old).whole
    assert [record.content() for record in load(old).tracks[0].records] == before
    with sqlite3.connect(old / STORE_NAME) as base:
        base.execute("DELETE FROM records WHERE id = 3")
    base.close()
    with pytest.raises(InvalidInput, match="damaged .of 11 records that were written 10 are there"):
        load(old)


def test_a_store_of_version_3_opens_as_it_is_and_is_brought_up_to_date(old: Path) -> None:
    before = [record.content() for record in load(old).tracks[0].records]
    upgrade_store(old)
    with sqlite3.connect(old / STORE_NAME) as base:
        base.executescript("DROP TABLE subjects; DROP TABLE mappings; PRAGMA user_version = 3;")
    base.close()
    for expected in (3, VERSION):
        assert check_store(old).whole
        assert [record.content() for record in load(old).tracks[0].records] == before
        assert upgrade_store(old) == (expected, VERSION)


def test_a_store_from_before_the_first_release_is_refused(old: Path) -> None:
    with sqlite3.connect(old / STORE_NAME) as base:
        base.execute("PRAGMA user_version = 1")
    base.close()
    for opened in (load, upgrade_store):
        with pytest.raises(InvalidInput, match=r"before its first release \(store version 1.*another results folder"):
            opened(old)


def test_there_must_be_a_store_to_upgrade(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there is no store here"):
        upgrade_store(tmp_path)
    assert not (tmp_path / ".lock").exists()


def test_scores_can_be_asked_for_in_sql(old_store: Path) -> None:
    with sqlite3.connect(old_store / STORE_NAME) as base:
        rows = base.execute("SELECT metric, count(*), max(value) FROM scores GROUP BY metric").fetchall()
        (body,) = base.execute("SELECT body FROM records LIMIT 1").fetchone()
    base.close()
    assert rows == [("accuracy", 12, 1.0)]
    assert set(json.loads(body)["scores"]) == {"accuracy"}
