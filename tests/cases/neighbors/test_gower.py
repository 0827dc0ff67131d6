import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.cases import CaseExplainer
from assay.cases.neighbors.gower import Gower, fit_gower

Row = list[Any]


def gower_by_hand(query: Row, case: Row, train: list[Row], categorical: set[int], weights: list[float]) -> float:
    """The definition, a feature at a time, in plain Python."""
    total = common = 0.0
    for j, (a, b) in enumerate(zip(query, case, strict=True)):
        if a is None or b is None:
            continue
        if j in categorical:
            part = 0.0 if a == b else 1.0
        else:
            seen = [row[j] for row in train if row[j] is not None]
            spread = max(seen) - min(seen)
            part = min(abs(a - b) / spread, 1.0) if spread else float(a != b)
        total += weights[j] * part
        common += weights[j]
    return total / common if common else 1.0


def mixed_rows(rng: np.random.Generator, count: int) -> list[Row]:
    rows: list[Row] = []
    for _ in range(count):
        row: Row = [
            float(rng.integers(-3, 9)),
            str(rng.choice(["red", "green", "blue"])),
            bool(rng.random() < 0.5),
            float(rng.normal()),
            7.0,
        ]
        rows.append([None if rng.random() < 0.15 else value for value in row])
    return rows


@pytest.mark.parametrize("weights", [[1.0] * 5, [0.5, 2.0, 0.0, 1.0, 3.0]])
def test_neighbours_of_mixed_rows_are_those_of_the_definition(weights: list[float]) -> None:
    rng = np.random.default_rng(1)
    train, queries = mixed_rows(rng, 80), mixed_rows(rng, 20)
    queries[0] = [99.0, "purple", True, -50.0, 8.0]  # beyond every range, a category never seen
    queries[1] = [None] * 5
    frame = pd.DataFrame(train, columns=list("abcde"))
    explainer = CaseExplainer(frame, ["x", "y"] * 40, k="all", feature_weights=weights)
    assert explainer.metric == "gower"
    batch = explainer.explain_batch(queries, predictions=["x"] * 20)
    for row, query in enumerate(queries):
        expected = [gower_by_hand(query, case, train, {1, 2}, weights) for case in train]
        order = sorted(range(80), key=lambda i: (round(expected[i], 12), i))
        distances = batch.distances[row]
        np.testing.assert_allclose(distances, [expected[i] for i in batch.indices[row]], atol=1e-12)
        np.testing.assert_allclose(distances, [expected[i] for i in order], atol=1e-12)
        ties = [(d, i) for d, i in zip(distances.tolist(), batch.indices[row].tolist(), strict=True)]
        assert ties == sorted(ties)


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_one_distance_is_that_of_the_definition(data: st.DataObject) -> None:
    number = st.one_of(st.none(), st.integers(-5, 5).map(float))
    code = st.one_of(st.none(), st.integers(0, 3).map(float))
    rows = data.draw(st.lists(st.tuples(number, number, code), min_size=2, max_size=6))
    weights = data.draw(st.lists(st.floats(0.1, 5), min_size=3, max_size=3))
    train = [list(row) for row in rows]
    array = np.array([[math.nan if value is None else value for value in row] for row in train])
    if np.isnan(array[:, :2]).all(axis=0).any():
        return  # the definition by hand has no range then
    yard = fit_gower(array, categorical=frozenset({2}), weights=np.array(weights))
    for i in range(len(array)):
        expected = [gower_by_hand(train[i], case, train, {2}, weights) for case in train]
        np.testing.assert_allclose(yard.pairs(array[i], array), expected, atol=1e-12)


def test_one_missing_value_elsewhere_does_not_move_a_digit() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(40, 11)), rng.normal(size=(40, 11))
    yard = Gower(ranges=rng.uniform(1, 3, 11), weights=rng.uniform(0, 2, 11))
    alone = yard.pairs(a[1:], b[1:])
    a[0, 3] = np.nan
    np.testing.assert_array_equal(yard.pairs(a, b)[1:], alone)


def test_a_constant_column_counts_like_a_category() -> None:
    yard = fit_gower(np.array([[4.0], [4.0]]), categorical=frozenset(), weights=np.ones(1))
    assert yard.pairs(np.array([[4.0], [4.0 + 1e-15 * 4], [1e300]]), np.array([[4.0]])).tolist() == [0.0, 1.0, 1.0]


def test_a_category_that_training_never_saw_differs_from_all() -> None:
    explainer = CaseExplainer([["a"], ["b"]], [0, 1], k=2)
    assert explainer.explain_instance(["c"], predicted_class=0).neighbors[0].distance == 1.0
    assert explainer.explain_instance(["b"], predicted_class=0).neighbors[0].index == 1
