"""Commands to type next: what a check or a run was given beyond the defaults is in them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assay.api import check
from assay.cli.main import cli
from assay.core import AnyTrack

AGENT = """import os


def solve(task, budget):
    assert os.environ["ASSAY_TEST_KEY"] and open("{notes}").read() and budget.seconds == 20
    return [number % 2 == 0 for number in task.numbers]
"""


@pytest.fixture
def options(parity: AnyTrack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_TEST_KEY", "secret")
    parity.builtin(tmp_path / "my problems")
    Path("my notes.txt").write_text("known")
    Path("my agent.py").write_text(AGENT.format(notes=tmp_path / "my notes.txt"))
    more = ["--allow-network", "--pass-env", "ASSAY_TEST_KEY", "--readable", "my notes.txt"]
    return [*more, "--seconds", "20", "--memory-mb", "4096"]


def test_the_run_after_a_check_has_the_options_of_the_check(options: list[str]) -> None:
    problem = next(path for path in Path("my problems").iterdir() if path.is_dir())
    words = ["check", "my agent.py", "--track", "parity", "--problem", str(problem), *options]
    shown = CliRunner().invoke(cli, words, standalone_mode=False)
    (line,) = [line for line in shown.stdout.splitlines() if line.startswith("It works. To run it: ")]
    typed = shlex.split(line.removeprefix("It works. To run it: "))
    run = ["run", "parity", "--problems", str(problem), "--subject", "my agent.py"]
    assert (typed[1:7], sorted(typed[7:])) == (run, sorted(options))
    result = CliRunner().invoke(cli, [*typed[1:], "--workers", "1"], standalone_mode=False)
    assert "1 cell: 1 solved." in result.stderr


def test_the_call_after_a_check_in_python_has_its_arguments(options: list[str]) -> None:
    def mine(task: Any, budget: Any) -> Any:
        return [number % 2 == 0 for number in task.numbers]

    report = check(mine, "parity", network=True, environment="ASSAY_TEST_KEY", isolation="none")
    arguments = "isolation='none', network=True, environment=['ASSAY_TEST_KEY']"
    assert report.next == f"assay.run('parity', mine, {arguments})"


def test_settings_are_in_the_next_command() -> None:
    report = check("oracle", "insight", settings={"check_leakage": "never"})
    assert report.next == "assay run insight --subject oracle --set check_leakage=never"
