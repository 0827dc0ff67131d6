from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from assay.insight.fits.forest.one_column import OneColumn, prepare, sort_column
from assay.insight.fits.forest.settings import ForestSettings
from assay.insight.fits.forest.sklearn_engine import predict_with_sklearn
from assay.insight.fits.forest.versions import merges_close_values

SETTINGS = ForestSettings(trees=6, merge_close_values=merges_close_values())
RNG = np.random.default_rng(5)
X = np.round(RNG.normal(size=300), 2)
TRAIN, TEST = X[:220].astype(np.float32), X[220:].astype(np.float32)


@pytest.fixture(scope="module")
def column() -> OneColumn:
    return prepare(TRAIN, TEST, SETTINGS)


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_one_prepared_column_answers_any_number_of_classes(column: OneColumn, classes: int) -> None:
    codes = np.concatenate([np.arange(classes), RNG.integers(0, classes, 220 - classes)])
    expected = predict_with_sklearn(
        TRAIN[:, None].astype(float),
        codes,
        TEST[:, None].astype(float),
        task="classification",
        classes=classes,
        settings=SETTINGS,
    )
    np.testing.assert_array_equal(column.classify(codes, classes), expected)


@pytest.mark.parametrize("seed", range(4))
def test_one_prepared_column_answers_any_number_of_targets(column: OneColumn, seed: int) -> None:
    target = np.random.default_rng(seed).normal(size=220) * 10.0**seed
    expected = predict_with_sklearn(
        TRAIN[:, None].astype(float),
        target,
        TEST[:, None].astype(float),
        task="regression",
        classes=0,
        settings=SETTINGS,
    )
    np.testing.assert_allclose(column.regress(target), expected, rtol=0, atol=1e-14 * np.abs(target).max())


def test_whole_numbers_agree_to_the_last_bit_even_with_ties(column: OneColumn) -> None:
    target = RNG.integers(-50, 50, 220).astype(float)
    expected = predict_with_sklearn(
        TRAIN[:, None].astype(float),
        target,
        TEST[:, None].astype(float),
        task="regression",
        classes=0,
        settings=SETTINGS,
    )
    np.testing.assert_array_equal(column.regress(target), expected)


def test_an_asked_value_takes_the_mean_of_the_nearest_drawn_value() -> None:
    train = np.array([0.0, 1.0, 4.0], dtype=np.float32)
    queries = np.array([-9.0, 0.5, 0.51, 2.5, 2.6, 99.0], dtype=np.float32)
    settings = ForestSettings(trees=40, seed=1)
    target = np.array([10.0, 20.0, 40.0])
    counts = sort_column(train, queries, settings).counts
    expected = []
    for value in queries:
        total = 0.0
        for draws in counts:
            present = np.flatnonzero(draws)
            nearest = present[np.argmin(np.abs(train[present] - value))]  # the first of two: the middle goes left
            total += target[nearest]
        expected.append(total / 40)
    np.testing.assert_allclose(prepare(train, queries, settings).regress(target), expected, rtol=1e-14)


def test_values_within_the_tolerance_are_chained_into_one_group() -> None:
    train = (np.arange(40) * 6e-8).astype(np.float32)  # the ends are 2e-6 apart, neighbours never more than 1e-7 ...
    codes: npt.NDArray[np.int64] = np.arange(40) % 2
    merged = prepare(train, train, ForestSettings(trees=1, seed=8, merge_close_values=True))
    apart = prepare(train, train, ForestSettings(trees=1, seed=8, merge_close_values=False))
    assert merged.ends[0] < apart.ends[0]  # ... unless rows between them were not drawn
    draws = train[merged.column.counts[0] > 0]
    assert merged.ends[0] == 1 + np.count_nonzero(draws[1:] > draws[:-1] + np.float32(1e-7)) > 2
    np.testing.assert_allclose(merged.classify(codes, 2).sum(axis=1), 1.0)


def test_a_column_knows_what_it_holds_and_does_not_grow_with_repeated_test_values() -> None:
    once = prepare(TRAIN, np.unique(TEST), SETTINGS)
    often = prepare(TRAIN, np.tile(np.unique(TEST), 50), SETTINGS)
    assert often.starts.size == once.starts.size
    assert often.nbytes - once.nbytes == 8 * 49 * np.unique(TEST).size  # a place per test row
