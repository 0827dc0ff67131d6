from __future__ import annotations

import math

import numpy as np
import pytest

from assay.stats.rounding import differences, level_rounding


def test_infinities_and_what_is_undefined_stay_as_they_are() -> None:
    scores = np.array([[math.inf, -math.inf, math.nan], [math.inf, 1e300, 0.3], [0.5, -math.inf, 0.1 + 0.2]])
    leveled = level_rounding(scores)
    np.testing.assert_array_equal(leveled[:, :2], scores[:, :2])
    assert math.isnan(leveled[0, 2])
    assert leveled[1, 2] == leveled[2, 2]


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_what_rounding_cannot_explain_stays_apart(size: float) -> None:
    column = np.array([[0.3], [0.3 * (1 + 1e-15)], [0.3 * (1 + 1e-9)]]) * size
    leveled = level_rounding(column).ravel()
    assert leveled[0] == leveled[1] != leveled[2]
    assert (differences(column[:2, 0], column[[1, 2], 0]) == 0.0).tolist() == [True, False]
