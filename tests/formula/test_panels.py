"""The charts: what they show, and that no name breaks them."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from assay.core import Panel, Record
from assay.formula.panels import given, panels
from assay.formula.problem.task import FormulaTask, Part

SVG = "{http://www.w3.org/2000/svg}"
TEXTS = (f"{SVG}text", "th", "td")


def part(
    noise: float = 0.0, r2: float | None = 0.9, formula: str = "2.5*x1**2", verdict: str = "form"
) -> dict[str, Any]:
    front = [
        {"formula": formula, "nodes": 5, "r2": r2, "verdict": verdict, "best": True},
        {"formula": "x1", "nodes": 1, "r2": 0.4, "verdict": "different", "best": True},
    ]
    return {
        "noise": noise,
        "formula": formula,
        "simplified": formula,
        "test_r2": r2,
        "verdict": verdict,
        "front": front if r2 is not None else [],
    }


def record(problem: str = "p", subject: str = "s", truth: str | None = "2*x1**2", **details: Any) -> Record:
    body = {"property": "noise", "truth": truth, "parts": [part()], **details}
    return Record(
        key=f"{problem}/{subject}",
        answer_key="a",
        track="formula",
        problem=problem,
        problem_digest="d",
        subject=subject,
        subject_digest="d",
        seed=0,
        status="ok",
        scores={},
        details=body,
    )


def texts(panel: Panel) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(panel.svg).iter() if element.tag in TEXTS]


def by_title(records: list[Record]) -> dict[str, Panel]:
    return {panel.title: panel for panel in panels(records)}


def test_without_details_there_is_nothing_to_draw() -> None:
    assert panels([]) == ()
    assert panels([record(parts=[])]) == ()


def test_a_line_of_quality_runs_through_the_means_of_each_level() -> None:
    records = [
        record("a", parts=[part(0.0, 1.0), part(0.2, 0.6)]),
        record("b", parts=[part(0.0, 1.0), part(0.2, None)]),
        record("c"),  # one table only: it says nothing about noise
    ]
    panel = by_title(records)["Quality against noise"]
    shown = texts(panel)
    assert {"0%", "20%"} <= set(shown)
    titles = [element.text for element in ElementTree.fromstring(panel.svg).iter(f"{SVG}title")]
    # undefined counts as 0, so the mean of 0.6 and nothing is 0.3; the name beside the line tells itself in full
    assert titles == ["s: R² 1.000 with 0% noise", "s: R² 0.300 with 20% noise", "s"]
    assert panel.rows == (("s", 0.0, 1.0), ("s", 0.2, 0.3))


def test_one_answer_is_drawn_against_the_truth_inside_and_outside_the_box() -> None:
    own = part(0.0, 1.0) | {"formula": "2*x", "certificate": {"box": "x in 1..3"}}
    panel = by_title([record("a", parts=[own], truth="x**2")])["The model against the truth"]
    assert panel.columns == ("variable", "value", "truth", "model")
    assert panel.rows[0] == ("x", 0.0, 0.0, 0.0)  # half a box below it
    assert panel.rows[60] == ("x", 2.0, 4.0, 4.0)
    assert panel.rows[-1] == ("x", 4.0, 16.0, 8.0)
    several = [record(name, parts=[own], truth="x**2") for name in "ab"]
    assert "The model against the truth" not in by_title(several)


def test_there_is_no_chart_of_noise_without_levels() -> None:
    assert "Quality against noise" not in by_title([record()])


def test_the_front_names_every_model_and_marks_the_best() -> None:
    worse = part(formula="x1*x1*x1")
    worse["front"] = [{"formula": "x1*x1*x1", "nodes": 9, "r2": 0.5, "verdict": "different", "best": True}]
    panel = by_title([record(subject="good"), record(subject="bad", parts=[worse])])["Accuracy against size"]
    circles = ElementTree.fromstring(panel.svg).iter(f"{SVG}circle")
    dots = {"".join(circle.itertext()).partition(":")[0]: circle.get("class") for circle in circles}
    assert dots == {"good": "series-1", "bad": "series-2"}


def test_formulas_stand_below_the_truth_with_their_verdicts() -> None:
    records = [record(), record(subject="t", parts=[part(formula="x1 + 1", verdict="different")])]
    panel = by_title(records)["Formulas beside the truth"]
    shown = texts(panel)
    assert shown[0] == "p"
    assert shown.index("p") < shown.index("s") < shown.index("form") < shown.index("t") < shown.index("different")
    assert panel.svg.count('class="rediscovered"') == 1
    assert panel.svg.count("<math") == 3


def test_a_formula_too_large_to_read_is_counted() -> None:
    large = " + ".join(f"{number}.5*x1" for number in range(60))
    shown = texts(by_title([record(parts=[part(formula=large)])])["Formulas beside the truth"])
    assert any(text.endswith("…  (181 nodes)") for text in shown)


def test_data_of_ones_own_say_that_no_formula_is_known() -> None:
    mine = part()
    del mine["verdict"]
    assert "no known formula" in texts(by_title([record(truth=None, parts=[mine])])["Formulas beside the truth"])


@pytest.mark.parametrize("name", ["<b>&", "a" * 80, "\"quoted' name"])
def test_names_cannot_break_the_picture(name: str) -> None:
    records = [record(name, name, parts=[part(0.0), part(0.2)])]
    for panel in panels(records):
        ElementTree.fromstring(panel.svg)
        assert "<b>" not in panel.svg


def test_many_problems_are_cut_and_said_so() -> None:
    panels_of = by_title([record(f"p{number:02d}") for number in range(20)])
    assert "The first 12 of 20 problems are shown." in panels_of["Accuracy against size"].caption
    assert "p12" not in texts(panels_of["Formulas beside the truth"])


def test_a_task_shows_ranges_first_rows_and_dots() -> None:
    inputs = np.linspace(0, 4, 20).reshape(10, 2)
    part = Part(noise=0.0, inputs=inputs, target=inputs[:, 0] ** 2)
    shown = given(FormulaTask(name="square", variables=("x", "z"), target="y", parts=(part,)), None)
    assert shown["variables"][0] == {"variable": "x", "lowest": 0.0, "highest": inputs[:, 0].max()}
    assert len(shown["10 training rows"]) == 6
    assert shown["10 training rows"][1]["y"] == inputs[1, 0] ** 2
    assert shown["drawn"].svg.count("<circle") == 20


def test_a_curve_runs_along_a_variable_that_has_the_name_of_a_constant() -> None:
    own = {**part(formula="q*E"), "certificate": {"box": "q in 1..5, E in 1..5"}}
    beside, *_ = panels([record(truth="q*E", parts=[own])])
    along = [(truth, model) for name, _, truth, model in beside.rows if name == "E"]
    assert (along[0], along[-1]) == ((-3.0, -3.0), (21.0, 21.0))
