import math
from typing import Any

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

from assay.cases.metrics import (
    brier,
    cross_recalibrated,
    expected_calibration_error,
    recalibrate,
    recalibrated_brier,
    recalibrated_calibration_error,
)
from assay.core import InvalidInput

RNG = np.random.default_rng(5)
SCORES = RNG.random(400)
WRONG = RNG.random(400) > SCORES**2  # overconfident: right with the square of what the score says


def by_bins(scores: np.ndarray, wrong: np.ndarray, bins: int) -> float:
    total = 0.0
    for b in range(bins):
        last = b == bins - 1
        inside = (scores >= b / bins) & ((scores <= 1) if last else (scores < (b + 1) / bins))
        if inside.any():
            total += inside.mean() * abs((~wrong[inside]).mean() - scores[inside].mean())
    return total


@pytest.mark.parametrize("bins", [1, 7, 15])
def test_ece_equals_a_plain_loop_over_the_bins(bins: int) -> None:
    assert expected_calibration_error(SCORES, WRONG, bins=bins) == pytest.approx(
        by_bins(SCORES, WRONG, bins), abs=1e-12
    )
    edges = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 0.9])  # 1 belongs to the last bin, where 0.9 makes up for it
    wrong = np.array([True, False, True, False, True, False])
    assert expected_calibration_error(edges, wrong, bins=4) == pytest.approx(by_bins(edges, wrong, 4), abs=1e-12)


def test_brier_equals_scikit_learn() -> None:
    assert brier(SCORES, WRONG) == pytest.approx(brier_score_loss(~WRONG, SCORES), abs=1e-12)


def test_recalibration_equals_the_isotonic_regression_of_scikit_learn_with_ties() -> None:
    scores = SCORES.round(1)
    fitted = IsotonicRegression(out_of_bounds="clip").fit(scores, ~WRONG)
    new = np.linspace(-0.5, 1.5, 101)
    np.testing.assert_allclose(recalibrate(scores, WRONG, new), fitted.predict(new), atol=1e-9)
    np.testing.assert_allclose(recalibrate(scores * 9 - 3, WRONG, new * 9 - 3), fitted.predict(new), atol=1e-9)


def test_recalibration_repairs_overconfidence_without_seeing_the_own_verdict() -> None:
    moved = cross_recalibrated(SCORES, WRONG, seed=1)
    assert expected_calibration_error(moved, WRONG) < 0.5 * expected_calibration_error(SCORES, WRONG)
    assert brier(moved, WRONG) < brier(SCORES, WRONG)
    noise = RNG.random(400)
    own = recalibrate(noise, WRONG, noise)  # fits its own noise
    assert brier(own, WRONG) < brier(cross_recalibrated(noise, WRONG), WRONG)


def test_a_lonely_verdict_does_not_help_itself() -> None:
    # two right predictions among many wrong ones at the same score: whoever is judged, the others decide alone
    scores, wrong = np.array([0.0] * 8 + [1.0, 2.0]), np.array([True] * 8 + [False, False])
    moved = cross_recalibrated(scores, wrong, folds=2, seed=0)
    assert moved[8] < 1.0 == recalibrate(scores, wrong, scores)[8]  # between 0 and 2, where the other one stands
    assert moved[9] == 1.0


def test_the_same_seed_draws_the_same_folds() -> None:
    assert np.array_equal(cross_recalibrated(SCORES, WRONG, seed=0), cross_recalibrated(SCORES, WRONG, seed=0))
    assert not np.array_equal(cross_recalibrated(SCORES, WRONG, seed=0), cross_recalibrated(SCORES, WRONG, seed=1))


@pytest.mark.parametrize("wrong", [[True, False, False], [False] * 3, [True] * 3])
def test_too_few_verdicts_leave_recalibration_undefined(wrong: list[bool]) -> None:
    assert np.isnan(cross_recalibrated([0.1, 0.2, 0.3], wrong)).all()
    assert math.isnan(recalibrated_brier([0.1, 0.2, 0.3], wrong))
    assert math.isnan(recalibrated_calibration_error([0.1, 0.2, 0.3], wrong))


def test_recalibrated_metrics_are_those_of_the_moved_scores() -> None:
    moved = cross_recalibrated(SCORES, WRONG, seed=4)
    assert recalibrated_brier(SCORES, WRONG, seed=4) == brier(moved, WRONG)
    assert recalibrated_calibration_error(SCORES, WRONG, seed=4) == expected_calibration_error(moved, WRONG)


@pytest.mark.parametrize("metric", [expected_calibration_error, brier])
def test_scores_that_are_no_probabilities_are_refused_and_nothing_is_undefined(metric: Any) -> None:
    assert math.isnan(metric([], []))
    with pytest.raises(InvalidInput, match="1.5 is not a probability"):
        metric([0.5, 1.5], [True, False])


def test_bad_options_are_refused() -> None:
    with pytest.raises(InvalidInput, match="bins must be"):
        expected_calibration_error([0.5], [True], bins=0)
    with pytest.raises(InvalidInput, match="folds must be"):
        cross_recalibrated([0.5], [True], folds=1)
    with pytest.raises(InvalidInput, match="at least one judged prediction"):
        recalibrate([], [], [0.5])
