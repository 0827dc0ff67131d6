from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from assay.core import InvalidInput
from assay.stats import holm


def _closed_testing(p_values: list[float]) -> list[float]:
    """A hypothesis falls when every intersection that holds it falls by Bonferroni; its p-value is the largest."""
    hypotheses = range(len(p_values))
    groups = [group for size in range(1, len(p_values) + 1) for group in combinations(hypotheses, size)]
    return [
        max(min(1.0, len(group) * min(p_values[member] for member in group)) for group in groups if hypothesis in group)
        for hypothesis in hypotheses
    ]


@pytest.mark.parametrize("count", range(1, 9))
def test_holm_is_closed_testing_with_bonferroni(count: int) -> None:
    generator = np.random.default_rng(count)
    for _ in range(25):
        p_values = np.round(generator.random(count) ** 3, 2).tolist()  # rounded: ties and zeros occur
        assert holm(p_values).tolist() == pytest.approx(_closed_testing(p_values), abs=1e-15)


def test_a_nan_stays_and_does_not_count_in_the_family() -> None:
    adjusted = holm([math.nan, 0.02, math.nan, 0.01])
    assert np.array_equal(adjusted, [math.nan, 0.02, math.nan, 0.02], equal_nan=True)


def test_nothing_to_adjust_is_nothing() -> None:
    assert holm([]).tolist() == []
    assert np.isnan(holm([math.nan])).all()


def test_order_of_the_p_values_does_not_move_a_digit() -> None:
    p_values = np.random.default_rng(0).random(30)
    order = np.random.default_rng(1).permutation(30)
    assert np.array_equal(holm(p_values)[order], holm(p_values[order]))


@pytest.mark.parametrize("wrong", [-0.1, 1.5])
def test_what_is_no_probability_is_refused_by_value(wrong: float) -> None:
    with pytest.raises(InvalidInput, match=f"between 0 and 1, got {wrong}"):
        holm([0.5, wrong])


def test_a_matrix_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"shape \(1, 1\)"):
        holm([[0.5]])
