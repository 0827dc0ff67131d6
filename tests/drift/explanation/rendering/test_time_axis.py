from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from datetime import timedelta

import pytest

from assay.drift import change_profile, simulate
from assay.drift.documents.document import Corpus
from assay.drift.explanation.explainer import DriftExplainer
from assay.drift.explanation.rendering.time_axis import WIDTH, time_axis_svg

SVG = "{http://www.w3.org/2000/svg}"
SIMULATED = simulate(seed=1, cases=200)
DRIFT = SIMULATED.drifts[0].drift
DAY = DRIFT.start.date()
CORPUS = Corpus.from_texts(
    {
        f"{DAY}_A_name_that_is_far_too_long_for_one_line_beside_its_dot_on_the_axis_of_time.txt": (
            f"From {DAY} on, verify income is no longer done."
        ),
        "Undated.txt": "The canteen has soup.",
        "1999-01-01_Old.txt": "An old paper.",
    }
)


def texts(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(f"{SVG}text"))


def test_drift_documents_and_the_course_stand_on_the_axis_and_no_label_leaves_it() -> None:
    explanation = DriftExplainer(CORPUS).explain(DRIFT, change_profile(SIMULATED.log, DRIFT))
    svg = time_axis_svg(explanation, CORPUS, SIMULATED.log)
    words = " ".join(text.text or "" for text in texts(svg))
    assert f"sudden drift from {DAY.day} July 2019" in words
    assert "share of cases: Verify income" in words
    assert "Jul 2019" in words
    assert "_for_one_line_beside_its_dot" in words.replace(" ", "")
    assert "(no day of issue)" in words
    for text in texts(svg):
        x, length = float(text.get("x", "0")), 6.8 * len(text.text or "")
        left = {"end": x - length, "middle": x - length / 2}.get(text.get("text-anchor", ""), x)
        assert left >= -10, text.text
        assert left + length <= WIDTH + 30, text.text


@pytest.mark.parametrize("days", [0, 43, 150])
def test_the_label_of_a_drift_is_never_clipped(days: int) -> None:
    drift = replace(DRIFT, type="incremental", end=DRIFT.start + timedelta(days=days))
    svg = time_axis_svg(DriftExplainer(CORPUS).explain(drift), CORPUS, None)
    (label,) = (text for text in texts(svg) if (text.text or "").startswith("incremental drift from"))
    assert label.get("text-anchor", "start") == "start"
    assert 0.0 <= float(label.get("x", "0")) <= WIDTH - 6.8 * len(label.text or "")


@pytest.mark.parametrize(("letter", "width"), [("W", 11.4), ("A", 8.1), ("e", 6.7)])
def test_a_very_long_name_without_spaces_stays_inside_the_picture(letter: str, width: float) -> None:
    corpus = Corpus.from_texts({f"{letter * 150}.txt": "Verify income is no longer done."})
    svg = time_axis_svg(DriftExplainer(corpus).explain(DRIFT), corpus, None)
    lines = [text for text in texts(svg) if letter * 10 in (text.text or "")]
    assert sum((text.text or "").count(letter) for text in lines) == 150
    for text in lines:
        assert float(text.get("x", "0")) + width * (text.text or "").count(letter) <= WIDTH


def test_without_a_log_only_the_course_is_missing() -> None:
    explanation = DriftExplainer(CORPUS).explain(DRIFT)
    svg = time_axis_svg(explanation, CORPUS, None)
    assert "share of cases" not in svg
    assert len(re.findall("<circle", svg)) == 1  # of three documents one has a day in view
