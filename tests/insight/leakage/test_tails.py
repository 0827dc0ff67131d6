from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from assay.insight.leakage.tails import binomial_tail, fisher_greater


def _tables() -> list[tuple[int, int, int, int]]:
    rng = np.random.default_rng(3)
    tables = [tuple(int(n) for n in rng.integers(0, high, 4)) for high in (3, 12, 60, 3000) for _ in range(25)]
    return [*tables, (0, 0, 4, 3), (2000, 50, 300, 600), (50, 2000, 600, 300), (5, 0, 0, 5), (0, 5, 5, 0)]  # type: ignore[list-item]


def test_fishers_test_equals_the_library_s() -> None:
    for a, b, c, d in _tables():
        expected = stats.fisher_exact([[a, b], [c, d]], alternative="greater")[1] if min(a + b, c + d) else 1.0
        assert fisher_greater(a, b, c, d) == pytest.approx(expected, rel=1e-9), (a, b, c, d)


def test_the_binomial_tail_equals_the_library_s() -> None:
    rng = np.random.default_rng(4)
    for trials in (1, 7, 90, 4000):
        for chance in (0.0, 1e-3, 0.5, 0.97, 1.0):
            for least in {0, 1, trials, *rng.integers(0, trials + 2, 4).tolist()}:
                expected = stats.binom.sf(least - 1, trials, chance)
                tail = binomial_tail(least, trials, chance)
                assert tail == pytest.approx(expected, rel=1e-8, abs=1e-300), (least, trials, chance)
