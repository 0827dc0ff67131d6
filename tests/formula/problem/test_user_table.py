"""A table of one's own as a problem without a truth."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from assay.core import Budget, InvalidInput, digest_folder
from assay.formula import TRACK
from assay.formula.problem.task import load
from assay.formula.problem.user_table import write_table_problem
from assay.formula.subjects.builtin import SUBJECTS
from assay.intake.table.options import TableOptions


def write_table(path: Path, rows: int = 80) -> Path:
    values = np.random.default_rng(0).uniform(0, 10, (rows, 2))
    lines = [f"{number},{a!r},{b!r},{a * b + 1.0!r}" for number, (a, b) in enumerate(values.tolist())]
    path.write_text("\n".join(["id,body mass (kg),speed,energy", *lines]) + "\n")
    return path


def make(folder: Path, **options: Any) -> Any:
    table = write_table(folder / "my data.csv")
    options = {"target": "energy", "ignore": ["id"], **options}
    renamed = write_table_problem(folder / "problem", table, **options)
    return load(folder / "problem"), renamed


def test_rows_are_held_out_and_names_become_words(tmp_path: Path) -> None:
    problem, renamed = make(tmp_path)
    assert renamed == {"body mass (kg)": "body_mass_kg"}
    assert problem.id == "my-data"
    assert problem.task.variables == ("body_mass_kg", "speed")
    (part,) = problem.task.parts
    assert (len(part.target), len(problem.truth.test_target)) == (60, 20)
    both = np.vstack([part.inputs, problem.truth.test_inputs])
    assert len(np.unique(both, axis=0)) == 80
    assert problem.truth.formula is None
    assert problem.truth.property == "own"


def test_the_same_table_gives_the_same_bytes(tmp_path: Path) -> None:
    table = write_table(tmp_path / "t.csv")
    for name in ("a", "b"):
        write_table_problem(tmp_path / name, table, target="energy", seed=3)
    assert digest_folder(tmp_path / "a") == digest_folder(tmp_path / "b")
    write_table_problem(tmp_path / "c", table, target="energy", seed=4)
    assert digest_folder(tmp_path / "a") != digest_folder(tmp_path / "c")


def test_rows_outside_of_the_box_are_for_extrapolation_only(tmp_path: Path) -> None:
    problem, _ = make(tmp_path, box={"speed": (0.0, 7.0)})
    inside = np.concatenate([problem.task.parts[0].inputs[:, 1], problem.truth.test_inputs[:, 1]])
    beyond = problem.truth.extrapolation_inputs[:, 1]
    assert inside.max() <= 7 < beyond.min()
    assert len(inside) + len(beyond) == 80
    assert problem.truth.domain["speed"] == (0.0, 7.0)


def test_a_file_of_test_rows_is_used_as_it_is(tmp_path: Path) -> None:
    table = write_table(tmp_path / "other.csv", rows=7)
    problem, _ = make(tmp_path, test=table)
    assert (len(problem.task.parts[0].target), len(problem.truth.test_target)) == (80, 7)


def test_accuracy_size_and_extrapolation_are_scored_and_nothing_that_needs_a_truth(tmp_path: Path) -> None:
    problem, _ = make(tmp_path, box={"speed": (0.0, 7.0)})
    answer = SUBJECTS["polynomial"]().solve(problem.task, Budget())
    evidence = TRACK.examine(problem, answer, TRACK.settings)
    scores = {metric.name: metric.function(evidence) for metric in TRACK.metrics}
    assert scores["r2"] == pytest.approx(1.0)
    assert scores["extrapolation"] == pytest.approx(1.0)
    assert scores["complexity"] <= 7
    assert scores["property_score"] == pytest.approx(1.0)
    for name in ("rediscovery", "solved", "irrelevant_avoided", "surrogates_avoided", "noise_robustness", "undecided"):
        assert math.isnan(scores[name]), name


def test_european_files_and_workbooks_give_the_bytes_of_plain_ones(tmp_path: Path) -> None:
    plain = pd.read_csv(write_table(tmp_path / "t.csv"))
    (tmp_path / "eu").mkdir()
    (tmp_path / "eu" / "t.csv").write_bytes(plain.to_csv(index=False, sep=";", decimal=",").encode("utf-16"))
    plain.to_excel(tmp_path / "t.xlsx", index=False)
    for number, table in enumerate((tmp_path / "t.csv", tmp_path / "eu" / "t.csv", tmp_path / "t.xlsx")):
        write_table_problem(tmp_path / str(number), table, target="energy")
    assert digest_folder(tmp_path / "0") == digest_folder(tmp_path / "1")
    first, third = (load(tmp_path / name).task.parts[0] for name in "02")
    np.testing.assert_allclose(third.inputs, first.inputs, rtol=1e-14)  # a workbook keeps 16 digits


def test_a_column_of_texts_is_named_with_its_value_and_the_remedy(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("x,city,y\n" + "".join(f"{n}.5,{'Rome' if n % 2 else 'Oslo'},{n * n}.25\n" for n in range(40)))
    flags = TableOptions(syntax="flags")
    for target, remedy in (
        ("y", "or leave it out with --ignore city"),
        ("city", "or name another column with --target"),
    ):
        with pytest.raises(InvalidInput, match=f"column 'city' must hold numbers, found 'Oslo' in row 1. .*{remedy}"):
            write_table_problem(tmp_path / "p", table, target=target, options=flags)
    write_table_problem(tmp_path / "p", table, target="y", options=TableOptions(ignore=("city",)))
    assert load(tmp_path / "p").task.variables == ("x",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "enery"}, "No column named 'enery'. Did you mean 'energy'"),
        ({"ignore": ["nothing"]}, "No column named 'nothing'"),
        ({"ignore": ["id", "speed", "body mass (kg)"]}, "no column is left besides the target"),
        ({"holdout": 1.5}, "must lie between 0 and 1, got 1.5"),
        ({"box": {"speed": (0.0, 50.0)}}, "0 rows lie outside of the box"),
        (
            {"box": {"speed": (-5.0, -1.0)}},
            r"my data\.csv, box speed=-5:-1: 0 rows lie inside of the box; the table has speed in \d",
        ),
        ({"box": {"energy": (0.0, 1.0)}}, "the box bounds inputs, not the target"),
        ({"holdout": 0.999}, "80 rows are too few to fit on some and test on 80"),
    ],
)
def test_what_cannot_be_done_is_named(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make(tmp_path, **options)


def test_a_target_that_is_the_same_in_every_row_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "flat.csv"
    table.write_text("x,y\n" + "".join(f"{n}.5,3\n" for n in range(40)))
    with pytest.raises(InvalidInput, match=r"flat\.csv: the target 'y' is 3 in every training row"):
        write_table_problem(tmp_path / "p", table, target="y")


def test_a_problem_that_is_written_again_keeps_nothing_of_the_one_before(tmp_path: Path) -> None:
    table = write_table(tmp_path / "t.csv")
    write_table_problem(tmp_path / "again", table, target="energy", box={"speed": (0.0, 7.0)})
    for name in ("again", "new"):
        write_table_problem(tmp_path / name, table, target="energy")
    assert load(tmp_path / "again").truth.extrapolation_target is None
    assert digest_folder(tmp_path / "again") == digest_folder(tmp_path / "new")


def test_test_rows_are_read_with_the_decimal_mark_of_the_table(tmp_path: Path) -> None:
    table, test = tmp_path / "table.csv", tmp_path / "test.csv"
    table.write_text("x;y\n" + "".join(f"{n}.100,5;{n}.200,25\n" for n in range(1, 9)))
    test.write_text("x;y\n2.500;5.000\n3.500;7.000\n")
    write_table_problem(tmp_path / "problem", table, target="y", test=test)
    assert load(tmp_path / "problem").truth.test_target.tolist() == [5000.0, 7000.0]
