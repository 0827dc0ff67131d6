"""A package of its own adds a metric to a built-in track, an aggregate and a runner; files and families do alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.conftest import Assay

from assay.formula import generate
from assay.harness import RunSpec, make_runner, run
from assay.harness.runners import runner_names
from assay.report import leaderboard, load
from assay.testing import check_metric, check_runner

MINE = """
def halves(evidence):
    "Half a point for every part of the answer."
    return len(evidence.parts) / 2
"""


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    generate(tmp_path / "problems", problems=2, seed=5)
    return tmp_path / "problems"


def test_an_installed_package_adds_a_metric_an_aggregate_and_a_runner(
    installed: None, assay: Assay, problems: Path, tmp_path: Path
) -> None:
    options = ["run", "formula", "--problems", "problems", "--subject", "oracle", "--quiet", "--out"]
    assay(*options, "plain")
    assert "brevity" not in [metric.name for metric in load(tmp_path / "plain").tracks[0].track.metrics]
    extra = ["--metric", "brevity", "--metric", "problems_solved", "--runner", "one-by-one"]
    assay(*options, "out", *extra, "--fail-under", "brevity=0.0001")
    assay(*options, "out", *extra, "--fail-under", "brevity=0.9999", code=1)
    report = json.loads(assay("report", "out", "--json").stdout)
    (track,) = report["tracks"]
    assert 0 < track["leaderboard"][0]["metrics"]["brevity"]["mean"]["value"] <= 1
    shown = assay("report", "out", "--metric", "problems_solved").stdout
    assert "problems_solved ↑" in shown
    assert "Not shown" in assay("report", "out").stdout
    missed = assay("report", "out", "--metric", "problems_solved", "--fail-under", "problems_solved=3", code=1)
    assert "problems_solved = 2, required at least 3" in missed.stderr


def test_the_same_from_python(installed: None, problems: Path, tmp_path: Path) -> None:
    assert set(runner_names()) == {"local", "ray", "one-by-one"}
    spec = RunSpec(track="formula", subjects=("oracle",), problems=(str(problems),), metrics=("brevity",))
    result = run([spec], out=tmp_path / "out", runner=make_runner("one-by-one", None))
    assert all(0 < record.scores["brevity"] <= 1 for record in result.records)
    board = leaderboard(load(tmp_path / "out").tracks[0], metrics=["brevity"])
    assert board.rows[0].metrics["brevity"].problems == 2
    check_metric(result.tracks["formula"].metric("brevity"))


def test_the_runner_of_a_package_keeps_the_contract(installed: None) -> None:
    check_runner(lambda: make_runner("one-by-one", 1), track="conformal")


def test_an_unknown_runner_is_refused_before_anything_is_written(installed: None, assay: Assay, tmp_path: Path) -> None:
    result = assay("run", "formula", "--subject", "oracle", "--runner", "slurm", "--out", "out", code=2)
    assert "No runner named 'slurm'. Known: local, one-by-one, ray." in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.soak
def test_metrics_of_families_and_files_on_the_command_line(assay: Assay, problems: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    assay(
        "run", "formula", "--problems", "problems", "--subject", "oracle", "--quiet", "--fail-under", "accurate@0.9=1"
    )
    folder = "assay-results"
    assert "accurate@0.9 ↑" in assay("report", folder, "--metric", "accurate@0.9").stdout
    lacking = assay("compare", folder, "oracle", "oracle", "--metric", "accurate@0.5", code=2).stderr
    assert f"assay rescore {folder} --metric accurate@0.5" in lacking
    again = assay("rescore", folder, "--metric", "mine.py:halves", "--quiet").stderr
    assert "2 cells: 0 solved, 2 scored again" in again
    assert "halves ↑" in assay("report", folder, "--metric", "halves").stdout
    assert "accurate@0.9 ↑" in assay("report", folder, "--metric", "accurate@0.9").stdout
    assert "Left out: halves. To score it: --metric mine.py:halves" in assay("rescore", folder, "--quiet").stderr
    assert "accurate@r2" in assay("formula", "metrics").stdout
    assay("export", folder, "--metric", "mine.py:halves", code=2)
