from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any, get_args
from xml.etree import ElementTree

import numpy as np
import pytest

from assay.conformal import TRACK, PredictionSets
from assay.conformal.answer.answer import ConformalAnswer
from assay.conformal.generate import draw
from assay.conformal.panels import given, panels, truth
from assay.conformal.problem.task import ConformalTask, ConformalTruth, TaskGuarantee
from assay.core import Problem, Record, plain

TITLES = [
    "Coverage against what was promised",
    "Size against coverage",
    "Coverage of each class",
    "Set sizes",
    "Accuracy before conformal prediction",
]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    old, new = draw("correlated", 100, seed=1), draw("correlated", 150, seed=2)
    records = []
    for guarantee in get_args(TaskGuarantee):
        task = ConformalTask(
            calibration_probabilities=old.probabilities,
            calibration_labels=old.labels,
            test_probabilities=new.probabilities,
            alpha=0.1,
            guarantee=guarantee,
            task_names=("a", "b", "c"),
        )
        problem: Problem[Any, Any] = Problem(
            id=guarantee, digest="d", task=task, truth=ConformalTruth(labels=new.labels)
        )
        full = ConformalAnswer.of(PredictionSets.full(150, task.classes))
        guesses = ConformalAnswer(sets=tuple(tuple((int(c),) for c in p.argmax(axis=1)) for p in new.probabilities))
        for subject, answer in (("full", full), ('<script>alert("x")</script>', guesses)):
            details = TRACK.details(TRACK.examine(problem, answer, TRACK.settings))
            records.append(record(subject, guarantee, plain(details)))
    return records


def record(subject: str, problem: str, details: Any) -> Record:
    return Record(
        key=subject + problem,
        answer_key=subject,
        track="conformal",
        problem=problem,
        problem_digest="d",
        subject=subject,
        subject_digest="s",
        seed=0,
        status="ok",
        scores={},
        details=details,
    )


def test_every_chart_is_drawn_and_is_xml_in_which_names_stay_text(records: list[Record]) -> None:
    charts = panels(records)
    assert [panel.title for panel in charts] == TITLES
    for panel in charts:
        tree = ElementTree.fromstring(panel.svg)
        assert "<script" not in panel.svg
        assert panel.caption.endswith(".")
        assert not [part for part in tree.iter() if "style" in part.attrib]
    texts = [part.text or "" for part in ElementTree.fromstring(charts[0].svg).iter() if part.tag.endswith("text")]
    assert any(text.startswith("<script>") for text in texts)


def test_subjects_below_the_promise_are_marked(records: list[Record]) -> None:
    alone = panels([entry for entry in records if entry.subject == "full"])[0].svg
    assert 'class="series-2"' not in alone
    assert panels(records)[0].svg.count('<circle class="series-2"') >= 1


def test_histograms_show_where_the_sizes_lie(records: list[Record]) -> None:
    full = panels([entry for entry in records if entry.subject == "full"])[3].svg
    heights = [float(height) for height in re.findall(r'height="([\d.]+)"', full)]
    assert heights[:3] == [0.0, 0.0, 0.0]  # no empty sets, no singletons, no pairs
    assert heights[4] == pytest.approx(2 * heights[3], abs=0.01)  # three classes once, eight and four


def test_without_details_there_is_nothing_to_draw() -> None:
    assert panels([]) == ()
    assert panels([record("failed", "p", {})]) == ()


def test_no_name_hides_another_however_many_subjects_there_are(records: list[Record]) -> None:
    crowd = [replace(records[0], subject=f"subject-{number:02d}") for number in range(18)]
    tree = ElementTree.fromstring(panels(crowd)[1].svg)
    lines = [
        float(part.attrib["y"])
        for part in tree
        if part.tag.endswith("text") and (part.text or "").startswith("subject")
    ]
    assert len(lines) == 18
    assert min(after - before for before, after in pairwise(sorted(lines))) >= 12  # the height of the letters
    assert max(lines) <= float(tree.attrib["viewBox"].split()[3])


def test_the_truth_says_what_must_be_covered(records: list[Record]) -> None:
    joint = next(entry for entry in records if entry.problem == "joint")
    assert "150 labelled test samples" in truth(joint)
    assert "all tasks of a sample at once" in truth(joint)
    assert truth(record("failed", "p", {})) == ""


def test_sets_stand_beside_the_probabilities_from_the_smallest_to_the_largest() -> None:
    task = ConformalTask(
        calibration_probabilities=(np.array([[0.9, 0.1]]),),
        calibration_labels=(np.array([0]),),
        test_probabilities=(np.array([[0.6, 0.4], [0.2, 0.8]]),),
        alpha=0.1,
        task_names=("a",),
    )
    answers = (
        ConformalAnswer(sets=(((0, 1), (1,)),)),
        ConformalAnswer(combinations=({"product": [[0, 1]]}, ((1,),))),
    )
    for answer in answers:
        panel = given(task, answer)["drawn 0"]
        assert panel.rows == ((1, 1, 0.8, True), (1, 0, 0.2, False), (0, 0, 0.6, True), (0, 1, 0.4, True))
        assert "sample 1: 1 in the set" in panel.svg
    unseen = given(task, None)
    assert {row[3] for row in unseen["drawn 0"].rows} == {None}
    assert unseen["tasks"] == [{"task": "a", "classes": 2}]
