"""A bundle is deterministic, whole or absent, and holds what the results were made of."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.publish.bundle.conftest import Study

from assay.core import InvalidInput
from assay.harness import Store
from assay.publish.bundle.layout import MANIFEST
from assay.publish.bundle.verification import Verification
from assay.publish.bundle.writing import write_bundle
from assay.report import load

Verify = Callable[..., Verification]


def manifest(path: Path) -> dict[str, object]:
    with zipfile.ZipFile(path) as archive:
        body: dict[str, object] = json.loads(archive.read(MANIFEST))
        return body


def test_the_same_results_give_the_same_bytes_wherever_they_lie(study: Study, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(study.results, moved)
    archive = write_bundle(moved, tmp_path / "b.zip")
    assert (tmp_path / "b.zip").read_bytes() == study.bundle.read_bytes()
    assert archive.digest == manifest(study.bundle)["digest"]
    assert (archive.records, archive.size) == (6, study.bundle.stat().st_size)


def test_it_holds_every_answer_as_stored_and_no_path_of_the_authors(study: Study) -> None:
    with Store(study.results, read_only=True) as store, zipfile.ZipFile(study.bundle) as archive:
        (run,) = store.latest_runs()
        names = set(archive.namelist())
        for record in store.records(run.id):
            payload = store.answer(record.answer_key).payload
            rows = [json.loads(line) for line in archive.read("1-conformal/answers.jsonl").splitlines()]
            row = next(row for row in rows if row["key"] == record.answer_key)
            assert archive.read(f"answers/{row['payload']}") == payload
        everything = b"".join(archive.read(name) for name in names)
    assert str(study.results.parent).encode() not in everything
    assert any(name.endswith("/truth/labels.npz") for name in names)


def test_a_bundle_reads_as_results(study: Study) -> None:
    before, after = load(study.results), load(study.bundle)
    assert [record.content() for record in after.records] == [record.content() for record in before.records]
    assert str(after.leaderboard()) == str(before.leaderboard())


@pytest.fixture
def moved_problems(study: Study, tmp_path: Path) -> Iterator[Path]:
    folder, away = study.results.parent / "problems", tmp_path / "away"
    folder.rename(away)
    yield away
    away.rename(folder)


def test_a_problem_that_is_gone_or_changed_since_it_was_run_is_named(
    study: Study, moved_problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.publish.bundle.problems.find_problems", lambda *_, **__: ())
    monkeypatch.setattr("assay.publish.bundle.problems.materialise_builtin", lambda *_: tmp_path)
    with pytest.raises(InvalidInput, match="is not there, or has changed since it was run.*put it back, or run"):
        write_bundle(study.results, tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()


def test_a_built_in_problem_that_is_gone_is_written_again(
    study: Study, moved_problems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.publish.bundle.problems.materialise_builtin", lambda *_: moved_problems)
    write_bundle(study.results, tmp_path / "b.zip")
    assert (tmp_path / "b.zip").read_bytes() == study.bundle.read_bytes()


def test_an_interrupted_bundle_leaves_nothing_behind(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.publish.bundle.writing._whole_manifest", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_bundle(study.results, tmp_path / "b.zip")
    assert list(tmp_path.iterdir()) == []


def test_wrong_places_are_named(study: Study, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be written .*in a folder that exists"):
        write_bundle(study.results, tmp_path / "none" / "b.zip")
    with pytest.raises(InvalidInput, match="results folder not found"):
        write_bundle(tmp_path / "none", tmp_path / "b.zip")
    with pytest.raises(InvalidInput, match="an archive, and a results folder is needed. Give the folder"):
        write_bundle(study.bundle, tmp_path / "b.zip")
