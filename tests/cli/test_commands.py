"""The command line as a user meets it: exit codes, output, and where it matters processes of its own."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.track import AnyTrack
from assay.harness import Plan, Store

Assay = Callable[..., subprocess.CompletedProcess[str]]

COMMANDS = (
    "demo",
    "tracks",
    "run",
    "check",
    "report",
    "compare",
    "items",
    "plan-size",
    "rescore",
    "show",
    "validate",
    "init",
    "doctor",
    "cases",
)


@pytest.fixture(scope="module")
def first_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test that asks for results leaves them for the others."""
    return tmp_path_factory.mktemp("first") / "results"


@pytest.fixture
def results(parity: AnyTrack, assay: Assay, first_results: Path, tmp_path: Path) -> Path:
    if not first_results.exists():
        subjects = ("--subject", "divide", "--subject", "odd=divide(divisor=3)")
        assay("run", "parity", *subjects, "--out", "results", "--quiet", folder=first_results.parent)
    return Path(shutil.copytree(first_results, tmp_path / "results"))


def test_help_lists_every_command_without_importing_a_track() -> None:
    code = (
        "import sys\nfrom assay.cli.main import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit as stop:\n    assert stop.code == 0\n"
        "heavy = [m for m in sys.modules if m.split('.')[0] in ('numpy', 'rich', 'sklearn', 'pandas', 'scipy')]\n"
        "assert not heavy and 'assay.cases' not in sys.modules, heavy\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(f"\n  {command} " in result.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(assay: Assay, command: str) -> None:
    assert f"assay {command}" in assay(command, "--help").stdout.partition("Example")[2]


def test_a_run_ends_with_a_leaderboard_and_says_where_the_results_are(
    parity: AnyTrack, assay: Assay, assay_process: Assay
) -> None:
    result = assay_process("run", "parity", "--subject", "divide", "--subject", "oracle", "--out", "here")
    assert "divide" in result.stdout
    assert "oracle" in result.stdout
    assert "16 cells: 16 solved. Results in here." in result.stderr
    again = assay("run", "parity", "--subject", "divide", "--subject", "oracle", "--out", "here")
    assert "16 cells: 0 solved, 16 from the store." in again.stderr
    assert again.stdout == result.stdout


def test_a_run_file_runs(parity: AnyTrack, assay: Assay, tmp_path: Path) -> None:
    text = 'track = "parity"\nsubjects = ["divide"]\nout = "o"\nworkers = 2\n[budget]\nseconds = 9\n'
    (tmp_path / "run.toml").write_text(text)
    assay("run", "run.toml")
    assert (tmp_path / "o" / "assay.sqlite").exists()
    assert "--seed cannot be combined with the run file" in assay("run", "run.toml", "--seed", "3", code=2).stderr


def test_json_output_is_strict_and_alone_on_standard_output(results: Path, assay: Assay, assay_process: Assay) -> None:
    content = json.loads(assay_process("report", "results", "--json").stdout)
    (track,) = content["tracks"]
    assert (track["name"], track["finished"], track["planned"]) == ("parity", 16, 16)
    assert len(track["records"]) == 16
    for arguments in (
        ["tracks"],
        ["compare", "results", "divide", "odd"],
        ["validate", "results/problems/parity"],
    ):
        json.loads(assay(*arguments, "--json").stdout)
    assert json.loads(assay("show", "results", "numbers-0/divide/0", "--json").stdout)["scores"] == {"accuracy": 1.0}


def test_report_writes_every_format(results: Path, assay: Assay, tmp_path: Path) -> None:
    files = {f"--{kind}": f"report.{kind}" for kind in ("html", "csv", "parquet", "markdown")}
    assay("report", "results", *(part for pair in files.items() for part in pair))
    with (tmp_path / "report.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 16
    assert {row["subject"] for row in rows} == {"divide", "odd"}
    assert "<script" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "report.parquet").read_bytes()[:4] == b"PAR1"
    assert "| odd |" in (tmp_path / "report.markdown").read_text()


def test_compare_says_who_wins(results: Path, assay: Assay) -> None:
    (result,) = json.loads(assay("compare", "results", "divide", "odd", "--json").stdout)
    assert (result["metric"], result["problems"], result["losses"]) == ("accuracy", 8, 0)
    assert result["wins"] > 0
    assert "divide" in assay("compare", "results", "divide", "odd").stdout


def test_show_finds_a_record_by_key_or_by_name(results: Path, assay: Assay) -> None:
    record = json.loads(assay("show", "results", "numbers-1/odd/0", "--json").stdout)
    assert json.loads(assay("show", "results", record["key"][:10], "--json").stdout) == record
    assert record["key"] in assay("show", "results", record["key"][:10]).stdout.replace("\n", "")


def test_show_prints_what_the_subject_printed(parity: AnyTrack, assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        "def solve(task, budget):\n    print('hello [b]there[/b]')\n    raise ValueError('x')\n"
    )
    assay("run", "parity", "--subject", "loud.py", "--out", "o", "--quiet")
    shown = assay("show", "o", "numbers-0/loud/0").stdout
    assert "hello [b]there[/b]" in shown
    assert "ValueError: x" in shown


@pytest.mark.skipif(sys.platform != "linux", reason="system calls are traced on Linux")
def test_a_traced_run_says_where_its_logs_are(parity: AnyTrack, assay: Assay, tmp_path: Path) -> None:
    call = ("run", "parity", "--subject", "divide", "--subject", "odd=divide(divisor=3)", "--out", "o", "--quiet")
    result = assay(*call, "--trace-subject", "odd")
    entries = [
        line.removeprefix("System calls: ") for line in result.stderr.splitlines() if line.startswith("System calls")
    ]
    assert [Path(path).parent for path in entries] == [tmp_path / "o" / "traces"] * 8
    assert "16 cells: 8 solved" in result.stderr
    assert "16 cells: 8 solved, 8 from the store" in assay(*call).stderr
    assert "leave out --runner" in assay(*call, "--trace-subject", "odd", "--runner", "ray", code=2).stderr


def test_fail_under_counts_lost_cells_with_the_floor(results: Path, assay: Assay) -> None:
    with Store(results) as store:
        (latest,) = store.latest_runs()
        cells = store.cells(latest.id)
        lost = next(cell for cell in cells if cell.subject.name == "divide")
        again = replace(lost, record_key="0" * 64, budget=replace(lost.budget, seed=9))
        store.add_run(Plan(track="parity", settings=lost.settings, cells=(*cells, again)))
        store.commit_loss(again, "the disk was full")
    result = assay("report", "results", "--fail-under", "0.95", code=1)
    assert "divide: accuracy = 0.9375 with 1 lost cell as the floor, required at least 0.95" in result.stderr
    assert "Lost cells (divide 1)" in " ".join(result.stdout.split())


@pytest.mark.parametrize(("threshold", "code"), [("0.1", 0), ("1.0", 1), ("accuracy=0.1", 0), ("accuracy=0.99", 1)])
def test_fail_under_decides_the_exit_code(results: Path, assay: Assay, threshold: str, code: int) -> None:
    result = assay("report", "results", "--fail-under", threshold, code=code)
    assert ("Missed --fail-under: odd: accuracy" in result.stderr) == bool(code)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rn"], "No command named 'rn'. Did you mean 'run'?"),
        (["run", "case"], "no subject to run"),
        (["run", "case", "--subject", "vote"], "No track named 'case'. Did you mean 'cases'?"),
        (["run", "cases", "--subject", "vot"], "No subject named 'vot'. Did you mean 'vote'?"),
        (["run", "cases", "--subject", "vote(kk=3)"], "No parameter of subject 'vote' named 'kk'"),
        (["run", "cases", "--subject", "vote", "--problems", "absent"], "absent: problem folder not found"),
        (["run", "cases", "--subject", "vote", "--set", "x"], "write it as --set key=value"),
        (["run", "cases", "--subject", "vote", "--set", "x=1"], "No setting of track 'cases' named 'x'"),
        (["run", "cases", "--subjct", "vote"], "--subjct"),
        (["run", "cases", "--subject", "vote", "--seconds", "-3"], "seconds must be a positive number, got -3"),
        (["run", "absent.toml"], "absent.toml: file not found"),
        (["report", "absent"], "absent: results folder not found"),
        (["rescore", "absent"], "absent: results folder not found"),
        (["init", "case", "x"], "No track named 'case'"),
        (["validate", "absent"], "absent: folder or run file not found"),
    ],
)
def test_the_users_mistakes_end_with_one_clear_line(
    assay: Assay, tmp_path: Path, arguments: list[str], message: str
) -> None:
    result = assay(*arguments, code=2)
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["report", "results", "--metric", "acuracy"],
            "No metric named 'acuracy'. Did you mean 'accuracy'?",
        ),
        (["report", "results", "--fail-under", "much"], "the threshold must be a number"),
        (["report", "results", "--track", "cases"], "No track in results named 'cases'"),
        (["compare", "results", "divide", "od"], "No subject named 'od'. Did you mean 'odd'?"),
        (["show", "results", "nothing"], "No record 'nothing'. Give the start of a key or problem/subject/seed"),
        (["show", "results", ""], "is ambiguous"),
        (["init", "parity", "results"], "results: already exists and is not empty"),
    ],
)
def test_mistakes_about_results_are_named(results: Path, assay: Assay, arguments: list[str], message: str) -> None:
    result = assay(*arguments, code=2)
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_corrupt_store_is_refused_without_a_traceback(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "assay.sqlite").write_bytes(b"garbage" * 500)
    for arguments in (["report", "o"], ["run", "cases", "--subject", "vote", "--out", "o"]):
        assert "this store cannot be opened" in assay(*arguments, code=2).stderr


def test_validate_names_each_folder_and_its_fault(results: Path, assay: Assay, tmp_path: Path) -> None:
    folder = tmp_path / "results" / "problems" / "parity"
    assert assay("validate", str(folder)).stdout.count("ok ") == 8
    (folder / "numbers-3" / "problem.json").write_text('{"track": "parity", "numbers": []}')
    result = assay("validate", str(folder), code=2)
    assert "'numbers' must be a list of whole numbers" in result.stdout
    assert result.stdout.count("ok ") == 7
    (folder / "numbers-3" / "problem.json").write_text("{broken")
    (folder / "numbers-5" / "problem.json").write_text('{"id": "numbers-4", "track": "parity", "numbers": [1]}')
    lines = [" ".join(line.split()) for line in assay("validate", str(folder), code=2).stdout.splitlines()]
    assert [line.split()[0] for line in lines] == ["ok", "ok", "ok", "wrong", "ok", "wrong", "ok", "ok"]
    assert "numbers-3/problem.json: not valid JSON" in lines[3]
    assert (
        f"two problems are named 'numbers-4': {folder / 'numbers-4'} and {folder / 'numbers-5'}. Set 'id'" in lines[5]
    )


@pytest.mark.parametrize("track", ["cases", "parity"])
def test_init_scaffolds_a_study_that_runs_and_validates(parity: AnyTrack, assay: Assay, track: str) -> None:
    assay("init", track, "study")
    assay("validate", "study/problems")
    assay("validate", "study/run.toml")
    assay("run", "study/run.toml")
    content = json.loads(assay("report", "study/results", "--json").stdout)
    assert {record["status"] for record in content["tracks"][0]["records"]} == {"ok"}


def test_generate_writes_the_built_in_problems(parity: AnyTrack, assay: Assay, tmp_path: Path) -> None:
    assert "wrote 8 problems to p" in assay("parity", "generate", "--out", "p").stdout
    assert "already exists and is not empty" in assay("parity", "generate", "--out", "p", code=2).stderr
    assay("run", "parity", "--problems", "p", "--subject", "oracle", "--out", "o", "--quiet")


def test_metrics_of_a_track_are_explained(assay: Assay) -> None:
    text = assay("cases", "metrics").stdout
    assert "auroc (max, version 1, headline)" in text
    assert "$$" in text


def test_doctor_tries_every_promise(assay_process: Assay) -> None:
    content = json.loads(assay_process("doctor", "--json").stdout)
    verdicts = {finding["what"]: finding["verdict"] for finding in content["findings"]}
    assert verdicts["memory limit"] == verdicts["time limit"] == verdicts["store"] == "ok"
    assert content["ok"]


def test_a_problem_that_cannot_be_loaded_ends_with_exit_code_2(parity: AnyTrack, assay: Assay, tmp_path: Path) -> None:
    assay("parity", "generate", "--out", "p")
    (tmp_path / "p" / "numbers-2" / "truth" / "even.json").unlink()
    result = assay("run", "parity", "--problems", "p", "--subject", "divide", "--out", "o", code=2)
    assert "Not finished: parity: numbers-2 / divide / seed 0: problem 'numbers-2' cannot be loaded" in result.stderr
    assert "8 cells: 7 solved, 1 not finished" in result.stderr
