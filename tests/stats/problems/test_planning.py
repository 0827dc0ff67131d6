"""Does the planned number of problems have the power that was asked for? Checked by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.core import InvalidInput
from assay.stats import plan_size, sign_flip_p_values
from assay.stats.clusters import cluster_sums
from assay.stats.problems.planning import MOST_UNITS


def _pilot(size: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Differences with mean 0.05 and standard deviation 0.1, exactly."""
    values = np.random.default_rng(0).normal(size=size)
    return np.asarray(0.05 + 0.1 * (values - values.mean()) / values.std(ddof=1))


@pytest.mark.parametrize(("effect", "power"), [(None, 0.8), (0.1, 0.9), (0.03, 0.6)])
def test_the_sign_flip_test_finds_the_effect_as_often_as_planned(effect: float | None, power: float) -> None:
    planned = plan_size(_pilot(12), effect=effect, power=power)
    generator = np.random.default_rng(1)
    trials = planned.effect + 0.1 * generator.normal(size=(500, planned.problems))
    found = np.mean(np.array(sign_flip_p_values(list(trials))) < 0.05)
    assert found == pytest.approx(power, abs=0.05)
    assert planned.clusters == 0


def test_the_planned_number_is_that_of_the_textbook() -> None:
    # 34 pairs: a standardised effect of 0.5, two-sided 0.05, power 0.8
    assert plan_size(_pilot(12)).problems == 34
    assert plan_size(_pilot(12), power=0.9).problems == 44


def test_clusters_are_planned_where_problems_share_them() -> None:
    generator = np.random.default_rng(2)
    clusters = np.repeat(np.arange(40), [1, 2, 3, 4] * 10)
    pilot = 0.1 + 0.15 * generator.normal(size=40)[clusters] + 0.1 * generator.normal(size=100)
    planned = plan_size(pilot, clusters, effect=0.1)
    assert planned.problems == math.ceil(planned.clusters * 2.5)
    assert planned.problems > plan_size(pilot, effect=0.1).problems
    sums = []
    for _ in range(400):
        sizes = np.resize([1, 2, 3, 4], planned.clusters)
        codes = np.repeat(np.arange(planned.clusters), sizes)
        values = 0.1 + 0.15 * generator.normal(size=planned.clusters)[codes] + 0.1 * generator.normal(size=codes.size)
        sums.append(cluster_sums(values, codes))
    found = np.mean(np.array(sign_flip_p_values(sums)) < 0.05)
    assert found == pytest.approx(0.8, abs=0.1)  # the spread is an estimate from 40 clusters


def test_no_plan_is_smaller_than_a_test_can_use() -> None:
    assert plan_size([1.0, 1.01, 0.99, 1.0]).problems == 6
    assert plan_size([1.0, 1.0, 1.0]).problems == 6
    assert plan_size([1.0, 1.01, 0.99, 1.0]).reached == 0.0


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([0.1, 0.2], {}, "at least three problems or clusters"),
        ([0.0, 0.0, 0.0], {}, "do not differ at all"),
        ([0.1, 0.2, math.inf], {}, "finite differences"),
        ([0.1, 0.2, 0.3], {"power": 80}, "power must lie between 0 and 1"),
        ([0.1, 0.2, 0.3], {"power": 0.04}, "above the level"),
        ([0.1, 0.2, 0.3], {"effect": 0.0}, "other than 0"),
        ([0.1, 0.2, 0.3], {"effect": 1e-9}, "give a larger one"),
    ],
)
def test_what_cannot_be_planned_is_said(values: list[float], options: dict[str, float], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        plan_size(values, **options)


def test_a_plan_just_below_the_largest_is_given() -> None:
    planned = plan_size([1.0, -1.0, 2.0, -2.0, 1.5], effect=0.00165)
    assert 8_400_000 < planned.problems < MOST_UNITS
    with pytest.raises(InvalidInput, match="more than 10,000,000 problems"):
        plan_size([1.0, -1.0, 2.0, -2.0, 1.5], effect=0.0015)
