import numpy as np
import pytest

from assay.core.arrays import column_spreads


@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3, 0.7])
@pytest.mark.parametrize("rows", [3, 30, 50])
def test_a_column_that_does_not_vary_has_no_spread_though_its_mean_is_rounded(value: float, rows: int) -> None:
    table = np.stack([np.full(rows, value), np.arange(rows, dtype=float)], axis=1)
    spreads = column_spreads(table)
    assert spreads[0] == 0.0
    assert spreads[1] == pytest.approx(np.std(np.arange(rows)))
