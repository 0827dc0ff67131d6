import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.formula.metrics import noise_robustness, noise_sensitivity, noise_sensitivity_noisy, r_squared

LEVELS = [0.0, 0.05, 0.1, 0.2]
qualities = st.lists(st.floats(-1, 1), min_size=4, max_size=4)


@given(qualities)
def test_sensitivity_is_the_mean_ratio_over_pairs(values: list[float]) -> None:
    pairs = [(i, j) for i in range(4) for j in range(i)]
    by_hand = sum(abs(values[i] - values[j]) / abs(LEVELS[i] - LEVELS[j]) for i, j in pairs) / 6
    assert noise_sensitivity(values, LEVELS) == pytest.approx(by_hand)
    assert noise_sensitivity(values[::-1], LEVELS[::-1]) == pytest.approx(by_hand)


@given(qualities)
def test_robustness_lies_in_zero_and_one_and_needs_a_good_model(values: list[float]) -> None:
    score = noise_robustness(values, LEVELS)
    assert 0.0 <= score <= 1.0
    if values[0] < 0.5:
        assert score == 0.0
    assert noise_robustness(values[::-1], LEVELS[::-1]) == pytest.approx(score)


def test_a_method_that_stays_perfect_is_fully_robust() -> None:
    assert noise_sensitivity([1.0] * 4, LEVELS) == 0.0
    assert noise_robustness([1.0] * 4, LEVELS) == 1.0


def test_a_quality_that_falls_with_the_ceiling_of_noisy_targets_has_sensitivity_one() -> None:
    assert noise_sensitivity([1 - level for level in LEVELS], LEVELS) == pytest.approx(1.0)
    assert noise_robustness([1 - level for level in LEVELS], LEVELS) == pytest.approx(0.0, abs=1e-12)


def test_failures_are_infinitely_bad_and_not_undefined() -> None:
    assert noise_sensitivity([1.0, -math.inf], [0.0, 0.1]) == math.inf
    assert noise_robustness([1.0, -math.inf], [0.0, 0.1]) == 0.0
    assert noise_sensitivity([-math.inf, -math.inf], [0.0, 0.1]) == 0.0
    assert noise_robustness([-math.inf, -math.inf], [0.0, 0.1]) == 0.0


def test_too_little_is_undefined() -> None:
    assert math.isnan(noise_sensitivity([1.0], [0.0]))
    assert math.isnan(noise_robustness([1.0, math.nan], [0.0, 0.1]))


@pytest.mark.parametrize(
    ("values", "levels", "message"),
    [
        ([1.0], [0.0, 0.1], "one length"),
        ([1.0, 1.0], [0.1, 0.1], "must differ"),
        ([1.0, 1.0], [0.0, 1.0], "shares of the target's variance"),
        ([1.0, 1.0], [-0.1, 0.0], "shares of the target's variance"),
    ],
)
def test_mistakes_are_named(values: list[float], levels: list[float], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        noise_sensitivity(values, levels)


def test_on_noisy_rows_the_truth_falls_as_much_as_the_noise_grows() -> None:
    assert noise_sensitivity_noisy([1.0] * 4, LEVELS) == pytest.approx(1.0)
    assert noise_sensitivity_noisy([0.0] * 4, LEVELS) == 0.0
    assert noise_sensitivity_noisy([0.9, 0.85, 0.8, 0.7], LEVELS) == pytest.approx(
        noise_sensitivity([0.9, 0.95 * 0.85, 0.9 * 0.8, 0.8 * 0.7], LEVELS)
    )
    with pytest.raises(InvalidInput, match="one length"):
        noise_sensitivity_noisy([1.0], LEVELS)


@pytest.mark.parametrize("quality", [1.0, 0.7, -0.5])
def test_a_quality_on_rows_with_drawn_noise_is_what_its_level_leaves(quality: float) -> None:
    rng = np.random.default_rng(0)
    target, error, noise = rng.normal(size=(3, 200_000))
    predicted = target + math.sqrt(1 - quality) * error
    for level in LEVELS[1:]:
        noisy = target + math.sqrt(level / (1 - level)) * noise
        assert r_squared(noisy, predicted) == pytest.approx((1 - level) * quality, abs=0.01)


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda values: pd.Series(values, index=[5, 1, 7, 0])])
def test_qualities_and_levels_come_in_every_form(kind: Callable[[list[float]], Any]) -> None:
    values, levels = [0.4, 0.9, 0.8, 0.7], [0.2, 0.0, 0.05, 0.1]
    for score in (noise_sensitivity, noise_sensitivity_noisy, noise_robustness):
        assert score(kind(values), kind(levels)) == score(values, levels)


@pytest.mark.parametrize("kind", ["uint8", "int8", "bool"])
def test_narrow_numbers_are_not_subtracted_as_such(kind: str) -> None:
    values: Any = np.array([0, 1]).astype(kind)
    assert noise_sensitivity(values, [0, 0.1]) == pytest.approx(10.0)
