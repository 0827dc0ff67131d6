"""Objects introduce themselves: short lines, small tables, nothing of theirs is taken for HTML."""

import math
from typing import Any

from markupsafe import Markup

from assay.core import Budget, Interval, Problem, Record, get_track
from assay.core.display import object_html, shortened

SCRIPT = "<script>alert(1)</script>"


def test_whatever_an_object_holds_is_escaped() -> None:
    html = object_html(SCRIPT, {SCRIPT: SCRIPT}, columns=(SCRIPT,), rows=[(SCRIPT,)])
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 5


def test_of_many_rows_the_first_are_shown_and_the_others_counted() -> None:
    html = object_html("many", {}, columns=("row",), rows=((row,) for row in range(10**9)), total=10**9)
    assert html.count("<tr>") == 21
    assert "999999980 more are not shown." in html


def test_a_huge_text_takes_one_short_line() -> None:
    assert shortened("word " * 10**6) == "word word word word word word word word word word word word…"
    assert shortened("\n" * 1000) == "…"
    assert len(object_html("x" * 10**6, {"y" * 10**6: "z" * 10**6})) < 600


def test_an_interval_reads_as_people_write_it_and_stays_a_tuple() -> None:
    interval = Interval(0.8123, 0.79, 0.8333)
    assert repr(interval) == str(interval) == "0.812 [0.790, 0.833]"
    assert interval == (0.8123, 0.79, 0.8333)
    assert repr(Interval(1e-6, math.nan, math.inf)) == "1e-06 [nan, inf]"
    assert interval._repr_html_() == "<b>0.812</b> [0.790, 0.833]"


def test_a_problem_tells_its_name_and_tags_but_never_its_truth() -> None:
    problem = Problem(id=SCRIPT, digest="d", task=["visible"], truth="the hidden truth", tags={"a": SCRIPT, "b": 1})
    assert "hidden" not in repr(problem) + problem._repr_html_()
    assert "<script" not in problem._repr_html_()
    assert repr(problem).startswith("Problem('<script>alert(1)</script>', task list, tags a=")
    many = Problem(id="p", digest="d", task=0, truth=0, tags={f"tag{number}": "x" * 1000 for number in range(1000)})
    assert len(repr(many)) < 250
    assert len(many._repr_html_()) < 5_000


def test_a_budget_tells_what_is_bounded() -> None:
    assert repr(Budget(seed=3, seconds=1.5)) == "Budget(seed 3, 1.5 s, 2048 MB)"
    assert repr(Budget(cpu_seconds=2, tasks=4)) == "Budget(seed 0, 60 s, 2048 MB, cpu_seconds 2.0, tasks 4)"
    assert "<td>2048</td>" in Budget()._repr_html_()


def record(**changes: Any) -> Record:
    known: dict[str, Any] = {"key": "k", "answer_key": "a", "track": "cases", "problem": "iris", "problem_digest": "p"}
    known |= {"subject": SCRIPT, "subject_digest": "s", "seed": 0, "status": "ok", "scores": {"auroc": 0.5}}
    return Record(**(known | changes))


def test_a_record_tells_its_cell_and_its_first_score_or_why_it_failed() -> None:
    assert repr(record()) == "Record(cases: '<script>alert(1)</script>' on 'iris', seed 0, ok, auroc 0.5)"
    failed = record(status="failed", error="it took 61 s\n" * 1000, error_kind="timeout")
    assert repr(failed).endswith("seed 0, failed, timeout)")
    for shown in (record(), failed, record(scores={f"m{number}": 0.0 for number in range(5000)})):
        assert len(repr(shown)) < 200
        assert "<script" not in shown._repr_html_()
        assert len(shown._repr_html_()) < 3_000


def test_a_track_tells_its_question_and_metrics() -> None:
    track = get_track("cases")
    assert repr(track).startswith("Track('cases', ")
    assert "headline 'auroc'" in repr(track)
    assert track.question in track._repr_html_()
    assert len(track._repr_html_()) < 6_000


def test_every_text_is_escaped_but_markup_of_our_own() -> None:
    html = object_html("<a>", {"<b>": "<c>"}, columns=["<d>"], rows=[("<e>",), (Markup("<i>own</i>"),)])
    assert "<i>own</i>" in html
    for letter in "abcde":
        assert f"&lt;{letter}&gt;" in html
        assert f"<{letter}>" not in html.replace("<b>&lt;a&gt;</b>", "")


def test_what_cannot_be_seen_does_not_turn_the_text_around() -> None:
    assert shortened("safe\u202egpj.exe\x1b[2J") == "safe\ufffdgpj.exe\ufffd[2J"
