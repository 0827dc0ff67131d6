"""The formula track's commands: verdicts, judgements, tables of one's own, fresh problems, imported results."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from assay.cli.formula import app
from assay.cli.results.show import show
from assay.core import InvalidInput, digest_folder, track_names
from assay.formula import load

pytest.importorskip("mpmath", reason="the checker confirms with mpmath")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_the_verdict_comes_first_and_its_certificate_follows() -> None:
    result = call("equivalent", "m*v**2/2", "0.5*v*v*m", "--domain", "m=1:5,v=0:10")
    assert result.exit_code == 0
    assert result.stdout.startswith("identical: the model is the truth\n")
    assert "400 points, m in 1..5, v in 0..10, 50 digits" in result.stdout


def test_json_holds_everything() -> None:
    content = json.loads(call("equivalent", "x*y", "1.01*x*y + 0.02*y", "--json").stdout)
    assert content["verdict"] == "different"
    assert content["truth"] == "x*y"
    assert content["notes"][0].startswith("dead terms")
    assert {entry["written"] for entry in content["certificate"]["constants"]} == {1.01, 0.02}
    assert json.loads(call("equivalent", "x", "x +", "--json").stdout)["verdict"] == "unparsable"


def test_columns_can_be_counted_in_a_dialect() -> None:
    result = call("equivalent", "m - a", "sub(X0, X1)", "--names", "m, a", "--dialect", "gplearn")
    assert result.stdout.startswith("identical")


def test_a_model_that_begins_with_a_minus_follows_two_dashes() -> None:
    assert call("equivalent", "--", "x", "-x").stdout.startswith("factor")


def test_a_proof_is_added_on_request() -> None:
    pytest.importorskip("sympy", reason="proofs need sympy")
    assert "proof: sympy reduces the difference to 0" in call("equivalent", "x + x", "2*x", "--prove").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x +", "x"], "truth 'x \\+': the formula ends"),
        (["x", "x", "--domain", "x=5"], "not of the form name=low:high"),
        (["x + y", "x", "--domain", "x=0:5"], "no bounds for the variable 'y'; give y=low:high"),
        (["sqrt(-x)", "x", "--domain", "x=1:2"], "no finite real value"),
    ],
)
def test_mistakes_are_named(arguments: list[str], message: str) -> None:
    result = call("equivalent", *arguments)
    assert isinstance(result.exception, InvalidInput)
    with pytest.raises(InvalidInput, match=message):
        raise result.exception


def refuse(message: str, *arguments: str) -> None:
    result = call(*arguments)
    assert isinstance(result.exception, InvalidInput), result.output
    with pytest.raises(InvalidInput, match=message):
        raise result.exception


@pytest.fixture
def entries(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "data").mkdir()
    rows = "\n".join(f"{x},{x * x}" for x in range(10))
    (tmp_path / "data" / "square.csv").write_text(f"x,y\n{rows}\n")
    for subject, model in {"ann": "x**2", "bob": "x*x + 1", "cleo": "9*x - 12"}.items():
        (tmp_path / "models" / subject).mkdir(parents=True)
        (tmp_path / "models" / subject / "square.txt").write_text(f"{model}\n")
    return "--data", str(tmp_path / "data"), "--models", str(tmp_path / "models")


def test_models_in_text_files_are_judged(entries: tuple[str, ...]) -> None:
    content = json.loads(call("judge", "--preset", "competition-2023", *entries, "--json").stdout)
    # accuracy is worth 3, 2, 1 and size 3, 2, 2 points
    assert content["scores"] == {"ann": 3.0, "bob": 2.0, "cleo": pytest.approx(4 / 3)}
    assert content["preset"] == "competition-2023"
    assert {entry["subject"]: entry["points"] for entry in content["entries"]}["cleo"] == {
        "accuracy": 1,
        "simplicity": 2,
    }
    shown = call("judge", "--preset", "competition-2023", *entries).stdout.splitlines()
    assert shown[0].split() == ["subject", "competition-2023"]
    assert shown[1].split() == ["ann", "3.0000"]
    assert shown[-1].split()[0] == "cleo"
    assert "accuracy 0.9268 (1), simplicity -5 (2)" in shown[-1]


def test_judging_needs_what_the_rules_ask_for(entries: tuple[str, ...]) -> None:
    refuse("needs problem folders", "judge", *entries)
    refuse(r"No column \(target\) named 'z'", "judge", "--preset", "competition-2023", "--target", "z", *entries)
    assert call("judge", "--preset", "gecco", *entries).exit_code == 2


def test_fresh_problems_are_the_same_for_the_same_seed(tmp_path: Path) -> None:
    options = ("--problems", "2", "--seed", "7", "--property", "features", "--difficulty", "easy", "--rows", "60")
    for name in ("a", "b"):
        result = call("generate", "--out", str(tmp_path / name), *options)
        assert result.stdout == f"wrote 2 problems to {tmp_path / name}\n"
    assert digest_folder(tmp_path / "a") == digest_folder(tmp_path / "b")
    assert {load(path).truth.property for path in (tmp_path / "a").iterdir()} == {"features"}


def test_the_built_in_suite_has_no_options_and_fills_no_used_folder(tmp_path: Path) -> None:
    refuse("say how many problems to make", "generate", "--out", str(tmp_path / "a"), "--seed", "3")
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "file").touch()
    refuse("already exists and is not empty", "generate", "--out", str(tmp_path / "used"), "--problems", "1")
    refuse("noise must lie between", "generate", "--out", str(tmp_path / "b"), "--problems", "1", "--noise", "7")
    assert not (tmp_path / "a").exists()
    assert not (tmp_path / "b").exists()


def test_srbench_results_are_imported_with_both_verdicts(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    body = {"dataset": "d", "algorithm": "A", "random_state": 1, "symbolic_model": "x + x", "true_model": "y = 2*x"}
    (tmp_path / "in" / "a.json").write_text(json.dumps(body))
    (tmp_path / "in" / "b.json").write_text("[]")
    result = call("import", str(tmp_path / "in"), "--out", str(tmp_path / "out"))
    assert result.stdout.startswith(f"1 results of 1 algorithms in {tmp_path / 'out'}")
    assert "1 were never compared with the truth" in result.stdout
    assert "Left out" in result.stderr
    assert (tmp_path / "out" / "A" / "1" / "d.txt").read_text() == "x + x\n"
    assert ",identical,x + x" in (tmp_path / "out" / "imported.csv").read_text()
    refuse("already exists and is not empty", "import", str(tmp_path / "in"), "--out", str(tmp_path / "out"))
    content = json.loads(call("import", str(tmp_path / "in"), "--out", str(tmp_path / "new"), "--json").stdout)
    assert (content["results"], content["unassessed"]) == (1, 1)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(0).uniform(0, 10, (60, 2))
    rows = "\n".join(f"{a!r},{b!r},{a * b + 1!r}" for a, b in values.tolist())
    path = tmp_path / "my.csv"
    path.write_text(f"mass (kg),speed,energy\n{rows}\n")
    return path


def test_mistakes_about_a_table_surface_before_anything_is_written(table: Path) -> None:
    refuse("No subject named 'linea'", "evaluate", "--csv", "my.csv", "--target", "energy", "--subject", "linea")
    refuse("No column named 'enery'", "evaluate", "--csv", "my.csv", "--target", "enery")
    refuse("file not found", "evaluate", "--csv", "none.csv", "--target", "energy")
    refuse("not of the form", "evaluate", "--csv", "my.csv", "--target", "energy", "--box", "speed")
    assert [path.name for path in table.parent.iterdir()] == ["my.csv"]


@pytest.mark.skipif("formula" not in track_names(), reason="the track is not registered, so workers cannot find it")
def test_a_table_of_ones_own_is_evaluated(table: Path) -> None:
    options = ("evaluate", "--csv", "my.csv", "--target", "energy", "--box", "speed=0:8", "--workers", "1")
    result = call(*options, "--out", "study")
    assert result.exit_code == 0, result.output
    assert "In formulas, 'mass (kg)' is called mass_kg." in result.stderr
    assert "polynomial(degree=4, terms=15): " in result.stdout
    assert "property_score here: no known law: fit on rows that were held out (1 problem)" in result.stdout
    shown = CliRunner().invoke(show, ["study", "--subject", "linear"], catch_exceptions=False)
    assert re.search(r"answer +property_score here: no known law", shown.stdout)
    assert re.search(r"linear: .*mass_kg", shown.stdout)
    content = json.loads(call(*options, "--out", "study", "--json").stdout)
    (track,) = content["tracks"]
    assert track["name"] == "formula"
