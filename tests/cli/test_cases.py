"""The cases track from tables, on the command line."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from assay.cases.generate.classifiers import make_classifier
from assay.cases.problem.from_table import problem_from_table
from assay.cases.subjects.builtin import Detector
from assay.cli.cases import app
from assay.core import Budget

Assay = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def tables(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    kind = np.repeat(["ant", "bee"], 45)
    frame = pd.DataFrame(
        {
            "id": range(90),
            "size": np.where(kind == "ant", 0.0, 2.0) + rng.normal(size=90),
            "colour": np.where(rng.uniform(size=90) < 0.8, np.where(kind == "ant", "black", "yellow"), "brown"),
            "secret": rng.normal(loc=98765.4321, size=90),
            "kind": kind,
        }
    ).sample(frac=1, random_state=0)
    frame.loc[frame.index[:5], "size"] = None
    frame.iloc[:60].to_csv(tmp_path / "train.csv", index=False)
    frame.iloc[60:].to_csv(tmp_path / "query.csv", index=False)
    frame.iloc[60:].drop(columns="kind").assign(said="bee").to_csv(tmp_path / "unlabelled.csv", index=False)


TABLE = ("--train", "train.csv", "--label", "kind", "--ignore", "id")


def test_explain_prints_explanations_and_writes_every_format(tables: None, assay: Assay, tmp_path: Path) -> None:
    files = ("--json", "e.json", "--csv", "e.csv", "--html", "e.html", "--plot", "e.png")
    result = assay("cases", "explain", *TABLE, "--query", "query.csv", "--private", "secret", "--show", "2", *files)
    assert result.stdout.count("Prediction: ") == 2
    assert "agreement" in result.stdout
    assert len(json.loads((tmp_path / "e.json").read_text())) == len(pd.read_csv(tmp_path / "e.csv")) == 30
    assert (tmp_path / "e.png").read_bytes()[:4] == b"\x89PNG"
    everything = result.stdout + "".join((tmp_path / f"e.{kind}").read_text() for kind in ("json", "csv", "html"))
    assert "9876" not in everything  # the private column's values
    assert "<script" not in everything


def test_explain_takes_ready_predictions_without_labels(tables: None, assay: Assay) -> None:
    arguments = (*TABLE, "--query", "unlabelled.csv", "--predictions", "said", "--json", "-")
    records = json.loads(assay("cases", "explain", *arguments).stdout)
    assert {record["predicted"] for record in records} == {"bee"}
    assert "true" not in records[0]


def test_explain_compares_around_gaps_in_numbers_and_says_so(tables: None, assay: Assay) -> None:
    ignored = ("--ignore", "colour")
    result = assay("cases", "explain", *TABLE, *ignored, "--query", "query.csv", "--show", "0")
    assert "Some numbers are missing" in result.stderr
    assert "30 predictions" in result.stdout


def test_ids_and_dates_of_a_european_table_are_left_out_and_told(
    tables: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("train", "query"):
        table = pd.read_csv(f"{name}.csv").drop(columns="secret").dropna()
        table.insert(1, "day", pd.date_range("2024-01-01", periods=len(table)).strftime("%d.%m.%Y"))
        table.to_csv(f"{name}.csv", index=False)
        table.to_csv(f"{name}-eu.csv", index=False, sep=";", decimal=",")
    ends = ("--classifier", "tree", "--show", "1", "--label", "kind")
    entries = {}
    for end in (".csv", "-eu.csv"):
        files = ("--train", f"train{end}", "--query", f"query{end}")
        result = CliRunner().invoke(app, ["explain", *files, *ends], catch_exceptions=False)
        assert f"train{end}, " in result.stderr
        assert "rows: label kind; numbers: size; categories: colour" in result.stderr
        assert "Left out: id (identifier: " in result.stderr
        assert "Left out: day (date: times such as '01.01.2024'). Use it with --keep day." in result.stderr
        entries[end] = result.stdout
        assert "day" not in result.stdout
        stored = CliRunner().invoke(app, ["explain", *files, *ends, "--keep", "day"], catch_exceptions=False)
        assert "day" in stored.stdout
    assert entries[".csv"] == entries["-eu.csv"]


SHORT = ("--label", "kind", "--classifier", "tree")


def explain(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["explain", "--train", "train.csv", *SHORT, *arguments], catch_exceptions=False)


def test_queries_that_are_training_rows_are_warned_about_everywhere(
    tables: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = "60 of 60 queries are training rows"
    seen = explain("--query", "train.csv", "--show", "0", "--html", "seen.html", "--json", "seen.json")
    assert words in seen.stdout
    assert words in Path("seen.html").read_text()
    assert all(record["identical"] for record in json.loads(Path("seen.json").read_text()))
    printed = explain("--query", "train.csv", "--json", "-")
    assert words in " ".join(printed.stderr.split())
    assert words not in printed.stdout
    new = explain("--query", "query.csv", "--show", "0", "--html", "new.html", "--json", "new.json")
    assert "are training rows" not in new.stdout + Path("new.html").read_text()
    assert not any(record["identical"] for record in json.loads(Path("new.json").read_text()))


def test_the_detectors_score_of_each_query_is_the_one_that_is_evaluated_and_orders_the_page(
    tables: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = explain("--query", "query.csv", "--score", "detector", "--show", "1", "--csv", "e.csv", "--html", "e.html")
    table, queries = pd.read_csv("e.csv"), pd.read_csv("query.csv")
    assert table["identifier"].tolist() == queries["id"].tolist()
    train = pd.read_csv("train.csv").drop(columns="id")
    model = make_classifier("tree", train.drop(columns="kind"))
    task, _ = problem_from_table(train, queries.drop(columns="id"), label="kind", model=model)
    assert task.predicted.tolist() == table["predicted"].tolist()
    np.testing.assert_allclose(table["detector"], Detector().solve(task, Budget()).scores, atol=1e-12)
    ordered = table.sort_values("detector", kind="stable")
    page = re.findall(r"Query (\d+) \((\d+)\): ([\d.]+)% likely right", Path("e.html").read_text())
    assert [(int(row), int(name)) for row, name, _ in page] == list(
        zip(ordered.index, ordered["identifier"], strict=True)
    )
    assert f"Query 0 ({queries['id'][0]}): {table['detector'][0]:.1%} likely right, by the detector" in result.stdout
    assert "mean detector" in result.stdout
    schema = json.loads(CliRunner().invoke(app, ["schema"]).output)
    records = explain("--query", "query.csv", "--score", "detector", "--json", "-")
    pytest.importorskip("jsonschema").validate(json.loads(records.stdout), schema)


def test_the_column_that_names_a_query_is_chosen_and_never_a_private_one(
    tables: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    explain("--query", "query.csv", "--id", "colour", "--show", "0", "--csv", "e.csv")
    assert pd.read_csv("e.csv")["identifier"].tolist() == pd.read_csv("query.csv")["colour"].tolist()
    for more, words in ((("--id", "colou"), "Did you mean 'colour'"), (("--id", "secret"), "is --private")):
        arguments = ["explain", "--train", "train.csv", *SHORT, "--query", "query.csv", "--private", "secret", *more]
        assert words in str(CliRunner().invoke(app, arguments).exception)


@pytest.mark.soak
def test_evaluate_cross_validates_and_resumes(tables: None, assay: Assay, tmp_path: Path) -> None:
    arguments = ("cases", "evaluate", *TABLE, "--classifier", "tree", "--folds", "3", "--out", "study")
    subjects = ("--subject", "vote", "--subject", "oracle")
    first = json.loads(assay(*arguments, *subjects, "--json").stdout)["tracks"][0]
    assert first["finished"] == 6
    assert first["leaderboard"][0]["subject"] == "oracle"
    again = assay(*arguments, *subjects)
    assert "6 cells: 0 solved, 6 from the store" in again.stderr


@pytest.mark.soak
def test_evaluating_with_fewer_folds_leaves_no_older_fold_to_be_scored(tables: None, assay: Assay) -> None:
    arguments = ("cases", "evaluate", *TABLE, "--classifier", "tree", "--subject", "oracle", "--out", "study", "--json")
    for folds in (4, 2):
        (track,) = json.loads(assay(*arguments, "--folds", str(folds)).stdout)["tracks"]
        assert track["planned"] == track["finished"] == folds


def test_evaluate_on_held_out_rows(tables: None, assay: Assay) -> None:
    arguments = ("cases", "evaluate", *TABLE, "--query", "query.csv", "--classifier", "naive-bayes", "--out", "study")
    result = assay(*arguments, "--subject", "max-probability", "--fail-under", "auroc=1.1", code=1)
    assert "Missed --fail-under: max-probability" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "--train", "absent.csv", "--label", "kind", "--query", "query.csv"], "absent.csv: file not found"),
        (["explain", "--train", "train.csv", "--label", "kin", "--query", "query.csv"], "Did you mean 'kind'"),
        (["explain", *TABLE, "--query", "query.csv", "--predictions", "said"], "no column 'said'"),
        (["explain", *TABLE, "--query", "query.csv", "--classifier", "forrest"], "Did you mean 'forest'"),
        (["explain", *TABLE, "--query", "query.csv", "--metric", "gowr"], "gowr"),
        (["explain", *TABLE, "--query", "query.csv", "--private", "secrt"], "secrt"),
        (["evaluate", *TABLE, "--folds", "50", "--out", "o"], "too few for 50 folds"),
        (["evaluate", *TABLE, "--subject", "vot", "--out", "o"], "Did you mean 'vote'"),
        (["evaluate", *TABLE, "--classifier", "tre", "--out", "o"], "Did you mean 'tree'"),
        (["evaluate", "--train", "train.csv", "--label", "kin", "--out", "o"], "Did you mean 'kind'"),
        (["evaluate", *TABLE, "--ignore", "idd", "--out", "o"], "Did you mean 'id'"),
    ],
)
def test_mistakes_are_named(tables: None, assay: Assay, tmp_path: Path, arguments: list[str], message: str) -> None:
    result = assay("cases", *arguments, code=2)
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "o").exists()


def test_explain_shows_names_beside_numeric_classes_and_units_and_its_json_has_a_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    size = np.r_[np.linspace(1.0, 2.0, 20), np.linspace(4.0, 5.0, 20)]
    frame = pd.DataFrame({"size": size, "age": np.arange(40.0) % 7 + 0.5, "kind": np.repeat([0, 1], 20)})
    frame.to_csv("train.csv", index=False)
    frame.iloc[::8].assign(size=lambda rows: rows["size"] + 0.01).to_csv("query.csv", index=False)
    table = ["explain", "--train", "train.csv", "--label", "kind", "--query", "query.csv", "--classifier", "tree"]
    shown = [
        "--class-name",
        "0=ant",
        "--class-name",
        "1=bee",
        "--unit",
        "size=mm",
        "--html",
        "e.html",
        "--json",
        "e.json",
    ]
    result = CliRunner().invoke(app, [*table, *shown, "--show", "1"], catch_exceptions=False)
    assert "Prediction: ant (0), right: the true class is ant (0)" in result.output
    page = Path("e.html").read_text()
    assert " mm" in page
    assert page.count('<div class="card ') == 4
    schema = json.loads(CliRunner().invoke(app, ["schema"]).output)
    row = json.loads(Path("e.json").read_text())[0]
    assert set(schema["items"]["required"]) <= set(row)
    for wrong, message in (("--class-name=ant", "give CLASS=NAME"), ("--class-name=7=ant", "No class named '7'")):
        refused = CliRunner().invoke(app, [*table, wrong])
        assert message in str(refused.exception)
    assert "No feature named 'sise'" in str(CliRunner().invoke(app, [*table, "--unit", "sise=mm"]).exception)


def test_a_far_away_query_never_reads_high_without_its_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    kind = np.repeat(["ant", "bee"], 40)
    sizes = np.where(kind == "ant", 0.0, 9.0) + rng.normal(size=80)
    pd.DataFrame({"size": sizes, "weight": rng.normal(size=80), "kind": kind}).to_csv("train.csv", index=False)
    pd.DataFrame({"size": [500.0, 9.0], "weight": [0.0, 0.1], "said": "bee"}).to_csv("far.csv", index=False)
    arguments = [*("explain", "--train", "train.csv", "--label", "kind", "--query", "far.csv", "--predictions", "said")]
    files = [*("--json", "e.json", "--csv", "e.csv", "--plot", "e.svg")]
    whole = CliRunner().invoke(app, [*arguments, *files, "--html", "whole.html", "--show", "2"], catch_exceptions=False)
    assert "(high, but the query is unfamiliar)" in whole.output
    assert "far outside the training cases in size" in whole.output
    assert "high 2 (1 of them unfamiliar)" in whole.output
    CliRunner().invoke(app, [*arguments, "--html", "cards.html", "--show", "0"], catch_exceptions=False)
    for name in ("whole.html", "cards.html"):
        page = Path(name).read_text()
        assert 'high, <b class="differs">but the query is unfamiliar</b>' in page
        assert "(1 of them unfamiliar)" in page
    records = json.loads(Path("e.json").read_text())
    table = pd.read_csv("e.csv")
    for column in ([record["unfamiliar"] for record in records], table["unfamiliar"].tolist()):
        assert column == [True, False]
    assert [record["interpretation"] for record in records] == table["interpretation"].tolist() == ["high", "high"]
    assert "unfamiliar" in Path("e.svg").read_text()


def test_queries_are_read_with_the_decimal_mark_of_the_training_table(assay: Assay, tmp_path: Path) -> None:
    rows = [f"{n}.{100 + n},50;{'yes' if n > 4 else 'no'}" for n in range(1, 9)]
    (tmp_path / "train.csv").write_text("\n".join(["amount;kind", *rows]))
    (tmp_path / "query.csv").write_text("amount;kind\n2.500;no\n7.700;yes\n")
    arguments = ("--train", "train.csv", "--label", "kind", "--query", "query.csv", "--classifier", "tree")
    assay("cases", "explain", *arguments, "--csv", "e.csv", "--show", "0")
    assert pd.read_csv(tmp_path / "e.csv")["predicted"].tolist() == ["no", "yes"]


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return path.name


LETTERS = "a,b,said,y\n1.5,10,u,u\n2.5,20,u,v\n3.5,30,u,u\n4.5,40,v,v\n1.6,11,v,u\n2.6,21,v,v\n"


def test_predictions_may_stand_in_the_training_table_too(assay: Assay, tmp_path: Path) -> None:
    arguments = ("--train", write(tmp_path / "p.csv", LETTERS), "--query", "p.csv", "--label", "y")
    result = assay("cases", "explain", *arguments, "--predictions", "said", "--csv", "e.csv")
    explained = pd.read_csv(tmp_path / "e.csv")
    assert explained["predicted"].tolist() == list("uuuvvv")
    assert "query_said" not in explained
    assert "numbers: a, b\n" in result.stderr


@pytest.mark.parametrize(
    ("query", "more", "words"),
    [
        ("a,b\n1,2\n1,abc\n", (), "q.csv: column 'b' holds 'abc' in row 2 below the header; in t.csv it holds numbers"),
        ("a,b,y\n1,2,0\n1,2,yes\n", (), "q.csv: column 'y' holds 'yes' in row 2 below the header; in t.csv it holds"),
        ("a,b,by\n1,2,u\n", ("--predictions", "by"), "column 'by' of q.csv and the labels of t.csv: 'u' is compared"),
        ("a,b\n1,2\n", ("--k", "7"), "--k 7: t.csv has 6 cases. Give --k 6 at most."),
    ],
    ids=["feature", "label", "prediction", "neighbours"],
)
def test_what_does_not_fit_the_training_table_is_named_with_its_place(
    query: str, more: tuple[str, ...], words: str, tmp_path: Path, assay: Assay
) -> None:
    numbers = LETTERS.replace(",u\n", ",0\n").replace(",v\n", ",1\n")
    files = ("--train", write(tmp_path / "t.csv", numbers), "--query", write(tmp_path / "q.csv", query))
    result = assay("cases", "explain", *files, "--label", "y", "--ignore", "said", *more, code=2)
    assert words in result.stderr
