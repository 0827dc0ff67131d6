"""``assay formula|cases|conformal new`` as a user meets them: what is printed, asked for, refused and left behind."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from assay.cli.main import cli
from assay.core import InvalidInput
from assay.intake.arrays import write_npz

RNG = np.random.default_rng(2)
ROWS = 90


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of each kind."""
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame(RNG.uniform(1, 5, (ROWS, 2)), columns=["mass", "speed"])
    table.assign(energy=table.mass * table.speed**2 / 2).to_csv("measured.csv", index=False)
    ill = RNG.integers(0, 2, ROWS)
    pd.DataFrame(
        {
            "patient": [f"P-{number:05d}" for number in range(ROWS)],
            "seen": pd.date_range("2024-01-01", periods=ROWS).strftime("%Y-%m-%d"),
            "ward": RNG.choice(["north", "south"], ROWS),
            "age": RNG.normal(50, 9, ROWS).round(1) + 9 * ill,
            "ill": np.where(ill, "yes", "no"),
        }
    ).to_csv("patients.csv", index=False, sep=";", decimal=",")
    scores = np.exp(2 * np.eye(2)[ill] + RNG.normal(size=(ROWS, 2)))
    write_npz(tmp_path / "probabilities.npz", {"ill": scores / scores.sum(axis=1, keepdims=True)})
    pd.DataFrame({"ill": ill}).to_csv("labels.csv", index=False)
    return tmp_path


def invoke(command: str) -> Result:
    return CliRunner().invoke(cli, shlex.split(command)[1:])


COMMANDS = {
    "assay formula new measured.csv --target energy --truth mass*speed**2/2 --box speed=1:4 --noise 0 --noise 0.1": "measured",
    "assay cases new patients.csv --label ill --classifier logistic --folds 2": "patients",
    "assay conformal new --probabilities probabilities.npz --labels labels.csv --alpha 0.2": "probabilities",
    "assay conformal new --table patients.csv --label ill --label ward --classifier tree": "patients",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_problem_is_written_told_and_found_right_by_the_command_that_is_printed(command: str) -> None:
    done = invoke(command)
    assert done.exit_code == 0, done.output
    assert f"wrote {2 if 'folds' in command else 1} problem" in done.output
    assert "the truth itself (subject oracle) gets a perfect score" in done.output
    validate = next(line.strip() for line in done.output.splitlines() if line.startswith("  assay validate"))
    assert validate == f"assay validate problems/{COMMANDS[command]}"
    checked = invoke(validate)
    assert checked.exit_code == 0
    assert checked.output.startswith("ok ")


def test_the_run_that_is_printed_runs(here: Path) -> None:
    done = invoke("assay cases new patients.csv --label ill --classifier tree")
    run = next(line.strip() for line in done.output.splitlines() if line.startswith("  assay run"))
    assert run.endswith("--subject max-probability --subject correspondence --subject oracle")
    finished = invoke(f"{run} --quiet --workers 1 --out {here / 'results'}")
    assert finished.exit_code == 0, finished.output


def test_identifiers_and_dates_are_left_out_with_a_word_and_kept_when_told(here: Path) -> None:
    done = invoke("assay cases new patients.csv --label ill --classifier tree")
    assert "seen     time" in done.output
    assert "Note: 'patient' left out: identifier" in done.output
    assert "Note: 'seen' left out: time" in done.output
    names = json.loads((here / "problems" / "patients" / "problem.json").read_text())["feature_names"]
    assert names == ["ward=north", "ward=south", "age"]
    kept = invoke("assay cases new patients.csv --label ill --classifier tree --keep patient --out kept --json")
    assert json.loads(kept.stdout)["facts"]["features"] == 3 + ROWS


def test_classes_are_called_as_the_file_writes_them(here: Path) -> None:
    invoke("assay cases new patients.csv --label ill --classifier tree")
    assert json.loads((here / "problems" / "patients" / "problem.json").read_text())["classes"] == ["no", "yes"]


def test_json_holds_everything_and_nothing_else_is_on_standard_output() -> None:
    done = invoke("assay formula new measured.csv --target energy --truth mass*speed**2/2 --tag plant=north --json")
    body = json.loads(done.stdout)
    assert body["problems"] == ["measured"]
    assert body["facts"]["truth R²"] == 1.0
    assert [column["name"] for column in body["tables"][0]["columns"]] == ["mass", "speed", "energy"]
    assert body["next"][0] == "assay validate problems/measured"
    assert json.loads(Path("problems/measured/problem.json").read_text())["tags"]["plant"] == "north"


MISTAKES = {
    "assay formula new measured.csv": "measured.csv: which column is the target? Give it as --target energy (columns: mass, speed, energy).",
    "assay formula new measured.csv --target enrgy": "measured.csv: --target enrgy: there is no column 'enrgy'. Did you mean 'energy'?",
    "assay formula new measurd.csv --target energy": "measurd.csv",
    "assay formula new patients.csv --target age": "column 'patient' holds texts, not numbers",
    "assay formula new measured.csv --target energy --box speed": "'speed' is not of the form name=low:high",
    "assay formula new measured.csv --target energy --tag north": "--tag north: write it as --tag NAME=VALUE",
    "assay formula new measured.csv --target energy --ignore mas": "--ignore mas: there is no column 'mas'. Did you mean 'mass'?",
    "assay cases new patients.csv --classifier tree": "patients.csv: which column is the true class? Give it as --label ill (columns: ",
    "assay cases new patients.csv --label ill": "Whose predictions are to be judged? Give it as --classifier forest (choices: forest, ",
    "assay cases new patients.csv --label age --classifier tree": "a quantity, not a class",
    "assay cases new patients.csv --label ill --classifier tre": "No classifier named 'tre'. Did you mean 'tree'?",
    "assay cases new patients.csv --label ill --classifier tree --keep pat": "No column named 'pat'. Did you mean 'patient'?",
    "assay cases new patients.csv --label ill --predictions ward": "predicts 'north', which is none of the labels 'no', 'yes'",
    "assay conformal new": "Which file holds the probabilities? Give it as --probabilities PROBABILITIES.",
    "assay conformal new --probabilities probabilities.npz": "there are no labels of task 'ill'. Give --labels FILE",
    "assay conformal new --probabilities probabilities.npz --labels measured.csv": "measured.csv: holds the tasks mass, speed, energy",
    "assay conformal new --probabilities a.npz --probabilities b.npz": "of several files say whose each is, as in digit=a.npz",
    "assay conformal new --probabilities measured.csv --labels labels.csv": "column 'mass' is not of the form task:class",
    "assay conformal new --probabilities probabilities.npz --classifier tree": "give --table FILE and --label COL",
    "assay conformal new --table patients.csv --label il --classifier tree": "--label il: there is no column 'il'. Did you mean 'ill'?",
    "assay conformal new --table patients.csv --classifier tree": "which column is a label? Give it as --label ill",
}


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_gets_one_line_in_the_words_of_the_command_line_and_leaves_nothing(command: str, here: Path) -> None:
    before = sorted(here.iterdir())
    done = invoke(command)
    assert isinstance(done.exception, InvalidInput), done.output
    assert MISTAKES[command] in str(done.exception)
    assert "\n" not in str(done.exception)
    assert sorted(here.iterdir()) == before


def test_a_folder_that_is_there_is_not_touched_and_a_free_name_is_offered(here: Path) -> None:
    (here / "problems" / "measured").mkdir(parents=True)
    done = invoke("assay formula new measured.csv --target energy")
    assert str(done.exception) == (
        "problems/measured: already there. Give another folder, as in --out problems/measured-2."
    )
    done = invoke("assay formula new measured.csv --target energy --out .")
    assert "already there and not empty" in str(done.exception)
