"""Forests on many columns against scikit-learn: every prediction equal, bit by bit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from assay.insight.fits.forest.many_columns import predict_many_columns
from assay.insight.fits.forest.settings import ForestSettings, Task
from assay.insight.fits.forest.versions import merges_close_values

Floats = npt.NDArray[np.float64]

KINDS = (
    "normal", "binary", "levels", "constant", "rare", "grid", "offset", "money", "rising", "falling", "pipe",
    "tiny", "huge", "inflated", "signed zero",
)  # fmt: skip
TARGETS = ("noise", "signal", "whole", "quarters", "tiny", "offset", "huge", "endless", "money", "inflated", "small")


def column(rng: np.random.Generator, kind: str, rows: int) -> Floats:
    columns: dict[str, npt.NDArray[np.floating[Any]]] = {
        "normal": rng.normal(size=rows),
        "binary": rng.integers(0, 2, rows) * 1.0,
        "levels": rng.integers(0, rng.integers(2, 60), rows) * 1.0,
        "constant": np.full(rows, rng.normal()),
        "rare": (rng.random(rows) < 0.03) * 1.0,
        "grid": rng.integers(0, 40, rows) * 1e-8,
        "offset": 1e9 + rng.integers(0, 500, rows),
        "money": np.round(np.exp(rng.normal(3, 2, rows)), 2),
        "rising": np.sort(rng.normal(size=rows)),
        "falling": np.arange(rows)[::-1] * 1.0,
        "pipe": np.minimum(np.arange(rows), np.arange(rows)[::-1]) * 1.0,
        "tiny": rng.normal(size=rows) * 1e-30,
        "huge": rng.normal(size=rows) * 1e30,
        "inflated": np.where(rng.random(rows) < 0.7, 0.0, rng.normal(size=rows)),
        "signed zero": rng.choice([-1.0, -0.0, 0.0, 1.0], rows),
    }
    return columns[kind].astype(np.float64)


def numbers(rng: np.random.Generator, kind: str, signal: Floats) -> Floats:
    rows = len(signal)
    noise = rng.normal(size=rows)
    scaled = (signal - signal.mean()) / (signal.std() or 1.0)
    columns: dict[str, npt.NDArray[np.floating[Any]]] = {
        "noise": noise,
        "signal": scaled + 0.3 * noise,
        "whole": rng.integers(0, 5, rows) * 1.0,
        "quarters": rng.integers(-9, 9, rows) / 4.0,
        "tiny": noise * 1e-9,
        "offset": noise + 1e6,
        "huge": noise * 1e150,
        "endless": noise * 1e200,  # squares are infinite
        "money": np.round(np.exp(3 + 2 * noise), 2),
        "inflated": np.where(rng.random(rows) < 0.8, 0.0, noise),
        "small": scaled * 1e-5 + noise * 1e-6,
    }
    return columns[kind].astype(np.float64)


def scikit_learn(train: Floats, target: npt.NDArray[np.generic], test: Floats, forest: ForestSettings) -> Floats:
    kind = RandomForestClassifier if np.issubdtype(target.dtype, np.integer) else RandomForestRegressor
    model = kind(n_estimators=forest.trees, random_state=forest.seed, max_depth=forest.max_depth, n_jobs=1)
    model.fit(train, target)
    result: Floats = model.predict_proba(test) if kind is RandomForestClassifier else model.predict(test)
    return result


def port(train: Floats, target: npt.NDArray[np.generic], test: Floats, forest: ForestSettings) -> Floats:
    task: Task = "classification" if np.issubdtype(target.dtype, np.integer) else "regression"
    classes = int(target.max()) + 1 if task == "classification" else 0
    whole: npt.NDArray[np.int64] = np.asarray(target, dtype=np.int64) if classes else np.empty(0, dtype=np.int64)
    given_target = whole if classes else np.asarray(target, dtype=np.float64)
    return predict_many_columns(train, given_target, test, task=task, classes=classes, settings=forest)


def forest(trees: int = 3, seed: int = 42, depth: int | None = None) -> ForestSettings:
    return ForestSettings(trees=trees, seed=seed, max_depth=depth, merge_close_values=merges_close_values())


class Case:
    """A table of columns of many kinds, and the forest to fit on it."""

    def __init__(self, seed: int, *, rows: int, columns: int) -> None:
        self.rng = np.random.default_rng(seed)
        kinds = self.rng.choice(KINDS, columns)
        table = np.column_stack([column(self.rng, str(kind), 2 * rows) for kind in kinds])
        if columns > 2 and self.rng.random() < 0.4:  # the same cuts again, from either side
            table[:, -1] = table[:, 0] * (1 if self.rng.random() < 0.5 else -1)
        self.train, self.test, self.rows = table[:rows], table[rows:], rows
        depth = None if self.rng.random() < 0.6 else int(self.rng.integers(1, 12))
        self.forest = forest(int(self.rng.integers(2, 5)), int(self.rng.integers(0, 2**32)), depth)

    def classes(self, count: int) -> npt.NDArray[np.int64]:
        signal = self.train[:, 0] + self.train[:, 0].std() * self.rng.normal(size=self.rows)
        ranks = np.argsort(np.argsort(signal)) * count // self.rows if self.rng.random() < 0.5 else None
        labels = self.rng.integers(0, count, self.rows) if ranks is None else ranks
        return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)


sizes = st.one_of(st.integers(2, 12), st.integers(13, 350))
widths = st.one_of(st.integers(1, 8), st.integers(9, 30))


@settings(max_examples=80)
@given(st.integers(0, 2**32 - 1), sizes, widths, st.integers(2, 7))
def test_class_probabilities_equal_those_of_scikit_learn(seed: int, rows: int, columns: int, count: int) -> None:
    case = Case(seed, rows=rows, columns=columns)
    labels = case.classes(count)
    expected = scikit_learn(case.train, labels, case.test, case.forest)
    assert np.array_equal(port(case.train, labels, case.test, case.forest), expected)


@settings(max_examples=140)
@given(st.integers(0, 2**32 - 1), sizes, widths, st.sampled_from(TARGETS))
def test_predicted_numbers_equal_those_of_scikit_learn(seed: int, rows: int, columns: int, kind: str) -> None:
    case = Case(seed, rows=rows, columns=columns)
    target = numbers(case.rng, kind, case.train[:, 0])
    expected = scikit_learn(case.train, target, case.test, case.forest)
    assert np.array_equal(port(case.train, target, case.test, case.forest), expected)


@pytest.mark.parametrize("depth", [None, 10])
@pytest.mark.parametrize("target_kind", ["classes", "noise", "whole"])
def test_larger_tables_agree_too(depth: int | None, target_kind: str) -> None:
    case = Case(5, rows=2500, columns=13)
    target = case.classes(2) if target_kind == "classes" else numbers(case.rng, target_kind, case.train[:, 0])
    chosen = forest(2, 7, depth)
    assert np.array_equal(
        port(case.train, target, case.test, chosen), scikit_learn(case.train, target, case.test, chosen)
    )


def test_the_order_of_columns_changes_the_forest_as_it_changes_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    train, labels = rng.normal(size=(150, 8)), rng.integers(0, 2, 150)
    turned = train[:, ::-1].copy()
    straight, reverse = port(train, labels, train, forest()), port(turned, labels, turned, forest())
    assert not np.array_equal(straight, reverse)
    assert np.array_equal(reverse, scikit_learn(turned, labels, turned, forest()))


def test_another_seed_is_another_forest() -> None:
    rng = np.random.default_rng(4)
    train, target = rng.normal(size=(100, 4)), rng.normal(size=100)
    assert not np.array_equal(port(train, target, train, forest(seed=1)), port(train, target, train, forest(seed=2)))


def test_a_class_that_no_training_row_has_gets_probability_zero() -> None:
    rng = np.random.default_rng(5)
    train, labels = rng.normal(size=(60, 3)), rng.integers(0, 2, 60) * 2
    predicted = predict_many_columns(train, labels, train, task="classification", classes=4, settings=forest())
    assert predicted.shape == (60, 4)
    assert np.array_equal(predicted[:, [0, 2]], scikit_learn(train, labels, train, forest()))
    assert not predicted[:, [1, 3]].any()


def test_columns_that_are_all_constant_give_one_leaf_per_tree() -> None:
    train, target = np.ones((20, 3)), np.arange(20) / 3.0
    predicted = port(train, target, train[:2], forest())
    assert np.array_equal(predicted, scikit_learn(train, target, train[:2], forest()))
    assert predicted[0] == predicted[1]


def test_close_values_are_merged_only_on_demand() -> None:
    train, target = np.array([[0.0], [5e-8]] * 20), np.array([0.0, 1.0] * 20) + 1 / 3
    apart, merged = (
        predict_many_columns(
            train, target, train, task="regression", classes=0, settings=ForestSettings(merge_close_values=merge)
        )
        for merge in (False, True)
    )
    assert np.unique(merged).size == 1
    assert np.unique(apart).size == 2


def test_no_test_rows_give_no_predictions() -> None:
    train = np.random.default_rng(6).normal(size=(30, 2))
    assert port(train, train[:, 0], train[:0], forest()).shape == (0,)
    assert port(train, np.arange(30) % 3, train[:0], forest()).shape == (0, 3)


def test_the_given_arrays_stay_as_they_are() -> None:
    rng = np.random.default_rng(7)
    train, target = rng.normal(size=(50, 3)), rng.normal(size=50)
    before = train.copy(), target.copy()
    port(train, target, train, forest())
    assert np.array_equal(train, before[0])
    assert np.array_equal(target, before[1])


@pytest.mark.skipif("ASSAY_BENCHMARKS" not in os.environ, reason="ASSAY_BENCHMARKS does not point at the golden data")
def test_real_columns_predict_each_other_as_with_scikit_learn() -> None:
    files = sorted(Path(os.environ["ASSAY_BENCHMARKS"]).glob("insight/problems/*/ground_truth/data/enriched_train.csv"))
    assert files
    for file in files:
        table = pd.read_csv(file).select_dtypes("number").replace([np.inf, -np.inf], np.nan)
        table = table.dropna(axis=1, how="all").fillna(-1.0).astype(float)
        for name in table.columns[-4:]:
            train = table.drop(columns=name).to_numpy()
            values = table[name].to_numpy()
            unique, codes = np.unique(values, return_inverse=True)
            target: npt.NDArray[np.generic] = codes if len(unique) == 2 else values
            for depth in (None, 10):
                chosen = forest(2, 42, depth)
                expected = scikit_learn(train, target, train[:500], chosen)
                assert np.array_equal(port(train, target, train[:500], chosen), expected), (file, name)
