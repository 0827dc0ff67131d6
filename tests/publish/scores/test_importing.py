"""Scores of another benchmark: the same means as pandas, the mark everywhere, and every mistake with its place."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from assay.api.importing import import_scores
from assay.cli.main import cli
from assay.core import InvalidInput
from assay.harness import check_store, rescore
from assay.publish.bundle.writing import write_bundle
from assay.publish.scores.importing import import_table
from assay.report import load, write_archive, write_html, write_markdown

HEADER = "subject,problem,seed,metric,value,direction,tag.family"


def table(folder: Path, *rows: str, name: str = "scores.csv", header: str = HEADER) -> Path:
    path = folder / name
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


@pytest.fixture
def scores() -> pd.DataFrame:
    chance = np.random.default_rng(3)
    rows = [
        (subject, problem, seed, metric, float(chance.random() + 0.2 * (subject == "best")), goal, f"f{problem[-1]}")
        for subject, problem, seed, (metric, goal) in itertools.product(
            ("best", "other", "third"), ("p0", "p1", "p2", "p3"), (0, 7), (("accuracy", "max"), ("loss", "min"))
        )
    ]
    return pd.DataFrame(rows, columns=HEADER.split(","))


def test_logs_in_which_a_score_stands_twice_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tasks whose samples have the same ids would overwrite each other, and hide gaps."""
    rows = [("model", sample, 0, "match", score, "max") for score in (0.0, 1.0) for sample in ("1", "2")]
    frame = pd.DataFrame([*rows, ("other", "1", 0, "match", 1.0, "max")], columns=HEADER.split(",")[:-1])
    monkeypatch.setattr("assay.publish.scores.importing.read_log_scores", lambda path: frame)
    with pytest.raises(InvalidInput, match="4 scores stand more than once, such as model / 1 / seed 0 / match"):
        import_table(tmp_path, tmp_path / "out", allow_gaps=True)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_means_ranks_and_tags_are_those_of_the_table(scores: pd.DataFrame, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"bench.{ending}"
    shuffled = scores.sample(frac=1, random_state=1).sort_values("metric", kind="stable")
    if ending == "csv":
        shuffled.to_csv(path, index=False)
    else:
        shuffled.to_parquet(path)
    imported = import_table(path, tmp_path / "out")
    assert imported == (tmp_path / "out", "bench (imported)", 24, 0)
    results = load(tmp_path / "out")
    accuracy = scores[scores["metric"] == "accuracy"]
    by_subject = accuracy.groupby(["subject", "problem"])["value"].mean().groupby("subject").mean()
    board = results.leaderboard()
    assert [row.subject for row in board.rows] == by_subject.sort_values(ascending=False).index.tolist()
    frame = results.scores
    pd.testing.assert_series_equal(
        frame[frame["metric"] == "accuracy"].groupby("subject")["value"].mean(),
        accuracy.groupby("subject")["value"].mean(),
        check_names=False,
        check_index_type=False,
        check_dtype=False,
    )
    assert {record.tags["family"] for record in results.records} == {"f0", "f1", "f2", "f3"}
    assert check_store(tmp_path / "out").whole


def test_whatever_is_made_of_them_says_that_they_were_imported(scores: pd.DataFrame, tmp_path: Path) -> None:
    scores.to_csv(tmp_path / "bench.csv", index=False)
    out = tmp_path / "out"
    result = CliRunner().invoke(
        cli, ["import", "scores", str(tmp_path / "bench.csv"), "--out", str(out), "--name", "My b"]
    )
    assert "24 records as 'My b (imported)'" in result.output
    results = load(out)
    write_html(results, tmp_path / "r.html", resamples=100)
    write_markdown(results, tmp_path / "r.md", resamples=100)
    write_archive(results, tmp_path / "r.zip", with_html=False, resamples=100)
    content = "imported from bench.csv (SHA-256 "
    assert content in (tmp_path / "r.html").read_text()
    assert content in (tmp_path / "r.md").read_text()
    again = load(tmp_path / "r.zip")
    assert content in again.tracks[0].track.question
    assert all(record.imported.startswith("bench.csv") and record.isolation == "imported" for record in again.records)
    shown = CliRunner().invoke(cli, ["report", str(out), "--means"], standalone_mode=False)
    assert "My b (imported)" in shown.output
    with pytest.raises(InvalidInput, match="imported scores have no answers to score again"):
        rescore(out)
    with pytest.raises(InvalidInput, match="were imported. A bundle holds answers"):
        write_bundle(out, tmp_path / "b.zip")


def test_gaps_are_an_error_unless_they_are_allowed(scores: pd.DataFrame, tmp_path: Path) -> None:
    scores.drop(index=[0, 10, 11]).to_csv(tmp_path / "gaps.csv", index=False)
    with pytest.raises(
        InvalidInput, match="3 of 48 scores are missing, such as best / p0 / 0 / accuracy.*--allow-gaps"
    ):
        import_table(tmp_path / "gaps.csv", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert import_table(tmp_path / "gaps.csv", tmp_path / "out", allow_gaps=True)[2:] == (23, 3)
    results = load(tmp_path / "out")
    assert results.tracks[0].pending == 1


ROW = "a,p,0,m,1.0,max,f"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([ROW, ROW], "lines 2, 3: the same subject, problem, seed and metric occur more than once. Leave one"),
        ([ROW, "b,p,0,m,1.0,min,f"], "line 3: metric 'm' has another direction than before. Give a metric one"),
        ([ROW, "b,p,0,m,nan,max,f"], "line 3: 'value' is not a finite number. Leave the row out and add --allow-gaps"),
        ([ROW, "b,p,0,m,,max,f"], "line 3: 'value' is not a finite number"),
        ([ROW, "b,p,0,m,inf,max,f"], "line 3: 'value' is not a finite number"),
        ([ROW, "b,p,0,m,high,max,f"], "line 3: 'value' is not a finite number"),
        ([ROW, "b,p,0.5,m,1,max,f"], "line 3: 'seed' is not a whole number of at least 0. Write 0"),
        ([ROW, " ,p,0,m,1,max,f"], "line 3: 'subject' is empty. Fill it in"),
        ([ROW, "b,p,0,m,1,up,f"], "line 3: 'direction' is neither max nor min. Write max"),
        ([ROW, "b,p,0,m,1,max,g"], "line 3: 'tag.family' of the problem is another one than before"),
        (["b,p,0,m,1,up,f"] * 6, "lines 2, 3, 4 and 3 more: 'direction'"),
        ([], "the table has no rows"),
    ],
)
def test_wrong_rows_are_named_with_the_remedy(tmp_path: Path, rows: list[str], message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        import_table(table(tmp_path, *rows), tmp_path / "out")
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_wrong_files_are_named_with_the_remedy(tmp_path: Path) -> None:
    header = HEADER.replace("metric", "metrics")
    with pytest.raises(InvalidInput, match="the column 'metric' is missing. There is 'metrics': rename it"):
        import_table(table(tmp_path, ROW, header=header), tmp_path / "out")
    with pytest.raises(InvalidInput, match="file not found"):
        import_table(tmp_path / "none.csv", tmp_path / "out")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(InvalidInput, match="cannot be read as a table"):
        import_table(tmp_path / "broken.parquet", tmp_path / "out")
    with pytest.raises(InvalidInput, match="name: must be a printable text"):
        import_table(table(tmp_path, ROW), tmp_path / "out", name="\x1b")


def test_imported_scores_have_neither_solve_time_nor_budget(tmp_path: Path) -> None:
    import_table(table(tmp_path, ROW), tmp_path / "out")
    (row,) = load(tmp_path / "out").leaderboard().rows
    assert np.isnan(row.median_seconds)
    shown = CliRunner().invoke(cli, ["report", str(tmp_path / "out")], standalone_mode=False)
    assert "budget" not in shown.output
    assert "<1 ms" not in shown.output


@pytest.mark.parametrize(("sign", "encoding"), [(";", "utf-8"), ("\t", "utf-16"), (";", "cp1252"), ("|", "utf-8-sig")])
def test_separators_encodings_and_decimal_commas_are_found(tmp_path: Path, sign: str, encoding: str) -> None:
    rows = [HEADER, "naïve,p,0,m,0#9,max,größer", "b,p,0,m,0#7,max,größer"]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows).replace(",", sign).replace("#", ",") + "\n", encoding=encoding)
    import_table(path, tmp_path / "out")
    records = load(tmp_path / "out").records
    assert {(record.subject, record.scores["m"]) for record in records} == {("naïve", 0.9), ("b", 0.7)}
    assert records[0].tags == {"family": "größer"}


def test_what_is_said_of_a_table_of_scores_wins(tmp_path: Path) -> None:
    header = HEADER.replace("subject", "Model").replace("value", "score").replace(",", "~")
    path = table(tmp_path, "a~p~0~m~0,5~max~f", "b~p~0~m~0,25~max~f", header=header)
    out = tmp_path / "out"
    options = ["--sep", "~", "--column", "subject=Model", "--column", "value=score", "--ignore", "tag.family"]
    result = CliRunner().invoke(cli, ["import", "scores", str(path), "--out", str(out), *options])
    assert result.exit_code == 0, result.output
    assert [(record.subject, record.scores["m"], record.tags) for record in load(out).records] == [
        ("a", 0.5, {}),
        ("b", 0.25, {}),
    ]
    found = import_scores(path, out=tmp_path / "two", columns={"subject": "Model", "value": "score"}, separator="~")
    assert found.subjects == ("a", "b")
    with pytest.raises(InvalidInput, match="'Modell'. Did you mean 'Model'"):
        import_scores(path, out=tmp_path / "three", columns={"subject": "Modell"}, separator="~")
