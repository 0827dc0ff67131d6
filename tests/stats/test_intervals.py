from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np
import pytest
from scipy import special
from scipy import stats as scipy_stats

from assay.core import Interval, InvalidInput, UnknownName
from assay.stats import IntervalMethod, bootstrap_interval, bootstrap_intervals, intervals
from assay.stats.resampling import expanded_quantile

METHODS = get_args(IntervalMethod)


def _same(left: Interval, right: Interval) -> bool:
    return all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("size", [12, 25, 60])  # so many that no resample ties with the mean: scipy ignores rounding
def test_the_bounds_are_those_of_scipy_at_the_expanded_level(method: IntervalMethod, size: int) -> None:
    sample = np.sort(np.random.default_rng(size).exponential(size=size))
    level = float(special.ndtr(expanded_quantile(size, 0.9)) - special.ndtr(-expanded_quantile(size, 0.9)))
    reference = scipy_stats.bootstrap(
        (sample,),
        np.mean,
        confidence_level=level,
        n_resamples=2000,
        method={"bca": "BCa", "percentile": "percentile"}[method],
        random_state=np.random.default_rng(5),
    ).confidence_interval
    ours = bootstrap_interval(sample, confidence=0.9, method=method, seed=5)
    assert ours.value == pytest.approx(sample.mean())
    assert (ours.low, ours.high) == pytest.approx((reference.low, reference.high), abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_many_normal_values_give_the_t_interval(method: IntervalMethod) -> None:
    sample = np.random.default_rng(0).normal(size=2000)
    ours = bootstrap_interval(sample, method=method, resamples=5000)
    low, high = scipy_stats.t.interval(0.95, 1999, loc=sample.mean(), scale=scipy_stats.sem(sample))
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=0.06 * (high - low))


@pytest.mark.parametrize("method", METHODS)
def test_arrival_order_does_not_move_a_digit(method: IntervalMethod) -> None:
    sample = np.random.default_rng(1).random(37)
    expected = bootstrap_interval(sample, method=method)
    for seed in range(20):
        assert bootstrap_interval(np.random.default_rng(seed).permutation(sample), method=method) == expected


def test_the_same_seed_gives_the_same_digits_and_another_seed_others() -> None:
    sample = np.random.default_rng(1).random(15)
    assert bootstrap_interval(sample, seed=4) == bootstrap_interval(sample, seed=4)
    assert bootstrap_interval(sample, seed=4) != bootstrap_interval(sample, seed=5)


@pytest.mark.parametrize("method", METHODS)
def test_means_whose_sum_is_too_large_for_a_float_are_found(method: IntervalMethod) -> None:
    found = bootstrap_interval([1.7e308, 1.6e308], method=method)
    assert found.value == pytest.approx(1.65e308, rel=1e-15)
    assert 1.6e308 <= found.low <= found.value <= found.high <= 1.7e308


@pytest.mark.parametrize("method", METHODS)
def test_edges_have_values_and_no_warning(method: IntervalMethod) -> None:
    nan, inf = math.nan, math.inf
    cases: list[tuple[list[float], Interval]] = [
        ([], Interval(nan, nan, nan)),
        ([0.3], Interval(0.3, nan, nan)),
        ([0.1] * 7, Interval(0.1, 0.1, 0.1)),
        ([inf, inf], Interval(inf, inf, inf)),
        ([1.0, inf], Interval(inf, nan, nan)),
        ([-inf, inf], Interval(nan, nan, nan)),
    ]
    for values, expected in cases:
        assert _same(bootstrap_interval(values, method=method), expected), values


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("confidence", [0.001, 0.95, 0.99999999])
def test_two_values_and_extreme_confidence_stay_within_the_values(method: IntervalMethod, confidence: float) -> None:
    for sample in ([0.0, 1.0], [0.0, 0.0, 1.0], [0.0] * 30 + [1.0], [1.0] * 4 + [0.0]):
        found = bootstrap_interval(sample, method=method, confidence=confidence)
        assert min(sample) <= found.low <= found.value <= found.high <= max(sample)


@pytest.mark.parametrize("method", METHODS)
def test_any_finite_values_have_ordered_bounds_within_their_range(method: IntervalMethod) -> None:
    generator = np.random.default_rng(6)
    for _ in range(300):
        size = int(generator.integers(2, 13))
        wild = generator.normal(size=size) * 10.0 ** generator.integers(-150, 150, size=size)
        tame = generator.choice([0.0, 0.1, 1.0], size=size)
        values = np.where(generator.random(size) < generator.random(), wild, tame)
        found = bootstrap_interval(values, method=method, resamples=100)
        slack = 1e-12 * np.abs(values).max()
        assert values.min() <= found.low <= found.high <= values.max()
        assert found.low - slack <= found.value <= found.high + slack


@pytest.mark.parametrize("method", METHODS)
def test_shifting_and_scaling_the_values_shifts_and_scales_the_interval(method: IntervalMethod) -> None:
    sample = np.random.default_rng(2).integers(0, 5, size=11) / 4
    plain = bootstrap_interval(sample, method=method)
    for scale, shift in ((1e-200, 0.0), (1e120, 0.0), (1.0, 1e4), (3.0, -2.0)):
        moved = bootstrap_interval(sample * scale + shift, method=method)
        assert moved == pytest.approx([bound * scale + shift for bound in plain], rel=1e-9)


def test_bca_leans_towards_the_long_tail_and_higher_confidence_is_wider() -> None:
    sample = np.random.default_rng(3).beta(8, 1, size=25)
    bca, percentile = (bootstrap_interval(sample, method=method) for method in METHODS)
    assert bca.low < percentile.low
    assert bca.high < percentile.high
    wider = bootstrap_interval(sample, confidence=0.99)
    assert wider.low < bca.low < bca.high < wider.high


def test_even_absurd_confidence_widens_a_skewed_interval() -> None:
    sample = [0.0] * 9 + [1.0]  # here the correction for skewness passes its pole
    usual, absurd = bootstrap_interval(sample), bootstrap_interval(sample, confidence=0.99999999)
    assert absurd.low <= usual.low
    assert absurd.high > usual.high


def test_resamples_that_tie_with_the_mean_do_not_shift_the_interval() -> None:
    found = bootstrap_interval([0.0] * 5 + [1.0] * 5)  # a quarter of the resampled means are 0.5 as well
    assert found.low + found.high == pytest.approx(1.0, abs=0.05)


def test_few_values_get_wider_intervals_than_the_plain_bootstrap() -> None:
    sample = np.random.default_rng(4).normal(size=8)
    plain = scipy_stats.bootstrap((sample,), np.mean, method="percentile", random_state=np.random.default_rng(0))
    ours = bootstrap_interval(sample, method="percentile")
    assert ours.high - ours.low > 1.15 * (plain.confidence_interval.high - plain.confidence_interval.low)


def test_nan_and_other_shapes_are_refused() -> None:
    with pytest.raises(InvalidInput, match="2 of 3 values are nan: drop and count them first"):
        bootstrap_interval([math.nan, 1.0, math.nan])
    with pytest.raises(InvalidInput, match=r"one row of values, got an array of shape \(2, 1\)"):
        bootstrap_interval([[1.0], [2.0]])


def test_an_unknown_method_is_named_with_the_known_ones() -> None:
    method: Any = "bcaa"
    with pytest.raises(UnknownName, match=r"'bcaa'. Did you mean 'bca'\? Known: bca, percentile"):
        bootstrap_interval([1.0, 2.0], method=method)


def test_impossible_options_are_refused_even_without_values() -> None:
    with pytest.raises(InvalidInput, match="confidence"):
        bootstrap_interval([], confidence=1.5)
    with pytest.raises(InvalidInput, match="resamples"):
        bootstrap_interval([], resamples=10)


@pytest.mark.parametrize("method", METHODS)
def test_many_samples_at_once_have_the_digits_that_each_has_alone(method: IntervalMethod) -> None:
    generator = np.random.default_rng(7)
    samples = [generator.choice([0.0, 0.1, 1.0, 7.5], size=size) for size in (2, 9, 9, 9, 9, 30, 30, 1, 0)]
    samples.append(samples[1].copy())  # equal ones are resampled once
    together = bootstrap_intervals(samples, method=method, resamples=300, seed=2)
    alone = [bootstrap_interval(sample, method=method, resamples=300, seed=2) for sample in samples]
    assert repr(together) == repr(alone)


@pytest.mark.parametrize("method", METHODS)
def test_very_many_values_have_the_interval_that_many_resamples_give(
    method: IntervalMethod, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, sample in enumerate(
        (
            np.random.default_rng(0).exponential(size=6000),
            -(np.random.default_rng(1).exponential(size=6000) ** 2),
            np.random.default_rng(2).random(6000) < 0.03,
        )
    ):
        computed = bootstrap_interval(sample, method=method)
        with monkeypatch.context() as patch:
            patch.setattr(intervals, "MOST_RESAMPLED", 10_000)
            drawn = bootstrap_interval(sample, method=method, resamples=20_000, seed=number)
        width = drawn.high - drawn.low
        assert computed.value == drawn.value
        assert (computed.low, computed.high) == pytest.approx((drawn.low, drawn.high), abs=0.02 * width)
