from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pandas as pd

from assay.core import Json, Record
from assay.insight.answer.answer import FeatureFunction, InsightAnswer
from assay.insight.panels import given, listings, panels, truth
from assay.insight.problem.task import InsightTask

RECORD = Record(
    key="k",
    answer_key="a",
    track="insight",
    problem="churn",
    problem_digest="d",
    subject="mine",
    subject_digest="s",
    seed=0,
    status="ok",
    scores={},
    details={
        "columns": {
            "late": {"description": "late <payments> & more", "single_column_predictive_coverage": 0.75},
            "gone": {"description": "visits", "single_column_predictive_coverage": None},
        }
    },
)


def test_every_insight_is_a_row_and_every_subject_a_column() -> None:
    other = replace(
        RECORD,
        subject="yours",
        details={
            "columns": {"late": {"description": "late <payments> & more", "single_column_predictive_coverage": 0.1}}
        },
    )
    (panel,) = panels([RECORD, other])
    drawing = ElementTree.fromstring(panel.svg)
    texts = [element.text for element in drawing.iter() if element.text]
    assert {"churn", "late <payments> & more", "mine", "yours", "0.75", "0.10"} <= set(texts)


def test_several_seeds_are_averaged() -> None:
    second = replace(
        RECORD,
        seed=1,
        details={
            "columns": {"late": {"description": "late <payments> & more", "single_column_predictive_coverage": 0.25}}
        },
    )
    assert ">0.50<" in panels([RECORD, second])[0].svg


def test_without_scored_insights_there_is_no_chart() -> None:
    assert panels([replace(RECORD, details={}, status="failed")]) == ()
    assert panels([]) == ()


def test_a_long_list_is_cut_and_says_so() -> None:
    many: dict[str, Json] = {
        f"c{number}": {"description": f"insight {number:03d}", "single_column_predictive_coverage": 0.5}
        for number in range(80)
    }
    (panel,) = panels([replace(RECORD, details={"columns": many})])
    assert "The first 60 of 80" in panel.caption


def leaking(**evidence: Json) -> Record:
    function: dict[str, Json] = {
        "name": "copy",
        "verdict": "leak",
        "kind": "own label",
        "status": "ok",
        "evidence": {
            "test": "the row's own label changed",
            "rows": [{"row": 3, "before": 0, "after": 1}],
            "line": 2,
            "words": "Reads 'churned', the target itself, from the row.",
            **evidence,
        },
    }
    clean: dict[str, Json] = {"name": "fine", "verdict": "clean", "kind": None, "status": "ok", "evidence": {}}
    return replace(RECORD, details={**RECORD.details, "functions": [function, clean]})


def test_the_best_column_stands_below_its_coverage() -> None:
    found: dict[str, Json] = {
        "late": {
            "description": "late",
            "single_column_predictive_coverage": 0.5,
            "best_single_column": "days_late",
            "weight": 0.2,
        },
        "often": {"description": "often", "single_column_predictive_coverage": 0.25, "weight": 0.7},
    }
    record = replace(RECORD, details={"columns": found})
    assert ">days_late</text>" in panels([record])[0].svg
    assert truth(record) == "1. often\n2. late"


def test_verdicts_are_counted_and_leaks_shown_with_their_evidence() -> None:
    _, verdicts, leaks = panels([leaking(), replace(leaking(), problem="other")])
    counts = [element.text for element in ElementTree.fromstring(verdicts.svg).iter() if element.tag.endswith("text")]
    assert counts == ["leak", "blocked", "inconclusive", "clean", "not checked", "mine", "2", "0", "0", "2", "0"]
    texts = [element.text or "" for element in ElementTree.fromstring(leaks.svg).iter() if element.tag.endswith("text")]
    assert "mine · churn · copy" in texts
    assert any(text.startswith("own label: the value for a row depends") for text in texts)
    assert "row 3: 0 became 1" in texts
    assert "Reads 'churned', the target itself, from the row." in texts
    assert leaks.caption.startswith("1 of 2 leaking functions")


def test_the_source_line_is_highlighted_where_the_record_holds_the_source() -> None:
    source = "def copy(row):\n    return row['<churned>']\n"
    leaks = panels([leaking(code=source)])[2]
    tree = ElementTree.fromstring(leaks.svg)
    lines = [element for element in tree if "code" in element.attrib.get("class", "")]
    assert [(line.text or "").replace("\u00a0", " ") for line in lines][:2] == source.splitlines()
    (hot,) = [element for element in tree if element.attrib.get("class") == "hot"]
    top = float(hot.attrib["y"])
    assert top < float(lines[1].attrib["y"]) <= top + float(hot.attrib["height"])


def test_functions_without_a_leak_have_no_evidence() -> None:
    clean: dict[str, Json] = {"name": "fine", "verdict": None, "status": "not run"}
    _, verdicts = panels([replace(RECORD, details={**RECORD.details, "functions": [clean]})])
    assert verdicts.title == "What the leak checks say of the functions"
    assert verdicts.svg.count(">1</text>") == 1  # not checked


def test_the_evidence_of_a_leak_stands_on_its_line() -> None:
    evidence: Json = {
        "line": 2,
        "words": "Reads 'days', the target itself, from the row.",
        "test": "the row's own label changed",
        "rows": [{"row": 3, "before": 1.0, "after": 2.0}],
        "source": ["line 1: Something else."],
    }
    function: Json = {"name": "copy", "verdict": "leak", "kind": "own label", "evidence": evidence}
    record = replace(RECORD, details={"functions": [function]})
    code = "def copy(row):\n    return row['days']\n"
    answer = InsightAnswer(solved_by="s", columns=("copy",), functions=(FeatureFunction(name="copy", code=code),))
    (listing,) = listings(record, answer)
    assert listing.code == code
    assert listing.remarks == ((2, "Reads 'days', the target itself, from the row."), (1, "Something else."))
    assert listing.alarm
    assert "row 3: 1.0 became 2.0" in listing.note


def test_a_task_shows_the_first_rows_of_every_table() -> None:
    rows = pd.DataFrame({"age": range(9), "note": ["long " * 100] * 9, "churned": [0, 1, 0] * 3})
    shown = given(
        InsightTask(
            name="churn",
            description="Who leaves?",
            domain="telecom",
            target_column="churned",
            problem_type="binary",
            train=rows,
            test=rows[["age", "note"]],
            tables={"orders.csv": pd.DataFrame({"price": [1.5, 2.5]})},
        ),
        None,
    )
    assert shown["target"] == "churned (binary)"
    train = shown["train.csv: 9 rows, 3 columns"]
    assert [row["age"] for row in train] == [0, 1, 2, 3, 4]
    assert len(train[0]["note"]) == 60
    assert shown["orders.csv: 2 rows, 1 column"] == [{"price": 1.5}, {"price": 2.5}]
    assert "churned" not in shown["test.csv, without the target: 9 rows, 2 columns"][0]


def test_the_highlighted_line_is_the_one_that_python_counts() -> None:
    code = "MARK = 'a\x0cb'\ndef f(row, df_train):\n    return df_train['churn'].mean()\n"
    evidence: Json = {"line": 3, "words": "reads the target", "code": code}
    function: Json = {"name": "f", "verdict": "leak", "kind": "target", "evidence": evidence}
    (panel,) = (
        panel for panel in panels([replace(RECORD, details={"functions": [function]})]) if "Evidence" in panel.title
    )
    lines = [element for element in ElementTree.fromstring(panel.svg).iter() if element.tag.endswith(("text", "rect"))]
    hot = next(place for place, element in enumerate(lines) if element.get("class") == "hot")
    assert "return" in "".join(lines[hot + 1].itertext())
