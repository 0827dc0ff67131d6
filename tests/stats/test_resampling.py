from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from assay.core import InvalidInput
from assay.stats import resampling
from assay.stats.resampling import check_resampling, draw_indices, expanded_quantile, grid_for, resampled_sums


@pytest.mark.parametrize("size", [2, 3, 12, 500])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_expanded_quantile_is_that_of_students_t_times_the_divisor_correction(size: int, confidence: float) -> None:
    expected = math.sqrt(size / (size - 1)) * stats.t.ppf((1 + confidence) / 2, size - 1)
    assert expanded_quantile(size, confidence) == pytest.approx(expected, rel=1e-9)


def test_expansion_makes_the_percentile_interval_of_a_symmetric_bootstrap_a_t_interval() -> None:
    # the bootstrap's standard error has divisor n; the t interval's has n - 1
    sample = np.arange(9.0)
    bootstrap_error = sample.std(ddof=0) / 3
    reach = expanded_quantile(9, 0.95) * bootstrap_error
    low, high = stats.t.interval(0.95, 8, loc=4.0, scale=stats.sem(sample))
    assert (4 - reach, 4 + reach) == pytest.approx((low, high))


def test_indices_do_not_depend_on_the_size_of_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(list(draw_indices(7, resamples=150, seed=3)))
    monkeypatch.setattr(resampling, "DRAWS_AT_ONCE", 70)
    blocks = list(draw_indices(7, resamples=150, seed=3))
    assert len(blocks) == 15
    assert np.array_equal(np.concatenate(blocks), whole)
    assert set(np.unique(whole)) == set(range(7))


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.5, 95.0, math.nan])
def test_a_confidence_outside_0_and_1_is_refused_by_value(confidence: float) -> None:
    with pytest.raises(InvalidInput, match=f"confidence must lie between 0 and 1 .*got {confidence}"):
        check_resampling(confidence=confidence, resamples=2000, seed=0)


def test_too_few_resamples_are_refused_by_value() -> None:
    with pytest.raises(InvalidInput, match=r"resamples must be at least 100 .*got 99"):
        check_resampling(confidence=0.95, resamples=99, seed=0)
    check_resampling(confidence=0.95, resamples=100, seed=0)


def test_a_negative_seed_is_refused_by_value() -> None:
    with pytest.raises(InvalidInput, match=r"seed must be .*got -1"):
        check_resampling(confidence=0.95, resamples=2000, seed=-1)


def test_importing_the_statistics_does_not_import_scipy() -> None:
    code = "import sys, assay.stats; sys.exit('scipy' in sys.modules or 'pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_sums_on_the_grid_are_exact_whatever_the_company_or_the_way() -> None:

    generator = np.random.default_rng(0)
    for size in (2, 13, 1000):
        grid = grid_for(size)
        columns = grid.steps(generator.uniform(-1, 1, size=(size, 7)))
        together = resampled_sums(columns, resamples=120, seed=4)
        alone = np.concatenate(
            [resampled_sums(columns[:, [place]], resamples=120, seed=4) for place in range(7)], axis=1
        )
        assert np.array_equal(together, alone)
        draws = np.concatenate(list(draw_indices(size, resamples=120, seed=4)))
        exact = [int(sum(Fraction(value) for value in columns[row, 0])) for row in draws]
        assert together[:, 0].tolist() == exact


def test_means_from_the_grid_are_right_to_their_decimals() -> None:
    values = np.random.default_rng(1).uniform(-1, 1, size=5000)
    grid = grid_for(values.size)
    found = grid.mean(np.array([grid.steps(values).sum()]), values.size)
    assert found[0] == pytest.approx(values.mean(), abs=10.0**-grid.decimals)
    assert np.isnan(grid.mean(np.zeros(1), np.zeros(1)))
