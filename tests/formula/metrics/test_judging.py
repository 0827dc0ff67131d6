import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hmean, rankdata

from assay.core import InvalidInput
from assay.formula.metrics import (
    competition_2022_accuracy,
    competition_2022_scores,
    competition_2022_simplicity,
    competition_2023_scores,
    dense_rank_values,
    pareto_front,
    property_judgement,
)

numbers = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=8)
tables = st.integers(0, 10_000).map(lambda seed: np.random.default_rng(seed).integers(0, 4, size=(3, 4, 5)) / 4)


@given(numbers)
def test_rank_values_are_those_of_scipys_dense_ranks(values: list[float]) -> None:
    expected = len(values) - rankdata([-value for value in values], method="dense") + 1
    assert dense_rank_values(values) == expected.tolist()
    assert dense_rank_values(values, last=0) == (expected - 1).tolist()


def test_what_is_not_a_number_ranks_last() -> None:
    assert dense_rank_values([0.5, math.nan, -math.inf, 0.7]) == [3, 2, 2, 4]


@given(tables)
def test_the_default_is_the_mean_of_harmonic_means(table: np.ndarray) -> None:
    accuracy, simplicity, properties = table
    expected = np.mean(
        [
            hmean([dense_rank_values(rows[d]) for rows in (accuracy, simplicity, properties)], axis=0)
            for d in range(len(accuracy))
        ],
        axis=0,
    )
    assert property_judgement(accuracy, simplicity, properties) == pytest.approx(expected)


def test_the_default_ranks_after_rounding_to_three_decimals() -> None:
    assert property_judgement([[0.90001, 0.90002]], [[1, 1]], [[1, 1]]) == [2.0, 2.0]


def test_competition_2023_by_hand() -> None:
    # three subjects, three data sets; ties share a dense rank, and the ranks after them are not skipped
    accuracy = [[0.95, 0.95, 0.80], [0.70, 0.90, 0.60], [0.99, 0.98, 0.9799999]]
    nodes = [[11, 7, 7], [5, 9, 3], [20, 20, 20]]
    # rank values of accuracy:  [3, 3, 2]  [2, 3, 1]  [3, 2, 1]
    # rank values of size:      [2, 3, 3]  [2, 1, 3]  [3, 3, 3]
    expected = [
        6 / (1 / 3 + 1 / 2 + 1 / 2 + 1 / 2 + 1 / 3 + 1 / 3),
        6 / (1 / 3 + 1 / 3 + 1 / 3 + 1 / 1 + 1 / 2 + 1 / 3),
        6 / (1 / 2 + 1 / 3 + 1 / 1 + 1 / 3 + 1 / 1 + 1 / 3),
    ]
    assert competition_2023_scores(accuracy, nodes) == pytest.approx(expected, rel=1e-15)
    assert [round(value, 4) for value in expected] == [2.4, 2.1176, 1.7143]


def test_competition_2022_by_hand() -> None:
    # two data sets, three subjects; values N - k: the last of three different ones gets 0 and with it a mean of 0
    accuracy = [[0.9, 0.8, 0.7], [0.5, 0.5, 0.4]]
    simplicity = [[-1.5, -1.5, -1.0], [-2.0, -1.0, -3.0]]
    properties = [[1.0, 0.5, 1.0], [0.0, 0.0, 0.0]]
    # accuracy [2,1,0] [2,2,1]; simplicity [1,1,2] [1,2,0]; property [2,1,2] [2,2,2]
    first = [3 / (1 / 2 + 1 / 1 + 1 / 2), 3 / (1 + 1 + 1), 0.0]
    second = [3 / (1 / 2 + 1 / 1 + 1 / 2), 2.0, 0.0]
    expected = [(a + b) / 2 for a, b in zip(first, second, strict=True)]
    assert competition_2022_scores(accuracy, simplicity, properties) == pytest.approx(expected)


def test_the_quantities_of_2022() -> None:
    assert competition_2022_accuracy(0.5, 0.0) == round(1 - 0.5e9, 3)
    assert [competition_2022_simplicity(n) for n in (1, 5, 7, 125)] == [0.0, -1.0, -1.2, -3.0]
    with pytest.raises(InvalidInput, match="at least one node"):
        competition_2022_simplicity(0)


def test_tables_of_different_shapes_are_named() -> None:
    with pytest.raises(InvalidInput, match=r"nodes \(1, 2\)"):
        competition_2023_scores([[1.0, 2.0, 3.0]], [[1, 2]])
    with pytest.raises(InvalidInput, match="two lists of one length"):
        pareto_front([1.0], [1, 2])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), max_size=10))
def test_the_front_is_what_nothing_beats(models: list[tuple[int, int]]) -> None:
    accuracy, nodes = [a for a, _ in models], [c for _, c in models]
    front = pareto_front(accuracy, nodes)
    unbeaten = {(a, c) for a, c in models if not any(b >= a and d <= c and (b, d) != (a, c) for b, d in models)}
    assert {models[place] for place in front} == unbeaten
    assert len(front) == len(unbeaten)
    assert [nodes[place] for place in front] == sorted(nodes[place] for place in front)


def test_a_model_without_accuracy_is_on_no_front() -> None:
    assert pareto_front([math.nan, 0.5], [1, 9]) == [1]
