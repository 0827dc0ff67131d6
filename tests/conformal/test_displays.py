"""What a user looks at says what it is: sizes in a line, a small table in a notebook, nobody's HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.conformal import (
    Calibration,
    ConformalAnswer,
    ConformalTruth,
    MultiTaskConformalClassifier,
    PredictionSets,
    calibrate,
    count_sets,
    evaluate_stream,
)

SCRIPT = "<script>alert(1)</script>"
P = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]])
Y = [0, 0, 1, 1]


class Hostile:
    """An estimator whose class has markup for a name."""


Hostile.__name__ = SCRIPT


def calibration(groups: Any = None) -> Calibration:
    method = "taskwise" if groups is None else "mondrian"
    return calibrate([P, P], [Y, Y], alpha=0.25, method=method, groups=groups)


OBJECTS: dict[str, Callable[[], Any]] = {
    "sets": lambda: calibration().predict_sets([P, P]),
    "no sets": lambda: PredictionSets.full(0, (2,)),
    "many tasks": lambda: PredictionSets.full(5, (2,) * 500),
    "calibration": calibration,
    "groups": lambda: calibration(groups=[SCRIPT, "b", SCRIPT, "b"]),
    "counts": lambda: evaluate_stream(calibration(), [([P, P], [Y, Y])]),
    "sizes": lambda: count_sets(calibration().predict_sets([P, P])),
    "classifier": lambda: MultiTaskConformalClassifier(Hostile(), method=SCRIPT),
    "calibrated": lambda: MultiTaskConformalClassifier(alpha=0.25).calibrate([P], [Y]),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_a_display_is_short_and_runs_nothing(name: str) -> None:
    shown = OBJECTS[name]()
    assert len(repr(shown)) < 200
    assert "\n" not in repr(shown)
    html = shown._repr_html_()
    assert 50 < len(html) < 5_000
    assert "<script" not in html


def test_sizes_are_told() -> None:
    assert repr(OBJECTS["sets"]()) == "PredictionSets(4 samples, 2 tasks, mean size 1.00)"
    assert repr(OBJECTS["sets"]()[0]).startswith("PredictionSets(1 sample, 2 tasks: {")
    assert repr(OBJECTS["no sets"]()) == "PredictionSets(0 samples, 1 task)"
    assert "480 more are not shown." in OBJECTS["many tasks"]()._repr_html_()
    assert repr(OBJECTS["groups"]()).startswith("Calibration('mondrian', score 'hinge', alpha 0.25, 2 tasks, 2 groups")
    assert repr(OBJECTS["counts"]()) == "SetCounts(4 samples, 2 tasks, coverage 1.000, mean size 1.00)"
    assert repr(OBJECTS["sizes"]()) == "SetCounts(4 samples, 2 tasks, coverage nan, mean size 1.00)"
    assert "calibrated on 4 samples" in repr(OBJECTS["calibrated"]())
    assert "not calibrated" in repr(MultiTaskConformalClassifier([object(), object()]))
    assert "2 estimators" in repr(MultiTaskConformalClassifier([object(), object()]))


def test_answers_and_truths_say_their_sizes_and_no_values() -> None:
    answer = ConformalAnswer(sets=(((0, 1),) * 3000, ((),) * 3000))
    assert repr(answer) == "ConformalAnswer(3000 samples, 2 tasks, mean size 1.00)"
    assert repr(ConformalAnswer(sets=())) == "ConformalAnswer(0 samples, 0 tasks)"
    assert repr(ConformalTruth(labels=(np.arange(500), np.arange(500)))) == "ConformalTruth(500 samples, 2 tasks)"
    assert repr(ConformalTruth(labels=())) == "ConformalTruth(0 samples, 0 tasks)"
