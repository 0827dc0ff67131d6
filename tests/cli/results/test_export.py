"""``assay export`` as a user meets it, and what comes back from it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from assay.cli.results.export import export
from assay.core.track import AnyTrack
from assay.harness import RunSpec, run
from assay.report import load


@pytest.fixture
def results(parity: AnyTrack, tmp_path: Path) -> Path:
    run([RunSpec(track="parity", subjects=("divide", "oracle"))], out=tmp_path / "results")
    return tmp_path / "results"


def test_a_run_is_one_file_that_reads_back(results: Path, tmp_path: Path) -> None:
    target = tmp_path / "run.zip"
    result = CliRunner().invoke(export, [str(results), "--out", str(target)], standalone_mode=False)
    assert result.exception is None
    assert f"wrote {target}" in result.stderr
    before, after = load(results).frames(), load(target).frames()
    pd.testing.assert_frame_equal(before.scores, after.scores)
    pd.testing.assert_frame_equal(before.leaderboard, after.leaderboard)
    with zipfile.ZipFile(target) as content:
        assert "report.html" in content.namelist()


def test_the_same_run_gives_the_same_bytes(results: Path, tmp_path: Path) -> None:
    for name in ("a.zip", "b.zip"):
        CliRunner().invoke(export, [str(results), "--out", str(tmp_path / name), "--no-html"], standalone_mode=False)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.zip") as content:
        assert "report.html" not in content.namelist()


def test_a_folder_without_results_is_said(tmp_path: Path) -> None:
    result = CliRunner().invoke(export, [str(tmp_path)], standalone_mode=False)
    assert "there is no store here" in str(result.exception)
    assert not (tmp_path / "run.zip").exists()
