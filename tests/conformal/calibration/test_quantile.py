from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.conformal import conformal_quantile
from assay.conformal.calibration.quantile import conformal_rank, smallest_calibration
from assay.core import InvalidInput


def test_ranks_are_exact_where_floating_point_goes_one_too_high() -> None:
    assert conformal_rank(564, 0.1) == 509
    assert conformal_rank(35, 0.2) == 29
    for n in range(1, 1001):
        assert conformal_rank(n, 1 / 3) == math.ceil(Fraction(2 * (n + 1), 3))


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=60), st.integers(1, 99))
def test_the_quantile_is_the_order_statistic_and_its_rank_suffices(scores: list[float], percent: int) -> None:
    alpha = Fraction(percent, 100)
    k = conformal_rank(len(scores), alpha)
    assert Fraction(k, len(scores) + 1) >= 1 - alpha
    assert Fraction(k - 1, len(scores) + 1) < 1 - alpha
    quantile = conformal_quantile(scores, alpha)
    assert quantile == (sorted(scores)[k - 1] if k <= len(scores) else math.inf)


def test_small_samples_have_an_infinite_quantile_until_there_are_enough() -> None:
    for alpha in (0.01, 0.05, 0.1, 1 / 3, 0.5):
        enough = smallest_calibration(alpha)
        assert math.isfinite(conformal_quantile(np.zeros(enough), alpha))
        assert conformal_quantile(np.zeros(enough - 1), alpha) == math.inf


def test_bad_scores_are_refused() -> None:
    with pytest.raises(InvalidInput, match="nan"):
        conformal_quantile([0.1, math.nan], 0.1)
    with pytest.raises(InvalidInput, match="one row"):
        conformal_quantile([[0.1]], 0.1)
