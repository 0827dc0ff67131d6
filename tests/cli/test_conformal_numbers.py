"""``assay conformal new``, ``evaluate`` and ``generate`` for tasks of numbers, and a run of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import assay
from assay.cli.conformal import app
from assay.conformal import load
from assay.conformal.generate.numbers import draw_numbers
from assay.conformal.panels import panels, truth
from assay.core import InvalidInput, find_problems
from assay.intake.arrays import write_npz


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    sample = draw_numbers("mixed", 300, seed=3)
    price, delay = sample.predictions["price"], sample.predictions["delay"]
    true = sample.truth["price"].copy()
    true[7] = np.nan
    frame = pd.DataFrame({"price": true, "price:predicted": price.predicted, "price:scale": price.scale})
    frame = frame.assign(**{"delay": sample.truth["delay"], "delay:low": delay.low, "delay:high": delay.high})
    frame.assign(remark="x").to_csv("model.csv", index=False)
    write_npz(tmp_path / "kinds.npz", {"kind": sample.probabilities[0]})
    write_npz(tmp_path / "kinds_y.npz", {"kind": sample.labels[0]})
    frame[["delay", "delay:low", "delay:high"]].to_csv("intervals.csv", index=False)
    return tmp_path


def test_a_table_of_numbers_becomes_a_problem(folder: Path) -> None:
    result = call("new", "--numbers", "model.csv", "--out", "mine", "--alpha", "0.2")
    assert result.exit_code == 0
    assert "mean absolute error of price" in result.output
    problem = load(folder / "mine")
    assert [entry.name for entry in problem.task.numbers] == ["price", "delay"]
    assert sorted(problem.task.numbers[1].test.parts) == ["high", "low", "predicted"]
    frame = pd.read_csv("model.csv")
    names = {*np.round(frame["price"].dropna(), 9)}
    known, hidden = problem.task.numbers[0].truth, problem.truth.numbers[0]
    assert (len(known), len(hidden)) == (150, 150)
    assert {*np.round(known[~np.isnan(known)], 9), *np.round(hidden[~np.isnan(hidden)], 9)} == names


def test_classes_and_numbers_of_the_same_samples_become_one_problem(folder: Path) -> None:
    probabilities = ("--probabilities", "kinds.npz", "--labels", "kinds_y.npz")
    result = call("new", *probabilities, "--numbers", "model.csv", "--guarantee", "joint", "--out", "both")
    assert result.exit_code == 0
    task = load(folder / "both").task
    assert repr(task).startswith("ConformalTask(1 task of 5 classes, 2 tasks of numbers, 150 calibration")
    frame = pd.read_csv("model.csv")
    with np.load("kinds.npz") as stored:
        rows = [np.flatnonzero((stored["kind"] == row).all(axis=1))[0] for row in task.test_probabilities[0]]
    np.testing.assert_allclose(task.numbers[0].test.predicted, frame["price:predicted"].to_numpy()[rows])
    pd.read_csv("model.csv").head(50).to_csv("short.csv", index=False)
    with pytest.raises(InvalidInput, match="50 samples, the probabilities have 300"):
        call("new", *probabilities, "--numbers", "short.csv", "--out", "other")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"price": [1.0, 2.0]}, "there is no predicted number. Name the columns price:predicted"),
        ({"price:predicted": [1.0, 2.0]}, "column 'price' with the true numbers of 'price' is missing"),
        ({"price": [1, 2], "price:predicted": ["a", "b"]}, "column 'price:predicted' must hold numbers, found 'a'"),
        ({"price": [1, 2], "price:low": [1, 2]}, "low and high belong together"),
    ],
)
def test_tables_without_what_is_needed_are_refused(
    columns: dict[str, list[object]], message: str, folder: Path
) -> None:
    pd.DataFrame(columns).to_csv("wrong.csv", index=False)
    with pytest.raises(InvalidInput, match=message):
        call("new", "--numbers", "wrong.csv", "--out", "wrong")
    assert not (folder / "wrong").exists()


def test_intervals_are_judged_alone_and_beside_sets(folder: Path) -> None:
    result = call(
        "evaluate", "--intervals", "intervals.csv", "--known", "model.csv", "--alpha", "0.2", "--json", "o.json"
    )
    assert result.exit_code == 0
    body = json.loads((folder / "o.json").read_text())
    frame = pd.read_csv("intervals.csv")
    hits = (frame["delay:low"] <= frame["delay"]) & (frame["delay"] <= frame["delay:high"])
    width = (frame["delay:high"] - frame["delay:low"]).mean()
    ordered = np.sort(frame["delay"])
    whole = ordered[int(np.ceil(301 * 0.9)) - 1] - ordered[int(np.floor(301 * 0.1)) - 1]
    (row,) = body["tasks"]
    assert (row["coverage"][0], row["width"]) == pytest.approx((hits.mean(), width))
    assert body["relative_width"] == pytest.approx(width / whole)
    assert f"relative width, mean of tasks  {width / whole:.4f}" in result.stdout

    with np.load("kinds.npz") as stored, np.load("kinds_y.npz") as right:
        sets, labels = stored["kind"] > 0.1, right["kind"]
    write_npz(folder / "sets.npz", {"kind": sets})
    both = ("--sets", "sets.npz", "--labels", "kinds_y.npz", "--intervals", "intervals.csv", "--json", "b.json")
    result = call("evaluate", *both)
    assert result.exit_code == 0
    body = json.loads((folder / "b.json").read_text())
    together = hits.to_numpy() & sets[np.arange(300), labels]
    assert body["intervals"]["joint_coverage"][0] == pytest.approx(together.mean())
    assert body["coverage"]["joint"][0] == pytest.approx(sets[np.arange(300), labels].mean())
    assert "sets and intervals" in result.stdout


def test_an_empty_cell_is_no_bound_and_arrays_may_hold_both(folder: Path) -> None:
    frame = pd.read_csv("intervals.csv")
    frame.loc[0, "delay:high"] = np.nan
    frame.to_csv("open.csv", index=False)
    assert call("evaluate", "--intervals", "open.csv", "--json", "o.json").exit_code == 0
    assert json.loads((folder / "o.json").read_text())["tasks"][0]["unbounded"] == 1
    write_npz(folder / "pairs.npz", {"delay": frame[["delay:low", "delay:low"]].to_numpy()})
    result = call("evaluate", "--intervals", "pairs.npz", "--numbers", "model.csv", "--json", "o.json")
    assert result.exit_code == 0
    assert json.loads((folder / "o.json").read_text())["tasks"][0]["width"] == 0.0
    with pytest.raises(InvalidInput, match="the truth of 'delay' is missing: give --numbers FILE"):
        call("evaluate", "--intervals", "pairs.npz")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give --sets with --labels, or --intervals"),
        (("--sets", "sets.npz"), "give --sets with --labels"),
        (("--intervals", "intervals.csv", "--known", "model.csv"), "give --alpha as well"),
        (("--intervals", "kinds_y.npz"), "there is no interval. Name the columns price:low"),
    ],
)
def test_what_cannot_be_judged_is_refused_with_the_flag(arguments: tuple[str, ...], message: str, folder: Path) -> None:
    with pytest.raises(InvalidInput, match=message):
        call("evaluate", *arguments)


def test_fresh_problems_of_a_family_are_generated_and_ranked_by_their_width(folder: Path) -> None:
    fresh = ("--problems", "2", "--seed", "4", "--calibration", "100", "--test", "60")
    result = call("generate", "--out", "fresh", "--family", "regression", "--family", "mixed", *fresh)
    assert result.exit_code == 0
    paths = find_problems(folder / "fresh")
    assert [load(path).tags["kind"] for path in paths] == ["numbers", "mixed"]
    with pytest.raises(InvalidInput, match="--family is for fresh problems: say how many with --problems N"):
        call("generate", "--out", "other", "--family", "mixed")
    results = assay.run("conformal", ["split", "taskwise"], problems="fresh")
    board = results.leaderboard()
    assert board.headline == "relative_width"
    assert [row.subject for row in board.rows] == ["split", "taskwise"]
    assert board.rows[-1].metrics["relative_width"].lost_as_floor.value == 1.0
    assert {row.metrics["relative_size"].problems for row in board.rows} == {1}
    assert 0.0 < board.rows[0].metrics["relative_width"].mean.value < 1.0
    sample = panels(results.tracks[0].records)
    assert {"Coverage against what was promised", "Widths of intervals"} <= {panel.title for panel in sample}
    assert truth(results.tracks[0].records[0]).startswith("Classes and numbers must be covered with probability 0.9")
