"""Gates of the commands that run, and of the report: read before anything is run, and told in files and exit codes."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from assay.cli.main import cli
from assay.conformal import generate
from assay.core import InvalidInput

SUBJECTS = ("--subject", "likeliest-class", "--subject", "full=full-set", "--isolation", "none", "--workers", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    generate(tmp_path / "problems", problems=2, seed=3)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, standalone_mode=False)


def run(*arguments: str) -> Result:
    return call("run", "conformal", "--problems", "problems", "--quiet", *SUBJECTS, *arguments)


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        (("--fail-under", "coverage=abc"), "--fail-under coverage=abc: the threshold must be a number"),
        (("--fail-under", "0.1", "--fail-under", "coverge=0.5"), "No metric named 'coverge'. Did you mean 'coverage'?"),
        (("--fail-under", "ful:0.5"), "No subject named 'ful'. Did you mean 'full'?"),
        (("--not-worse-than", "erlier"), "results folder not found"),
        (("--junit", "gates.xml"), "--junit writes one test per gate: give --fail-under"),
    ],
)
def test_gates_are_checked_before_anything_is_run_or_stored(folder: Path, gate: tuple[str, ...], message: str) -> None:
    result = run("--out", "out", *gate)
    assert isinstance(result.exception, InvalidInput)
    assert message in str(result.exception)
    assert [path.name for path in folder.iterdir()] == ["problems"]


def test_a_gate_decides_for_the_subjects_it_names_and_writes_what_ci_reads(folder: Path) -> None:
    files = ("--junit", "gates.xml", "--markdown", "summary.md")
    first = run("--out", "earlier", "--fail-under", "likeliest-class:coverage=0.99", "--fail-under", "full:coverage=1")
    assert first.return_value == 1
    assert "Missed --fail-under: likeliest-class: coverage = 0." in first.stderr
    assert "Met --fail-under: full: coverage = 1, required at least 1" in first.stderr
    result = call("report", "earlier", "--fail-under", "full:coverage=0.99", *files)
    assert result.return_value == 0
    assert [case.get("name") for case in ElementTree.parse("gates.xml").getroot().iter("testcase")] == [
        "full: coverage at least 0.99"
    ]
    assert Path("summary.md").read_text().startswith("## Gates: 1 of 1 met")
    same = call("report", "earlier", "--not-worse-than", "full:earlier,coverage")
    assert "this is the run itself" in str(same.exception)
    Path("study.toml").write_text(
        f'track = "conformal"\nproblems = "{folder}/problems"\nsubjects = ["full=full-set"]\nisolation = "none"\n'
        'out = "now"\nnot_worse_than = "earlier,coverage,by=0.5"\nfail_under = ["coverage=0.9", 0.5]\n'
    )
    assert call("run", "study.toml", "--quiet").return_value == 1
    again = call("run", "study.toml", "--quiet", "--fail-under", "full:coverage=0.9").stderr
    assert (
        "Missed --not-worse-than: full: coverage 0.000 [0.000, 0.000] against earlier over 2 common problems" in again
    )
    assert "too few problems to exclude a loss" in again
    assert again.count("Met --fail-under: full: coverage = 1") == 2


def test_means_are_judged_too(folder: Path) -> None:
    run("--out", "out")
    assert call("report", "out", "--means", "--fail-under", "coverage=0.999").return_value == 1
    assert call("report", "out", "--means", "--fail-under", "full:coverage=0.999").return_value == 0
