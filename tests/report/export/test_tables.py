from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from assay.core import Record
from assay.report import Results, leaderboard, write_csv, write_json, write_markdown, write_parquet
from assay.report.export.long_form import COLUMNS
from assay.report.export.tables import csv_table


def strict(path: Path) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


@pytest.fixture
def table(results: Results, tmp_path: Path) -> pd.DataFrame:
    path = tmp_path / "long.csv"
    write_csv(results, path)
    return pd.read_csv(path)


def test_csv_has_the_documented_columns_and_a_row_per_record_and_metric(
    results: Results, table: pd.DataFrame, frame: pd.DataFrame
) -> None:
    assert tuple(table.columns) == (*COLUMNS, "tag.family", "tag.noise")
    assert len(table) == 2 * len(frame)
    assert list(table.metric[:2]) == ["delay", "share"]  # the track's own order
    assert dict(zip(table.metric, table.goal, strict=True)) == {"delay": "min", "share": "max"}
    assert set(table.record_key) == {record.key for record in results.tracks[0].records}


def test_csv_holds_every_score_to_the_last_digit(table: pd.DataFrame, frame: pd.DataFrame) -> None:
    places = ["problem", "subject", "seed"]
    wide = table.pivot_table(index=places, columns="metric", values="value", dropna=False).dropna(how="all")
    expected = frame.set_index(places)[["delay", "share"]].sort_index()
    pd.testing.assert_frame_equal(wide[["delay", "share"]], expected, check_exact=True, check_names=False)
    failed = table[table.status == "failed"]
    assert set(failed.error) == {"gave up\non <row> 3"}
    assert set(failed.error_kind) == {"time-out"}
    assert table[table.status == "ok"].error.isna().all()


def test_an_undefined_score_is_an_empty_cell_and_a_parquet_null(results: Results, tmp_path: Path) -> None:
    write_csv(results, tmp_path / "long.csv")
    with (tmp_path / "long.csv").open(newline="", encoding="utf-8") as stream:
        values = [row["value"] for row in csv.DictReader(stream)]
    assert values.count("") == 2
    assert "nan" not in values
    write_parquet(results, tmp_path / "long.parquet")
    assert pq.read_table(tmp_path / "long.parquet")["value"].null_count == 2


def test_csv_texts_that_spreadsheets_would_run_are_guarded_and_numbers_are_not(
    make_results: Callable[..., Results], tmp_path: Path
) -> None:
    rows = [("=1+1", "@cmd", 0, -0.5, 1.0, {"tags": {"+x": "-text", "number": -2.5}, "status": "ok"})]
    write_csv(make_results(rows), tmp_path / "long.csv")
    with (tmp_path / "long.csv").open(newline="", encoding="utf-8") as stream:
        _, row = csv.DictReader(stream)
    assert row["problem"] == "'=1+1"
    assert row["subject"] == "'@cmd"
    assert row["tag.+x"] == "'-text"
    assert row["tag.number"] == "-2.5"
    assert row["value"] == "-0.5"


def test_hostile_names_survive_csv_as_one_cell(
    hostile: Results, hostile_names: tuple[str, ...], tmp_path: Path
) -> None:
    write_csv(hostile, tmp_path / "long.csv")
    with (tmp_path / "long.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 2 * len(hostile.tracks[0].records)
    visible = {name.replace("\x00", r"\x00").replace("\x1b", r"\x1b") for name in hostile_names}
    assert {row["subject"].removeprefix("'") for row in rows} == visible


def test_parquet_reads_back_as_the_same_table(results: Results, table: pd.DataFrame, tmp_path: Path) -> None:
    write_parquet(results, tmp_path / "long.parquet")
    read = pd.read_parquet(tmp_path / "long.parquet")
    assert tuple(read.columns) == tuple(table.columns)
    assert read.seed.dtype == "int64"
    assert read.value.dtype == read.seconds.dtype == read["tag.noise"].dtype == "float64"
    pd.testing.assert_frame_equal(read, table, check_dtype=False, check_exact=True)
    assert read.value.isna().sum() == 2


def test_a_seed_that_no_column_of_numbers_holds_is_a_text_in_parquet(
    make_results: Callable[..., Results], tmp_path: Path
) -> None:
    seeds = (0, 2**64)
    rows: list[tuple[Any, ...]] = [("iris", "knn", seed, 0.5, 1.0, {}) for seed in seeds]
    write_parquet(make_results(rows), tmp_path / "long.parquet")
    assert set(pd.read_parquet(tmp_path / "long.parquet").seed) == set(map(str, seeds))


def test_a_tag_of_texts_and_numbers_is_a_text_column_in_parquet(
    make_results: Callable[..., Results], tmp_path: Path
) -> None:
    rows = [
        ("iris", "vote", 0, 0.5, 1.0, {"tags": {"noise": 0.5}}),
        ("wine", "vote", 0, 0.5, 1.0, {"tags": {"noise": "none", "only": 1}}),
    ]
    write_parquet(make_results(rows), tmp_path / "long.parquet")
    read = pd.read_parquet(tmp_path / "long.parquet")
    assert list(read["tag.noise"]) == ["0.5", "0.5", "none", "none"]
    assert read["tag.only"].isna().sum() == 2


def test_json_is_strict_and_holds_leaderboard_and_records(results: Results, tmp_path: Path) -> None:
    write_json(results, tmp_path / "results.json")
    content = strict(tmp_path / "results.json")
    assert content["schema"] == 1
    (track,) = content["tracks"]
    assert (track["name"], track["headline"], track["settings"]["k"]) == ("toy", "share", 7)
    assert (track["planned"], track["finished"], track["pending"]) == (30, 27, 3)
    assert track["lost"] == [
        {"problem": "circles", "subject": "vote", "seed": 1, "reason": "worker died: no space left"}
    ]
    (toy,) = results.tracks
    assert tuple(Record.from_json(record).content() for record in track["records"]) == tuple(
        record.content() for record in toy.records
    )
    for written, row in zip(track["leaderboard"], leaderboard(toy).rows, strict=True):
        share = written["metrics"]["share"]
        assert share["mean"] == row.mean("share")._asdict()
        assert share["scored_only"] == row.metrics["share"].scored_only._asdict()
        assert (written["subject"], written["place"], written["mean_rank"]) == (row.subject, row.place, row.mean_rank)
        assert written["failed"] == row.failed


def test_json_writes_undefined_as_null_and_infinite_as_text(
    make_results: Callable[..., Results], tmp_path: Path
) -> None:
    rows = [("iris", "vote", 0, math.nan, math.inf, {"isolation": "ready"})]
    write_json(make_results(rows), tmp_path / "results.json")
    (track,) = strict(tmp_path / "results.json")["tracks"]
    (row,) = track["leaderboard"]
    assert row["metrics"]["share"]["mean"] == {"value": None, "low": None, "high": None}
    assert row["metrics"]["delay"]["mean"]["value"] == "inf"
    assert row["median_seconds"] is None
    assert track["records"][0]["scores"] == {"share": None, "delay": "inf"}


def test_several_tracks_share_one_file(results: Results, make_results: Callable[..., Results], tmp_path: Path) -> None:
    other = make_results([("iris", "vote", 0, 0.5, 1.0, {"tags": {}})], track="game")
    both = Results(folder=results.folder, tracks=(*other.tracks, *results.tracks))
    write_csv(both, tmp_path / "long.csv")
    table = pd.read_csv(tmp_path / "long.csv")
    assert list(table.track.unique()) == ["game", "toy"]
    assert table[table.track == "game"]["tag.family"].isna().all()


def test_a_score_of_a_metric_that_is_no_more_has_no_goal(results: Results, tmp_path: Path) -> None:
    (toy,) = results.tracks
    old = replace(toy.records[0], scores={"aged": 0.5, "share": 0.25})
    aged = Results(folder=results.folder, tracks=(replace(toy, records=(old,)),))
    write_csv(aged, tmp_path / "long.csv")
    table = pd.read_csv(tmp_path / "long.csv")
    assert list(table.metric) == ["share", "aged"]
    assert list(table.goal.isna()) == [False, True]


@pytest.mark.parametrize("write", [write_csv, write_parquet, write_json, write_markdown])
def test_results_without_records_can_be_written(
    results: Results, write: Callable[[Results, Path], None], tmp_path: Path
) -> None:
    (toy,) = results.tracks
    write(Results(folder=results.folder, tracks=(replace(toy, records=()),)), tmp_path / "empty")
    assert (tmp_path / "empty").stat().st_size > 0


@pytest.mark.parametrize("write", [write_csv, write_json, write_markdown, write_parquet])
def test_equal_results_give_equal_bytes(
    results: Results, write: Callable[[Results, Path], None], tmp_path: Path
) -> None:
    write(results, tmp_path / "first")
    write(results, tmp_path / "second")
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


def test_a_text_in_a_csv_file_steers_no_terminal() -> None:
    written = csv_table(["name"], [{"name": "\x1b[2J\x00\x9bplain\ttext\nof two lines"}])
    assert written.decode() == 'name\n"\\x1b[2J\\x00\\x9bplain\ttext\nof two lines"\n'


def test_a_carriage_return_in_a_text_does_not_end_its_row() -> None:
    content = csv_table(["name", "value"], [{"name": "10 %\r20 %", "value": 1.0}, {"name": "b", "value": 2.0}])
    assert content.decode() == 'name,value\n"10 %\r20 %",1.0\nb,2.0\n'
    assert pd.read_csv(io.BytesIO(content)).value.tolist() == [1.0, 2.0]
