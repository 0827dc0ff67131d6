"""``assay formula|cases|conformal new`` as a user meets them: what is printed, asked for, refused and left behind."""

from __future__ import annotations

import json
import pickle
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from sklearn.tree import DecisionTreeClassifier
from tests.terminal import at_a_terminal

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
    return CliRunner().invoke(cli, shlex.split(command.removeprefix("assay ")))


COMMANDS = {
    "formula new measured.csv --target energy --truth mass*speed**2/2 --box speed=1:4 --noise 0.1": "measured",
    "cases new patients.csv --label ill --classifier logistic --folds 2": "patients",
    "conformal new --probabilities probabilities.npz --labels labels.csv --alpha 0.2": "probabilities",
    "conformal new --table patients.csv --label ill --label ward --classifier tree": "patients",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_problem_is_written_told_and_found_right_by_the_command_that_is_printed(command: str) -> None:
    result = invoke(command)
    assert result.exit_code == 0, result.output
    assert f"wrote {2 if 'folds' in command else 1} problem" in result.output
    best = "scores 0.500" if command.startswith("conformal") else "gets a perfect score"  # one class of two
    assert f"the truth itself (subject oracle) {best}" in result.output
    assert max(map(len, result.output.splitlines())) <= 80
    validate = next(line.strip() for line in result.output.splitlines() if line.startswith("  assay validate"))
    assert validate == f"assay validate problems/{COMMANDS[command]}"
    checked = invoke(validate)
    assert checked.exit_code == 0
    assert checked.output.startswith("ok ")


@pytest.mark.soak
def test_the_run_that_is_printed_runs(here: Path) -> None:
    result = invoke("cases new patients.csv --label ill --classifier tree")
    lines = result.output.replace(" \\\n   ", "").splitlines()
    run = next(line.strip() for line in lines if line.startswith("  assay run"))
    assert run.endswith("--subject max-probability --subject correspondence --subject oracle")
    finished = invoke(f"{run} --quiet --workers 1 --out {here / 'results'}")
    assert finished.exit_code == 0, finished.output


def test_labels_that_are_given_are_told_as_labels_and_no_others_are_guessed() -> None:
    result = invoke("conformal new --table patients.csv --label ward --label ill --classifier tree")
    assert result.output.count(" label ") == 2
    assert "ward     label" in result.output
    assert "guessed" not in result.output


def test_identifiers_and_dates_are_left_out_with_a_word_and_kept_when_told(here: Path) -> None:
    result = invoke("cases new patients.csv --label ill --classifier tree")
    assert "seen     time" in result.output
    assert "Note: 'patient' left out: identifier" in result.output
    assert "Note: 'seen' left out: time" in result.output
    names = json.loads((here / "problems" / "patients" / "problem.json").read_text())["feature_names"]
    assert names == ["ward=north", "ward=south", "age"]
    stored = invoke("cases new patients.csv --label ill --classifier tree --keep patient --out kept --json")
    assert json.loads(stored.stdout)["facts"]["features"] > 3


@pytest.mark.parametrize(
    "command",
    ["cases new patients.csv --label ill --query patients.csv", "conformal new --table patients.csv --label ill"],
)
def test_a_fitted_model_is_asked_about_the_columns_that_it_knows(command: str, here: Path) -> None:
    table = pd.read_csv("patients.csv", sep=";", decimal=",")
    model = DecisionTreeClassifier(max_depth=2).fit(table[["age"]], table.ill)
    (here / "tree.pkl").write_bytes(pickle.dumps(model))
    refused = invoke(f"{command} --model tree.pkl")
    assert "add --trust-model" in str(refused.exception)
    result = invoke(f"{command} --model tree.pkl --trust-model --json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)["facts"]
    accuracy = facts["accuracy" if "cases" in command else "accuracy of ill"]
    assert 0.5 < accuracy < 1
    assert facts.get("features", 1) == 1


def test_classes_are_called_as_the_file_writes_them(here: Path) -> None:
    invoke("cases new patients.csv --label ill --classifier tree")
    assert json.loads((here / "problems" / "patients" / "problem.json").read_text())["classes"] == ["no", "yes"]


def test_json_holds_everything_and_nothing_else_is_on_standard_output() -> None:
    result = invoke("formula new measured.csv --target energy --truth mass*speed**2/2 --tag plant=north --json")
    body = json.loads(result.stdout)
    assert body["problems"] == ["measured"]
    assert body["facts"]["truth R²"] == 1.0
    assert [column["name"] for column in body["tables"][0]["columns"]] == ["mass", "speed", "energy"]
    assert body["next"][0] == "assay validate problems/measured"
    assert json.loads(Path("problems/measured/problem.json").read_text())["tags"]["plant"] == "north"


FORMULA, CASES, CONFORMAL = "formula new measured.csv", "cases new patients.csv", "conformal new"
MISTAKES = {
    FORMULA: "measured.csv: which column is the target? Give it as --target energy (columns: mass, speed, energy).",
    f"{FORMULA} --target enrgy": "measured.csv: --target enrgy: there is no column 'enrgy'. Did you mean 'energy'?",
    "formula new measurd.csv --target energy": "measurd.csv: file not found",
    "formula new patients.csv --target age": "column 'patient' holds texts, not numbers",
    f"{FORMULA} --target energy --box speed": "'speed' is not of the form name=low:high",
    f"{FORMULA} --target energy --tag north": "--tag north: write it as --tag NAME=VALUE",
    f"{FORMULA} --target energy --ignore mas": "--ignore mas: there is no column 'mas'. Did you mean 'mass'?",
    f"{CASES} --classifier tree": "patients.csv: which column is the true class? Give it as --label ill (columns: ",
    f"{CASES} --label ill": "Whose predictions are to be judged? Give it as --classifier forest (choices: forest, ",
    f"{CASES} --label age --classifier tree": "a quantity, not a class",
    f"{CASES} --label ill --classifier tre": "No classifier named 'tre'. Did you mean 'tree'?",
    f"{CASES} --label ill --classifier tree --keep pat": "No column named 'pat'. Did you mean 'patient'?",
    f"{CASES} --label ill --predictions ward": "predicts 'north', which is none of the labels 'no', 'yes'",
    f"{CASES} --label ill --model m.joblib --classifier tree": "--model and --classifier both say whose predictions",
    CONFORMAL: "Which file holds the probabilities? Give it as --probabilities PROBABILITIES.",
    f"{CONFORMAL} --probabilities probabilities.npz": "there are no labels of task 'ill'. Give --labels FILE",
    f"{CONFORMAL} --probabilities probabilities.npz --labels measured.csv": "holds the tasks mass, speed, energy",
    f"{CONFORMAL} --probabilities a.npz --probabilities b.npz": "of several files say whose each is, as in digit=a.npz",
    f"{CONFORMAL} --probabilities measured.csv --labels labels.csv": "column 'mass' is not of the form task:class",
    f"{CONFORMAL} --probabilities probabilities.npz --classifier tree": "give --table FILE and --label COL",
    f"{CONFORMAL} --table patients.csv --label il --classifier tree": "--label il: there is no column 'il'.",
    f"{CONFORMAL} --table patients.csv --classifier tree": "which column is a label? Give it as --label ill",
    f"{CONFORMAL} --table patients.csv --label ill --label ward --model m.onnx": "as in --model ill=m.onnx",
    f"{CONFORMAL} --table patients.csv --label ill --label ward --model ill=m.onnx": "give --model ward=FILE",
}


def test_what_is_missing_is_asked_for_on_a_terminal(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with at_a_terminal(monkeypatch) as terminal:
        terminal.type("il\nill\n\n")  # a slip, the label, and return for the classifier that is offered
        cli.main(["cases", "new", "patients.csv"], standalone_mode=False)
        shown = terminal.shown()
    assert "which column is the true class? (patient, seen, ward, age, ill)" in shown
    assert "'il' is none of them. Did you mean 'ill'?" in shown
    assert "Whose predictions are to be judged? (forest, logistic, tree, naive-bayes) [forest]" in shown
    manifest = json.loads((here / "problems" / "patients" / "problem.json").read_text())
    assert manifest["tags"]["classifier"] == "forest"


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_gets_one_line_in_the_words_of_the_command_line_and_leaves_nothing(command: str, here: Path) -> None:
    before = sorted(here.iterdir())
    result = invoke(command)
    assert isinstance(result.exception, InvalidInput), result.output
    assert MISTAKES[command] in str(result.exception)
    assert "\n" not in str(result.exception)
    assert sorted(here.iterdir()) == before


def test_a_folder_that_is_there_is_not_touched_and_a_free_name_is_offered(here: Path) -> None:
    (here / "problems" / "measured").mkdir(parents=True)
    result = invoke("formula new measured.csv --target energy")
    assert str(result.exception) == (
        "problems/measured: already exists. Give another folder, as in --out problems/measured-2."
    )
    result = invoke("formula new measured.csv --target energy --out .")
    assert "already exists and is not empty" in str(result.exception)
