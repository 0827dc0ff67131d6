"""The smallest joint sets: the guarantee for adversarial exchangeable data, what is saved, very many combinations."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from assay.conformal import (
    Calibration,
    CombinationSets,
    PredictionSets,
    calibrate,
    count_sets,
    coverage,
    efficiency,
    informativeness,
)
from assay.conformal.calibration import combinations
from assay.conformal.calibration.association import Association
from assay.conformal.calibration.smallest import samples_that_calibrate
from assay.conformal.generate import draw
from assay.core import InvalidInput
from assay.stats import bootstrap_interval

METHODS = ("joint", "joint-combinations")
ALPHA = 0.1
NEW = 60  # samples that share a calibration

Samples = tuple[list[Any], list[Any]]


def wrong(rng: np.random.Generator, samples: int) -> Samples:
    """Sure and wrong classifiers, labels that determine each other, ties, probabilities of exactly 0 and 1."""
    first = rng.integers(0, 3, samples)
    second = (first + 1) % 3
    sure = np.eye(3)[rng.integers(0, 3, samples)]
    flat = np.full((samples, 3), 1 / 3)
    return [sure, flat], [first, second]


def outliers(rng: np.random.Generator, samples: int) -> Samples:
    """A tenth of the samples is unlike the others: the classifier is right on these and wrong on those."""
    labels = [rng.integers(0, count, samples) for count in (4, 2)]
    odd = rng.uniform(size=samples) < 0.1
    matrices = []
    for label, count in zip(labels, (4, 2), strict=True):
        hot = np.eye(count)[np.where(odd, (label + 1) % count, label)]
        matrices.append(0.9 * hot + 0.1 / count)
    return matrices, labels


def permuted(rng: np.random.Generator, samples: int) -> Samples:
    """Exchangeable, not independent: one fixed list of labels, dealt without replacement to random rows."""
    labels = np.repeat([0, 1, 2], [samples - 2, 1, 1])
    order = rng.permutation(samples)
    matrix = np.tile([0.98, 0.01, 0.01], (samples, 1))
    return [matrix, matrix[:, ::-1]], [labels[order], 2 - labels[order]]


def unrelated(rng: np.random.Generator, samples: int) -> Samples:
    """Probabilities that know nothing of the labels, and no ties: coverage is what was promised and no more."""
    labels = [rng.integers(0, count, samples) for count in (5, 4)]
    return [rng.dirichlet(np.ones(count), size=samples) for count in (5, 4)], labels


@pytest.mark.parametrize("samples", [19, 20, 99])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [wrong, outliers, permuted, unrelated])
def test_adversarial_exchangeable_samples_are_covered_as_promised(
    make: Callable[[np.random.Generator, int], Samples], method: str, samples: int
) -> None:
    rng = np.random.default_rng(samples)
    shares = []
    for number in range(60 if samples < 50 else 12):
        matrices, labels = make(rng, samples + NEW)
        calibration = calibrate(
            [m[:samples] for m in matrices], [y[:samples] for y in labels], alpha=ALPHA, method=method, seed=number
        )
        shares.append(calibration.count([m[samples:] for m in matrices], [y[samples:] for y in labels]).covered / NEW)
    assert np.mean(shares) + 2.6 * np.std(shares) / np.sqrt(len(shares)) >= 1 - ALPHA


def test_no_coverage_is_lost_to_rounding_and_small_samples_all_calibrate() -> None:
    for samples in (19, 20, 33, 99, 600, 10_000):
        for alpha in (Fraction(1, 10), Fraction(1, 20), Fraction(1, 3)):
            m = samples_that_calibrate(samples, alpha)
            assert m == samples or ((m + 1) * alpha).denominator == 1 or (m + 1) * alpha - 1 < alpha * m
            assert m == samples or samples - m >= 20
    assert samples_that_calibrate(20, Fraction(1, 10)) == 20
    assert samples_that_calibrate(600, Fraction(1, 10), 0) == 600


@pytest.fixture(scope="module")
def splits() -> dict[str, np.ndarray[Any, Any]]:
    """Tasks that determine each other and share hard samples: coverage, size and singletons over 10 splits."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 6, 500)
    labels = [first, first % 2, first // 3]
    hardness = rng.uniform(0.2, 2.5, size=(500, 1))
    matrices = []
    for label, count in zip(labels, (6, 2, 2), strict=True):
        raised = np.exp(rng.normal(size=(500, count)) + np.eye(count)[label] * hardness)
        matrices.append(raised / raised.sum(axis=1, keepdims=True))
    coverages: dict[str, list[list[float]]] = {}
    for number in range(10):
        order = np.random.default_rng(number).permutation(500)
        old, new = order[:250], order[250:]
        for method in ("bonferroni", "joint-threshold", *METHODS):
            model = calibrate([m[old] for m in matrices], [y[old] for y in labels], alpha=ALPHA, method=method)
            counts = model.count([m[new] for m in matrices], [y[new] for y in labels])
            ways = [f(counts, overall="joint") for f in (coverage, efficiency, informativeness)]
            coverages.setdefault(method, []).append(ways)
    return {method: np.asarray(rows) for method, rows in coverages.items()}


@pytest.mark.parametrize("method", METHODS)
def test_joint_coverage_is_kept_over_splits(method: str, splits: dict[str, Any]) -> None:
    covered = splits[method][:, 0]
    assert covered.mean() + 2.33 * covered.std(ddof=1) / np.sqrt(len(covered)) >= 1 - ALPHA


def test_associated_tasks_have_smaller_products_and_still_smaller_sets_of_combinations(splits: dict[str, Any]) -> None:
    sizes = {method: rows[:, 1] for method, rows in splits.items()}
    assert bootstrap_interval(1 - sizes["joint"] / sizes["bonferroni"]).low > 0.05
    assert bootstrap_interval(1 - sizes["joint-combinations"] / sizes["bonferroni"]).low > 0.5
    assert bootstrap_interval(1 - sizes["joint-combinations"] / sizes["joint"]).low > 0
    assert splits["joint-combinations"][:, 2].mean() > splits["bonferroni"][:, 2].mean()


@pytest.mark.parametrize("method", METHODS)
def test_no_set_is_empty_and_sets_of_the_same_model_grow_with_the_level(method: str) -> None:
    data = draw("correlated", 400, seed=2)
    calibration = calibrate(data.probabilities, data.labels, alpha=0.4, method=method)
    sizes = []
    for level in (0.0, 1.0, 3.0, 6.0, np.inf):
        rows = tuple(np.full((1, count), level) for count in calibration.classes)
        more = Calibration(
            method=method,
            score="hinge",
            alpha=0.4,
            guarantee="joint",
            thresholds=rows,
            samples=1,
            model=calibration.model,
        ).predict_sets(data.probabilities)
        size = more.sizes().reshape(400, -1).prod(axis=1)
        sizes.append(size)
    assert (sizes[0] == 1).all()
    assert all((small <= large).all() for small, large in pairwise(sizes))
    assert (sizes[-1] == np.prod(calibration.classes)).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_saved_calibration_gives_the_same_sets(method: str, tmp_path: Any) -> None:
    data = draw("correlated", 300, seed=4)
    calibration = calibrate(data.probabilities, data.labels, alpha=0.1, method=method)
    calibration.save(tmp_path / "c.json")
    again = Calibration.load(tmp_path / "c.json")
    sets, others = calibration.predict_sets(data.probabilities), again.predict_sets(data.probabilities)
    assert type(sets) is type(others)
    assert sets == others
    assert isinstance(sets, PredictionSets if method == "joint" else CombinationSets)


def test_without_a_fit_all_samples_calibrate_and_another_score_is_refused() -> None:
    data = draw("independent", 300, seed=4)
    calibration = calibrate(data.probabilities, data.labels, alpha=0.1, method="joint", share=0)
    assert calibration.samples == 300
    assert calibration.chosen == "independent tasks"
    with pytest.raises(InvalidInput, match="joint-threshold"):
        calibrate(data.probabilities, data.labels, alpha=0.1, method="joint", score="margin")


def test_samples_with_a_missing_label_are_left_out() -> None:
    data = draw("independent", 300, seed=4)
    labels = [column.copy() for column in data.labels]
    labels[0][:100] = -1
    later = [column[100:] for column in data.labels]
    some = calibrate(data.probabilities, labels, alpha=0.1, method="joint")
    rest = calibrate([m[100:] for m in data.probabilities], later, alpha=0.1, method="joint")
    assert some.samples == rest.samples
    assert np.array_equal(some.thresholds[0], rest.thresholds[0])


def many_tasks(samples: int, tasks: int, seed: int) -> Samples:
    rng = np.random.default_rng(seed)
    shared = rng.integers(0, 2, samples)
    labels = [np.where(rng.uniform(size=samples) < 0.85, shared, rng.integers(0, 3, samples)) for _ in range(tasks)]
    raised = [np.exp(rng.normal(size=(samples, 3)) + 1.5 * np.eye(3)[label]) for label in labels]
    return [m / m.sum(axis=1, keepdims=True) for m in raised], labels


def test_very_many_combinations_are_covered_as_lists_or_products(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combinations, "BEAM", 200)
    matrices, labels = many_tasks(400, 14, seed=1)
    hits, kinds = [], []
    for number in range(2):
        order = np.random.default_rng(number).permutation(400)
        old, new = order[:250], order[250:]
        calibration = calibrate(
            [m[old] for m in matrices], [y[old] for y in labels], alpha=ALPHA, method="joint-combinations"
        )
        sets = calibration.predict_sets([m[new] for m in matrices])
        assert isinstance(sets, CombinationSets)
        hits.append(coverage(sets, [y[new] for y in labels], overall="joint"))
        kinds.append(sets.is_product.mean())
        assert np.diff(sets.starts).max() <= 200
    assert np.mean(hits) > 0.82
    assert 0 < np.mean(kinds) < 1  # both forms occur


def test_the_ranking_beyond_the_beam_never_loses_a_sample_that_its_level_promises(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The heart of the proof: a sample whose own level is at most q is in its set of level q, for every q."""
    monkeypatch.setattr(combinations, "MOST_COMPLETE", 10)
    monkeypatch.setattr(combinations, "BEAM", 12)
    matrices, labels = many_tasks(120, 5, seed=2)
    rng = np.random.default_rng(4)
    pairs = np.triu(rng.normal(size=(15, 15)), 1) * (1 - np.kron(np.eye(5), np.ones((3, 3))))
    model = Association(scales=np.ones(5), offsets=rng.normal(size=15), pairs=pairs + pairs.T)  # lists unlike products
    own = combinations.combination_levels(model, matrices, np.stack(labels, axis=1))
    for level in np.unique(own).tolist():
        sets = combinations.combination_sets(model, matrices, level)
        assert sets.contains(labels)[own <= level].all()


def test_more_combinations_than_can_be_numbered_are_refused_with_a_remedy() -> None:
    matrices, labels = many_tasks(30, 40, seed=3)
    with pytest.raises(InvalidInput, match='method "joint"'):
        calibrate(matrices, labels, alpha=ALPHA, method="joint-combinations")
    calibration = calibrate(matrices, labels, alpha=ALPHA, method="joint")
    assert calibration.count(matrices, labels).covered > 0


def test_counts_of_products_and_of_the_same_products_as_combinations_agree() -> None:
    data = draw("correlated", 200, seed=5)
    products = calibrate(data.probabilities, data.labels, alpha=0.2, method="joint").predict_sets(data.probabilities)
    assert isinstance(products, PredictionSets)
    assert count_sets(CombinationSets.from_products(products), data.labels) == count_sets(products, data.labels)


@pytest.mark.parametrize("most", [65_536, 8])
@pytest.mark.parametrize("method", METHODS)
def test_no_samples_get_no_sets(method: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combinations, "MOST_COMPLETE", most)  # all combinations are listed, or the likeliest
    rng = np.random.default_rng(3)
    first = rng.integers(0, 3, 400)
    probabilities = [np.eye(3)[labels] * 0.4 + 0.2 for labels in (first, np.zeros(400, dtype=int))]
    calibration = calibrate(probabilities, [first, first], alpha=0.2, method=method)
    assert calibration.chosen == "associated tasks"
    sets = calibration.predict_sets([matrix[:0] for matrix in probabilities])
    assert len(sets) == 0
    assert sets.classes == (3, 3)
    assert calibration.count([matrix[:0] for matrix in probabilities], [[], []]).samples == 0
