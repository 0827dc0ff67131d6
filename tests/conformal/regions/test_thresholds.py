"""Thresholds keep the promise in every bag of samples: the new one is each in turn, as likely as it weighs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from assay.conformal import conformal_quantile
from assay.conformal.calibration.joint import bonferroni, max_rank
from assay.conformal.regions import weighted_quantile
from assay.conformal.regions.thresholds import find_thresholds, joint_method
from assay.core import InvalidInput

BAGS: dict[str, Callable[[Any, int], Any]] = {
    "random": lambda rng, n: rng.normal(size=(3, n)),
    "ties": lambda rng, n: rng.integers(0, 4, size=(3, n)).astype(float),
    "opposed": lambda rng, n: np.stack([np.arange(n), -np.arange(n), rng.permutation(n)]).astype(float),
    "equal": lambda _, n: np.tile(np.arange(n, dtype=float), (3, 1)),
    "one bad task": lambda rng, n: np.stack([rng.standard_cauchy(size=n), np.zeros(n), np.zeros(n)]),
}


@pytest.mark.parametrize("bag", BAGS)
@pytest.mark.parametrize("joint", [None, "max-rank", "bonferroni"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("samples", [19, 20, 99])
def test_every_bag_is_covered_when_each_sample_is_the_new_one_in_turn(
    bag: str, joint: Any, weighted: bool, samples: int
) -> None:
    rng = np.random.default_rng(samples)
    for alpha in (Fraction(1, 10), Fraction(1, 3)):
        scores = BAGS[bag](rng, samples + 1)
        weights = rng.integers(0, 6, samples + 1).astype(float) if weighted else np.ones(samples + 1)
        mass = np.zeros(3) if joint is None else np.zeros(1)
        for new in range(samples + 1):
            rest = np.arange(samples + 1) != new
            thresholds = find_thresholds(
                scores[:, rest],
                [0, 1, 2],
                alpha,
                joint=joint,
                weights=weights[rest] if weighted else None,
                new_weights=weights[new : new + 1] if weighted else None,
            )[:, 0]
            inside = scores[:, new] <= thresholds
            mass += weights[new] * (inside if joint is None else inside.all())
        assert (mass >= float((1 - alpha) * Fraction(weights.sum())) - 1e-9).all()


@pytest.mark.parametrize("samples", [5, 19, 20, 99, 500])
def test_without_weights_they_are_those_of_classification(samples: int) -> None:
    scores = np.random.default_rng(samples).normal(size=(3, samples))
    for alpha in (Fraction(1, 10), Fraction(1, 3)):
        ours = find_thresholds(scores, [0, 1, 2], alpha, joint="max-rank")
        np.testing.assert_array_equal(ours[:, 0], max_rank(scores, alpha))
        ours = find_thresholds(scores, [0, 1, 2], alpha, joint="bonferroni")
        np.testing.assert_array_equal(ours[:, 0], bonferroni(scores, alpha))
        ours = find_thresholds(scores, [0, 1, 1], alpha, joint=None)  # two rows of one task share its level
        expected = [conformal_quantile(row, a) for row, a in zip(scores, (alpha, alpha / 2, alpha / 2), strict=True)]
        np.testing.assert_array_equal(ours[:, 0], expected)


def test_equal_weights_of_any_size_are_no_weights() -> None:
    rng = np.random.default_rng(0)
    for samples in (1, 9, 35, 564):
        scores = rng.normal(size=samples)
        for alpha in (0.1, 0.2, 1 / 3, Fraction(123_456_789, 1_000_000_007 * 4)):
            expected = conformal_quantile(scores, alpha)
            for size in (1e-300, 0.1, 3.0, 1e300):
                thresholds = weighted_quantile(scores, alpha, weights=np.full(samples, size), new_weights=[size])
                assert thresholds.tolist() == [expected]


def test_weights_are_their_definition() -> None:
    rng = np.random.default_rng(1)
    scores, weights, new = rng.normal(size=40), rng.exponential(size=40), rng.exponential(size=7)
    thresholds = weighted_quantile(scores, 0.2, weights=weights, new_weights=new)
    for weight, threshold in zip(new, thresholds, strict=True):
        need = 0.8 * (weights.sum() + weight)
        enough = [q for q in np.sort(scores) if weights[scores <= q].sum() >= need]
        assert threshold == (enough[0] if enough else np.inf)


@pytest.mark.parametrize(
    ("weights", "new", "message"),
    [
        ([1.0, np.inf], [1.0], "weights: must be finite and not negative, got inf at sample 1"),
        ([0.0, 0.0], [0.0], "all zero"),
        ([1.0, 1.0], [[1.0]], "new_weights: give one number per sample"),
        (["a", "b"], [1.0], "weights: give one number for each of the 2 samples"),
    ],
)
def test_weights_that_cannot_weigh_are_refused(weights: Any, new: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        weighted_quantile([1.0, 2.0], 0.1, weights=weights, new_weights=new)


def test_the_automatic_choice_looks_at_numbers_only() -> None:
    assert joint_method("auto", 199, 2, Fraction(1, 10)) == "max-rank"
    assert joint_method("auto", 198, 2, Fraction(1, 10)) == "bonferroni"
    assert joint_method("max-rank", 1, 2, Fraction(1, 10)) == "max-rank"
