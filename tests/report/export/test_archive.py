from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from assay.core import AnyTrack, InvalidInput
from assay.report import Results, json_report, load, write_archive


@pytest.fixture(scope="module")
def archive(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "run.zip"
    write_archive(results, path, resamples=100)
    return path


def rewritten(source: Path, target: Path, name: str, content: bytes | None) -> Path:
    """A copy with one file changed or left out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.namelist():
            if entry != name:
                new.writestr(entry, old.read(entry))
            elif content is not None:
                new.writestr(entry, content)
    return target


def test_an_export_reads_back_into_the_same_results(archive: Path, results: Results, toy_track: AnyTrack) -> None:
    found = load(archive, tracks={"toy": toy_track})
    (before,), (after,) = results.tracks, found.tracks
    assert [record.content() for record in after.records] == [record.content() for record in before.records]
    assert [record.seconds for record in after.records] == [record.seconds for record in before.records]
    assert (after.planned, after.pending, after.run) == (before.planned, before.pending, before.run)
    assert [(cell.problem, cell.subject.name, cell.budget, reason) for cell, reason in after.losses] == [
        (cell.problem, cell.subject.name, cell.budget, reason) for cell, reason in before.losses
    ]
    assert json_report(found, resamples=100) == json_report(results, resamples=100)


def test_equal_results_give_equal_bytes_also_after_a_round_trip(
    archive: Path, results: Results, toy_track: AnyTrack, tmp_path: Path
) -> None:
    write_archive(results, tmp_path / "again.zip", resamples=100)
    write_archive(load(archive, tracks={"toy": toy_track}), tmp_path / "back.zip", resamples=100)
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes() == (tmp_path / "back.zip").read_bytes()


def test_the_tables_inside_are_the_frames(archive: Path, results: Results) -> None:
    frames = results.frames(resamples=100)
    with zipfile.ZipFile(archive) as content:
        names = set(content.namelist())
        assert {"manifest.json", "README.md", "report.html", "report.json", "1-toy/records.jsonl"} <= names
        for name in ("records", "leaderboard", "comparisons", "problems"):
            table = pd.read_csv(io.BytesIO(content.read(f"{name}.csv")))
            assert list(table.columns) == list(getattr(frames, name).columns)
            assert len(table) == len(getattr(frames, name))
        scores = pd.read_csv(io.BytesIO(content.read("scores.csv")))
        parquet = pq.read_table(io.BytesIO(content.read("scores.parquet"))).to_pandas()
        assert scores.value.to_numpy() == pytest.approx(parquet.value.to_numpy(), nan_ok=True)
        report = json.loads(content.read("report.json"))
        assert len(report["tracks"][0]["comparisons"]) == 3
        assert all(entry.date_time == (1980, 1, 1, 0, 0, 0) for entry in content.infolist())


def test_the_page_can_be_left_out(results: Results, tmp_path: Path) -> None:
    write_archive(results, tmp_path / "small.zip", with_html=False, resamples=100)
    with zipfile.ZipFile(tmp_path / "small.zip") as content:
        assert "report.html" not in content.namelist()


def test_hostile_names_do_not_leave_the_folder(hostile: Results, tmp_path: Path) -> None:
    write_archive(hostile, tmp_path / "hostile.zip", with_html=False, resamples=100)
    with zipfile.ZipFile(tmp_path / "hostile.zip") as content:
        assert all(".." not in name and not name.startswith("/") for name in content.namelist())
        assert content.read("records.csv").count(b"'=HYPERLINK") > 0


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("1-toy/records.jsonl", b"{}\n", "records.jsonl: checksum mismatch"),
        ("1-toy/records.jsonl", None, "this export is damaged"),
        ("manifest.json", b"[]", "not an export of Assay"),
        ("manifest.json", b'{"schema": 99}', "not an export of Assay with schema 1"),
        ("manifest.json", b"{", "this export is damaged"),
    ],
)
def test_a_damaged_export_is_refused(
    archive: Path, toy_track: AnyTrack, tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    broken = rewritten(archive, tmp_path / "broken.zip", name, content)
    with pytest.raises(InvalidInput, match=message):
        load(broken, tracks={"toy": toy_track})


def test_what_is_no_zip_and_what_is_not_there_are_said(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("hello")
    with pytest.raises(InvalidInput, match="this export is damaged"):
        load(tmp_path / "text.zip")
    with pytest.raises(InvalidInput, match="file not found"):
        load(tmp_path / "absent.zip")


def test_texts_with_separators_of_lines_read_back(
    make_results: Callable[..., Results], toy_track: AnyTrack, tmp_path: Path
) -> None:
    error = "one\x85two\u2028three\x1cfour"
    results = make_results([("iris", "vote", 0, 0.0, 1.0, {"status": "failed", "error": error, "error_kind": "crash"})])
    write_archive(results, tmp_path / "run.zip", with_html=False, resamples=100)
    (track,) = load(tmp_path / "run.zip", tracks={"toy": toy_track}).tracks
    assert track.records[0].error == results.records[0].error == error
