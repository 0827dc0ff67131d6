"""Tables of PMLB as problems: read as they are, split as SRBench splits, its published results beside ours."""

from __future__ import annotations

import gzip
import json
import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from assay.cli.formula import app
from assay.core import InvalidInput, Record, UnknownName
from assay.formula import load
from assay.formula.competition.data import read_data_sets
from assay.formula.competition.published import beside_published, read_published
from assay.formula.problem.pmlb import data_columns, srbench_split, table_files, write_pmlb_problems
from assay.harness import RunSpec, run
from assay.report import load as load_results

ROWS = np.random.default_rng(3).normal(size=(60, 3)) @ np.array([[1.0, 0.5, 2.0], [0, 3.0, 1.0], [0, 0, 1.0]])


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """The layout of the repository: a folder per data set."""
    folder = tmp_path / "pmlb"
    (folder / "1_small").mkdir(parents=True)
    text = "mean.hr\tx2\ttarget\n" + "\n".join("\t".join(map(repr, row)) for row in ROWS.tolist()) + "\n"
    with gzip.open(folder / "1_small" / "1_small.tsv.gz", "wt") as stream:
        stream.write(text)
    (folder / "1_small" / "metadata.yaml").write_text("dataset: 1_small\n")
    (folder / "2_plain.tsv").write_text(text)
    return folder


def test_tables_are_found_in_both_layouts_with_their_columns_in_order(tables: Path) -> None:
    assert list(table_files(tables)) == ["1_small", "2_plain"]
    assert data_columns(tables) == {"1_small": ("mean.hr", "x2"), "2_plain": ("mean.hr", "x2")}
    (tables / "1_small.csv").write_text("a,target\n1,2\n")
    with pytest.raises(InvalidInput, match="are both the data set '1_small'; keep one"):
        table_files(tables)


def test_the_split_and_the_scaling_are_those_of_srbench(tables: Path, tmp_path: Path) -> None:
    write_pmlb_problems(tmp_path / "out", tables, datasets=["1_small"], splits=2)
    for seed in (23654, 15795):
        problem = load(tmp_path / "out" / f"1_small-{seed}")
        train, test = train_test_split(ROWS, train_size=0.75, test_size=0.25, random_state=seed)
        scaler = StandardScaler().fit(train)
        part = problem.task.parts[0]
        np.testing.assert_allclose(np.column_stack([part.inputs, part.target]), scaler.transform(train), atol=1e-12)
        test_rows = np.column_stack([problem.truth.test_inputs, problem.truth.test_target])
        np.testing.assert_allclose(test_rows, scaler.transform(test), atol=1e-12)
        assert problem.task.variables == ("mean_hr", "x2")
    write_pmlb_problems(tmp_path / "raw", tables, datasets=["2_plain"], standardise=False)
    np.testing.assert_array_equal(
        load(tmp_path / "raw" / "2_plain-23654").truth.test_target,
        train_test_split(ROWS, train_size=0.75, test_size=0.25, random_state=23654)[1][:, -1],
    )


def test_large_tables_are_fitted_on_ten_thousand_rows() -> None:
    split = srbench_split(np.arange(20_002.0).reshape(-1, 1), 860)
    assert (len(split.train), len(split.test)) == (10_000, 5001)
    assert len(np.unique(split.train)) < 10_000  # drawn with replacement, as SRBench does
    assert not set(split.train[:, 0]) & set(split.test[:, 0])


def test_medians_stand_beside_the_published_ones(tables: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["generate", "--pmlb", str(tables), "--splits", "3", "--out", str(tmp_path / "p")])
    assert result.exit_code == 0, result.output
    run(
        [RunSpec(track="formula", problems=(str(tmp_path / "p"),), subjects=("linear",))], out=tmp_path / "r", workers=1
    )
    table = tmp_path / "published.csv.gz"
    with gzip.open(table, "wt") as stream:
        stream.write("algorithm,dataset,r2_test,model_size,training time (s)\nLinear,1_small,0.5,2,0.1\n")
        stream.write("*Operon,1_small,0.7,20,9\n")
    scores = []
    for seed in (23654, 15795, 860):
        train, test = train_test_split(ROWS, train_size=0.75, test_size=0.25, random_state=seed)
        scores.append(r2_score(test[:, -1], LinearRegression().fit(train[:, :-1], train[:, -1]).predict(test[:, :-1])))
    result = CliRunner().invoke(app, ["published", str(tmp_path / "r"), "--table", str(table), "--json"])
    first, second = json.loads(result.stdout)
    assert (first["dataset"], first["algorithm"], first["splits"]) == ("1_small", "Linear", 3)
    assert first["ours"]["r2"] == pytest.approx(np.median(scores), abs=1e-9)
    assert second["published"]["r2"] is None  # never published, never made up
    text = CliRunner().invoke(app, ["published", str(tmp_path / "r"), "--table", str(table)]).stdout
    assert f"{np.median(scores) - 0.5:+.3f}" in text
    assert "linear and Linear, 1 data sets" in text
    places = CliRunner().invoke(app, ["published", str(tmp_path / "r"), "--table", str(table), "--standing", "--json"])
    assert {one["name"]: one["r2_place"] for one in json.loads(places.stdout)}["linear"] >= 1
    text = CliRunner().invoke(app, ["published", str(tmp_path / "r"), "--table", str(table), "--standing"]).stdout
    assert "> linear" in text
    records = load_results(tmp_path / "r").records
    paired = beside_published(records, read_published(table), pairs={"linear": "*Operon"})
    assert paired[0].published.r2 == 0.7
    with pytest.raises(UnknownName, match="published algorithm"):
        beside_published(records, read_published(table), pairs={"linear": "Operon"})


def test_mistakes_are_named(tables: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"No data set named '1_smal'. Did you mean '1_small'"):
        write_pmlb_problems(tmp_path / "out", tables, datasets=["1_smal"])
    for arguments in (["--splits", "2"], ["--dataset", "a"], ["--pmlb", str(tables), "--rows", "5"]):
        result = CliRunner().invoke(app, ["generate", "--out", str(tmp_path / "out"), *arguments])
        assert isinstance(result.exception, InvalidInput)
        assert "--pmlb" in str(result.exception)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InvalidInput, match=r"has no column 'algorithm'. Give SRBench's blackbox_results.csv"):
        read_published(tmp_path / "other.csv")
    with pytest.raises(InvalidInput, match="no results on tables of PMLB here"):
        beside_published([], {})


def test_models_are_judged_on_packed_tables_too(tables: Path) -> None:
    first, second = read_data_sets(tables)
    assert (first.name, first.models, first.variables) == ("1_small", "1_small", ("mean.hr", "x2"))
    np.testing.assert_array_equal(first.target, ROWS[:, -1])
    np.testing.assert_array_equal(second.inputs, ROWS[:, :-1])


def test_a_header_is_read_as_csv_without_its_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"speed, mean",mass,target\n1,2,3\n', encoding="utf-8-sig")
    with gzip.open(tmp_path / "b.tsv.gz", "wt", encoding="utf-8-sig") as stream:
        stream.write("größe\tmass\ttarget\n1\t2\t3\n")
    assert data_columns(tmp_path) == {"a": ("speed, mean", "mass"), "b": ("größe", "mass")}
    table = tmp_path / "published.csv"
    table.write_text("algorithm,dataset,r2_test,model_size\nLinear,a,0.5,2\n", encoding="utf-8-sig")
    assert read_published(table)["Linear", "a"].r2 == 0.5


def test_a_median_over_splits_does_not_depend_on_the_place_of_an_undefined_one() -> None:
    for qualities in permutations((math.nan, 0.2, 0.6)):
        records = [
            Record(
                key=str(place),
                answer_key=str(place),
                track="formula",
                problem=f"a-{place}",
                problem_digest="",
                subject_digest="",
                subject="linear",
                seed=0,
                status="ok",
                scores={"r2": quality, "complexity": 3.0},
                tags={"origin": "pmlb", "dataset": "a"},
            )
            for place, quality in enumerate(qualities)
        ]
        (row,) = beside_published(records, {})
        assert row.ours.r2 == 0.2  # what is undefined counts as the worst
