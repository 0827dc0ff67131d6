"""The folder that an agent gets holds the task and nothing of what is hidden: found out by searching it."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assay.core import InvalidInput
from assay.insight import TRACK, generate, generate_problem, load, write_problem
from assay.insight.problem.handover import hand_over

GOLDEN = Path(os.environ.get("ASSAY_BENCHMARKS", "nowhere")) / "insight" / "problems"


def every_text(folder: Path) -> str:
    return "\n".join(path.read_text() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("kind", ["binary", "multiclass", "regression"])
def test_nothing_hidden_is_in_the_folder(tmp_path: Path, kind: str) -> None:
    folder = generate_problem(tmp_path, seed=4, problem_type=kind, rows=150)  # type: ignore[arg-type]
    problem = load(folder)
    hand_over(folder, tmp_path / "task")
    text = every_text(tmp_path / "task")
    for column, words in zip(problem.truth.columns, problem.truth.descriptions, strict=True):
        assert column not in text
        assert words not in text
    for tag in ("ground_truth", "difficulty", "ceiling", "feature_functions", "enriched", problem.id):
        assert tag not in text
    names = {path.relative_to(tmp_path / "task").as_posix() for path in (tmp_path / "task").rglob("*.*")}
    tables = {f"problem/data/{name}" for name in ("train.csv", "test.csv", *problem.task.tables)}
    assert names == {"problem/problem.json", *tables}


def test_the_test_target_is_in_no_file_of_the_folder(tmp_path: Path) -> None:
    problem = load(generate(tmp_path, seed=2, problem_type="regression", rows=150))
    marked = pd.Series(770_000.5 + np.arange(len(problem.task.test)))  # values that occur nowhere by chance
    truth = replace(problem.truth, test_target=marked)
    write_problem(tmp_path / "marked", id="marked", task=problem.task, truth=truth, tags={})
    assert "770000.5" in every_text(tmp_path / "marked" / "problem")  # the public layout has it beside the task
    hand_over(tmp_path / "marked", tmp_path / "task")
    text = every_text(tmp_path / "task")
    assert not [value for value in marked if str(value) in text]


def test_the_task_can_be_read_back_as_it_was(tmp_path: Path) -> None:
    folder = generate_problem(tmp_path, seed=4, rows=150, domain="health")
    task = load(folder).task
    hand_over(folder, tmp_path / "task")
    data = tmp_path / "task" / "problem" / "data"
    pd.testing.assert_frame_equal(pd.read_csv(data / "train.csv"), task.train)
    pd.testing.assert_frame_equal(pd.read_csv(data / "test.csv"), task.test)
    for name, frame in task.tables.items():
        pd.testing.assert_frame_equal(pd.read_csv(data / name), frame)
    told = json.loads((tmp_path / "task" / "problem" / "problem.json").read_text())
    assert told["target_column"] == task.target_column
    assert told["time_column"] == task.time_column
    assert set(told["tables"]) == set(task.tables)


def test_cells_keep_their_text_whatever_it_is(tmp_path: Path) -> None:
    folder = generate(tmp_path, seed=2, rows=60)
    path = folder / "problem" / "data" / "test.csv"
    rows = list(csv.reader(path.read_text().splitlines()))
    place = rows[0].index("returned")
    rows = [
        [*row[:place], 'a "quoted", cell\nof two lines' if number else "odd", *row[place:]]
        for number, row in enumerate(rows)
    ]
    with path.open("w", newline="", encoding="utf-8-sig") as stream:
        csv.writer(stream).writerows(rows)
    with path.open("a") as stream:
        stream.write("\n\n")
    hand_over(folder, tmp_path / "task")
    with (tmp_path / "task" / "problem" / "data" / "test.csv").open(newline="") as stream:
        assert list(csv.reader(stream)) == [row[: place + 1] + row[place + 2 :] for row in rows]


def test_carriage_returns_stay_within_their_cells(tmp_path: Path) -> None:
    problem = load(generate(tmp_path, seed=2, problem_type="regression", rows=150))
    train, test = (frame.assign(note="one\rtwo") for frame in (problem.task.train, problem.task.test))
    task = replace(problem.task, train=train, test=test)
    write_problem(tmp_path / "noted", id="noted", task=task, truth=problem.truth, tags={})
    assert set(load(tmp_path / "noted").task.train["note"]) == {"one\rtwo"}
    hand_over(tmp_path / "noted", tmp_path / "task")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "task" / "problem" / "data" / "test.csv"), test)


def test_a_test_table_without_the_target_is_copied_as_it_is(tmp_path: Path) -> None:
    folder = generate(tmp_path, seed=2, rows=60)
    path = folder / "problem" / "data" / "test.csv"
    pd.read_csv(path).drop(columns="returned").to_csv(path, index=False)
    hand_over(folder, tmp_path / "task")
    assert (tmp_path / "task" / "problem" / "data" / "test.csv").read_text() == path.read_text()


def test_a_folder_that_is_there_is_not_written_into(tmp_path: Path) -> None:
    folder = generate(tmp_path, seed=2, rows=60)
    with pytest.raises(InvalidInput, match="already exists"):
        hand_over(folder, tmp_path)


def test_the_track_hands_over_this_way() -> None:
    assert TRACK.hand_over is hand_over


@pytest.mark.skipif(not GOLDEN.is_dir(), reason="the golden problems are not here")
def test_golden_problems_are_handed_over_without_labels(tmp_path: Path) -> None:
    for number, folder in enumerate(sorted(GOLDEN.iterdir())[:3]):
        target = tmp_path / str(number)
        hand_over(folder, target)
        problem = load(folder)
        test = pd.read_csv(target / "problem" / "data" / "test.csv")
        assert problem.task.target_column not in test.columns
        assert len(test) == len(problem.task.test)
        assert not any(name in every_text(target) for name in problem.truth.descriptions)
