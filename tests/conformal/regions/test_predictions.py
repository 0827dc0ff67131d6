"""Scores and regions of each kind of prediction: consistent with each other, exact at ties, and strict with input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assay.conformal import calibrate
from assay.conformal.regions import Classes, Labels, Quantiles, Values, calibrate_regions, draw_regions
from assay.conformal.regions.region import Intervals, region_hits
from assay.conformal.sets.prediction_sets import PredictionSets
from assay.core import InvalidInput


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("kind", ["values", "scaled", "quantiles"])
def test_a_truth_is_inside_exactly_when_its_score_is_within_the_threshold(kind: str, symmetric: bool) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(-30, 30, 4000) / 10  # few values, so that scores equal the threshold in many samples
    at, scale = rng.integers(-30, 30, 4000) / 7, rng.integers(1, 9, 4000) / 3
    prediction: Values | Quantiles = Values(at, scale if kind == "scaled" else None, symmetric)
    if kind == "quantiles":
        prediction = Quantiles(at - 0.3, at + 0.7, symmetric)
    scores = prediction.scores(truth)
    for place in range(0, 4000, 40):
        thresholds = np.repeat(scores[:, place : place + 1], 4000, axis=1)
        inside = region_hits(prediction.region(thresholds), truth).astype(bool)
        within = (scores <= thresholds).all(axis=0)
        assert not (within & ~inside).any()  # a tie that falls out would break the guarantee
        assert (within == inside).mean() > 0.99  # and rounding lets little more in


def test_infinite_thresholds_hold_everything_and_nothing() -> None:
    for prediction in (Values([1.0], scale=[2.0]), Quantiles([0.0], [1.0])):
        everything, nothing = prediction.region(np.array([[np.inf]])), prediction.region(np.array([[-np.inf]]))
        assert everything.contains([1e300]).all()
        assert not nothing.contains([0.5]).any()
        assert nothing.width.tolist() == [0.0]
    for sets in (Classes([[0.1, 0.9]]), Labels([[0.1, 0.9]])):
        assert sets.region(np.array([[np.inf]])).all()
        assert not sets.region(np.array([[-np.inf]])).any()


def test_classes_agree_with_the_calibration_of_classifiers() -> None:
    old, new = draw_regions(300, seed=1), draw_regions(50, seed=2)
    p, q = old.predictions["kind"].probabilities, new.predictions["kind"].probabilities  # type: ignore[attr-defined]
    for score in ("hinge", "margin", "aps", "raps(penalty=0.1)"):
        ours = calibrate_regions(Classes(p, score), old.truth["kind"], alpha=0.1).predict(Classes(q, score))["task"]
        theirs = calibrate([p], [old.truth["kind"]], alpha=0.1, score=score).predict_sets([q])
        assert isinstance(theirs, PredictionSets)
        np.testing.assert_array_equal(np.asarray(ours), theirs.matrices()[0])


@pytest.mark.parametrize("shape", [(3,), (3, 1)])
def test_one_sigmoid_output_is_the_probability_of_class_one(shape: tuple[int, ...]) -> None:
    shares = np.array([0.25, 1.0, 0.5])
    prediction = Classes(shares.reshape(shape))
    np.testing.assert_allclose(prediction.probabilities, np.stack([1 - shares, shares], axis=1))
    assert Classes(np.array([0.0]), logits=True).probabilities.tolist() == [[0.5, 0.5]]
    assert Classes(np.array([1.0, 1.0])).probabilities.tolist() == [[0.0, 1.0], [0.0, 1.0]]
    assert Classes(np.array([0.5, 0.25], dtype=np.float16)).probabilities.tolist() == [[0.5, 0.5], [0.75, 0.25]]


def test_labels_hold_the_whole_row() -> None:
    prediction = Labels([[0.9, 0.2], [0.6, 0.5]])
    assert prediction.scores([[1, 0], [0, 1]])[0].tolist() == pytest.approx([0.2, 0.6])
    region = prediction.region(np.array([[0.3, 0.5]]))
    assert region.tolist() == [[[False, True], [True, False]], [[False, True], [True, True]]]
    assert region_hits(region, [[1, 0], [0, 1]]).tolist() == [1.0, 0.0]
    assert np.isnan(prediction.scores([[1, -1], [0, 1]])[0]).tolist() == [True, False]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Values([[1.0, 2.0]]), "Give each column as a task of its own"),
        (lambda: Values(["a"]), "must be one number per sample"),
        (lambda: Values([np.nan]), "predicted: must be finite, got nan at sample 0"),
        (lambda: Values([1.0], scale=[0.0]), "scale: must be positive, got 0 at sample 0. Add a small number"),
        (lambda: Values([1.0], scale=[1.0, 2.0]), "scale: 2 numbers were given for 1 samples"),
        (lambda: Quantiles([1.0], [2.0, 3.0]), "high: 2 numbers were given for 1 samples"),
        (lambda: Classes([[0.9, 0.9]]), r"\(sigmoid\) are a task each"),
        (lambda: Classes([1.5, 0.5]), "look like logits"),
        (lambda: Labels([0.5]), r"give an \(n, L\) matrix"),
        (lambda: Labels([[0.5, 1.5]]), "1.5 at sample 0, label 1 is not a probability"),
    ],
)
def test_numbers_that_cannot_be_meant_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()


def test_an_interval_holds_its_ends() -> None:
    assert Intervals(np.array([0.0]), np.array([1.0])).contains([1.0]).all()
    assert Intervals(np.array([1.0]), np.array([0.0])).width.tolist() == [0.0]
