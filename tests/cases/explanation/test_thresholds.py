import math
from typing import Any

import numpy as np
import pytest

from assay.cases import CaseExplainer
from assay.cases.explanation.thresholds import calibrate_thresholds
from assay.core import InvalidInput


def sample(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Predictions that are right exactly as often as their correspondence says."""
    rng = np.random.default_rng(seed)
    c = rng.random(count)
    return c, rng.random(count) > c


def brute_force(c: np.ndarray, wrong: np.ndarray, target: float) -> float:
    good = [t for t in np.unique(c) if (c >= t).sum() >= 10 and (~wrong[c >= t]).mean() >= target - 1e-9]
    return float(min(good))


def test_both_thresholds_equal_a_search_over_all_of_them() -> None:
    c, wrong = sample(500)
    fitted = calibrate_thresholds(c.round(2), wrong, target_accuracy=(0.9, 0.6))
    high = brute_force(c.round(2), wrong, 0.9)
    below = c.round(2) < high
    medium = brute_force(c.round(2)[below], wrong[below], 0.6)
    assert fitted.source == "fitted"
    assert fitted.reason == ""
    assert fitted.thresholds == (high, medium)
    assert fitted.accuracy[0] >= 0.9
    assert fitted.accuracy[1] >= 0.6


def test_intervals_hold_the_value_narrow_with_data_and_cover_the_truth() -> None:
    # accuracy above t is (1 + t) / 2: 0.9 from 0.8 on; then of the band from m to 0.8 (m + 0.8) / 2 = 0.6 from 0.4 on
    covered = 0
    for seed in range(20):
        c, wrong = sample(400, seed)
        fitted = calibrate_thresholds(c, wrong, target_accuracy=(0.9, 0.6), seed=seed)
        assert fitted.high.low <= fitted.high.value <= fitted.high.high
        assert fitted.medium.low <= fitted.medium.value <= fitted.medium.high
        covered += fitted.high.low <= 0.8 <= fitted.high.high
    assert covered >= 16
    few, many = (calibrate_thresholds(*sample(n), target_accuracy=(0.9, 0.6)).high for n in (200, 5000))
    assert many.high - many.low < 0.5 * (few.high - few.low)
    assert abs(many.value - 0.8) < 0.05


def test_the_same_seed_gives_the_same_intervals() -> None:
    c, wrong = sample(300)
    assert calibrate_thresholds(c, wrong, seed=3) == calibrate_thresholds(c, wrong, seed=3)


@pytest.mark.parametrize(
    ("c", "wrong", "reason"),
    [
        (np.linspace(0, 1, 100), np.arange(100) < 9, "9 wrong predictions of 100; at least 10 are needed"),
        (np.linspace(0, 1, 100), np.arange(100) % 2 == 0, "from no correspondence on are 95% of the predictions right"),
        ([], [], "0 wrong predictions of 0"),
    ],
)
def test_the_documents_thresholds_stand_where_the_data_do_not_allow_a_fit(c: Any, wrong: Any, reason: str) -> None:
    unfitted = calibrate_thresholds(c, wrong)
    assert unfitted.source == "document"
    assert reason in unfitted.reason
    assert unfitted.thresholds == (0.85, 0.70)
    assert math.isnan(unfitted.high.low)
    assert math.isnan(unfitted.medium.high)


def test_without_a_good_middle_medium_begins_where_high_does() -> None:
    fitted = calibrate_thresholds([0.9] * 40 + [0.5] * 40, [False] * 40 + [True] * 40)
    assert fitted.thresholds == (0.9, 0.9)
    assert math.isnan(fitted.accuracy[1])


def test_the_explainer_takes_the_thresholds() -> None:
    fitted = calibrate_thresholds([0.9] * 40 + [0.6] * 40 + [0.3] * 20, [False] * 75 + [True] * 25)
    explainer = CaseExplainer([[0.0], [1.0], [2.0]], [0, 0, 1], k=3, thresholds=fitted.thresholds)
    assert explainer.explain_instance([0.0], predicted_class=0).thresholds == (0.9, 0.6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"correspondence": [1.5, 0.0]}, "1.5 does not lie between 0 and 1"),
        ({"target_accuracy": (0.7, 0.9)}, "0 < medium <= high <= 1"),
        ({"target_accuracy": 0.9}, "two numbers"),
        ({"confidence": 95}, "confidence must lie between 0 and 1"),
    ],
)
def test_bad_input_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        calibrate_thresholds(**{"correspondence": [0.5, 0.6], "wrong": [True, False], **changes})
