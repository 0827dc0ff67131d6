import math

import pytest

from assay.core import InvalidInput
from assay.stats import bootstrap_interval, mean_interval, share_interval


def test_intervals_of_six_hits_in_eight_are_the_published_ones() -> None:
    assert [round(bound, 2) for bound in share_interval(6, 8)] == [0.75, 0.41, 0.93]
    assert math.isnan(share_interval(0, 0).value)
    low = share_interval(8, 8).low
    assert 0.6 < low < 1.0


def test_means_of_other_values_are_bootstrapped_and_undefined_ones_left_out() -> None:
    assert mean_interval([0.5, math.nan, 0.25, 1.0]) == bootstrap_interval([0.5, 0.25, 1.0])
    assert mean_interval([1.0, math.nan, 1.0]).value == pytest.approx(1.0)


@pytest.mark.parametrize("hits", [-1, 4])
def test_a_share_has_no_more_hits_than_trials(hits: int) -> None:
    with pytest.raises(InvalidInput, match="between 0 and 3 hits"):
        share_interval(hits, 3)
