"""Sums per value, scores of cuts, and the bound that decides whether the order of summation can matter."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.insight.fits.forest.kernels.tree_sums import best_cut, rounding, score_cuts, survey

Floats = npt.NDArray[np.float64]


class Node:
    """Rows of a node with one coded column, as a tree holds them."""

    def __init__(self, codes: npt.NDArray[np.int64], target: Floats, weights: Floats) -> None:
        self.column = codes.astype(np.uint32)
        self.rows = np.arange(len(codes), dtype=np.uint32)
        self.values = np.arange(codes.max() + 1, dtype=np.float32)
        self.weights, self.weighted = weights, weights * target
        self.weight, self.total = float(weights.sum()), float(sum(self.weighted))

    def scores(self) -> tuple[npt.NDArray[np.uint32], Floats]:
        size = len(self.rows)
        groups, lefts, left_weights = np.empty(size, dtype=np.uint32), np.empty(size), np.empty(size)
        sums, present = np.zeros(2 * len(self.values)), np.zeros((len(self.values) >> 6) + 1, dtype=np.uint64)
        many = survey(self.column, self.rows, self.weights, self.weighted, sums, present, groups, lefts, left_weights)
        assert not sums.any(), "the sums are left clean for the next column"
        assert not present.any()
        scores = np.empty(size)
        score_cuts(lefts, left_weights, many - 1, self.total, self.weight, scores)
        return groups[:many], scores[: many - 1]

    def best(self, order: npt.NDArray[np.int64]) -> tuple[float, int]:
        rows = order.astype(np.uint32)
        cut: tuple[float, int] = best_cut(
            self.column, self.values, np.float32(0), rows, self.weights, self.weighted, self.weight, self.total, -np.inf
        )
        return cut


def make(seed: int, rows: int, levels: int, scale: float) -> Node:
    rng = np.random.default_rng(seed)
    target = (np.exp(2 * rng.normal(size=rows)) + rng.choice([0.0, 100.0])) * scale
    return Node(rng.integers(0, levels, rows), target, rng.integers(1, 5, rows).astype(np.float64))


@given(st.integers(0, 2**32 - 1), st.integers(2, 120), st.integers(2, 200), st.sampled_from([1.0, 1e-6, 1e8]))
def test_no_order_of_summation_moves_a_score_beyond_the_bound(seed: int, rows: int, levels: int, scale: float) -> None:
    node = make(seed, rows, levels, scale)
    groups, scores = node.scores()
    assert groups.tolist() == np.unique(node.column).tolist()
    if len(groups) < 2:
        return
    rng = np.random.default_rng(seed)
    bound = rounding(rows, node.weight, float(np.abs(node.weighted / node.weights).max()))
    assert bound < 1e-6 * scores.max()
    for _ in range(3):
        order = rng.permutation(rows)
        score, cut = node.best(order[np.argsort(node.column[order], kind="stable")])
        assert cut > 0
        assert abs(score - scores.max()) <= bound


def test_single_rows_are_summed_like_sorted_rows_to_the_last_bit() -> None:
    rng = np.random.default_rng(1)
    for rows in range(2, 200):
        node = Node(rng.permutation(rows), rng.normal(size=rows) * 1e3, rng.integers(1, 4, rows).astype(np.float64))
        _, scores = node.scores()
        score, cut = node.best(np.argsort(node.column))
        assert score == scores.max()
        assert cut == int(scores.argmax()) + 1


def test_a_score_by_hand() -> None:
    node = Node(np.array([0, 0, 2]), np.array([1.0, 3.0, 5.0]), np.array([1.0, 1.0, 2.0]))
    groups, scores = node.scores()
    assert groups.tolist() == [0, 2]
    assert scores.tolist() == [4.0**2 / 2 + 10.0**2 / 2]
    assert node.best(np.array([0, 1, 2])) == (58.0, 2)


def test_close_values_are_not_cut_apart() -> None:
    node = Node(np.array([0, 1, 2]), np.array([0.0, 1.0, 2.0]), np.ones(3))
    node.values = np.array([0.0, 5e-8, 1.0], dtype=np.float32)
    rows = np.arange(3, dtype=np.uint32)
    score, cut = best_cut(
        node.column, node.values, np.float32(1e-7), rows, node.weights, node.weighted, 3.0, 3.0, -np.inf
    )
    assert score == pytest.approx(0.5 + 4.0)
    assert cut == 2


@given(st.integers(2, 10**6), st.floats(1.0, 4.0), st.floats(1e-6, 1e6))
def test_the_bound_covers_the_worst_sum_that_floating_point_allows(rows: int, draws: float, largest: float) -> None:
    weight = rows * draws
    apart = 5 * rows * (np.finfo(np.float64).eps / 2) * weight * largest  # two sums of the same terms
    assert rounding(rows, weight, largest) > 4 * (largest + apart) * apart


def test_numbers_near_zero_are_never_certain() -> None:
    assert rounding(5, 5.0, 0.0) > 0.0
    assert rounding(5, 5.0, 1e200) == np.inf
