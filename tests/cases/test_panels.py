from __future__ import annotations

import re
from xml.etree import ElementTree

from assay.cases.panels import panels
from assay.core import Record


def record(subject: str, right: list[int], wrong: list[int]) -> Record:
    return Record(
        key=subject,
        answer_key=subject,
        track="cases",
        problem="p",
        problem_digest="d",
        subject=subject,
        subject_digest="s",
        seed=0,
        status="ok",
        scores={},
        details={"histogram": {"edges": [0.0] * (len(right) + 1), "right": right, "wrong": wrong}},
    )


def heights(svg: str, series: str) -> list[float]:
    return [float(height) for height in re.findall(rf'class="{series}"[^>]*height="([\d.]+)"', svg)][1:]  # legend first


def test_bars_are_the_shares_of_right_and_wrong_predictions_pooled_over_problems() -> None:
    (panel,) = panels([record("s", [0, 2, 6], [3, 1, 0]), record("s", [0, 0, 8], [4, 0, 0])])
    right, wrong = heights(panel.svg, "series-1"), heights(panel.svg, "series-2")
    assert right[0] == wrong[2] == 0
    assert round(right[2] / right[1], 1) == 7.0  # 14 of 16 against 2 of 16
    assert round(wrong[0] / wrong[1], 1) == 7.0  # 7 of 8 against 1 of 8
    assert right[2] == wrong[0]  # both are 7/8


def test_a_hostile_subject_name_stays_text() -> None:
    (panel,) = panels([record('<script>alert("x")</script>', [0, 1], [1, 0])])
    texts = [element.text or "" for element in ElementTree.fromstring(panel.svg).iter() if element.tag.endswith("text")]
    assert any(text.startswith("<script>") for text in texts)


def test_without_scores_there_is_nothing_to_draw() -> None:
    assert panels([]) == ()
    assert panels([record("constant", [5], [5])]) == ()
    assert panels([record("never-wrong", [5, 1], [0, 0])]) == ()
