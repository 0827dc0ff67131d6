"""Metrics from outside through whole runs: scored, stored, shown, scored again, and never taken from results."""

from __future__ import annotations

import json
import os
import py_compile
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core import InvalidInput
from assay.harness import RunSpec, Store, check_store, merge_stores, read_run_file, rescore, run
from assay.report import leaderboard, load, with_metrics, write_archive
from assay.report.page.methods import definitions

Spec = Callable[..., RunSpec]
Write = Callable[[str, str], str]

MINE = """
from assay.core import Aggregate, Metric
import factor

def claims(evidence):
    "How many claims there are."
    return factor.value * len(evidence.claimed)

def spread(records):
    "Range of the accuracy."
    scores = {}
    for record in records:
        scores.setdefault(record.subject, []).append(record.scores["accuracy"])
    return {subject: max(values) - min(values) for subject, values in scores.items()}

def broken(evidence):
    return evidence.nothing

def text(evidence):
    return "0.5"

def floorless(problem):
    raise RuntimeError("no floor here")

claims_low = Metric("claims_low", claims, goal="min", floor=99.0)
no_floor = Metric("no_floor", claims, floor=floorless)
spread = Aggregate("spread", spread, goal="min")
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "factor.py").write_text("value = 1.0\n")
    return tmp_path


def scores(out: Path, metric: str) -> list[float]:
    (track,) = load(out).tracks
    return [record.scores[metric] for record in track.records]


def test_a_metric_from_a_file_is_scored_stored_and_shown_without_its_code(
    spec: Spec, mine: Path, subject_file: Write
) -> None:
    subject_file("fails.py", "def solve(task, budget): raise RuntimeError('on purpose')\n")
    out = mine / "out"
    run([spec("oracle", "fails.py", metrics=("mine.py:claims_low", "mine.py:spread"))], out=out)
    for name in ("mine.py", "factor.py"):
        (mine / name).write_text("raise RuntimeError('tables must not import this')\n")
    (track,) = load(out).tracks
    board = leaderboard(track)
    oracle, fails = board.rows
    assert (oracle.metrics["claims_low"].mean.value, fails.metrics["claims_low"].mean.value) == (5.0, 99.0)
    assert [(column.name, column.goal, column.summary) for column in board.columns][-1] == (
        "claims_low",
        "min",
        "How many claims there are.",
    )
    assert board.needed_code == ("spread (--metric mine.py:spread)",)
    assert "spread (--metric mine.py:spread)" in board._repr_html_()
    described = definitions(track)[1]
    assert described.summary.startswith("How many claims there are. (from mine.py:claims_low, source ")


def test_an_edited_metric_is_another_one_and_no_subject_is_called_for_it(spec: Spec, mine: Path) -> None:
    out = mine / "out"
    first = run([spec("oracle", metrics=("mine.py:claims",))], out=out)
    again = run([spec("oracle", metrics=("mine.py:claims",))], out=out)
    assert (first.solved, again.solved, again.reused) == (2, 0, 2)
    py_compile.compile(str(mine / "factor.py"))
    before = (mine / "factor.py").stat()
    (mine / "factor.py").write_text("value = 3.0\n")
    os.utime(mine / "factor.py", ns=(before.st_atime_ns, before.st_mtime_ns))  # byte code of before would still fit
    edited = run([spec("oracle", metrics=("mine.py:claims",))], out=out)
    assert (edited.solved, edited.rescored, scores(out, "claims")) == (0, 2, [15.0, 15.0])


def test_scoring_again_adds_metrics_keeps_aggregates_known_and_says_what_it_left_out(spec: Spec, mine: Path) -> None:
    out = mine / "out"
    run([spec("oracle")], out=out)
    added = rescore(out, metrics=["mine.py:claims", "mine.py:spread"], folder=mine)
    assert (added.solved, added.rescored, added.left_out) == (0, 2, ())
    assert scores(out, "claims") == [5.0, 5.0]
    without = rescore(out)
    assert [facts.text for facts in without.left_out] == ["mine.py:claims"]
    (track,) = load(out).tracks
    assert "claims" not in [metric.name for metric in track.track.metrics]
    assert track.needed_code == ("spread (--metric mine.py:spread)",)


def test_a_results_folder_never_says_what_to_import(spec: Spec, mine: Path) -> None:
    out = mine / "out"
    run([spec("oracle", metrics=("mine.py:claims",))], out=out)
    with Store(out, read_only=True) as store:
        (latest,) = store.latest_runs()
        assert all(cell.metrics == () for cell in store.cells(latest.id))
    (mine / "mine.py").write_text("raise RuntimeError('must not run')\n")
    rescore(out)
    load(out)
    assert not [name for name in sys.modules if "must not run" in name]


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("broken", r"metric 'broken' of .*mine.py: raised AttributeError: .*nothing.* \(mine.py, line 17\)"),
        ("text", "metric 'text' of .*mine.py: gives str instead of a number. Let it return a float"),
        ("no_floor", r"metric 'no_floor' of .*mine.py: raised RuntimeError: no floor here \(mine.py, line 23\)"),
    ],
)
def test_a_broken_metric_is_named_and_costs_no_answer(
    metric: str, message: str, spec: Spec, mine: Path, subject_file: Write
) -> None:
    subject_file("fails.py", "def solve(task, budget): raise RuntimeError('on purpose')\n")
    out = mine / "out"
    result = run([spec("fails.py" if metric == "no_floor" else "oracle", metrics=(f"mine.py:{metric}",))], out=out)
    assert len(result.lost) == 2
    assert all(re.search(message, loss.reason) for loss in result.lost), result.lost
    assert check_store(out).whole
    fixed = rescore(out)
    assert (fixed.solved, fixed.rescored, fixed.lost) == (0, 2, ())


def test_code_inside_the_folder_being_written_is_refused(spec: Spec, mine: Path) -> None:
    out = mine / "new"
    out.mkdir()
    (out / "late.py").write_text("def late(evidence): return 1.0\n")
    with pytest.raises(InvalidInput, match="metric 'new/late.py:late': its file late.py lies in .*new, which belongs"):
        run([spec("oracle", metrics=("new/late.py:late",))], out=out)
    with pytest.raises(InvalidInput, match="nothing was run here yet"):
        load(out)


def test_the_run_file_names_metrics_relative_to_itself(mine: Path, spec: Spec) -> None:
    spec("oracle")
    text = 'track = "parity"\nsubjects = ["oracle"]\nproblems = "problems"\nmetrics = ["mine.py:claims"]\n'
    (mine / "study.toml").write_text(text)
    file = read_run_file(mine / "study.toml")
    run(file.runs, out=mine / "out")
    assert scores(mine / "out", "claims") == [5.0, 5.0]


def test_tables_take_the_code_of_an_aggregate_and_refuse_a_metric_that_scored_nothing(spec: Spec, mine: Path) -> None:
    out = mine / "out"
    run([spec("oracle", metrics=("mine.py:claims",))], out=out)
    results, names = with_metrics(load(out), ["mine.py:spread", "claims", "mine.py:claims"], folder=mine)
    assert names == ("spread", "claims")
    assert leaderboard(results.tracks[0], metrics=names).rows[0].aggregates == {"spread": 0.0}
    with pytest.raises(InvalidInput, match="do not hold 'claims_low'.*assay rescore .*out --metric mine.py:claims_low"):
        with_metrics(load(out), ["mine.py:claims_low"], folder=mine)
    (mine / "factor.py").write_text("value = 2.0\n")
    with pytest.raises(InvalidInput, match="were scored by another state of 'claims'"):
        with_metrics(load(out), ["mine.py:claims"], folder=mine)


def test_exports_and_merged_stores_keep_what_is_known_of_metrics(spec: Spec, mine: Path) -> None:
    out = mine / "out"
    run([spec("oracle", metrics=("mine.py:claims",))], out=out)
    write_archive(load(out), mine / "run.zip", with_html=False)
    (mine / "mine.py").unlink()
    (exported,) = load(mine / "run.zip").tracks
    assert exported.metric("claims").summary == "How many claims there are."
    assert b",claims,5.0,max," in zipfile.ZipFile(mine / "run.zip").read("scores.csv")
    merge_stores(mine / "merged", [out])
    assert scores(mine / "merged", "claims") == [5.0, 5.0]
    run([spec("oracle")], out=mine / "plain")
    with pytest.raises(InvalidInput, match="was scored with other metrics here than in others"):
        merge_stores(mine / "both", [out, mine / "plain"])


def test_an_export_without_metrics_from_outside_is_what_it_was(spec: Spec, mine: Path) -> None:
    run([spec("oracle")], out=mine / "out")
    write_archive(load(mine / "out"), mine / "run.zip", with_html=False)
    manifest = json.loads(zipfile.ZipFile(mine / "run.zip").read("manifest.json"))
    assert "metrics" not in manifest["tracks"][0]
