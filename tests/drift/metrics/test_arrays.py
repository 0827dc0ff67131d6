import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.drift.metrics import (
    golden_ranks,
    mean_reciprocal_ranks,
    ndcg,
    ndcgs,
    recall_at_k,
    recalls_at_k,
    reciprocal_rank,
    reciprocal_ranks,
    success_at_k,
    successes_at_k,
)

EXACT: dict[str, Any] = {"rel": 0, "abs": 1e-12}

runs = st.integers(1, 7).flatmap(
    lambda documents: st.lists(
        st.tuples(
            st.lists(st.sampled_from([0.0, 0.25, 0.5, -math.inf]), min_size=documents, max_size=documents),
            st.sets(st.integers(0, documents - 1), max_size=3),
        ),
        min_size=1,
        max_size=5,
    )
)


@given(runs, st.integers(1, 8))
def test_arrays_say_the_same_as_the_functions_of_one_drift(run: list[tuple[list[float], set[int]]], k: int) -> None:
    width = max(1, max(len(golden) for _, golden in run))
    numbers = np.array([sorted(golden) + [-1] * (width - len(golden)) for _, golden in run])
    ranks, tied = golden_ranks([scores for scores, _ in run], numbers)
    expected: dict[str, list[float]] = {"recall": [], "success": [], "rr": [], "rr@k": [], "ndcg": [], "ndcg@k": []}
    for scores, golden in run:
        ranked = [f"d{number}" for number, score in enumerate(scores) if score > -math.inf]
        given_scores = [score for score in scores if score > -math.inf]
        names = {f"d{number}" for number in golden}
        expected["recall"].append(recall_at_k(ranked, names, k=k, scores=given_scores))
        expected["success"].append(success_at_k(ranked, names, k=k, scores=given_scores))
        expected["rr"].append(reciprocal_rank(ranked, names, scores=given_scores))
        expected["rr@k"].append(reciprocal_rank(ranked, names, k=k, scores=given_scores))
        expected["ndcg"].append(ndcg(ranked, names, scores=given_scores))
        expected["ndcg@k"].append(ndcg(ranked, names, k=k, scores=given_scores))
    figures = {
        "recall": recalls_at_k(ranks, k=k, tied=tied),
        "success": successes_at_k(ranks, k=k, tied=tied),
        "rr": reciprocal_ranks(ranks, tied=tied),
        "rr@k": reciprocal_ranks(ranks, k=k, tied=tied),
        "ndcg": ndcgs(ranks, tied=tied),
        "ndcg@k": ndcgs(ranks, k=k, tied=tied),
    }
    for name, values in figures.items():
        np.testing.assert_allclose(values, expected[name], rtol=0, atol=1e-12, err_msg=name)


def test_the_published_figures_come_from_ranks_alone() -> None:
    ranks = [1] * 6 + [2] * 2
    assert recalls_at_k(ranks, k=1).mean() == 0.75
    assert recalls_at_k(ranks, k=2).mean() == 1.0
    assert mean_reciprocal_ranks(ranks) == 0.875


def test_a_drift_without_golden_documents_is_undefined_and_leaves_the_mean() -> None:
    ranks = [[1.0, np.nan], [np.nan, np.nan]]
    for values in (reciprocal_ranks(ranks), recalls_at_k(ranks, k=1), successes_at_k(ranks, k=1), ndcgs(ranks)):
        assert np.isnan(values[1])
    assert mean_reciprocal_ranks(ranks) == 1.0
    assert math.isnan(mean_reciprocal_ranks([np.nan]))


def test_whole_arrays_in_blocks_equal_one_row_at_a_time() -> None:
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 50, size=(5000, 60)).astype(float)
    golden = rng.integers(0, 60, size=5000)
    whole = golden_ranks(scores, golden)
    some = rng.integers(0, 5000, size=200)
    alone = [golden_ranks(scores[row][None], golden[row : row + 1]) for row in some]
    np.testing.assert_array_equal(whole.ranks[some], np.concatenate([entry.ranks for entry in alone]))
    np.testing.assert_array_equal(whole.tied[some], np.concatenate([entry.tied for entry in alone]))


@pytest.mark.parametrize(
    ("scores", "golden", "message"),
    [
        ([[0.1, math.nan]], [0], r"scores\[0, 1\] is nan"),
        ([0.1], [0], r"scores must be numbers \[drifts, documents\]"),
        ([["a"]], [0], "scores must be numbers"),
        ([[0.1, 0.2]], [2], "document numbers from 0 to 1"),
        ([[0.1, 0.2]], [0, 1], "a row for each of 1 drifts"),
        ([[0.1, 0.2]], [0.5], "document numbers"),
        ([[0.5, 0.5, 0.1], [0.5, 0.5, 0.1]], [[0, 1], [2, 2]], r"golden\[1\] names a document twice"),
    ],
)
def test_scores_and_golden_numbers_are_checked(scores: Any, golden: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        golden_ranks(scores, golden)


@pytest.mark.parametrize(
    ("ranks", "options", "message"),
    [
        ([0], {}, "whole numbers from 1, inf .* got 0"),
        ([1.5], {}, "got 1.5"),
        (["a"], {}, "ranks must be numbers"),
        ([[[1]]], {}, "got shape"),
        ([1], {"tied": [0]}, "block size of at least 1"),
        ([1], {"tied": [1.5]}, "whole block size"),
        ([1], {"tied": [float("inf")]}, "whole block size"),
        ([[2, 2]], {}, "share a rank"),
        ([[2, 2]], {"tied": [[1, 1]]}, "share a rank"),
        ([[2, 5, 5, 5]], {"tied": [[1, 2, 2, 2]]}, "share a rank"),
    ],
)
def test_ranks_are_checked(ranks: Any, options: dict[str, Any], message: str) -> None:
    for metric in (reciprocal_ranks, ndcgs, lambda ranks, **options: recalls_at_k(ranks, k=2, **options)):
        with pytest.raises(InvalidInput, match=message):
            metric(ranks, **options)
