"""Parameters searched with Optuna itself, and problems of reported runs refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import assay
from assay.cli.main import main
from assay.connections.tuning import Choices, Range, read_space, tune
from assay.core import InvalidInput
from assay.core.errors import MissingExtra

SUBJECT = '''
class Guess:
    """The better, the nearer its parameter is to 1."""

    def __init__(self, factor=0.0, calm=True):
        self.factor, self.calm = factor, calm

    def solve(self, task, budget):
        if not self.calm:
            raise RuntimeError("restless")
        return f"{self.factor} * (h + t*(v - g*t/2))"
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "guess.py").write_text(SUBJECT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_ranges_and_choices_are_read() -> None:
    assert read_space(["a=-2..3", "b=1e-3..1:log", "c=x,2,True,None", "d=one"]) == {
        "a": Range(-2, 3),
        "b": Range(1e-3, 1.0, log=True),
        "c": Choices(("x", 2, True, None)),
        "d": Choices(("one",)),
    }
    assert read_space(["a=.5..2", "b=../x,../y"]) == {"a": Range(0.5, 2.0), "b": Choices(("../x", "../y"))}
    mistakes = {"a": "NAME=LOW", "a=3..1": "below", "a=x..y": "numbers", "a=0..1:log": "above 0"}
    for text, reason in {**mistakes, "a=1..1e999": "numbers", f"a=1..1{'0' * 400}": "numbers"}.items():
        with pytest.raises(InvalidInput, match=reason):
            read_space([text])
    with pytest.raises(InvalidInput, match="twice"):
        read_space(["a=1..2", "a=1..3"])


def test_without_optuna_the_way_to_install_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.connections.tuning.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="optuna, which is not installed: pip install 'optuna<6,>=5'"):
        tune("formula", "linear", ["k=1..2"], problems="exact-3")


def test_the_best_parameters_are_found_and_trials_are_kept(folder: Path) -> None:
    pytest.importorskip("optuna", reason="Optuna is not installed: `make connections` runs this test")
    space = ["factor=0.0..2.0", "calm=True,False"]
    options = {"problems": "exact-3", "metric": "r2", "trials": 8, "seed": 3}
    tuned = tune("formula", "guess.py:Guess", space, **options)  # type: ignore[arg-type]
    assert len(tuned.trials) == 8
    assert tuned.best.value == max(trial.value for trial in tuned.trials) > 0
    assert any(trial.failed for trial in tuned.trials)
    assert "calm=True" in tuned.best.subject
    again = tune("formula", "guess.py:Guess", space, **options)  # type: ignore[arg-type]
    assert again == tuned
    assert len(list((folder / "tuning").glob("*.sqlite"))) == 1


class FirstChoice:
    """A search that always asks for the lower bound, in place of Optuna's."""

    def ask(self) -> FirstChoice:
        return self

    def suggest_float(self, name: str, low: float, high: float, *, log: bool) -> float:
        return low

    def tell(self, trial: object, value: float) -> None:
        """Learn nothing."""


def test_a_member_of_a_family_of_metrics_is_computed_for_the_search(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = SimpleNamespace(
        logging=SimpleNamespace(set_verbosity=lambda level: None, WARNING=30),
        samplers=SimpleNamespace(TPESampler=lambda seed: None),
        create_study=lambda direction, sampler: FirstChoice(),
    )
    monkeypatch.setitem(sys.modules, "optuna", stand_in)
    monkeypatch.setattr("assay.connections.tuning.find_spec", lambda name: stand_in)
    options = {"problems": "exact-3", "metric": "accurate@0.5", "trials": 1}
    tuned = tune("formula", "guess.py:Guess", ["factor=1.0..2.0"], **options)  # type: ignore[arg-type]
    assert (tuned.metric, tuned.best.value) == ("accurate@0.5", 1.0)


def test_problems_of_a_reported_run_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("optuna", reason="Optuna is not installed: `make connections` runs this test")
    (folder / "answers").mkdir()
    (folder / "answers" / "exact-3.json").write_text('{"models": ["h"]}')
    assay.run("formula", str(folder / "answers"), problems="exact-3", out="results", progress=False)
    with pytest.raises(InvalidInput, match=r"'exact-3': is part of the run in .*results"):
        tune("formula", "guess.py:Guess", ["factor=0.5..1.5"], problems="exact-3", trials=1)
    space = ["tune", "guess.py:Guess", "--track", "formula", "--space", "factor=0.5..1.5", "--trials", "1"]
    with pytest.raises(SystemExit) as ended:
        main([*space, "--problems", "exact-2", "--json"])
    assert ended.value.code in (0, None)
    content = json.loads(capsys.readouterr().out)
    assert (content["goal"], content["metric"]) == ("max", "property_score")
    assert len(content["problems"]) == 1
    with pytest.raises(SystemExit) as ended:
        main([*space, "--problems", "exact-3"])
    assert ended.value.code == 2
    assert "tune on problems of their own" in capsys.readouterr().err
