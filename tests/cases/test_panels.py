from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import binomtest

from assay.cases.answer.answer import CasesAnswer
from assay.cases.panels import given, panels, truth
from assay.cases.problem.task import CasesTask
from assay.core import Json, Record
from assay.stats.shares import share_interval


def record(subject: str, right: list[int], wrong: list[int], **other: Json) -> Record:
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
        details={"histogram": {"edges": [0.0] * (len(right) + 1), "right": right, "wrong": wrong}, **other},
    )


def heights(svg: str, series: str) -> list[float]:
    return [float(height) for height in re.findall(rf'class="{series}"[^>]*height="([\d.]+)"', svg)][1:]  # legend first


def test_bars_are_the_shares_of_right_and_wrong_predictions_pooled_over_problems() -> None:
    panel = panels([record("s", [0, 2, 6], [3, 1, 0]), record("s", [0, 0, 8], [4, 0, 0])])[0]
    right, wrong = heights(panel.svg, "series-1"), heights(panel.svg, "series-2")
    assert right[0] == wrong[2] == 0
    assert round(right[2] / right[1], 1) == 7.0  # 14 of 16 against 2 of 16
    assert round(wrong[0] / wrong[1], 1) == 7.0  # 7 of 8 against 1 of 8
    assert right[2] == wrong[0]  # both are 7/8


def test_a_hostile_subject_name_stays_text() -> None:
    panel, *_ = panels([record('<script>alert("x")</script>', [0, 1], [1, 0])])
    texts = [element.text or "" for element in ElementTree.fromstring(panel.svg).iter() if element.tag.endswith("text")]
    assert any(text.startswith("<script>") for text in texts)


def test_without_scores_there_is_nothing_to_draw() -> None:
    assert panels([]) == ()
    assert panels([record("constant", [5], [5])]) == ()
    assert panels([record("never-wrong", [5, 1], [0, 0])]) == ()


def scored(edges: list[float], right: list[int], wrong: list[int]) -> Record:
    return record("s", right, wrong, histogram={"edges": edges, "right": right, "wrong": wrong})


def test_calibration_shows_the_share_of_right_predictions_per_tenth() -> None:
    panel = panels([scored([0.0, 0.1, 0.2], [1, 6], [3, 2]), scored([0.8, 0.9, 1.0], [2, 9], [2, 1])])[1]
    assert panel.title == "Calibration"
    titles = [element.text for element in ElementTree.fromstring(panel.svg).iter() if element.tag.endswith("title")]
    assert titles == [
        "s: 1 of 4 right with a score of about 0.05",
        "s: 6 of 8 right with a score of about 0.15",
        "s: 2 of 4 right with a score of about 0.85",
        "s: 9 of 10 right with a score of about 0.95",
    ]


def test_scores_beyond_a_probability_have_no_calibration() -> None:
    assert [panel.title for panel in panels([scored([0.0, 2.0, 4.0], [1, 6], [3, 2])])] == [
        "Scores of right and wrong predictions"
    ]


def test_wilson_intervals_are_those_of_scipy() -> None:
    for hits, total in ((0, 5), (3, 10), (49, 50)):
        expected = binomtest(hits, total).proportion_ci(method="wilson")
        assert share_interval(hits, total)[1:] == pytest.approx((expected.low, expected.high))


def test_an_example_is_drawn_where_a_record_holds_one() -> None:
    example: Json = {
        "query": 4,
        "predicted": "<a>",
        "wrong": True,
        "score": 0.25,
        "correspondence": 0.5,
        "neighbors": [
            {"case": 7, "label": "<a>", "distance": 0.5},
            {"case": 9, "label": "b", "distance": 1.0},
        ],
    }
    panel = panels([record("s", [0, 1], [1, 0], example=example)])[-1]
    assert panel.title == "An example explanation"
    texts = [element.text or "" for element in ElementTree.fromstring(panel.svg).iter() if element.tag.endswith("text")]
    assert "s on p, query 4: predicted <a>" in texts
    assert "The prediction is wrong; score 0.250, correspondence 0.500" in texts
    assert {"case 7: <a>", "case 9: b", "0.500", "1.000"} <= set(texts)
    widths = re.findall(r'class="series-(\d)" [^>]*width="([\d.]+)"', panel.svg)
    assert [series for series, _ in widths] == ["1", "2"]  # the predicted class first
    assert float(widths[1][1]) == pytest.approx(2 * float(widths[0][1]), rel=0.02)


def test_the_truth_is_told_in_numbers() -> None:
    sentence = truth(replace(record("s", [1], [1]), details={"queries": 10, "wrong": 3}))
    assert sentence == "Of 10 predictions 3 are wrong and 7 are right; which ones, a subject must tell."
    assert truth(record("s", [1], [1])) == ""


def task(columns: int, highest: int) -> CasesTask:
    values = np.random.default_rng(1).integers(0, highest + 1, (6, columns)).astype(float)
    values[0, 0] = highest
    return CasesTask(
        train_X=values,
        train_y=np.array([0, 1, 0, 1, 0, 1]),
        query_X=values[:3] / 1,
        predicted=np.array([1, 0, 1]),
        probabilities=np.full((3, 2), 0.5),
        classes=(0, 1),
        feature_names=tuple(f"x{place}" for place in range(columns)),
    )


def test_the_queries_of_least_trust_stand_before_the_values_of_their_neighbours() -> None:
    shown = given(
        task(3, 9), CasesAnswer(scores=np.array([0.9, 0.1, 0.5]), neighbors=np.array([[0, 1], [4, 5], [2, 3]]))
    )
    rows = shown["queries of least trust, and the cases they rest on"]
    assert [row[""] for row in rows[:4]] == ["query 1, trust 0.1", "case 4", "case 5", "query 2, trust 0.5"]
    assert rows[1]["x2"] == task(3, 9).train_X[4, 2]
    assert rows[1]["class"] == "0"
    assert [row[""] for row in given(task(3, 9), None)["queries"]] == ["query 0", "query 1", "query 2"]


def test_images_of_digits_are_drawn() -> None:
    images = given(task(64, 16), CasesAnswer(scores=np.array([0.9, 0.1, 0.5]), neighbors=np.array([[0], [4], [2]])))[
        "images"
    ]
    assert images.svg.count('class="ground"') == 3 + 3 + 5
    ElementTree.fromstring(images.svg)
    assert "images" not in given(task(64, 17), None)
