"""What results show of themselves and hand on: scores, boards, failures, answers, comparisons, files."""

from __future__ import annotations

import copy
import pickle
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import assay.report.tables.summary as summary_module
from assay.core import Aggregate, InvalidInput, UnknownName
from assay.report import Results, compare_subjects, leaderboard
from assay.report.export.score_frame import SCORE_COLUMNS


def test_scores_are_tidy_and_equal_the_long_form(results: Results) -> None:
    tidy, long = results.scores, results.frames().scores
    assert tuple(tidy.columns[:7]) == SCORE_COLUMNS
    assert list(tidy.columns[7:]) == ["tag.family", "tag.noise"]
    pd.testing.assert_frame_equal(
        tidy, long[list(tidy.columns)], check_dtype=False, check_column_type=False, check_index_type=False
    )
    assert results.scores is tidy


def test_failures_tell_failed_and_lost_cells_apart_a_line_each(results: Results, hostile: Results) -> None:
    assert results.failures.counts == {"failed": 1, "lost": 1}
    first, *lines, unfinished = repr(results.failures).splitlines()
    assert unfinished == "27 of 30 cells done; 2 still to do: run the same command again."
    assert first.startswith("1 failed (the subject's own fault: scored at the floor); 1 lost (the machine's fault")
    assert [line.split(":")[0] for line in lines] == ["wine / vote / seed 1", "circles / vote / seed 1"]
    assert lines[1].endswith("lost: worker died: no space left")
    failed, lost = results.failures
    assert failed.record is results.tracks[0].failed[0] or failed.record == results.tracks[0].failed[0]
    assert (lost.status, lost.record, results.failures[1:][0]) == ("lost", None, lost)
    assert "<td>worker died: no space left</td>" in results.failures._repr_html_()
    assert "\x1b" not in repr(hostile.failures)
    assert "<script" not in hostile.failures._repr_html_()


def test_a_leaderboard_is_computed_once_and_its_parts_are_taken_from_it(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = Results(folder=results.folder, tracks=results.tracks)  # with nothing computed yet
    expected = leaderboard(results.tracks[0], metrics=["spread"])
    calls: list[object] = []
    compute = leaderboard

    def watched(*arguments: object, **options: object) -> object:
        calls.append(options.get("metrics"))
        return compute(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(summary_module, "leaderboard", watched)
    board = results.leaderboard()
    assert results.leaderboard("toy") is board
    assert repr(results.leaderboard(metrics=["spread"])) == repr(expected)  # what is undefined equals nothing
    assert results.leaderboard(metrics="delay").columns == (board.columns[0], board.columns[1])
    assert results.summaries()[0].board is board
    assert calls == [None]
    assert results.leaderboard(confidence=0.9).confidence == 0.9
    with pytest.raises(UnknownName, match="No metric named 'shar'"):
        results.leaderboard(metrics=["shar"])


def test_a_leaderboard_shows_itself_in_a_terminal(results: Results) -> None:
    lines = repr(results.leaderboard()).splitlines()
    assert lines[0] == "toy: share"
    assert lines[1].split() == ["#", "subject", "share", "↑", "lost", "as", "floor", "scored", "only", "n", "failed",
                                "mean", "rank", "places", "tier", "solve", "time"]  # fmt: skip
    assert len(lines) == 2 + 3 + 2
    assert lines[-2] == "27 of 30 cells done; 2 still to do: run the same command again."
    assert lines[-1] == "2 more metrics: leaderboard(metrics=['delay', 'spread'])"
    assert "2 more metrics" in results.leaderboard()._repr_html_()
    assert repr(results.leaderboard().rows[0]).startswith("Standing(1. knn(k=5): share 0.90")
    assert len(repr(results.leaderboard().rows[0])) < 120


def test_columns_that_were_asked_for_are_shown(results: Results) -> None:
    board = results.leaderboard(metrics=["delay", "spread"])
    assert "delay ↓" in repr(board).splitlines()[1]
    assert "spread ↓" in repr(board).splitlines()[1]
    assert "more metric" not in repr(board)
    assert "<th>delay ↓</th><th>spread ↓</th>" in board._repr_html_()
    assert board.rows[0].mean("spread").value == board.rows[0].aggregates["spread"]
    with pytest.raises(UnknownName, match="No column of this leaderboard named 'dely'. Did you mean 'delay'"):
        board.rows[0].mean("dely")
    assert "delay" not in repr(results.leaderboard(metrics=[]))
    fewer = replace(results.leaderboard(), aggregates=())
    assert repr(fewer).endswith("1 more metric: leaderboard(metrics=['delay'])")


def test_an_aggregate_that_breaks_is_named(results: Results) -> None:
    def broken(records: object) -> dict[str, float]:
        raise ValueError("boom")

    entry = results.tracks[0]
    for function, cause in ((broken, "ValueError: boom"), (lambda records: {"vote": "x"}, "ValueError: could not")):
        own = Aggregate("worst", function, source="abc")  # type: ignore[arg-type]
        changed = replace(entry, track=entry.track.with_metrics([own]))
        with pytest.raises(InvalidInput, match=f"aggregate 'worst': raised {cause}"):
            leaderboard(changed)


def test_results_of_several_tracks_ask_which(results: Results, make_results: Callable[..., Results]) -> None:
    other = make_results([("iris", "vote", 0, 0.5, 1.0, {})], track="other")
    both = Results(folder=results.folder, tracks=(*other.tracks, *results.tracks))
    with pytest.raises(InvalidInput, match="name one, as in track='other'; on the command line: --track other"):
        both.leaderboard()
    assert repr(both.leaderboard("toy")) == repr(results.leaderboard())
    assert both.compare("vote", "random") == results.compare("vote", "random")  # only one has both
    with pytest.raises(InvalidInput, match="no track there holds both 'vote' and 'nobody'"):
        both.compare("vote", "nobody")
    assert both.only(["toy"]).tracks == results.tracks
    assert len(both.records) == len(results.records) + 1


def test_two_subjects_are_compared_by_their_names_or_the_start_of_them(results: Results) -> None:
    found = results.compare("knn", "vote")
    assert (found.a, found.b, found.metric) == ("knn(k=5)", "vote", "share")
    (single,) = compare_subjects(results, "knn(k=5)", "vote", metrics=["share"], track="toy")
    assert single == found
    assert repr(found).startswith("knn(k=5) - vote: ")
    assert "1 lost cell as the floor" in repr(found)
    assert "<td>vote</td>" in found._repr_html_()
    with pytest.raises(UnknownName, match="Did you mean 'vote'"):
        results.compare("knn", "vot")


@pytest.mark.parametrize("suffix", [".CSV", ".csv", ".html", ".json", ".md", ".parquet", ".zip"])
def test_the_suffix_says_what_is_exported(results: Results, tmp_path: Path, suffix: str) -> None:
    path = results.export(tmp_path / f"results{suffix}")
    assert path.stat().st_size > 500
    if suffix == ".zip":
        assert "manifest.json" in zipfile.ZipFile(path).namelist()


def test_another_suffix_is_answered_with_those_there_are(results: Results, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"results.xls: the suffix says what to write: one of .csv, .html, .json"):
        results.export(str(tmp_path / "results.xls"))


def test_the_answers_of_an_export_are_not_there(results: Results, tmp_path: Path) -> None:
    aside = Results(folder=results.export(tmp_path / "run.zip"), tracks=results.tracks)
    assert len(aside.answers) == 0
    assert repr(aside.answers).endswith("run.zip is an export, which holds none)")
    with pytest.raises(InvalidInput, match="an export holds records, not answers"):
        aside.answers["iris", "vote", 0]
    assert len(results.answers) == 26
    assert repr(results.answers).startswith("Answers(26: answers['iris', ")
    with pytest.raises(KeyError, match="there is none. wine / vote / seed 1: failed"):
        results.answers["wine", "vote", 1]


def test_track_results_are_short_to_look_at(results: Results) -> None:
    assert repr(results.tracks[0]) == "TrackResults('toy', 27 of 30 records, 3 subjects, 5 problems)"
    assert repr(results).splitlines()[2:] == [
        "1 failed, 1 lost: see results.failures",
        "- vote: 1 of 10 cells failed (time-out): gave up on <row> 3",
        "- vote: 1 of 10 cells lost: worker died: no space left",
        "27 of 30 cells done; 2 still to do: run the same command again.",
    ]
    assert "2 still to do" in results._repr_html_()
    assert "<p>- vote: 1 of 10 cells failed (time-out): gave up on &lt;row&gt; 3</p>" in results._repr_html_()


def test_records_are_short_to_look_at(results: Results) -> None:
    assert repr(results.records) == "Records(27: records[0] is iris / knn(k=5) / seed 0)"
    assert repr(results.records[:0]) == "Records(0)"
    assert results.records[1:3] == results.tracks[0].records[1:3]
    assert results.records[1:3] != results.records[1:4]


def test_results_are_themselves_in_sets_and_copies(results: Results) -> None:
    assert len({results, results}) == 1
    assert copy.deepcopy(results) is copy.copy(results) is results
    with pytest.raises(InvalidInput, match=r"temporary folder .* cannot be pickled.*out='results'"):
        pickle.dumps(replace(results, keep=object()))
