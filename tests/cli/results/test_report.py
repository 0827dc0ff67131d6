"""``assay report`` on a folder and on an export."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from assay.core.track import AnyTrack
from assay.harness import RunSpec, run
from assay.report import load, write_archive

Assay = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def results(parity: AnyTrack, tmp_path: Path) -> Path:
    run([RunSpec(track="parity", subjects=("divide", "oracle"))], out=tmp_path / "results")
    return tmp_path / "results"


def test_an_export_is_reported_like_the_folder_it_came_from(results: Path, assay: Assay, tmp_path: Path) -> None:
    write_archive(load(results), tmp_path / "run.zip", with_html=False)
    folder = assay("report", "results", "--html", "a.html", "--csv", "a.csv")
    export = assay("report", "run.zip", "--html", "b.html", "--csv", "b.csv")
    assert folder.stdout == export.stdout
    folder_page, export_page = ((tmp_path / name).read_text() for name in ("a.html", "b.html"))
    assert _without_cells(folder_page) == _without_cells(export_page)
    assert folder_page != export_page  # an export holds no answers to show behind the dots
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "a.csv"), pd.read_csv(tmp_path / "b.csv"))


def _without_cells(page: str) -> str:
    text, count = re.subn(r'"packed": ?\[[^\]]*\]', '"packed": []', page)
    assert count == 1
    return text


def test_the_json_file_has_comparisons_and_costs(results: Path, assay: Assay, tmp_path: Path) -> None:
    assay("report", "results", "--json-file", "report.json")
    (track,) = json.loads((tmp_path / "report.json").read_text())["tracks"]
    assert [(entry["a"], entry["b"]) for entry in track["comparisons"]] == [("divide", "oracle")]
    assert {row["subject"]: row["reference"] for row in track["leaderboard"]} == {"divide": False, "oracle": True}
    assert all("cpu_seconds" in row["costs"] for row in track["leaderboard"] if row["subject"] == "divide")
