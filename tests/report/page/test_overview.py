from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from assay.report import Results, leaderboard, subject_pairs
from assay.report.page.html import render
from assay.report.page.overview import Outcome, outcome

Rows = list[tuple[str, str, int, float, float, dict[str, Any]]]


def told(results: Results) -> Outcome:
    (track,) = results.tracks
    board = leaderboard(track)
    found = outcome(track, board, subject_pairs(track, board))
    assert found is not None
    return found


def rows(scores: dict[str, list[float]], **other: Any) -> Rows:
    return [
        (f"problem-{place:02d}", subject, 0, value, 1.0, other.get(subject, {}))
        for subject, values in scores.items()
        for place, value in enumerate(values)
    ]


def test_a_clear_leader_is_unlikely_to_be_chance(make_results: Callable[..., Results]) -> None:
    found = told(make_results(rows({"good": [0.9] * 12, "poor": [0.5 + 0.01 * n for n in range(12)]})))
    assert found.leaders == ("good",)
    assert found.score.startswith("share 0.900 [0.900, 0.900] over 12 problems (higher is better)")
    assert "Ahead of poor by 0.345" in found.lead
    assert "better on 12, equal on 0, worse on 0 of 12 problems" in found.lead
    assert found.sureness == "Unlikely to be chance (p <0.001 after correction for 1 comparison)."


def test_a_narrow_lead_names_whom_it_cannot_be_told_apart_from(make_results: Callable[..., Results]) -> None:
    shares = {"a": [0.6, 0.4, 0.71], "b": [0.5, 0.5, 0.7], "c": [0.1, 0.6, 0.2]}
    found = told(make_results(rows({subject: 3 * values for subject, values in shares.items()})))
    assert found.leaders == ("a",)
    assert "This may be chance" in found.sureness
    assert found.sureness.endswith("the leader cannot be told apart from b and c.")


def test_a_shared_first_place_is_a_tie(make_results: Callable[..., Results]) -> None:
    found = told(make_results(rows({"a": [0.5, 0.7], "b": [0.7, 0.5], "c": [0.1, 0.1]})))
    assert found.leaders == ("a", "b")
    assert found.lead == "2 subjects share the first place: their means are equal."
    assert found.sureness == ""


def test_a_subject_that_was_given_the_truth_does_not_lead(make_results: Callable[..., Results]) -> None:
    given = {"isolation": "examiner"}
    found = told(make_results(rows({"oracle": [1.0] * 6, "mine": [0.5] * 6}, oracle=given)))
    assert found.leaders == ("mine",)
    assert found.reference == "Given the truth, for comparison: oracle 1.000."
    assert found.lead == "It is the only subject: nothing to compare it with."


def test_failures_and_open_cells_are_said(make_results: Callable[..., Results]) -> None:
    failing = {"status": "failed", "error": "no", "error_kind": "crash"}
    pending = [("iris", "a", 0), ("iris", "b", 0)]
    found = told(make_results(rows({"a": [0.5] * 6, "b": [0.0] * 6}, b=failing), pending=pending))
    assert "2 cells not finished: these numbers are preliminary." in found.cautions
    assert "6 answers failed and count with the floor." in found.cautions


def test_nothing_finished_has_no_outcome(make_results: Callable[..., Results]) -> None:
    (track,) = make_results([], pending=[("iris", "vote", 0)]).tracks
    board = leaderboard(track)
    assert outcome(track, board, subject_pairs(track, board)) is None


def test_too_few_problems_for_so_many_comparisons_are_said_in_place_of_a_p_value(
    make_results: Callable[..., Results],
) -> None:
    shares = {name: [0.1 * place + 0.01 * problem for problem in range(7)] for place, name in enumerate("abcdef")}
    found = told(make_results(rows(shares)))
    assert found.lead.startswith("Ahead of e by 0.100 [")
    assert found.sureness == (
        "Too few problems for so many comparisons: with 7 problems no corrected p-value can fall below 0.05."
    )
    two = told(make_results(rows({"a": shares["a"], "b": shares["b"]})))
    assert two.sureness == "Unlikely to be chance (p = 0.016 after correction for 1 comparison)."
    three = told(make_results(rows({"a": [0.1, 0.2, 0.3], "b": [0.4, 0.5, 0.6]})))
    assert any("Fewer than 6 problems" in caution for caution in three.cautions)
    assert three.sureness == "Too few problems: with 3 problems no p-value can fall below 0.05."


FAILING = {"status": "failed", "error": "no", "error_kind": "crash"}


def test_nobody_leads_at_the_floor(make_results: Callable[..., Results]) -> None:
    results = make_results(rows({"fails": [0.0] * 6, "poor": [0.0] * 6}, fails=FAILING))
    page = render(results.summaries(resamples=100))
    assert "<strong><bdi>nobody</bdi></strong> leads: no mean is better" in page
    assert "<strong><bdi>nobody</bdi></strong> leads: share 0.000" in page
    found = told(results)
    assert found.leaders == ()
    assert found.short == "leads: no mean is better than that of failed answers (share 0.000)."
    assert found.lead == "No mean is better than that of failed answers."
    assert found.score.startswith("share 0.000 [0.000, 0.000] over 6 problems")
    assert found.sureness == ""


def test_nobody_leads_who_failed_everywhere(make_results: Callable[..., Results]) -> None:
    scores = {"fails": [0.5] * 6, "runs": [0.5] * 6}  # the floor of another release may be anything
    assert told(make_results(rows(scores, fails=FAILING))).leaders == ("runs",)


def test_failed_answers_without_a_floor_are_not_said_to_count_with_it(make_results: Callable[..., Results]) -> None:
    scores = {"a": [0.5] * 6, "b": [0.0] + [math.nan] * 5}
    found = told(make_results(rows(scores, b=FAILING)))
    assert "1 answer failed and counts with the floor." in found.cautions
    assert "share is undefined for 5 records, which no mean counts." in found.cautions
