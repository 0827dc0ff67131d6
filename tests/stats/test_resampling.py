from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from assay.core import InvalidInput
from assay.stats import resampling
from assay.stats.resampling import check_resampling, draw_indices, expanded_quantile


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
