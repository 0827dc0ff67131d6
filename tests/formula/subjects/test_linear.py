import numpy as np
import pytest

from assay.formula.subjects.linear import least_squares


@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3, 0.7])
@pytest.mark.parametrize("rows", [30, 50])
def test_a_feature_that_does_not_vary_has_no_weight(value: float, rows: int) -> None:
    x = np.random.default_rng(0).normal(size=rows)
    offset, weights = least_squares(np.stack([x, np.full(rows, value)], axis=1), 2 * x + 1)
    assert weights[1] == 0.0
    assert [offset, weights[0]] == pytest.approx([1.0, 2.0])
