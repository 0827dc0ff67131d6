from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.insight.fits.forest.exact_sums import sums_are_exact
from assay.insight.fits.forest.many_columns import predict_many_columns
from assay.insight.fits.forest.one_column_growth import GrownColumn, prepare_growth
from assay.insight.fits.forest.settings import ForestSettings
from assay.insight.fits.forest.sklearn_engine import predict_with_sklearn
from assay.insight.fits.forest.versions import merges_close_values

FloatArray = npt.NDArray[np.float64]


def forest(depth: int | None, seed: int = 0) -> ForestSettings:
    return ForestSettings(trees=4, seed=seed, max_depth=depth, merge_close_values=merges_close_values())


class Both(NamedTuple):
    grown: FloatArray
    fitted: FloatArray


def both(train: FloatArray, target: FloatArray, test: FloatArray, settings: ForestSettings) -> Both:
    grown = prepare_growth(train.astype(np.float32), test.astype(np.float32), settings).regress(target)
    fitted = predict_with_sklearn(
        train[:, None], target, test[:, None], task="regression", classes=0, settings=settings
    )
    return Both(grown, fitted)


@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(2, 120),
    depth=st.sampled_from([None, 1, 2, 4, 9]),
    offset=st.sampled_from([0.0, 1.0, 1e3, 1e6, 1e9]),
    scale=st.sampled_from([1.0, 1e-5, 1e-9, 1e6]),
)
def test_without_ties_a_regression_agrees_to_the_last_bit(
    seed: int, rows: int, depth: int | None, offset: float, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    train = rng.permutation(rows).astype(float) * 0.1
    target = rng.normal(size=rows) * scale + offset
    grown, fitted = both(train, target, rng.uniform(-1, rows * 0.1 + 1, 20), forest(depth, seed % 100))
    np.testing.assert_array_equal(grown, fitted)


@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(2, 120),
    depth=st.sampled_from([None, 1, 2, 4, 9]),
    levels=st.sampled_from([2, 5, 40]),
    kind=st.sampled_from(["whole", "halves", "large"]),
)
def test_with_ties_sums_without_rounding_agree_to_the_last_bit(
    seed: int, rows: int, depth: int | None, levels: int, kind: str
) -> None:
    rng = np.random.default_rng(seed)
    train = rng.integers(0, levels, rows).astype(float)
    target = rng.integers(-4, 4, rows).astype(float) * {"whole": 1.0, "halves": 0.5, "large": 1e5}[kind]
    assert sums_are_exact(target)
    grown, fitted = both(train, target, rng.uniform(-1, levels, 20), forest(depth, seed % 100))
    np.testing.assert_array_equal(grown, fitted)


@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(2, 120),
    depth=st.sampled_from([None, 1, 2, 4, 9]),
    levels=st.sampled_from([2, 5, 40]),
    kind=st.sampled_from(["smooth", "repeated", "mostly zero", "offset"]),
)
def test_with_ties_and_rounding_it_agrees_but_for_last_bits(
    seed: int, rows: int, depth: int | None, levels: int, kind: str
) -> None:
    rng = np.random.default_rng(seed)
    train = rng.integers(0, levels, rows).astype(float)
    target = {
        "smooth": rng.normal(size=rows),
        "repeated": rng.integers(0, 4, rows) * 0.1,
        "mostly zero": np.where(rng.random(rows) < 0.8, 0.0, rng.lognormal(size=rows)),
        "offset": rng.normal(size=rows) + 1e6,
    }[kind]
    grown, fitted = both(train, target, rng.uniform(-1, levels, 20), forest(depth, seed % 100))
    np.testing.assert_allclose(grown, fitted, rtol=0, atol=1e-14 * float(np.abs(target).max()))


class Watched:
    """Counts the trees that are grown in scikit-learn's own order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.trees: list[int] = []
        original = GrownColumn._grow_in_order

        def grow(column: GrownColumn, ordered: FloatArray, tree: int, total: FloatArray) -> None:
            self.trees.append(tree)
            original(column, ordered, tree, total)

        monkeypatch.setattr(GrownColumn, "_grow_in_order", grow)


def test_the_order_of_sums_is_followed_only_where_it_may_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    rng = np.random.default_rng(2)
    train, queries = rng.integers(0, 30, 400).astype(float), np.arange(30.0)
    both(train, rng.normal(size=400), queries, forest(4))
    assert watched.trees == []
    grown, fitted = both(train, rng.normal(size=400) + 1e9, queries, forest(4))
    assert watched.trees == [0, 1, 2, 3]
    np.testing.assert_array_equal(grown, fitted)


def test_two_cuts_of_equal_worth_are_decided_as_scikit_learn_does(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch)
    train = np.repeat([0.0, 1.0, 2.0], 3)
    mirrored = np.repeat([0.1, 0.3, 0.1], 3)
    doubted: dict[bool, list[bool]] = {}
    for seed in range(40):
        settings = ForestSettings(trees=1, seed=seed, max_depth=1)
        column = prepare_growth(train.astype(np.float32), train.astype(np.float32), settings)
        weights = column.column.counts[0].reshape(3, 3).sum(axis=1)
        watched.trees.clear()
        np.testing.assert_allclose(*both(train, mirrored, train, settings), rtol=1e-15)
        if weights.all() and column.crowd > 1:
            doubted.setdefault(bool(weights[0] == weights[2]), []).append(bool(watched.trees))
    assert len(doubted[True]) > 2
    assert all(doubted[True])
    assert not any(doubted[False])


@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 150),
    depth=st.sampled_from([None, 1, 2, 4, 9]),
    levels=st.sampled_from([1, 2, 5, 40, 400]),
    spacing=st.sampled_from([1.0, 3e-8]),
    kind=st.sampled_from(["smooth", "repeated", "offset", "tiny"]),
)
def test_trees_grown_in_order_agree_to_the_last_bit_with_any_ties(
    seed: int, rows: int, depth: int | None, levels: int, spacing: float, kind: str
) -> None:
    rng = np.random.default_rng(seed)
    train = rng.integers(0, levels, rows).astype(float) * spacing
    test = rng.uniform(-1, levels, 20) * spacing
    target: FloatArray = {
        "smooth": rng.normal(size=rows),
        "repeated": rng.integers(0, 4, rows).astype(float) * 0.1,
        "offset": rng.normal(size=rows) + 1e6,
        "tiny": rng.normal(size=rows) * 1e-8,
    }[kind]
    settings = forest(depth, seed % 100)
    column = prepare_growth(train.astype(np.float32), test.astype(np.float32), settings)
    total = np.zeros(column.column.queries.size)
    for tree in range(settings.trees):
        column._grow_in_order(target[column.column.order], tree, total)
    np.testing.assert_array_equal(column.column.answers(total), both(train, target, test, settings).fitted)


@pytest.mark.parametrize("depth", [None, 1, 3, 8])
@pytest.mark.parametrize("classes", [2, 3, 6])
@pytest.mark.parametrize("levels", [2, 7, 100_000])
def test_classes_agree_to_the_last_bit(depth: int | None, classes: int, levels: int) -> None:
    rng = np.random.default_rng(classes)
    train, test = rng.integers(0, levels, 250).astype(float), rng.integers(-1, levels + 1, 60).astype(float)
    codes = np.concatenate([np.arange(classes), rng.integers(0, classes, 250 - classes)])
    settings = forest(depth)
    grown = prepare_growth(train.astype(np.float32), test.astype(np.float32), settings).classify(codes, classes)
    fitted = predict_with_sklearn(
        train[:, None], codes, test[:, None], task="classification", classes=classes, settings=settings
    )
    np.testing.assert_array_equal(grown, fitted)


@pytest.mark.parametrize("depth", [None, 3])
def test_it_agrees_with_the_forest_of_many_columns_on_one(depth: int | None) -> None:
    rng = np.random.default_rng(9)
    train, test, target = rng.normal(size=200), rng.normal(size=50), rng.normal(size=200) + 1e5
    for merge in (True, False):
        settings = ForestSettings(trees=5, max_depth=depth, merge_close_values=merge)
        grown = prepare_growth(train.astype(np.float32), test.astype(np.float32), settings).regress(target)
        port = predict_many_columns(
            train[:, None], target, test[:, None], task="regression", classes=0, settings=settings
        )
        np.testing.assert_array_equal(grown, port)


def test_what_can_be_summed_without_rounding() -> None:
    assert sums_are_exact(np.array([3.0, -1.0]))
    assert sums_are_exact(np.array([0.0625]))
    assert not sums_are_exact(np.array([0.03125]))  # finer than is looked for
    assert not sums_are_exact(np.array([1 / 3]))
    assert not sums_are_exact(np.full(10, 1e8))  # its squares fill the mantissa
    assert not sums_are_exact(np.array([1e300]))


def test_a_grown_column_knows_what_it_holds() -> None:
    column = prepare_growth(np.arange(50, dtype=np.float32), np.arange(9, dtype=np.float32), forest(2))
    assert column.crowd == 1
    draws = np.count_nonzero(column.column.counts)
    assert column.nbytes == column.column.nbytes + 8 * draws + 8 * 4 + 2 * 8 * 50
