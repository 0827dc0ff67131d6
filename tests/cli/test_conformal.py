"""The conformal track's own commands, on files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from assay.cli.conformal import app
from assay.conformal import Calibration, coverage, efficiency
from assay.conformal.generate import draw
from assay.conformal.metrics import weighted_efficiency
from assay.core import InvalidInput
from assay.intake.arrays import write_npz


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    data = draw("correlated", 600, seed=5)
    for name, rows in (("cal", slice(0, 300)), ("new", slice(300, 600))):
        write_npz(tmp_path / f"{name}.npz", {f"probabilities_{t}": p[rows] for t, p in enumerate(data.probabilities)})
        write_npz(tmp_path / f"{name}_y.npz", {f"labels_{t}": y[rows] for t, y in enumerate(data.labels)})
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


CALIBRATE = ("calibrate", "--probabilities", "cal.npz", "--labels", "cal_y.npz")
EVALUATE = ("evaluate", "--sets", "sets.npz", "--labels", "new_y.npz")


def make_sets(*more: str) -> Result:
    return call(*CALIBRATE, "--test", "new.npz", "--sets", "sets.npz", *more)


def test_calibrate_says_what_each_of_the_given_samples_is_for(folder: Path) -> None:
    assert "taskwise coverage of 0.9, 300 samples\n" in call(*CALIBRATE).stdout
    joint = call(*CALIBRATE, "--method", "joint").stdout
    assert "joint coverage of 0.9, 179 of 300 samples calibrate, 121 fit the joint model\n" in joint
    assert (
        "240 of 300 samples calibrate, 60 choose the method\n" in call(*CALIBRATE, "--method", "joint-threshold").stdout
    )
    with np.load("cal_y.npz") as known:
        labels = {name: known[name].copy() for name in known.files}
    labels["labels_0"][:30] = -1
    write_npz(folder / "cal_y.npz", labels)
    gaps = call(*CALIBRATE, "--method", "bonferroni").stdout + call(*CALIBRATE, "--method", "max-rank").stdout
    assert "270 of 300 samples calibrate, 30 without a label" in gaps


def test_calibrate_then_evaluate(folder: Path) -> None:
    result = make_sets("--method", "joint", "--out", "calibration.json")
    assert result.exit_code == 0
    assert "which chose" in result.stdout
    assert "joint coverage of 0.9" in result.stdout
    assert Calibration.load(folder / "calibration.json").method == "joint"
    result = call(*EVALUATE, "--alpha", "0.1", "--json", "out.json")
    assert result.exit_code == 0
    assert "coverage, all tasks at once" in result.stdout
    body = json.loads((folder / "out.json").read_text())
    with np.load(folder / "sets.npz") as stored, np.load(folder / "new_y.npz") as truth:
        sets = [stored[str(t)] for t in range(3)]
        labels = [truth[f"labels_{t}"] for t in range(3)]
    assert body["coverage"]["joint"][0] == coverage(sets, labels, overall="joint") > 0.84
    assert body["efficiency"]["joint"] == efficiency(sets, overall="joint")
    assert body["weighted_efficiency"] == pytest.approx(weighted_efficiency(sets, [8, 4, 3]))


@pytest.mark.parametrize("weights", ["classes", "difficulty", "data", "confidence", "weights.json"])
def test_every_weighting_works(folder: Path, weights: str) -> None:
    make_sets()
    (folder / "weights.json").write_text("[1, 2, 3]")
    result = call(*EVALUATE, "--probabilities", "new.npz", "--weights", weights, "--json", "-")
    body = json.loads(result.stdout)
    assert sum(body["weights"]["values"]) == pytest.approx(1)
    assert len(body["low_level_accuracy"]) == 3


def test_tasks_are_matched_by_name_whatever_their_order(folder: Path) -> None:
    make_sets()
    bodies = []
    with np.load(folder / "sets.npz") as s, np.load(folder / "new.npz") as p, np.load(folder / "new_y.npz") as y:
        names = ("kind", "size", "colour")
        for order in ((0, 1, 2), (2, 0, 1)):
            write_npz(folder / "s.npz", {names[t]: s[str(t)] for t in (0, 1, 2)})
            write_npz(folder / "p.npz", {names[t]: p[f"probabilities_{t}"] for t in order})
            write_npz(folder / "y.npz", {names[t]: y[f"labels_{t}"] for t in order})
            files = ("--sets", "s.npz", "--labels", "y.npz", "--probabilities", "p.npz", "--weights", "difficulty")
            bodies.append(json.loads(call("evaluate", *files, "--json", "-").stdout))
    assert bodies[0] == bodies[1]
    assert [task["name"] for task in bodies[0]["tasks"]] == list(names)


def test_logits_are_softmaxed_with_a_message(folder: Path) -> None:
    with np.load(folder / "cal.npz") as stored:
        write_npz(folder / "logits.npz", {name: np.log(stored[name] + 1e-9) for name in stored.files})
    arguments = ("calibrate", "--probabilities", "logits.npz", "--labels", "cal_y.npz")
    with pytest.raises(InvalidInput, match="look like logits"):
        call(*arguments)
    assert "softmaxed, as asked" in call(*arguments, "--logits").stderr


def test_notes_of_a_calibration_are_shown(folder: Path) -> None:
    assert "too few samples for a finite threshold" in call(*CALIBRATE, "--alpha", "0.001").stderr
    (folder / "w.json").write_text("[1, 1, 2]")
    assert "weighted-bonferroni" in call(*CALIBRATE, "--method", "weighted-bonferroni", "--weights", "w.json").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*EVALUATE, "--weights", "difficulty"), "give --probabilities FILE"),
        ((*EVALUATE, "--weights", "clases"), "Did you mean 'classes'"),
        ((*EVALUATE, "--weights", "absent.json"), "absent.json: file not found"),
        ((*EVALUATE, "--weights", "bad.json"), "one number per task"),
        ((*EVALUATE, "--weights", "broken.json"), "not valid JSON"),
        ((*EVALUATE, "--alpha", "1"), "strictly between"),
        ((*EVALUATE, "--classes", "a,b"), "whole numbers with commas"),
        (("evaluate", "--sets", "absent.npz", "--labels", "new_y.npz"), "file not found"),
        (
            ("evaluate", "--sets", "sets.npz", "--labels", "bad_y.npz"),
            "bad_y.npz, task '0': 8 .* outside the 8 classes",
        ),
        (("evaluate", "--sets", "sets.npz", "--labels", "other_y.npz"), "a, b, c; expected are 0, 1, 2.* --task a=0"),
        ((*EVALUATE, "--task", "kind"), "write NAME=TASK"),
        ((*CALIBRATE, "--test", "new.npz"), "--test and --sets belong together"),
        ((*CALIBRATE, "--method", "jont"), "Did you mean 'joint'"),
        ((*CALIBRATE, "--score", "hing"), "Did you mean 'hinge'"),
        ((*CALIBRATE, "--test", "other.npz", "--sets", "o.npz"), "holds the tasks kind"),
    ],
)
def test_mistakes_are_named(folder: Path, arguments: Any, message: str) -> None:
    make_sets()
    (folder / "bad.json").write_text('{"a": 1}')
    (folder / "broken.json").write_text("[")
    write_npz(folder / "bad_y.npz", {f"labels_{t}": np.full(300, 8) for t in range(3)})
    write_npz(folder / "other_y.npz", {name: np.zeros(300, dtype=int) for name in "abc"})
    np.savez(folder / "other.npz", kind=np.full((3, 2), 0.5))
    with pytest.raises(InvalidInput, match=message):
        call(*arguments)


@pytest.mark.parametrize("ending", ["npz", "json"])
def test_sets_of_combinations_are_written_and_judged(folder: Path, ending: str) -> None:
    file = f"combinations.{ending}"
    built = ("--method", "joint-combinations", "--test", "new.npz", "--sets", file)
    result = call(*CALIBRATE, *built)
    assert "level" in result.stdout
    content = call("evaluate", "--sets", file, "--labels", "new_y.npz", "--probabilities", "new.npz", "--alpha", "0.1")
    assert "size, sets of combinations" in content.stdout
    body = json.loads(
        call("evaluate", "--sets", file, "--labels", "new_y.npz", "--classes", "8,4,3", "--json", "-").stdout
    )
    assert body["format"] == "combinations"
    assert body["coverage"]["joint"][0] > 0.84
    assert body["relative_size"]["joint"] == pytest.approx(body["efficiency"]["joint"] / 96)
    assert body["efficiency"]["joint"] < 96


def test_damaged_files_of_combinations_are_named(folder: Path) -> None:
    write_npz(folder / "c.npz", {"combinations": np.zeros((1, 3), dtype=int)})
    with pytest.raises(InvalidInput, match="missing: sizes, classes"):
        call("evaluate", "--sets", "c.npz", "--labels", "new_y.npz")
    sizes, classes = np.array([1, 1]), np.array([8, 4, 3])
    write_npz(folder / "c.npz", {"combinations": np.zeros((1, 3), dtype=int), "sizes": sizes, "classes": classes})
    with pytest.raises(InvalidInput, match="how many of the 1 combinations"):
        call("evaluate", "--sets", "c.npz", "--labels", "new_y.npz")
    (folder / "c.json").write_text('{"combinations": [[[0, 0, 0]]]}')
    with pytest.raises(InvalidInput, match="Give --classes"):
        call("evaluate", "--sets", "c.json", "--labels", "new_y.npz")
