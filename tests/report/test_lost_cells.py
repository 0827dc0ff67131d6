"""A subject gains nothing by losing cells: the mean with the floor in their place stands beside, and ranks."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from rich.console import Console

from assay.core import Interval
from assay.report import (
    Results,
    TrackResults,
    comparison_table,
    grouped,
    groups_table,
    json_report,
    leaderboard,
    leaderboard_table,
    load,
    means_table,
    metrics_table,
    subject_pairs,
    track_means,
    write_archive,
)
from assay.report.export.markdown import markdown
from assay.report.page.html import html
from assay.report.page.overview import outcome
from assay.report.tables.grid import problem_grid
from assay.report.tables.profiles import profiles

MakeResults = Callable[..., Results]
FLOORS = {"share": 0.0, "delay": 10.0}
PLACES = ("iris", "wine", "digits", "moons")


def leaving(
    make_results: MakeResults, floors: Mapping[str, float] | None = FLOORS, *, status: str = "ok"
) -> TrackResults:
    """``steady`` has 0.7 on four problems; ``leaver`` has 0.9 on two of them and lost the other two."""
    rows = [
        (problem, "steady", 0, 0.7, 3.0 + place, {"status": status if place == 2 else "ok"})
        for place, problem in enumerate(PLACES)
    ]
    rows += [(problem, "leaver", 0, 0.9, 1.0, {}) for problem in PLACES[:2]]
    lost = {(problem, "leaver", 0): "the disk is full" for problem in PLACES[2:]}
    (entry,) = make_results(rows, lost=lost, floors=floors).tracks
    return entry


def printed(table: object) -> str:
    console = Console(file=io.StringIO(), width=300)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_place_rests_on_the_mean_with_the_floor_for_lost_cells(make_results: MakeResults) -> None:
    board = leaderboard(leaving(make_results))
    assert [(row.subject, row.place) for row in board.rows] == [("steady", 1), ("leaver", 2)]
    leaver = board.rows[1].metrics["share"]
    assert (leaver.mean.value, leaver.lost_as_floor.value, leaver.lost) == (0.9, 0.45, 2)
    assert (leaver.problems, leaver.cells, leaver.failed, leaver.undefined) == (2, 2, 0, 0)
    assert board.rows[1].mean_rank == 1.5
    assert board.rows[1].worst_place == 2
    steady = board.rows[0].metrics["share"]
    assert (steady.lost, steady.lost_as_floor) == (0, steady.mean)


def test_a_floor_that_depends_on_the_problem_is_the_stored_one(make_results: MakeResults) -> None:
    leaver = leaderboard(leaving(make_results)).rows[1].metrics["delay"]
    assert (leaver.mean.value, leaver.lost_as_floor.value) == (1.0, 5.5)


@pytest.mark.parametrize(("status", "worst"), [("failed", 5.0), ("ok", 5.0)])
def test_without_a_stored_floor_what_others_have_there_stands_in(
    make_results: MakeResults, status: str, worst: float
) -> None:
    """A store of an earlier release: on digits another subject failed or was the worst, on moons it was the worst."""
    leaver = leaderboard(leaving(make_results, None, status=status)).rows[1].metrics["delay"]
    assert leaver.lost_as_floor.value == (1.0 + 1.0 + worst + 6.0) / 4
    assert leaver.mean.value == 1.0


def test_a_failed_record_tells_the_floor_before_the_worst_score_does(make_results: MakeResults) -> None:
    rows = [
        ("iris", "steady", 0, 0.0, 10.0, {"status": "failed"}),
        ("iris", "wild", 0, 0.1, 99.0, {}),
        ("wine", "leaver", 0, 0.5, 2.0, {}),
    ]
    (entry,) = make_results(rows, lost={("iris", "leaver", 0): "gone"}).tracks
    (leaver,) = (row for row in leaderboard(entry).rows if row.subject == "leaver")
    assert leaver.metrics["delay"].lost_as_floor.value == 6.0


def test_a_floor_that_nobody_knows_leaves_the_cell_out(make_results: MakeResults) -> None:
    (entry,) = make_results([("iris", "a", 0, 0.5, 2.0, {})], lost={("wine", "a", 0): "the problem is broken"}).tracks
    (row,) = leaderboard(entry).rows
    assert row.metrics["delay"].lost_as_floor.value == 2.0
    assert row.metrics["share"].lost_as_floor.value == 0.25


def test_an_undefined_floor_counts_in_no_mean(make_results: MakeResults) -> None:
    leaver = leaderboard(leaving(make_results, {"share": 0.0, "delay": math.nan})).rows[1].metrics["delay"]
    assert leaver.lost_as_floor.value == 1.0


def test_pairs_count_lost_cells_with_the_floor(make_results: MakeResults) -> None:
    entry = leaving(make_results)
    found = subject_pairs(entry, leaderboard(entry)).of("steady", "leaver")
    assert (found.problems, found.wins, found.losses) == (4, 2, 2)
    assert found.difference.value == pytest.approx(0.25)
    assert (found.lost_a, found.lost_b) == (0, 2)
    turned = subject_pairs(entry, leaderboard(entry)).of("leaver", "steady")
    assert (turned.lost_a, turned.lost_b) == (2, 0)
    assert "lost cells as the floor: leaver 2" in printed(comparison_table([found])).replace("\n", " ")


def test_means_grid_and_profiles_follow_the_same_order(make_results: MakeResults) -> None:
    entry = leaving(make_results)
    board, means = leaderboard(entry), track_means(entry)
    assert [row.subject for row in means.rows] == ["steady", "leaver"]
    assert means.rows[1].means["share"] == 0.9
    assert (means.rows[1].lost, means.rows[1].lost_as_floor["share"]) == (2, 0.45)
    assert problem_grid(entry).subjects == ("steady", "leaver")
    lines = {line.column.name: line.place for line in profiles(entry, board)[1].lines}
    assert lines == {"share": 2, "delay": 2}
    told = outcome(entry, board, subject_pairs(entry, board))
    assert told is not None
    assert told.leaders == ("steady",)
    assert any("2 lost cells" in caution and "floor" in caution for caution in told.cautions)


def test_a_tag_takes_the_lost_cells_of_its_problems_along(make_results: MakeResults) -> None:
    groups = {group.value: group.board for group in grouped(leaving(make_results), "family")}
    # iris and wine have four letters, moons five, digits six: the lost ones are in both families
    even, odd = groups["family-0"], groups["family-1"]
    assert [row.metrics["share"].lost for row in even.rows if row.subject == "leaver"] == [1]
    assert [row.subject for row in odd.rows] == ["steady"]


SAID = "0.450 if its 2 lost cells count as the floor"


def test_every_output_says_both_means(make_results: MakeResults, tmp_path: Path) -> None:
    entry = leaving(make_results)
    results = Results(folder=tmp_path, tracks=(entry,))
    board = leaderboard(entry)
    assert "Lost cells (leaver 2)" in printed(leaderboard_table(board))
    for table in (metrics_table(board), means_table(track_means(entry))):
        assert "(2 lost)" in printed(table)
    assert "0.450" in printed(leaderboard_table(board))
    assert "5.500" in printed(metrics_table(board))
    assert "(1 lost)" in printed(groups_table("family", grouped(entry, "family")))
    text = markdown(results)
    assert "(2 lost)" in text
    assert "rest on" in text
    page = html(results)
    assert SAID in page
    assert page.count("if its 2 lost cells count as the floor") >= 3  # leaderboard, other metrics, overview, subject


def test_exports_hold_both_means(make_results: MakeResults, tmp_path: Path) -> None:
    entry = leaving(make_results)
    results = Results(folder=tmp_path, tracks=(entry,))
    (track,) = json.loads(json.dumps(json_report(results, comparisons=True)))["tracks"]
    leaver = track["leaderboard"][1]
    assert (leaver["subject"], leaver["lost"]) == ("leaver", 2)
    assert leaver["metrics"]["share"]["lost_as_floor"]["value"] == 0.45
    assert (track["comparisons"][0]["lost_a"], track["comparisons"][0]["lost_b"]) == (0, 2)
    frames = results.frames()
    (row,) = (
        row for row in frames.leaderboard.to_dict("records") if (row["subject"], row["metric"]) == ("leaver", "share")
    )
    assert (row["mean"], row["lost_as_floor"], row["lost"]) == (0.9, 0.45, 2)
    (pair,) = frames.comparisons.to_dict("records")
    assert (pair["lost_a"], pair["lost_b"]) == (0, 2)


def test_an_archive_keeps_the_floors(make_results: MakeResults, tmp_path: Path) -> None:
    entry = leaving(make_results)
    write_archive(Results(folder=tmp_path, tracks=(entry,)), tmp_path / "run.zip")
    (again,) = load(tmp_path / "run.zip", tracks={"toy": entry.track}).tracks
    assert leaderboard(again) == leaderboard(entry)


def test_an_archive_of_an_earlier_release_has_no_floors_and_opens(make_results: MakeResults, tmp_path: Path) -> None:
    entry = leaving(make_results, None)
    write_archive(Results(folder=tmp_path, tracks=(entry,)), tmp_path / "run.zip")
    (again,) = load(tmp_path / "run.zip", tracks={"toy": entry.track}).tracks
    assert leaderboard(again) == leaderboard(entry)


def test_without_lost_cells_nothing_is_said_of_them(make_results: MakeResults, tmp_path: Path) -> None:
    results = make_results([("iris", "a", 0, 0.5, 2.0, {}), ("wine", "a", 0, 0.7, 2.0, {})])
    (entry,) = results.tracks
    board = leaderboard(entry)
    assert board.rows[0].metrics["share"].lost_as_floor == board.rows[0].mean("share")
    assert isinstance(board.rows[0].metrics["share"].lost_as_floor, Interval)
    assert "lost" not in printed(leaderboard_table(board)) + markdown(results)
    assert entry.cautious_table is entry.table


def test_a_subject_that_lost_all_its_cells_has_no_mean_and_no_place(make_results: MakeResults) -> None:
    (entry,) = make_results([("iris", "a", 0, 0.5, 2.0, {})], lost={("iris", "gone", 0): "a worker died"}).tracks
    assert [row.subject for row in leaderboard(entry).rows] == ["a"]
