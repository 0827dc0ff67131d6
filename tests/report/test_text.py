from __future__ import annotations

import io
import re
from dataclasses import replace

import pandas as pd
from rich.console import Console, RenderableType

from assay.core import Record
from assay.report import (
    Results,
    TrackResults,
    comparison_table,
    leaderboard,
    leaderboard_table,
    metrics_table,
    problems_table,
    record_view,
    run_summary,
)
from assay.report.wording import duration, format_interval, shown
from assay.stats import compare, compare_all, score_table


def printed(renderable: RenderableType, *, width: int = 240) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False, color_system=None)
    console.print(renderable, crop=False)
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().split("\n"))


def line_of(text: str, *wanted: str) -> str:
    (line,) = (line for line in text.splitlines() if all(word in line for word in wanted))
    return re.sub(r"\s{2,}", " | ", line.strip())


def test_the_summary_names_settings_pending_and_lost_cells(toy: TrackResults) -> None:
    text = printed(run_summary(toy))
    assert "track: toy\n" in text
    assert "question: Does it <i>play</i> | well?\n" in text
    assert "settings: preset = spec, k = 7 (default 5)\n" in text
    assert "cells: 27 of 30 finished, 1 of them failed\n" in text
    assert "pending: 3, 1 of them lost" in text
    assert "lost: worker died: no space left (1)" in text
    assert "isolation: process (19), ready (8)" in text


def test_the_leaderboard_shows_the_numbers_of_the_data_frame(
    toy: TrackResults, frame: pd.DataFrame, cautious_frame: pd.DataFrame
) -> None:
    board = leaderboard(toy)
    text = printed(leaderboard_table(board))
    assert [column.title for column in leaderboard_table(board).columns] == (
        [
            "#",
            "subject",
            "share ↑",
            "lost as floor",
            "scored only",
            "n",
            "failed",
            "mean rank",
            "places",
            "tier",
            "solve time",
        ]
    )
    vote = next(row for row in board.rows if row.subject == "vote")
    own = frame[frame.subject == "vote"]
    mean = own.groupby("problem").share.mean().mean()
    scored = own[~own.failed].groupby("problem").share.mean().mean()
    means = cautious_frame.groupby(["subject", "problem"]).share.mean().unstack()
    ranks = means.rank(ascending=False, na_option="bottom")
    assert format_interval(vote.mean("share")).startswith(f"{mean:.3f} [")
    assert line_of(text, " vote ") == " | ".join(
        [
            "2",
            "vote",
            format_interval(vote.mean("share")),
            f"{means.loc['vote'].mean():.3f}",
            f"{scored:.3f}",
            "5",
            "1 of 9",
            f"{ranks.loc['vote'].mean():.2f}",
            f"{vote.best_place} to {vote.worst_place}",
            str(vote.tier),
            duration(own.seconds.median()),
        ]
    )
    assert line_of(text, " random ").endswith("| –")  # nothing was solved here


def test_undefined_headlines_are_counted_in_the_leaderboard(toy: TrackResults) -> None:
    by_delay = replace(toy, track=replace(toy.track, headline="delay"))
    text = printed(leaderboard_table(leaderboard(by_delay)))
    assert line_of(text, "knn(k=5)").split(" | ")[5:8] == ["4", "0", "2"]  # problems, failed, undefined


def test_a_usual_leaderboard_fits_a_usual_terminal_without_broken_numbers(toy: TrackResults) -> None:
    board = leaderboard(toy)
    for table, metric in ((leaderboard_table(board), "share"), (metrics_table(board), "delay")):
        text = printed(table, width=80)
        for row in board.rows:
            assert format_interval(row.mean(metric)) in text
            assert row.subject in text
        assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"121 ms$", printed(leaderboard_table(board), width=80), re.MULTILINE)  # not cut off


def test_scored_only_is_not_repeated_when_nothing_failed(toy: TrackResults) -> None:
    kept = tuple(record for record in toy.records if record.status == "ok")
    table = leaderboard_table(leaderboard(replace(toy, records=kept)))
    assert "scored only" not in [column.title for column in table.columns]


def test_the_metrics_table_has_every_other_metric_and_aggregate_of_every_subject(
    toy: TrackResults, frame: pd.DataFrame
) -> None:
    text = printed(metrics_table(leaderboard(toy)))
    assert "share ↑" not in text  # the headline has its own table
    delay, _, spread = text.partition("\nspread ↓")  # aggregates last
    own = frame[frame.subject == "vote"]
    # last of three on moons, undefined there
    assert line_of(delay, "knn(k=5)").split(" | ")[2:] == ["–", "2.250", "4", "2", "1.40"]
    vote = line_of(delay, "vote").split(" | ")
    assert vote[1].startswith(f"{own.groupby('problem').delay.mean().mean():.3f} [")
    assert vote[3] == f"{own[~own.failed].groupby('problem').delay.mean().mean():.3f}"
    assert line_of(spread, "vote").endswith(f"| {own.share.max() - own.share.min():.3f}")
    assert line_of(spread, "random").endswith("| –")


def test_the_problems_table_shows_failures_and_what_is_not_run(toy: TrackResults, frame: pd.DataFrame) -> None:
    text = printed(problems_table(toy))
    wine = frame[(frame.problem == "wine") & (frame.subject == "vote")].share.mean()
    assert f"{wine:.3f} (1 failed)" in line_of(text, "wine")
    assert line_of(text, "circles").endswith("| …")
    assert line_of(printed(problems_table(toy, metric="delay")), "moons").count("–") == 1


def test_the_comparison_table_shows_differences_and_p_values(toy: TrackResults) -> None:
    comparisons = compare_all(score_table(toy.records, "share"))
    text = printed(comparison_table(comparisons))
    first = comparisons[0]
    line = line_of(text, first.a, first.b, format_interval(first.difference))
    assert line.split(" | ")[3:5] == [str(first.problems), f"{first.wins}/{first.ties}/{first.losses}"]
    assert line.split(" | ")[5:] == [f"{first.p_value:.3f}", "too few"]
    alone = printed(comparison_table([first]), width=80)
    assert "adjusted" not in alone  # one comparison needs no adjusting
    assert max(map(len, alone.splitlines())) <= 80
    assert "no comparison" in printed(comparison_table([]))


def test_comparisons_of_several_metrics_name_each(toy: TrackResults) -> None:
    share, delay = (compare(score_table(toy.records, name), "vote", "knn(k=5)") for name in ("share", "delay"))
    text = printed(comparison_table([share, replace(delay, goal="min")]))
    assert line_of(text, "share ↑", "vote").split(" | ")[3] == format_interval(share.difference)
    assert line_of(text, "delay ↓", "vote").split(" | ")[3] == format_interval(delay.difference)


def test_a_record_is_shown_in_full(toy_record: Record) -> None:
    failed = replace(toy_record, status="failed", error="two\nlines", error_kind="crash")
    text = printed(record_view(failed))
    for part in (
        "share = 0.750",
        "delay = 2.000",
        "crash: two\n",
        '"note": "[bold]of the examiner[/bold]"',
        "k = 7, preset = spec, fast = False",
        "seconds = 5.0, memory_mb = 256",
        "family = family-0, noise = 0.25",
        "cpu_seconds = 0.25",
        "examine = 1, share = 3, delay = 1",
        "500 ms",
        "process",
        toy_record.key,
        toy_record.answer_key,
        "digest-iris",
        "digest-vote",
        "somewhere",
        "2026-01-02T03:04:05+00:00",
    ):
        assert part in text
    assert re.search(r"error +none", printed(record_view(toy_record)))


def test_names_are_shown_and_never_interpreted(hostile: Results, hostile_names: tuple[str, ...]) -> None:
    (track,) = hostile.tracks
    board = leaderboard(track, resamples=100)
    everything = (
        printed(leaderboard_table(board), width=9000)
        + printed(metrics_table(board), width=9000)
        + printed(problems_table(track), width=40000)
        + printed(comparison_table(compare_all(score_table(track.records, "share"))), width=9000)
        + printed(run_summary(track), width=9000)
        + printed(record_view(track.records[0]), width=9000)
    )
    assert "\x1b" not in everything
    assert "\x00" not in everything
    for name in hostile_names:
        assert everything.count(shown(name)) >= 3


def test_only_lines_of_a_long_name_leave_a_narrow_terminal(hostile: Results, hostile_names: tuple[str, ...]) -> None:
    (track,) = hostile.tracks
    text = printed(leaderboard_table(leaderboard(track, resamples=100)), width=80)
    wide = [line for line in text.splitlines() if len(line) > 80]
    assert all(any(shown(name) in line for name in hostile_names) for line in wide)
    assert all(shown(name) in text for name in hostile_names)
