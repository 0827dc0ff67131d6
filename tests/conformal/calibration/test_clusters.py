from __future__ import annotations

from fractions import Fraction

import numpy as np

from assay.conformal import calibrate, class_coverage, count_sets
from assay.conformal.calibration.clusters import cluster_thresholds
from assay.conformal.calibration.quantile import conformal_quantile

ALPHA = Fraction(1, 10)


def two_kinds(seed: int, each: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """Six classes: the scores of three lie low, those of the others high."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(6), each)
    return np.where(labels < 3, rng.uniform(0, 0.3, len(labels)), rng.uniform(0.5, 1.0, len(labels))), labels


def test_classes_of_a_kind_share_a_threshold_and_kinds_differ() -> None:
    true, labels = two_kinds(0)
    thresholds, rare = cluster_thresholds(true, labels, 6, ALPHA, clusters=2, seed=0)
    assert rare == ()
    assert len(set(thresholds[:3])) == len(set(thresholds[3:])) == 1
    assert thresholds[0] < 0.3 < 0.5 < thresholds[3]


def test_rare_classes_get_the_pooled_threshold_of_the_samples_that_calibrate() -> None:
    true, labels = two_kinds(1)
    chosen = (labels != 5) | (np.arange(len(labels)) >= len(labels) - 4)
    thresholds, rare = cluster_thresholds(true[chosen], labels[chosen], 8, ALPHA, clusters=2, seed=0)
    assert rare == (5, 6, 7)
    assert len(set(thresholds[[5, 6, 7]])) == 1
    assert np.isfinite(thresholds).all()
    assert thresholds[0] < thresholds[5] <= 1


def test_only_rare_classes_means_one_pooled_threshold() -> None:
    true, labels = np.arange(12.0), np.repeat(np.arange(6), 2)
    thresholds, rare = cluster_thresholds(true, labels, 6, ALPHA, clusters="auto", seed=0)
    assert rare == tuple(range(6))
    assert (thresholds == conformal_quantile(true, ALPHA)).all()


def test_any_number_of_clusters_works() -> None:
    true, labels = two_kinds(2)
    for clusters in (1, 2, 5, 6, 50):
        thresholds, _ = cluster_thresholds(true, labels, 6, ALPHA, clusters=clusters, seed=0)
        assert np.isfinite(thresholds).all()
    assert len(set(cluster_thresholds(true, labels, 6, ALPHA, clusters=1, seed=0)[0])) == 1
    assert len(set(cluster_thresholds(true, labels, 6, ALPHA, clusters=50, seed=0)[0])) == 6


def test_clusters_and_thresholds_come_from_different_samples() -> None:
    """With one cluster the threshold is the quantile of fewer samples than there are."""
    true, labels = two_kinds(3)
    thresholds, _ = cluster_thresholds(true, labels, 6, ALPHA, clusters=1, seed=0)
    assert thresholds[0] in true
    assert thresholds[0] != conformal_quantile(true, ALPHA)


def test_clusters_even_out_the_coverage_of_classes() -> None:
    rng = np.random.default_rng(4)
    hard = np.arange(8) >= 4  # classes whose probability is often low
    labels = rng.integers(0, 8, 4000)
    logits = rng.normal(size=(4000, 8))
    logits[np.arange(4000), labels] += np.where(hard[labels], 1.0, 4.0)
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    gaps = {}
    for method in ("taskwise", "task-clusters"):
        thresholds = calibrate(
            [p[:2000]], [labels[:2000]], alpha=0.1, method=method, clusters=2 if "cl" in method else "auto"
        )
        each = class_coverage(count_sets(thresholds.predict_sets([p[2000:]]), [labels[2000:]]))[0]
        gaps[method] = np.abs(each - 0.9).mean()
    assert gaps["task-clusters"] < gaps["taskwise"] / 2
