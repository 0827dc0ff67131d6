"""The insight track on the command line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay.cli.insight import app
from assay.insight import generate, load, write_solution
from assay.insight.subjects.builtin import ground_truth, target

Assay = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    problem = load(generate(folder / "problems", seed=5, rows=90, timed=False, difficulty="easy"))
    write_solution(folder / "agents" / "code" / NAME, replace(ground_truth(problem), functions=problem.truth.functions))
    write_solution(folder / "agents" / "values" / NAME, ground_truth(problem))
    write_solution(folder / "agents" / "leak" / NAME, target(problem))
    return folder


NAME = "shop-binary-static-easy-5"
FEW = ("--set", "N_RF_ESTIMATORS=10")


def places(world: Path, agent: str) -> tuple[str, ...]:
    return ("--problem", str(world / "problems" / NAME), "--solution", str(world / "agents" / agent / NAME))


def test_evaluate_prints_scores_insights_and_what_was_missed(world: Path, assay: Assay, tmp_path: Path) -> None:
    result = assay("insight", "evaluate", *places(world, "code"), *FEW, "--json", "out.json")
    for words in ("combined score", "base columns alone", "target leak", "best covered by"):
        assert words in result.stdout
    body = json.loads((tmp_path / "out.json").read_text())
    assert body["target_leak"] is False
    assert body["isolation"] == "strong"
    assert {function["verdict"] for function in body["functions"]} == {"clean"}
    assert body["coverage"] > 0.9


def test_values_without_code_are_refused_with_the_way_out(world: Path, assay: Assay) -> None:
    result = assay("insight", "evaluate", *places(world, "values"), *FEW, code=2)
    assert "--trust-columns" in result.stderr
    result = assay("insight", "evaluate", *places(world, "values"), *FEW, "--trust-columns", "--json", "-")
    body = json.loads(result.stdout)
    assert (body["target_leak"], body["preset"]) == (None, "spec")


def test_check_leakage_convicts_with_evidence_and_exit_code_1(world: Path, assay: Assay) -> None:
    result = assay("insight", "check-leakage", *places(world, "leak"), "--json", "-", code=1)
    body = json.loads(result.stdout)
    assert (body["target_leak"], body["isolation"]) == (True, "strong")
    (function,) = body["functions"]
    assert (function["name"], function["verdict"]) == ("target_copy", "leak")
    assert function["evidence"]["rows"]
    shown = assay("insight", "check-leakage", *places(world, "leak"), code=1)
    assert "1 leak" in shown.stdout


def test_check_leakage_of_honest_functions_ends_with_0(world: Path, assay: Assay) -> None:
    result = assay("insight", "check-leakage", *places(world, "code"))
    assert "0 leak" in result.stdout


@pytest.mark.parametrize("command", ["check-leakage", "evaluate"])
def test_a_python_file_of_functions_is_a_solution(world: Path, tmp_path: Path, command: str) -> None:
    (tmp_path / "features.py").write_text(
        "def _half(value): return value / 2\n\n"
        'def half_paid(row):\n    """Half of what was paid."""\n    return _half(row["paid"])\n'
    )
    arguments = ["--problem", str(world / "problems" / NAME), "--solution", str(tmp_path / "features.py")]
    more = [*FEW] if command == "evaluate" else []
    result = CliRunner().invoke(app, [command, *arguments, *more, "--json", "-"], catch_exceptions=False)
    body = json.loads(result.stdout)
    assert [(function["name"], function["verdict"]) for function in body["functions"]] == [("half_paid", "clean")]
    assert body["subject"] == "features"


def test_a_python_file_that_holds_no_functions_is_named(world: Path, tmp_path: Path) -> None:
    for name, text, words in (
        ("empty.py", "x = 1\n", "defines no function"),
        ("broken.py", "def f(:\n", "line 1"),
        ("absent.py", None, "file not found. Give a Python file with functions, or a solution folder"),
    ):
        if text is not None:
            (tmp_path / name).write_text(text)
        arguments = ["--problem", str(world / "problems" / NAME), "--solution", str(tmp_path / name)]
        result = CliRunner().invoke(app, ["check-leakage", *arguments])
        assert words in str(result.exception)
        assert name in str(result.exception)


@pytest.mark.soak
def test_a_run_over_folders_of_solutions_counts_what_is_missing(world: Path, assay: Assay) -> None:
    generate(world / "problems", seed=6, rows=90, difficulty="hard")
    arguments = ("--problems", str(world / "problems"), "--subject", str(world / "agents" / "values"))
    options = ("--set", "trust_columns=true", *FEW, "--workers", "1", "--out", "out", "--json")
    result = assay("run", "insight", *arguments, "--subject", "nothing", *options)
    (track,) = json.loads(result.stdout)["tracks"]
    standing = next(row for row in track["leaderboard"] if row["subject"] == "values")
    assert (standing["failed"], standing["metrics"]["combined_score"]["scored_problems"]) == (1, 1)
    grouped = assay("report", "out", "--by", "difficulty")
    assert "by difficulty" in grouped.stdout
    assert "Did you mean 'difficulty'" in assay("report", "out", "--by", "diffculty", code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--preset", "specs"), "Did you mean 'spec'"),
        (("--set", "MAX_DEPHT=3"), "Did you mean 'MAX_DEPTH'"),
        (("--set", "MAX_DEPTH=-3"), "at least 0"),
        (("--times", "gone.json"), "file not found"),
    ],
)
def test_a_mistake_is_one_clear_line(world: Path, assay: Assay, arguments: tuple[str, ...], words: str) -> None:
    result = assay("insight", "evaluate", *places(world, "values"), *arguments, code=2)
    assert words in result.stderr
    assert "Traceback" not in result.stderr
