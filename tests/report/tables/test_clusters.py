"""Related problems in reports: said in words, taken together by default, alone when asked."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from assay.cli.results.compare import compare as compare_command
from assay.core import InvalidInput, UnknownName, get_track
from assay.report import Results, json_report, leaderboard_table, run_summary
from assay.stats import cluster_interval, summarise

FAMILIES = ("a", "a", "b", "b", "c", "c", "d", "e", "f", "g")


@pytest.fixture(scope="module")
def related(make_results: Callable[..., Results]) -> Results:
    rows: list[Any] = [
        (f"p{n}", subject, 0, base - 0.03 * n + 0.01 * (n % 2), 1.0, {"tags": {"family": family, "kind": "k"}})
        for subject, base in (("good", 0.9), ("bad", 0.5))
        for n, family in enumerate(FAMILIES)
    ]
    results = make_results(rows)
    tracks = tuple(replace(entry, track=replace(entry.track, clusters=("family",))) for entry in results.tracks)
    return replace(results, tracks=tracks)


def test_the_report_says_which_problems_are_taken_together(related: Results) -> None:
    board = related.leaderboard()
    assert board.clusters == "10 problems in 7 families"
    assert "take related problems together (10 problems in 7 families)" in leaderboard_table(board).caption
    assert "problems: 10 problems in 7 families" in run_summary(related.tracks[0])
    body: Any = json_report(related, comparisons=True)["tracks"]
    assert body[0]["clusters"] == board.clusters
    assert body[0]["comparisons"][0]["clusters"] == 7
    assert body[0]["leaderboard"][0]["metrics"]["share"]["clusters"] == 7
    assert "in 7 clusters" in repr(related.compare("good", "bad"))
    json.dumps(body)


def test_intervals_of_means_and_differences_are_those_of_clusters(related: Results) -> None:
    scores = [0.9 - 0.03 * n + 0.01 * (n % 2) for n in range(10)]
    assert related.leaderboard().rows[0].mean("share") == pytest.approx(cluster_interval(scores, FAMILIES))
    assert related.compare("good", "bad").p_value == 2 / 2**7


def test_each_problem_can_be_alone_again(related: Results) -> None:
    alone = related.clustered()
    board = alone.leaderboard()
    assert board.clusters == ""
    assert board.rows[0].mean("share") == summarise(alone.tracks[0].scores("share"))[0].mean
    assert alone.compare("good", "bad").p_value == 2 / 2**10
    assert related.clustered("family").leaderboard() == related.leaderboard()
    with pytest.raises(UnknownName, match="No tag named 'famly'. Did you mean 'family'"):
        related.clustered("famly")


def test_one_cluster_is_too_few_for_an_interval_and_the_report_says_so(related: Results) -> None:
    board = related.clustered("kind").leaderboard()
    assert board.clusters == "10 problems in 1 kind"
    assert math.isnan(board.rows[0].mean("share").low)
    assert "fewer than 3 are too few for an interval" in leaderboard_table(board).caption
    assert "too few clusters to tell any apart" in leaderboard_table(board).caption


def test_a_cluster_that_holds_more_than_a_third_of_the_problems_is_told(make_results: Callable[..., Results]) -> None:
    rows: list[Any] = [
        (f"p{n}", "a", 0, 0.1 * n, 1.0, {"tags": {"family": "x" if n < 4 else f"f{n}"}}) for n in range(8)
    ]
    board = make_results(rows).clustered("family").leaderboard()
    assert board.clusters == "8 problems in 5 families, 4 of them in one"


def test_tiers_are_in_every_form_of_the_leaderboard(related: Results) -> None:
    assert [row.tier for row in related.leaderboard().rows] == [1, 2]
    body: Any = json_report(related)["tracks"]
    assert [row["tier"] for row in body[0]["leaderboard"]] == [1, 2]
    assert related.frames().leaderboard.query("is_headline").tier.tolist() == [1, 2]
    assert "tier" in repr(related.leaderboard()).splitlines()[1].split()


def test_a_reference_has_no_tier(make_results: Callable[..., Results]) -> None:
    rows: list[Any] = [
        (f"p{n}", name, 0, score, 1.0, {"isolation": "examiner"} if name == "oracle" else {})
        for n in range(8)
        for name, score in (("oracle", 1.0), ("a", 0.6), ("b", 0.6))
    ]
    assert {row.subject: row.tier for row in make_results(rows).leaderboard().rows} == {"oracle": None, "a": 1, "b": 1}


def test_the_command_line_takes_problems_together_by_a_tag_or_not(
    related: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.cli.shared.summary.load", lambda folder: related)

    def p_value(*options: str) -> float:
        ran = CliRunner().invoke(compare_command, [str(Path("x")), "good", "bad", "--json", *options])
        assert ran.exit_code == 0, ran.output
        return float(json.loads(ran.output)[0]["p_value"])

    assert p_value() == p_value("--clusters", "family") == 2 / 2**7
    assert p_value("--clusters", "none") == 2 / 2**10
    refused = CliRunner().invoke(compare_command, ["x", "good", "bad", "--clusters", "none", "--clusters", "family"])
    assert isinstance(refused.exception, InvalidInput)
    assert "--clusters none: cannot be combined with another tag" in str(refused.exception)


@pytest.mark.parametrize(
    ("track", "tags"),
    {
        "cases": ("dataset",),
        "conformal": ("family",),
        "drift": ("organisation", "domain"),
        "formula": ("dataset", "family"),
        "insight": ("base", "family"),
    }.items(),
)
def test_every_track_says_which_of_its_problems_are_related(track: str, tags: tuple[str, ...]) -> None:
    assert get_track(track).clusters == tags


def test_a_gate_against_an_earlier_run_takes_related_problems_together(
    related: Results, make_results: Callable[..., Results]
) -> None:
    rows: list[Any] = [
        (f"p{n}", "good", 0, 0.9 - 0.03 * n, 1.0, {"tags": {"family": family, "kind": "k"}})
        for n, family in enumerate(FAMILIES)
    ]
    earlier = make_results(rows)
    (verdict,) = related.gate(not_worse_than=earlier, subjects="good")
    assert verdict.passed
    (few,) = related.clustered("kind").gate(not_worse_than=earlier, subjects="good")
    assert not few.passed
    assert "too few clusters of problems (1) to exclude a loss, at least 3 are needed" in few.text


def test_clusters_of_a_track_are_a_tuple_of_tags() -> None:
    with pytest.raises(InvalidInput, match=r"clusters must be a tuple of tags, as in \('family',\)"):
        replace(get_track("conformal"), clusters="family")  # type: ignore[arg-type]
