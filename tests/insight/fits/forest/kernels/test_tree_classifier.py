"""The classification kernel: single trees against scikit-learn's, tree by tree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.ensemble import RandomForestClassifier

from assay.insight.fits.forest.kernels.tree_classifier import classify
from assay.insight.fits.forest.randomness import bootstrap

Floats = npt.NDArray[np.float64]
UNLIMITED = 2**31 - 1


def grow(table: Floats, labels: npt.NDArray[np.int64], classes: int, *, trees: int, depth: int = UNLIMITED) -> Floats:
    """Probabilities of the training rows, summed over the trees; every column holds whole numbers from 0 on."""
    draws = bootstrap(len(table), trees, 42)
    codes = np.ascontiguousarray(table.T, dtype=np.uint32)
    values = np.tile(np.arange(table.max() + 1, dtype=np.float32), (table.shape[1], 1))
    test = np.ascontiguousarray(table.T, dtype=np.float32)
    looked_at = max(1, int(np.sqrt(table.shape[1])))
    result: Floats = classify(
        codes,
        values,
        labels,
        classes,
        test,
        draws.counts,
        draws.states.astype(np.int64),
        looked_at,
        depth,
        np.float32(0),
    )
    return result


def test_the_sum_grows_tree_by_tree_in_the_order_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    table, labels = rng.integers(0, 20, (200, 6)).astype(np.float64), rng.integers(0, 3, 200)
    model = RandomForestClassifier(n_estimators=5, random_state=42).fit(table, labels)
    total = np.zeros((200, 3))
    for trees, tree in enumerate(model.estimators_, start=1):
        total += tree.predict_proba(table)
        assert np.array_equal(grow(table, labels, 3, trees=trees), total)


def test_two_classes_counted_together_or_apart_give_the_same_trees() -> None:
    rng = np.random.default_rng(1)
    table, labels = rng.integers(0, 90, (300, 9)).astype(np.float64), rng.integers(0, 2, 300)
    packed, apart = grow(table, labels, 2, trees=4), grow(table, labels, 3, trees=4)
    assert np.array_equal(packed, apart[:, :2])
    assert not apart[:, 2].any()


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_a_limited_tree_has_no_more_leaves_than_its_depth_allows(depth: int) -> None:
    rng = np.random.default_rng(2)
    table, labels = rng.integers(0, 50, (400, 5)).astype(np.float64), rng.integers(0, 2, 400)
    shares = grow(table, labels, 2, trees=1, depth=depth)
    assert 1 < len(np.unique(shares, axis=0)) <= 2**depth
    assert np.allclose(shares.sum(axis=1), 1.0)


def test_a_tree_without_a_limit_repeats_the_labels_it_drew_when_rows_differ() -> None:
    table, labels = np.arange(64.0).reshape(-1, 1), np.arange(64) % 4
    shares = grow(table, labels, 4, trees=1)
    sampled = bootstrap(64, 1, 42).counts[0] > 0
    assert np.array_equal(shares[sampled].argmax(axis=1), labels[sampled])
    assert np.array_equal(np.unique(shares), [0.0, 1.0])


def test_one_class_is_one_certain_leaf() -> None:
    table = np.random.default_rng(3).integers(0, 9, (30, 3)).astype(np.float64)
    shares = grow(table, np.ones(30, dtype=np.int64), 2, trees=2)
    assert np.array_equal(shares, np.tile([0.0, 2.0], (30, 1)))
