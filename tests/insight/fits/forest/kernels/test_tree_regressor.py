"""The regression kernel: its shortcuts change how long a forest takes, never what it predicts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestRegressor

from assay.insight.fits.forest.kernels.tree_regressor import regress
from assay.insight.fits.forest.randomness import bootstrap

Floats = npt.NDArray[np.float64]
UNLIMITED = 2**31 - 1


def grow(
    table: Floats, target: Floats, *, trees: int = 2, exact: bool = False, tied_from: int = UNLIMITED, step: float = 1.0
) -> Floats:
    """Predictions for the training rows, summed over the trees; columns hold whole numbers from 0 on, times a step."""
    draws = bootstrap(len(table), trees, 42)
    codes = np.ascontiguousarray(table.T, dtype=np.uint32)
    values = np.tile(np.arange(table.max() + 1, dtype=np.float32) * np.float32(step), (table.shape[1], 1))
    test = np.ascontiguousarray(table.T, dtype=np.float32) * np.float32(step)
    close = np.full(table.shape[1], step <= 1e-7)
    result: Floats = regress(
        codes,
        values,
        close,
        target,
        exact,
        test,
        draws.counts,
        draws.states.astype(np.int64),
        UNLIMITED,
        np.float32(1e-7),
        tied_from,
    )
    return result


def make(seed: int, rows: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    levels = rng.choice([2, 3, 10, 60, 500], 7)
    table = np.column_stack([rng.integers(0, level, rows) for level in levels] + [rng.permutation(rows)])
    return table.astype(np.float64), rng.integers(-20, 20, rows)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(2, 300))
def test_sorting_at_every_node_and_sorting_only_in_doubt_predict_the_same(seed: int, rows: int) -> None:
    table, whole = make(seed, rows)
    target = whole / 7.0
    always = grow(table, target, tied_from=0)
    for tied_from in (20, 100, UNLIMITED):
        assert np.array_equal(grow(table, target, tied_from=tied_from), always)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(2, 300))
def test_targets_that_sum_exactly_need_no_order(seed: int, rows: int) -> None:
    table, whole = make(seed, rows)
    assert np.array_equal(grow(table, whole / 8.0, exact=True), grow(table, whole / 8.0, tied_from=0))


def test_the_sum_grows_tree_by_tree_in_the_order_of_scikit_learn() -> None:
    table, whole = make(0, 250)
    target = whole / 3.0
    model = RandomForestRegressor(n_estimators=4, random_state=42).fit(table, target)
    total = np.zeros(len(table))
    for trees, tree in enumerate(model.estimators_, start=1):
        total += tree.predict(table)
        assert np.array_equal(grow(table, target, trees=trees), total)


@pytest.mark.parametrize("copies", ["same", "mirrored"])
def test_columns_that_cut_alike_are_told_apart_by_the_last_bit(copies: str) -> None:
    table, whole = make(1, 300)
    target = whole / 3.0
    twice = np.hstack([table, table if copies == "same" else table.max(axis=0) - table])
    model = RandomForestRegressor(n_estimators=2, random_state=42).fit(twice, target)
    assert np.array_equal(grow(twice, target) / 2, model.predict(twice))


def test_values_within_the_tolerance_are_sorted_but_never_cut_apart() -> None:
    table, whole = make(2, 120)
    predicted = grow(table, whole / 3.0, step=1e-8)
    assert np.array_equal(predicted, grow(table, whole / 3.0, step=1e-8, tied_from=0))
    assert np.unique(predicted).size < np.unique(grow(table, whole / 3.0)).size


def test_a_tree_without_a_limit_repeats_the_targets_it_drew_when_rows_differ() -> None:
    table, target = np.arange(50.0).reshape(-1, 1), np.random.default_rng(3).normal(size=50)
    sampled = bootstrap(50, 1, 42).counts[0] > 0
    assert np.allclose(grow(table, target, trees=1)[sampled], target[sampled], rtol=1e-15)
