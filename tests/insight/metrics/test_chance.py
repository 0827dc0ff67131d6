"""What columns without information reach, against simulated ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.core import InvalidInput
from assay.insight.metrics import auc_spread, beyond_chance, chance_of_best, macro_auc


def test_the_spread_of_an_auc_is_that_of_random_scores() -> None:
    rng = np.random.default_rng(1)
    classes = np.repeat([0, 1], [70, 30])
    values = rng.integers(0, 3, size=100)
    tied = [macro_auc(classes, _two(rng.permutation(values))) for _ in range(2000)]
    free = [macro_auc(classes, _two(rng.normal(size=100))) for _ in range(2000)]
    assert auc_spread(classes) == pytest.approx(np.std(free), rel=0.06)
    assert auc_spread(classes, values) == pytest.approx(np.std(tied), rel=0.06)
    assert auc_spread(classes, values) < auc_spread(classes)


def test_the_spread_over_three_classes_is_that_of_random_probabilities() -> None:
    rng = np.random.default_rng(2)
    classes = np.repeat([0, 1, 2], [50, 30, 20])
    samples = [macro_auc(classes, rng.dirichlet([1, 1, 1], size=100)) for _ in range(2000)]
    assert auc_spread(classes) == pytest.approx(np.std(samples), rel=0.1)


def test_the_best_of_many_is_that_of_drawn_numbers() -> None:
    samples = np.random.default_rng(3).normal(size=(40_000, 3)) * [0.1, 0.2, 0.05]
    assert chance_of_best([0.1, 0.2, 0.05, 0.0]) == pytest.approx(np.maximum(samples, 0).max(axis=1).mean(), abs=0.002)
    sizes = np.abs(samples).max(axis=1)
    expected = np.where(sizes >= 0.15, sizes, 0).mean()
    assert chance_of_best([0.1, 0.2, 0.05], both_sides=True, threshold=0.15) == pytest.approx(expected, abs=0.002)


def test_chance_is_never_more_than_half_and_nothing_without_columns() -> None:
    assert chance_of_best([3.0] * 20) == 0.5
    assert chance_of_best([]) == chance_of_best([0.0]) == 0.0
    assert chance_of_best([0.001], threshold=0.5) == 0.0
    assert auc_spread([1, 1, 1]) == 0.0
    with pytest.raises(InvalidInput, match="a value per row"):
        auc_spread([0, 1], [1.0])


def test_what_is_perfect_stays_perfect_and_chance_becomes_zero() -> None:
    assert beyond_chance(1.0, 0.3) == pytest.approx(1.0)
    assert beyond_chance(0.3, 0.3) == 0.0
    assert beyond_chance(0.0, 0.3) < 0
    assert math.isnan(beyond_chance(math.nan, 0.3))


def _two(scores: np.ndarray) -> np.ndarray:
    return np.column_stack([-scores, scores])


def test_nothing_can_be_reached_beyond_a_chance_of_one() -> None:
    with pytest.raises(InvalidInput, match="below 1"):
        beyond_chance(0.5, 1.0)
