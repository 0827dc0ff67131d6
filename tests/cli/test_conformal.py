"""The conformal track's own commands, on files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
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


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tasks with named classes in tables; ``new.csv`` again with tasks and classes in another order."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name in ("cal", "new"):
        matrices: dict[str, Any] = {}
        labels: dict[str, Any] = {}
        for task, classes in (("k", "abc"), ("s", "yn")):
            truth = rng.choice(len(classes), 400, p=[0.7, 0.3] if len(classes) == 2 else [0.6, 0.3, 0.1])
            noisy = np.exp(2 * np.eye(len(classes))[truth] + 1.2 * rng.normal(size=(400, len(classes))))
            shares = noisy / noisy.sum(axis=1, keepdims=True)
            matrices |= {f"{task}:{label}": shares[:, place] for place, label in enumerate(classes)}
            labels[task] = np.array(list(classes))[truth]
        pd.DataFrame(matrices).to_csv(f"{name}.csv", index=False)
        pd.DataFrame(matrices)[["s:n", "k:c", "k:a", "s:y", "k:b"]].to_csv(f"{name}_permuted.csv", index=False)
        pd.DataFrame(labels)[["s", "k"]].to_csv(f"{name}_y.csv", index=False)
    return tmp_path


TABLES = ("calibrate", "--probabilities", "cal.csv", "--labels", "cal_y.csv", "--method", "classwise")


def test_classes_of_new_samples_are_matched_by_name_whatever_their_order(tables: Path) -> None:
    bodies = []
    for new in ("new", "new_permuted"):
        call(*TABLES, "--test", f"{new}.csv", "--sets", f"{new}.npz")
        for more in ((), ("--probabilities", "new.csv"), ("--probabilities", "new_permuted.csv")):
            result = call("evaluate", "--sets", f"{new}.npz", "--labels", "new_y.csv", *more, "--json", "-")
            bodies.append({**json.loads(result.stdout), "high_level_accuracy": None, "low_level_accuracy": None})
    assert all(body == bodies[0] for body in bodies[1:])
    assert min(bodies[0]["tasks"][0]["class_coverage"]) > 0.7
    accuracies = [
        json.loads(
            call(
                "evaluate", "--sets", "new.npz", "--labels", "new_y.csv", "--probabilities", file, "--json", "-"
            ).stdout
        )["low_level_accuracy"]
        for file in ("new.csv", "new_permuted.csv")
    ]
    assert accuracies[0] == accuracies[1]


def test_sets_in_json_say_in_which_order_they_count_classes(tables: Path) -> None:
    assert "counts classes" not in call(*TABLES, "--test", "new.csv", "--sets", "sets.json").stderr
    printed = call(*TABLES, "--test", "new_permuted.csv", "--sets", "sets.json").stderr
    assert "counts classes in the order of cal.csv: k: a, b, c; s: y, n" in " ".join(printed.split())


def test_classes_that_were_not_calibrated_are_named(tables: Path) -> None:
    frame = pd.read_csv("new.csv")
    frame.rename(columns={"k:c": "k:zebra"}).to_csv("zebra.csv", index=False)
    fault = r"zebra\.csv, task 'k': has the unknown class zebra and lacks the class c; expected are a, b, c"
    with pytest.raises(InvalidInput, match=fault):
        call(*TABLES, "--test", "zebra.csv", "--sets", "sets.npz")
    frame.assign(**{"k:d": 0.0}).to_csv("four.csv", index=False)
    with pytest.raises(InvalidInput, match=r"four\.csv, task 'k': has the unknown class d; expected"):
        call(*TABLES, "--test", "four.csv", "--sets", "sets.npz")


def test_a_method_that_needs_groups_is_refused_with_what_to_do(folder: Path) -> None:
    with pytest.raises(InvalidInput, match=r"--method mondrian: needs a group per sample.*in Python"):
        call(*CALIBRATE, "--method", "mondrian")
    with pytest.raises(InvalidInput) as unknown:
        call(*CALIBRATE, "--method", "nonsense")
    assert "mondrian" not in str(unknown.value)


def test_missing_labels_are_counted_for_each_task(tables: Path) -> None:
    labels = pd.read_csv("cal_y.csv")
    labels.loc[:17, "k"] = "-1"
    labels.to_csv("cal_y.csv", index=False)
    printed = call(*TABLES).stdout
    assert "400 samples" in printed
    assert ", 382 of 400 labels\n" in printed.splitlines(keepends=True)[1]
    assert "labels" not in printed.splitlines()[2]


def test_notes_and_faults_name_file_and_task(folder: Path) -> None:
    write_npz(folder / "p.npz", {"kind": np.full((300, 2), 0.5), "size": np.full((300, 2), 0.5)})
    write_npz(folder / "y.npz", {"kind": np.zeros(300, dtype=int), "size": np.zeros(300, dtype=int)})
    arguments = ("calibrate", "--probabilities", "p.npz", "--labels", "y.npz")
    assert "Note: task 'kind': too few samples" in call(*arguments, "--alpha", "0.001").stderr
    write_npz(folder / "y.npz", {"kind": np.zeros(300, dtype=int), "size": np.full(300, -1)})
    with pytest.raises(InvalidInput, match="calibration, task 'size': there is no labelled sample"):
        call(*arguments)
    write_npz(folder / "s.npz", {"kind": np.full((300, 2), 0.5), "size": np.ones((300, 2))})
    with pytest.raises(InvalidInput, match=r"s\.npz: sets, task 'kind': must hold booleans"):
        call("evaluate", "--sets", "s.npz", "--labels", "y.npz")
    write_npz(folder / "s.npz", {"kind": np.ones((300, 2)), "size": np.ones((299, 2))})
    with pytest.raises(InvalidInput, match=r"s\.npz: task 'size' has 299 samples, task 'kind' has 300"):
        call("evaluate", "--sets", "s.npz", "--labels", "y.npz")
    write_npz(folder / "s.npz", {"kind": np.ones((300, 3)), "size": np.ones((300, 2))})
    with pytest.raises(InvalidInput, match=r"p\.npz, task 'kind': has 2 classes where 3 are expected"):
        call("evaluate", "--sets", "s.npz", "--labels", "y.npz", "--probabilities", "p.npz")


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
