from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestRegressor
from sklearn.utils import check_random_state

from assay.insight.fits.forest.randomness import bootstrap


@given(rows=st.integers(1, 60), trees=st.integers(1, 6), seed=st.integers(0, 2**32 - 1))
def test_the_draws_are_those_of_a_fitted_forest(rows: int, trees: int, seed: int) -> None:
    x = np.arange(rows, dtype=float).reshape(-1, 1)
    forest = RandomForestRegressor(trees, random_state=seed, n_jobs=1).fit(x, x[:, 0])
    draws = bootstrap(rows, trees, seed)
    for tree, sample in enumerate(forest.estimators_samples_):
        np.testing.assert_array_equal(draws.counts[tree], np.bincount(sample, minlength=rows))
    states = [check_random_state(tree.random_state).randint(0, 2**31 - 1) for tree in forest.estimators_]
    assert draws.states.tolist() == states


def test_a_root_holds_the_rows_that_were_drawn() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(50, 1)), rng.normal(size=50)
    forest = RandomForestRegressor(4, random_state=11, n_jobs=1).fit(x, y)
    counts = bootstrap(50, 4, 11).counts
    for tree, grown in enumerate(forest.estimators_):
        assert grown.tree_.n_node_samples[0] == np.count_nonzero(counts[tree])
        assert grown.tree_.value[0].item() == pytest.approx(np.average(y, weights=counts[tree]), abs=1e-14)


def test_the_draws_are_shared_and_nobody_can_change_them() -> None:
    draws = bootstrap(20, 3, 1)
    assert bootstrap(20, 3, 1) is draws
    with pytest.raises(ValueError, match="read-only"):
        draws.counts[0, 0] = 9
    with pytest.raises(ValueError, match="read-only"):
        draws.states[0] = 9


def test_another_seed_or_size_draws_otherwise() -> None:
    base = bootstrap(30, 2, 5).counts
    assert not np.array_equal(base, bootstrap(30, 2, 6).counts)
    np.testing.assert_array_equal(base, bootstrap(30, 4, 5).counts[:2])  # trees are drawn one after another
