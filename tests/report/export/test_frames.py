from __future__ import annotations

import math

import pytest

from assay.report import Results, leaderboard
from assay.report.export.frames import FRAMES, Frames


@pytest.fixture(scope="module")
def made(results: Results) -> Frames:
    return results.frames()


def test_every_frame_has_its_documented_columns(made: Frames) -> None:
    for name, columns in FRAMES.items():
        assert tuple(getattr(made, name).columns[: len(columns)]) == columns
    assert {"tag.family", "tag.noise"} <= set(made.records.columns) & set(made.problems.columns)
    assert {"cost.cpu_seconds", "aggregate.spread"} <= set(made.leaderboard.columns)
    assert len(made.records) == 27
    assert len(made.scores) == 54
    assert len(made.comparisons) == 3
    assert list(made.problems.problem) == sorted(made.records.problem.unique())


def test_every_number_of_the_leaderboard_follows_from_the_exported_scores(results: Results, made: Frames) -> None:
    """The independent way: nothing but pandas on the exported rows."""
    (track,) = results.tracks
    board = leaderboard(track)
    scores = made.scores
    for row in board.rows:
        for metric, summary in row.metrics.items():
            own = scores[(scores.subject == row.subject) & (scores.metric == metric)]
            per_problem = own.groupby("problem").value.mean()
            assert summary.mean.value == pytest.approx(per_problem.mean())
            assert summary.problems == per_problem.notna().sum()
            scored = own[own.status == "ok"].groupby("problem").value.mean()
            assert summary.scored_only.value == pytest.approx(scored.mean())
            assert summary.scored_problems == scored.notna().sum()
            assert summary.undefined == own.value.isna().sum()
            assert summary.failed == (own.status == "failed").sum()
            assert summary.cells == len(own)
            assert summary.mean.low <= summary.mean.value <= summary.mean.high
        own = made.records[made.records.subject == row.subject]
        solved = own[own.isolation != "ready"].seconds
        assert row.median_seconds == pytest.approx(solved.median()) or (solved.empty and math.isnan(row.median_seconds))
        assert row.costs == pytest.approx({"cpu_seconds": own["cost.cpu_seconds"].sum()})
    share = scores[scores.metric == "share"].groupby(["problem", "subject"]).value.mean().unstack("subject")
    means = share.mean().sort_values(ascending=False)
    assert [row.subject for row in board.rows] == list(means.index)
    assert [row.place for row in board.rows] == list(means.rank(ascending=False, method="min").astype(int))
    ranks = share.rank(axis=1, ascending=False)
    last = (share.shape[1] + share.notna().sum(axis=1) + 1) / 2  # who is missing on a problem shares its last ranks
    ranks = ranks.apply(lambda column: column.fillna(last))
    for row in board.rows:
        assert row.mean_rank == pytest.approx(ranks[row.subject].mean())


def test_the_frame_of_the_leaderboard_is_the_leaderboard(results: Results, made: Frames) -> None:
    board = leaderboard(results.tracks[0])
    lines = {(line["subject"], line["metric"]): line for line in made.leaderboard.to_dict("records")}
    for row in board.rows:
        line, interval = lines[row.subject, "share"], row.mean("share")
        assert (line["mean"], line["mean_low"], line["mean_high"]) == interval
        assert (line["place"], line["best_place"], line["worst_place"]) == (row.place, row.best_place, row.worst_place)
        assert line["is_headline"]
        assert math.isnan(lines[row.subject, "delay"]["place"])
