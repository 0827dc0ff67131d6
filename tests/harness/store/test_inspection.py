"""Damage of every kind is found and named."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.harness import RunSpec, check_store, run
from assay.harness.store.inspection import _COUNTS, _REFERENCES

Spec = Callable[..., RunSpec]


@pytest.fixture
def out(results_of: Callable[..., Path]) -> Path:
    return results_of("oracle", "divide")


def change(out: Path, statement: str) -> None:
    with sqlite3.connect(out / "assay.sqlite") as base:
        assert base.execute(statement).rowcount > 0
    base.close()


def test_an_untouched_store_is_whole(out: Path) -> None:
    report = check_store(out)
    assert report.whole
    assert (report.answers, report.records, report.cells, report.unfinished, report.lost) == (4, 4, 4, 0, 0)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE blobs SET content = x'00'", "does not have the content that its name says"),
        ("DELETE FROM blobs", "lacks its bytes"),
        ("UPDATE answers SET blob = NULL", "has no bytes"),
        ("DELETE FROM answers", "lacks its answer"),
        ("DELETE FROM records", "is not there"),
        ("UPDATE records SET body = 'no json'", "checksum mismatch"),
        ("UPDATE records SET body = replace(body, answer_key, 'x')", "checksum mismatch"),
        ("UPDATE records SET body = replace(body, '\"accuracy\":1.0', '\"accuracy\":0.5')", "checksum mismatch"),
        ("UPDATE records SET body = x'00'", "checksum mismatch"),
        ("UPDATE answers SET body = replace(body, 'isolation', 'solation')", "checksum mismatch"),
        ("UPDATE runs SET settings = '[]'", "checksum mismatch"),
        ("UPDATE parts SET body = '{}'", "a part of 1: checksum mismatch"),
        ("UPDATE cells SET parts = '0 0 0 0' WHERE position = 1", "a cell of 1: checksum mismatch"),
        ("UPDATE runs SET keys = x''", "and its cells disagree"),
        ("DELETE FROM cells WHERE position = 0", "and its cells disagree"),
    ],
)
def test_each_kind_of_damage_is_named(out: Path, statement: str, words: str) -> None:
    change(out, statement)
    report = check_store(out)
    assert not report.whole
    assert any(words in trouble for trouble in report.troubles), report.troubles


def test_no_check_looks_at_a_table_once_per_row_of_another(out: Path) -> None:
    with sqlite3.connect(out / "assay.sqlite") as base:
        for statement in [*_REFERENCES, *_COUNTS.values()]:
            steps = [str(row[3]) for row in base.execute(f"EXPLAIN QUERY PLAN {statement}")]
            assert not [step for step in steps if step.startswith("CORRELATED")], statement
            assert sum(step.startswith("SCAN") and "losses" not in step for step in steps) <= 2, statement
    base.close()


def test_cells_that_were_never_run_are_counted_not_blamed(out: Path) -> None:
    for table in ("answers", "records", "ledger WHERE name LIKE 'records of %'"):
        change(out, f"DELETE FROM {table}")
    report = check_store(out)
    assert report.unfinished == 4
    assert report.whole


@pytest.mark.parametrize("share", [100, 5000])
def test_a_truncated_file_is_damage_not_a_crash(out: Path, share: int) -> None:
    path = out / "assay.sqlite"
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    path.write_bytes(path.read_bytes()[:share])
    try:
        report = check_store(out)
    except InvalidInput as error:
        assert "cannot be opened" in str(error) or "damaged" in str(error)  # noqa: PT017 - either way is a clear one
    else:
        assert not report.whole


def test_many_troubles_of_one_kind_are_counted(spec: Spec, tmp_path: Path) -> None:
    run([spec("oracle", seeds=tuple(range(15)))], out=tmp_path / "out")
    change(tmp_path / "out", "UPDATE records SET checksum = x'00'")
    troubles = check_store(tmp_path / "out").troubles
    assert len(troubles) == 21
    assert troubles[-1] == "record: 10 more of this kind."
