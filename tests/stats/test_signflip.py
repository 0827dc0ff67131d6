from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats as scipy_stats

from assay.core import InvalidInput
from assay.stats import sign_flip_p_value, sign_flip_p_values


def _enumerated(whole_numbers: list[int]) -> float:
    """The p-value over all patterns of signs, in whole numbers and so without rounding."""
    observed = abs(sum(whole_numbers))
    patterns = list(product((-1, 1), repeat=len(whole_numbers)))
    extreme = sum(abs(sum(s * d for s, d in zip(signs, whole_numbers, strict=True))) >= observed for signs in patterns)
    return extreme / len(patterns)


@pytest.mark.parametrize("size", range(2, 11))
def test_few_differences_are_enumerated_exactly_ties_and_zeros_included(size: int) -> None:
    generator = np.random.default_rng(size)
    for _ in range(12):
        whole = generator.integers(-3, 5, size=size).tolist()
        assert sign_flip_p_value(np.array(whole) * 0.1) == pytest.approx(_enumerated(whole), abs=1e-12)


def test_rounding_does_not_break_ties() -> None:
    # in exact arithmetic these sum to 0, where every pattern is at least as extreme
    assert sign_flip_p_value([0.3, -0.1, -0.2, -0.3, -0.1, 0.0, 0.1, 0.3]) == 1.0


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.8])
def test_many_normal_differences_agree_with_the_paired_t_test(shift: float) -> None:
    differences = np.random.default_rng(8).normal(shift, 1, size=60)
    expected = scipy_stats.ttest_1samp(differences, 0).pvalue
    assert sign_flip_p_value(differences) == pytest.approx(expected, abs=0.02)


def test_random_patterns_come_near_the_enumeration_and_never_reach_zero() -> None:
    whole = np.random.default_rng(9).integers(-4, 8, size=16).tolist()
    assert sign_flip_p_value(whole) == pytest.approx(_enumerated(whole), abs=0.01)
    assert sign_flip_p_value(np.ones(40)) == 2 / 10_000  # one of 10,000 patterns on each side


def test_order_and_direction_do_not_move_a_digit_where_enumeration_is_exact() -> None:
    differences = np.random.default_rng(10).normal(0.2, 1, size=11)
    expected = sign_flip_p_value(differences)
    for seed in range(10):
        shuffled = np.random.default_rng(seed).permutation(differences)
        assert sign_flip_p_value(shuffled) == sign_flip_p_value(-shuffled) == expected


def test_order_does_not_move_a_digit_with_random_patterns_and_the_seed_decides() -> None:
    differences = np.random.default_rng(11).normal(0.2, 1, size=40)
    shuffled = np.random.default_rng(12).permutation(differences)
    assert sign_flip_p_value(shuffled, seed=3) == sign_flip_p_value(differences, seed=3)
    assert sign_flip_p_value(differences, seed=3) != sign_flip_p_value(differences, seed=4)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([], math.nan),
        ([0.4], math.nan),
        ([0.4, math.inf], math.nan),
        ([0.0, 0.0, 0.0], 1.0),
        ([0.0, 0.4], 1.0),
        ([1e-200, 3e-200], 0.5),
        ([1e200, 3e200], 0.5),
    ],
)
def test_edges_have_values_and_no_warning(differences: list[float], expected: float) -> None:
    assert sign_flip_p_value(differences) == pytest.approx(expected, nan_ok=True)


def test_nan_and_matrices_are_refused() -> None:
    with pytest.raises(InvalidInput, match="1 of 2 differences are nan"):
        sign_flip_p_value([math.nan, 1.0])
    with pytest.raises(InvalidInput, match=r"shape \(1, 1\)"):
        sign_flip_p_value([[1.0]])


def test_many_samples_at_once_have_the_digits_that_each_has_alone() -> None:
    generator = np.random.default_rng(13)
    samples = [generator.normal(0.3, 1, size=size) for size in (5, 5, 20, 20, 20, 40, 1)]
    assert repr(sign_flip_p_values(samples, seed=6)) == repr([sign_flip_p_value(one, seed=6) for one in samples])


def test_random_patterns_agree_with_scipy() -> None:
    differences = np.random.default_rng(14).normal(0.25, 1, size=35)
    expected = scipy_stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=20_000, random_state=np.random.default_rng(1)
    ).pvalue
    assert sign_flip_p_value(differences) == pytest.approx(expected, abs=0.02)
