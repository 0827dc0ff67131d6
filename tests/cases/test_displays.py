"""What a user looks at says what it is: sizes in a line, a small table in a notebook, nobody's HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.cases import (
    CaseExplainer,
    CaseIndex,
    CasesAnswer,
    CasesTruth,
    DetectorScores,
    Neighbours,
    calibrate_thresholds,
)

SCRIPT = "<script>alert(1)</script>"


def explainer(rows: int = 30, names: tuple[str, ...] = (SCRIPT, "b")) -> CaseExplainer:
    X = np.random.default_rng(0).normal(size=(rows, len(names)))
    return CaseExplainer(X, [SCRIPT if row % 2 else "plain" for row in range(rows)], feature_names=names)


OBJECTS: dict[str, Callable[[], Any]] = {
    "explainer": explainer,
    "index": lambda: CaseIndex(np.zeros((3, 2))),
    "neighbours": lambda: CaseIndex(np.zeros((50, 2))).query(np.ones((40, 2)), 3),
    "explanation": lambda: explainer().explain_instance([0.0, 1.0], predicted_class=SCRIPT),
    "batch": lambda: explainer().explain_batch([[0.0, 1.0]] * 40, predictions=[SCRIPT] * 40),
    "thresholds": lambda: calibrate_thresholds([0.9] * 40 + [0.3] * 60, [False] * 75 + [True] * 25),
    "unfitted": lambda: calibrate_thresholds([0.9, 0.2], [False, True]),
    "scores": lambda: DetectorScores(np.linspace(0, 1, 500), np.linspace(0, 1, 500), 0.0),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_a_display_is_short_and_runs_nothing(name: str) -> None:
    shown = OBJECTS[name]()
    assert len(repr(shown)) < 250
    assert "\n" not in repr(shown)
    html = shown._repr_html_()
    assert 50 < len(html) < 12_000
    assert "<script" not in html


def test_sizes_are_told() -> None:
    assert repr(explainer()) == "CaseExplainer(30 cases, 2 features, 2 classes, k=5, metric 'euclidean')"
    assert repr(OBJECTS["index"]()) == "CaseIndex(3 cases, 2 features, algorithm 'brute')"
    assert repr(OBJECTS["neighbours"]()) == "Neighbours(40 queries, k=3, distances 1.414 to 1.414)"
    assert repr(OBJECTS["unfitted"]()) == (
        "CalibratedThresholds(high 0.850 [nan, nan], medium 0.700 [nan, nan], not fitted, 2 predictions, 1 wrong)"
    )
    assert "1 wrong prediction of 2" in OBJECTS["unfitted"]()._repr_html_()
    assert repr(Neighbours(np.empty((0, 3), dtype=np.int64), np.empty((0, 3)))) == "Neighbours(0 queries, k=3)"


def test_answers_and_truths_say_their_sizes_and_no_values() -> None:
    many = np.full(5000, 0.125)
    answer = CasesAnswer(scores=many, neighbors=np.full((5000, 3), 7), unfamiliarity=many, suspicion=many)
    assert repr(answer) == "CasesAnswer(5000 scores, 3 neighbors each, unfamiliarity, suspicion)"
    assert repr(CasesAnswer(scores=many[:1])) == "CasesAnswer(1 score)"
    truth = CasesTruth(labels=np.array([SCRIPT] * 400), ood=np.zeros(400, dtype=np.bool_))
    assert repr(truth) == "CasesTruth(400 queries, ood)"


def test_a_display_of_many_cases_stays_small() -> None:
    many = explainer(rows=3000, names=tuple(f"feature {number}" for number in range(300)))
    assert len(many._repr_html_()) < 2_000
    nearest = CaseIndex(np.zeros((500, 1))).query(np.zeros((2000, 1)), 400)
    assert len(nearest._repr_html_()) < 8_000
    assert "1980 more are not shown." in nearest._repr_html_()


def test_an_explanation_names_its_precedents_with_distances_and_labels() -> None:
    explainer = CaseExplainer([[0.0], [1.0], [10.0]], ["low", "low", "high"], k=3, scale=False)
    shown = explainer.explain_instance([0.25], predicted_class="low")
    assert repr(shown).endswith(
        "3 neighbours: 'low' at 0.25 (case 0), 'low' at 0.75 (case 1), 'high' at 9.75 (case 2))"
    )
    for part in ("case 0", "0.25", "9.75", "high"):
        assert part in shown._repr_html_()


def test_private_values_are_in_no_display() -> None:
    explainer = CaseExplainer([[77.125], [1.0]], ["a", "b"], k=1, feature_names=["secret"], private=["secret"])
    shown = explainer.explain_instance([77.125], predicted_class="a")
    for thing in (explainer, explainer.cases, shown, shown.neighbors[0]):
        assert "77.125" not in repr(thing)
    assert "77.125" not in explainer._repr_html_() + shown._repr_html_()
