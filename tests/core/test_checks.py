from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from assay.core import InvalidInput
from assay.core.checks import (
    as_whole,
    demand_confidence,
    demand_fraction,
    demand_positive,
    demand_share,
    demand_whole,
    is_number,
)


@pytest.mark.parametrize("value", [True, 1.0, "1", None, np.int64(1), -1])
def test_what_is_no_whole_number_is_named(value: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^x must be a whole number of at least 0, got "):
        demand_whole(value, "x")


def test_whole_numbers_of_other_libraries_become_ints() -> None:
    assert type(as_whole(np.uint8(3), "k", least=1)) is int
    for value in (True, np.True_, 1.0, np.float64(1.0), "1", None, np.int64(0)):
        with pytest.raises(InvalidInput, match="^k must be a whole number of at least 1, got "):
            as_whole(value, "k", least=1)


@pytest.mark.parametrize("value", [True, "1", None, float("nan"), float("inf"), 10**400, 1j])
def test_what_is_no_finite_number_is_none(value: Any) -> None:
    assert not is_number(value)
    with pytest.raises(InvalidInput, match="^x must be a positive number, got "):
        demand_positive(value, "x")


def test_shares_and_fractions_know_their_ends() -> None:
    for share in (0, 0.5, np.float32(0.5), Fraction(1, 2)):
        demand_share(share, "x")
    for fraction in (1e-9, np.float32(0.5), Fraction(1, 2)):
        demand_fraction(fraction, "x")
        demand_confidence(fraction)
    for wrong in (-0.1, 1, 1.5, float("nan"), "0.5", None):
        with pytest.raises(InvalidInput, match="^x must be a share from 0 to below 1, got "):
            demand_share(wrong, "x")
    for wrong in (0, 1, float("nan"), "0.5", None):
        with pytest.raises(InvalidInput, match="^x must lie strictly between 0 and 1, got "):
            demand_fraction(wrong, "x")
        with pytest.raises(InvalidInput, match=r"^confidence must lie between 0 and 1 \(0.95 for 95 %\), got "):
            demand_confidence(wrong)
    demand_positive(1e-300, "x")
