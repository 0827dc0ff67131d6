"""The charts that every track has: what is drawn, what is not, and marks that belong to subjects."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest

from assay.charts import subject_marks
from assay.report import Results
from assay.report.figures import problem_map
from assay.report.figures.every import track_figures
from assay.report.figures.figure import MOST_SUBJECTS, Basis, Figure
from assay.report.tables.filters import filters


def figures_of(results: Results) -> dict[str, Figure]:
    (summary,) = results.summaries(resamples=200)
    toy = results.tracks[0]
    problems = sorted({record.problem for record in toy.records})
    basis = Basis.of(toy, summary.board, problems)
    return {figure.key: figure for figure in track_figures(basis, summary.pairs, filters(toy, resamples=200))}


@pytest.fixture(scope="module")
def figures(results: Results) -> dict[str, Figure]:
    return figures_of(results)


def test_all_charts_are_there_in_the_readers_order(figures: dict[str, Figure]) -> None:
    assert list(figures) == ["spread", "ranks", "tags", "cost-seconds", "cost-cpu_seconds", "problem-map", "seeds"]
    assert all(figure.svg.startswith("<svg") and figure.rows and figure.caption for figure in figures.values())
    assert all(len(row) == len(figure.columns) for figure in figures.values() for row in figure.rows)


def test_subjects_stand_in_the_leaderboards_order_with_their_own_marks(
    results: Results, figures: dict[str, Figure]
) -> None:
    order = [row.subject for row in results.leaderboard("toy").rows]
    assert list(dict.fromkeys(row[0] for row in figures["spread"].rows)) == order
    names = re.findall(r'class="axis ink"[^>]*>(?:<title>[^<]*</title>)?([^<]+)<', figures["spread"].svg)
    assert names == order
    marks = subject_marks(order)
    drawn = re.findall(r'class="series-(\d) mark" d="[^"]*"></path>', figures["spread"].svg)
    assert [int(colour) for colour in drawn] == [marks[name].colour for name in order]


def test_every_dot_leads_to_its_cell(results: Results, figures: dict[str, Figure]) -> None:
    problems = sorted({record.problem for record in results.track("toy").records})
    order = [row.subject for row in results.leaderboard("toy").rows]
    dots = re.findall(r'data-go="(\d+),(\d+)"><title>(.*?) on (.*?): ([^<]+)', figures["spread"].svg)
    assert len(dots) > 10
    for problem, subject, name, where, _ in dots:
        assert (problems[int(problem)], order[int(subject)]) == (where, name)


def test_the_mean_below_the_dots_counts_lost_cells_as_the_dots_do(make_results: Callable[..., Results]) -> None:
    rows: list[tuple[Any, ...]] = [
        (problem, name, 0, 0.8, 1.0, {}) for name in ("steady", "leaver") for problem in ("iris", "wine", "digits")
    ]
    kept = [row for row in rows if row[:2] != ("digits", "leaver")]
    spread = figures_of(make_results(kept, lost={("digits", "leaver", 0): "the disk is full"}))["spread"]
    assert ("leaver", "digits", 0.0) in spread.rows
    assert "leaver: mean 0.533 [" in spread.svg
    assert "steady: mean 0.800 [" in spread.svg


def test_one_seed_and_two_subjects_leave_out_what_cannot_be_drawn(make_results: Callable[..., Results]) -> None:
    rows: list[tuple[Any, ...]] = [
        (problem, name, 0, 0.5, 1.0, {}) for problem in ("iris", "wine") for name in ("a", "b")
    ]
    found = figures_of(make_results(rows))
    assert not {"ranks", "problem-map", "seeds"} & set(found)


def test_hundreds_of_subjects_are_cut_and_that_is_said(make_results: Callable[..., Results]) -> None:
    rows: list[tuple[Any, ...]] = [
        (problem, f"subject-{place:03d}", 0, place / 200, 1.0, {})
        for problem in ("iris", "wine", "digits")
        for place in range(60)
    ]
    found = figures_of(make_results(rows))
    assert f"The first {MOST_SUBJECTS} of 60 subjects are drawn." in found["spread"].caption
    assert len({row[0] for row in found["spread"].rows}) == MOST_SUBJECTS


def test_hostile_names_are_text_in_every_chart(hostile: Results) -> None:
    for figure in figures_of(hostile).values():
        assert not re.search(r"<(script|img)|\x00|\x1b", figure.svg)


def test_cost_charts_leave_out_who_was_given_the_truth(make_results: Callable[..., Results]) -> None:
    other: dict[str, Any] = {"isolation": "examiner"}
    rows: list[tuple[Any, ...]] = [
        (problem, name, 0, share, 1.0, other if name == "oracle" else {})
        for problem in ("iris", "wine")
        for name, share in (("oracle", 1.0), ("a", 0.5), ("b", 0.4))
    ]
    assert [row[0] for row in figures_of(make_results(rows))["cost-seconds"].rows] == ["a", "b"]


def test_a_cost_per_cell_counts_the_cells_that_report_it(make_results: Callable[..., Results]) -> None:
    rows: list[tuple[Any, ...]] = [
        (problem, name, 0, share, 1.0, {"cost": {"tokens": tokens}} if problem == "iris" or name == "b" else {})
        for problem in ("iris", "wine")
        for name, share, tokens in (("a", 0.5, 100.0), ("b", 0.4, 60.0))
    ]
    rows += [("moons", "a", 0, 0.5, 1.0, {"cost": {"tokens": 200.0}})]
    assert [row[:2] for row in figures_of(make_results(rows))["cost-tokens"].rows] == [("a", 150.0), ("b", 60.0)]


def test_a_map_of_very_many_problems_is_drawn_though_no_listed_one_has_a_place_on_it(
    make_results: Callable[..., Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(problem_map, "_MOST", 1)
    rows: list[Any] = [
        (f"p{p}", subject, 0, 0.5 if p == 0 else 0.1 * p + 0.2 * s, 1.0, {})
        for p in range(4)
        for s, subject in enumerate("abc")
    ]
    results = make_results(rows)
    (summary,) = results.summaries(resamples=100)
    basis = Basis.of(results.tracks[0], summary.board, ["p0"])  # all score alike there
    figure = problem_map.problem_map(basis)
    assert figure is not None
    assert "p1: mean" in figure.svg


def test_problems_without_any_value_do_not_stand_behind_the_mean_of_a_tag(make_results: Callable[..., Results]) -> None:
    shares = {"iris": 0.5, "wine": math.nan, "digits": 0.7}
    rows: list[Any] = [(problem, "vote", 0, share, 1.0, {}) for problem, share in shares.items()]
    tags = figures_of(make_results(rows))["tags"]
    assert "0.25 (1)" in tags.svg  # of iris and wine
    assert [row[:3] for row in tags.rows] == [("noise", "0.0", 1), ("noise", "0.25", 1)]
    assert "in brackets, on how many of them anyone has a value" in tags.caption
