from __future__ import annotations

import numpy as np
import pytest

from assay.insight.search.pool import Enough, Pool
from assay.insight.search.recipes import RowTerm

ROWS = 400
RNG = np.random.default_rng(4)
TARGET = RNG.integers(0, 2, ROWS).astype(np.float64)


def term(name: str, cost: float = 0.5) -> RowTerm:
    return RowTerm("1.0", name, name, cost=cost)


def screened(most: int) -> Pool:
    return Pool(ROWS, most, TARGET[None, :])


def test_what_says_nothing_of_the_target_is_not_taken() -> None:
    pool = screened(10)
    noise = RNG.normal(size=ROWS)
    noise -= TARGET * np.cov(noise, TARGET)[0, 1] / TARGET.var()
    assert not pool.add(term("noise"), noise)
    assert pool.add(term("signal"), TARGET + noise)
    assert Pool(ROWS, 10).add(term("noise"), noise)  # without a target all are taken


def test_the_order_counts_where_tails_are_long() -> None:
    heavy = TARGET + RNG.normal(size=ROWS)
    for label in (0.0, 1.0):  # as many giants of either label: their sizes say nothing
        heavy[np.flatnonzero(label == TARGET)[:2]] = 100.0
    assert abs(np.corrcoef(heavy, TARGET)[0, 1]) ** 2 * ROWS < 1.5
    assert screened(10).add(term("heavy"), heavy)


def test_a_family_that_has_offered_its_share_is_stopped_and_the_next_begins_anew() -> None:
    pool = screened(10)
    pool.allow(2)
    for number in range(2):
        pool.add(term(f"first {number}"), TARGET + RNG.normal(size=ROWS))
    with pytest.raises(Enough):
        pool.add(term("too much"), TARGET + RNG.normal(size=ROWS))
    pool.allow(1)
    assert pool.add(term("second"), TARGET + RNG.normal(size=ROWS))


def test_of_too_many_the_weakest_of_each_family_go() -> None:
    pool = screened(4)
    for name, strength in (("strong", 3.0), ("weak", 0.6)):
        pool.allow(4)
        for number in range(4):
            pool.add(term(f"{name} {number}"), strength * (number + 1) * TARGET + RNG.normal(size=ROWS))
    pool.prune()
    assert [recipe.slug for recipe in pool.recipes] == ["strong 2", "strong 3", "weak 2", "weak 3"]
    assert pool.matrix().shape == (4, ROWS)


def test_the_strongest_come_with_their_values() -> None:
    pool = screened(4)
    values = 7.0 + 3.0 * TARGET
    pool.add(term("mixed"), TARGET + RNG.normal(size=ROWS))
    pool.add(term("plain"), values)
    ((recipe, found),) = pool.strongest(1)
    assert recipe.slug == "plain"
    np.testing.assert_allclose(found, values, rtol=1e-5)


def test_the_strongest_are_not_all_the_same() -> None:
    pool = screened(40)
    signal, other = TARGET + RNG.normal(size=ROWS), TARGET + 1.5 * RNG.normal(size=ROWS)
    for number in range(10):
        pool.add(term(f"copy {number}"), signal + 0.05 * RNG.normal(size=ROWS))
    pool.add(term("other"), other)
    assert [recipe.slug for recipe, _ in pool.strongest(2)][1] == "other"
