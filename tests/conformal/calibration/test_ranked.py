"""Sets without a score per class are those that the scores give, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from assay.conformal import calibrate
from assay.conformal.calibration import calibration
from assay.conformal.calibration.ranked import ranked_sets
from assay.conformal.calibration.scores import parse_score
from assay.conformal.sets.checks import FloatArray
from assay.conformal.sets.prediction_sets import pack
from assay.core import InvalidInput

SCORES = ["aps", "aps(randomized=True)", "raps", "raps(penalty=0.2, k_reg=3, randomized=True)", "top_k"]


def rows(samples: int, classes: int, kind: str, seed: int = 0) -> npt.NDArray[Any]:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(classes, 0.4), size=samples)
    if kind == "ties":
        return np.stack([rng.multinomial(20, row / row.sum() * (1 - 1e-9)) for row in p]) / 20
    if kind == "steep":
        p = p**6 / (p**6).sum(axis=1, keepdims=True)
    return p.astype(np.float32) if kind == "single" else p


def by_scores(name: str, p: npt.NDArray[Any], limits: FloatArray) -> npt.NDArray[np.uint64]:
    return pack(parse_score(name)(p, np.random.default_rng(3)) <= limits[:, None])


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("kind", ["plain", "single", "ties", "steep"])
def test_ranked_sets_are_those_of_the_scores(name: str, kind: str) -> None:
    score = parse_score(name)
    for classes in (1, 2, 7, 64, 65, 130):
        p = rows(60, classes, kind)
        scores = score(p, np.random.default_rng(3))
        classes_at = np.random.default_rng(classes).integers(0, classes, len(p))
        exact = scores[np.arange(len(p)), classes_at]  # limits that are scores themselves: a rounding would show
        for limits in (exact, np.nextafter(exact, -1), np.full(len(p), np.inf), np.full(len(p), -0.5), exact + 0.25):
            words = ranked_sets(score, p, limits, np.random.default_rng(3), 0)
            np.testing.assert_array_equal(words, by_scores(name, p, limits))


def test_large_and_small_matrices_get_the_same_sets_also_by_group(monkeypatch: pytest.MonkeyPatch) -> None:
    p, new = rows(400, 9, "plain"), rows(300, 9, "ties", seed=1)
    labels, groups = p.argmax(axis=1), np.arange(400) % 3
    for name in SCORES:
        for options in ({"method": "classwise"}, {"method": "mondrian", "groups": groups}, {}):
            calibrated = calibrate([p, p], [labels, labels], alpha=0.2, score=name, **options)
            by_group = groups[:300] if "groups" in options else None
            monkeypatch.setattr(calibration, "_WORTH_COMPILING", 10**9)
            expected = calibrated.predict_sets([new, new], groups=by_group)
            monkeypatch.setattr(calibration, "_WORTH_COMPILING", 0)
            assert calibrated.predict_sets([new, new], groups=by_group) == expected


@pytest.mark.parametrize("score", ["aps", "top_k", "margin"])
def test_a_row_that_is_no_distribution_is_named_by_task_and_row(score: str, monkeypatch: pytest.MonkeyPatch) -> None:
    p = rows(50, 4, "plain")
    calibrated = calibrate([p, p], [p.argmax(axis=1)] * 2, alpha=0.2, score=score)
    monkeypatch.setattr(calibration, "_WORTH_COMPILING", 0)
    for value, message in ((np.nan, "holds nan"), (-3.0, "logits"), (0.9, "sums to")):
        bad = p.copy()
        bad[7, 2] = value
        with pytest.raises(
            InvalidInput, match=rf"task 1: row 7 {message}" if message != "logits" else r"task 1: row 7 .*logits"
        ):
            calibrated.predict_sets([p, bad])
