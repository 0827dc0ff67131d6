"""Item analysis and plans of a run, from Python and from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

from assay.cli.results.items import items as items_command
from assay.cli.results.plan_size import plan_size as plan_command
from assay.report import Results
from assay.stats import plan_size


def test_the_analysis_is_that_of_the_runs_own_frame(results: Results, cautious_frame: pd.DataFrame) -> None:
    found = results.items()
    means = cautious_frame.groupby(["problem", "subject"]).share.mean().unstack()
    assert found.metric == "share"
    assert found.frame.set_index("problem")["mean"].to_dict() == pytest.approx(means.mean(axis=1).to_dict())
    assert "hardest" in repr(found)
    assert "<table" in found._repr_html_()
    assert found.variance[0].subject == "knn(k=5)"


def test_remarks_name_the_problems_that_tell_nothing(make_results: Callable[..., Results]) -> None:
    rows: list[Any] = [
        (problem, f"s{number}", 0, score, 1.0, {})
        for problem, scores in {"easy": (1, 1, 1), "hard": (0, 0, 0), "fair": (0.9, 0.5, 0.2)}.items()
        for number, score in enumerate(scores)
    ]
    remarks = make_results(rows).items().remarks
    assert remarks == ("Solved by all: easy.", "Solved by none: hard.")


def test_a_plan_rests_on_the_paired_differences_of_the_run(results: Results, cautious_frame: pd.DataFrame) -> None:
    means = cautious_frame.groupby(["problem", "subject"]).share.mean().unstack()
    differences = (means["vote"] - means["knn(k=5)"]).dropna()
    planned = results.plan_size("vote", "knn", effect=0.1)
    assert planned.problems == plan_size(differences, effect=0.1).problems
    assert (planned.a, planned.b, planned.observed) == ("vote", "knn(k=5)", False)
    assert "with a power of 80%" in repr(planned)
    assert "flatters" in repr(results.plan_size("vote", "knn"))


def test_the_command_line_shows_both(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.cli.shared.summary.load", lambda folder: results)
    ran = CliRunner().invoke(items_command, ["x"])
    assert ran.exit_code == 0, ran.output
    assert "what each problem tells on share" in ran.output
    assert "where the variation of share comes from" in ran.output
    body = json.loads(CliRunner().invoke(items_command, ["x", "--json"]).output)
    assert [item["problem"] for item in body[0]["items"]] == sorted(results.problems)
    planned = CliRunner().invoke(plan_command, ["x", "vote", "knn", "--effect", "0.1", "--json"])
    assert json.loads(planned.output)["problems"] == results.plan_size("vote", "knn", effect=0.1).problems
    assert "problems tell vote and knn(k=5) apart" in CliRunner().invoke(plan_command, ["x", "vote", "knn"]).output
