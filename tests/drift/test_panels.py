import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from typing import Any

from assay.core import Problem, Record, plain
from assay.drift.answer.answer import DriftAnswer, DriftReply, Quote
from assay.drift.detection.drift import Drift
from assay.drift.documents.document import Corpus
from assay.drift.examine.examination import describe, examine, oracle
from assay.drift.panels import given, panels, truth
from assay.drift.problem.task import DriftTask, DriftTruth

DriftProblem = Problem[DriftTask, DriftTruth]

FIRST = "trips_drift_1_1"
GOLDEN, OTHER = "2020-03-02_New_Rule.txt", "2020-03-05_Canteen.txt"


def record(problem: DriftProblem, subject: str, answer: DriftAnswer | None) -> Record:
    details: Any = {} if answer is None else plain(describe(examine(problem, answer, {})))
    return Record(
        key="k",
        answer_key="a",
        track="drift",
        problem=problem.id,
        problem_digest="d",
        subject=subject,
        subject_digest="s",
        seed=0,
        status="failed" if answer is None else "ok",
        scores={},
        details=details,
    )


def test_timeline_changes_and_quotes_are_drawn_as_clean_svg(problem: DriftProblem) -> None:
    hostile = DriftReply(ranking=(OTHER, GOLDEN), quotes=(Quote(GOLDEN, 0, 3, '<b>&"'),))
    charts = panels(
        [
            record(problem, "oracle", oracle(problem)),
            record(problem, "mine<", DriftAnswer(replies={FIRST: hostile})),
            record(problem, "broken", None),
        ]
    )
    assert [panel.title.split(":")[0] for panel in charts] == [
        "Where the first golden document stands",
        "Timelines",
        "What changed in the process",
        "Quoted evidence",
    ]
    for panel in charts:
        root = ET.fromstring(panel.svg)
        assert root.tag.endswith("svg")
        assert "<script" not in panel.svg
        assert "style=" not in panel.svg
    places, timeline, changes, quotes = (panel.svg for panel in charts)
    assert "mine&lt;: 2nd in 1 of 1" in places
    assert "oracle: 1st in 1 of 1" in places
    assert f"{GOLDEN} (2020-03-02), rank 2" in timeline
    assert "trips_drift_1_1: sudden" in timeline
    assert "Approve again" in changes
    assert "0% → 100%" in changes
    assert "NOT verbatim" in quotes
    assert "&lt;b&gt;&amp;" in quotes


def test_nothing_is_drawn_where_nothing_was_answered(problem: DriftProblem) -> None:
    assert panels([]) == ()
    assert panels([record(problem, "broken", None)]) == ()


def test_without_logs_and_quotes_the_other_charts_remain(problem: DriftProblem) -> None:
    from dataclasses import replace

    bare = replace(problem, task=replace(problem.task, logs={}))
    charts = panels([record(bare, "mine", DriftAnswer(replies={FIRST: DriftReply(ranking=(OTHER,))}))])
    assert len(charts) == 2
    assert "not ranked" in charts[1].svg


def test_the_truth_is_told_in_words(problem: DriftProblem) -> None:
    words = truth(record(problem, "mine", DriftAnswer()))
    assert f"trips_drift_1_1 (sudden, 2020-03-10): {GOLDEN}" in words
    assert "trips_drift_1_2 (gradual, 2020-03-30): no document explains it" in words
    assert truth(record(problem, "broken", None)) == ""


def test_the_drifts_and_how_each_document_begins_are_shown() -> None:
    day = datetime(2020, 3, 10, tzinfo=UTC)
    parts = Drift(id="d1", process="Permits", type="sudden", start_case="7", end_case="7", start=day, end=day)
    corpus = Corpus.from_texts({"2020-03-02_rule.txt": "New rule.\n" + "word " * 100, "memo.txt": "Menu."})
    shown = given(DriftTask(name="permits", drifts=(parts,), corpus=corpus), None)
    assert [(row["drift"], row["start"]) for row in shown["drifts"]] == [("d1", "2020-03-10")]
    memo, rule = sorted(shown["documents"], key=lambda row: len(row["begins"]))
    assert (memo["issued"], memo["begins"]) == ("not known", "Menu.")
    assert rule["issued"] == "2020-03-02"
    assert rule["begins"].startswith("New rule. word word")
    assert len(rule["begins"]) <= 160
