from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from assay.core import Json, Record
from assay.insight.panels import panels

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
