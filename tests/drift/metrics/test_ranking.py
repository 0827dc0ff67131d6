import math
from collections.abc import Callable
from itertools import pairwise, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import InvalidInput
from assay.drift.metrics import mean_reciprocal_rank, ndcg, recall_at_k, reciprocal_rank, success_at_k
from assay.drift.metrics.ranking import mean_defined

NAMES = "abcdef"
EXACT: dict[str, Any] = {"rel": 0, "abs": 1e-12}

total_orders = st.permutations(NAMES)
golden_sets = st.sets(st.sampled_from([*NAMES, "absent"]), min_size=1, max_size=4)
tied = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.booleans()), min_size=1, max_size=6)
ks = st.integers(1, 8)


@pytest.mark.parametrize(("rank", "expected"), [(1, 1.0), (2, 0.5), (3, 1 / 3), (None, 0.0)])
def test_the_documents_reciprocal_ranks(rank: int | None, expected: float) -> None:
    ranking = ["x", "y", "z"]
    if rank is not None:
        ranking[rank - 1] = "golden"
    assert reciprocal_rank(ranking, {"golden"}) == expected


def test_six_first_and_two_second_ranks_give_the_published_figures() -> None:
    rankings = [["g", "x"]] * 6 + [["x", "g"]] * 2
    goldens = [{"g"}] * 8
    assert mean_reciprocal_rank(rankings, goldens) == 0.875
    assert sum(recall_at_k(r, g, k=1) for r, g in zip(rankings, goldens, strict=True)) / 8 == 0.75
    assert sum(recall_at_k(r, g, k=2) for r, g in zip(rankings, goldens, strict=True)) / 8 == 1.0


def test_a_first_place_for_every_drift_is_a_recall_of_all() -> None:
    assert [recall_at_k(["g", "x"], {"g"}, k=1) for _ in range(3)] == [1.0, 1.0, 1.0]


def test_a_missing_answer_counts_zero_and_stays_in_the_mean() -> None:
    assert mean_reciprocal_rank([["g"], []], [{"g"}, {"g"}]) == 0.5
    assert recall_at_k([], {"g"}, k=5) == success_at_k([], {"g"}, k=5) == ndcg([], {"g"}) == 0.0


def test_drifts_without_a_golden_document_are_left_out_of_the_mean() -> None:
    assert mean_reciprocal_rank([["a"], ["a"]], [{"a"}, set()]) == 1.0
    for metric in (reciprocal_rank, ndcg):
        assert math.isnan(metric(["a"], set()))
    for metric_at_k in (recall_at_k, success_at_k):
        assert math.isnan(metric_at_k(["a"], set(), k=1))


def test_several_golden_documents_tell_recall_from_success() -> None:
    ranking = ["a", "x", "b", "y"]
    assert recall_at_k(ranking, {"a", "b"}, k=1) == 0.5
    assert success_at_k(ranking, {"a", "b"}, k=1) == 1.0
    assert recall_at_k(ranking, {"a", "b"}, k=3) == 1.0


def test_a_document_that_is_named_twice_counts_where_it_stands_first() -> None:
    assert reciprocal_rank(["x", "x", "x", "g"], {"g"}) == 0.5
    assert recall_at_k(["g", "g", "h"], {"g", "h"}, k=2) == 1.0
    assert reciprocal_rank(["g", "x", "g"], {"g"}, scores=[1.0, 2.0, 3.0]) == 0.5


def test_two_tied_documents_share_the_ranks() -> None:
    assert reciprocal_rank(["a", "b"], {"b"}, scores=[1, 1]) == 0.75
    assert recall_at_k(["a", "b"], {"b"}, k=1, scores=[1, 1]) == 0.5
    assert success_at_k(["a", "b"], {"a"}, k=1, scores=[1, 1]) == 0.5


def test_scores_decide_the_order_and_not_the_list() -> None:
    assert reciprocal_rank(["a", "b", "c"], {"c"}, scores=[0.1, 0.2, 0.3]) == 1.0


def by_enumeration(
    metric: Callable[..., float], names: list[str], scores: list[float], golden: set[str], **given: int
) -> float:
    value_of = dict(zip(names, scores, strict=True))
    orders = [o for o in permutations(names) if all(value_of[a] >= value_of[b] for a, b in pairwise(o))]
    return sum(metric(order, golden, **given) for order in orders) / len(orders)


@given(tied, ks)
def test_ties_have_the_expected_value_over_all_orders(pairs: list[tuple[float, bool]], k: int) -> None:
    names = list(NAMES[: len(pairs)])
    scores = [score for score, _ in pairs]
    golden = {name for name, (_, is_golden) in zip(names, pairs, strict=True) if is_golden} or {"absent"}
    for metric, options in (
        (recall_at_k, {"k": k}),
        (success_at_k, {"k": k}),
        (reciprocal_rank, {}),
        (reciprocal_rank, {"k": k}),
        (ndcg, {}),
        (ndcg, {"k": k}),
    ):
        expected = by_enumeration(metric, names, scores, golden, **options)
        assert metric(names, golden, scores=scores, **options) == pytest.approx(expected, **EXACT)


@given(total_orders, golden_sets, ks)
def test_metrics_keep_their_order(ranking: list[str], golden: set[str], k: int) -> None:
    rr = reciprocal_rank(ranking, golden)
    assert reciprocal_rank(ranking, golden, k=k) <= rr
    assert success_at_k(ranking, golden, k=1) <= rr
    assert recall_at_k(ranking, golden, k=k) <= success_at_k(ranking, golden, k=k) <= 1.0
    assert recall_at_k(ranking, golden, k=k) <= recall_at_k(ranking, golden, k=k + 1)
    assert 0.0 <= ndcg(ranking, golden) <= 1.0 + 1e-12


@given(st.lists(st.tuples(total_orders, golden_sets), min_size=1, max_size=5), st.randoms())
def test_the_mean_does_not_depend_on_the_order_of_drifts(pairs: list[Any], rng: Any) -> None:
    shuffled = list(pairs)
    rng.shuffle(shuffled)
    first = mean_reciprocal_rank(*zip(*pairs, strict=True))
    assert first == pytest.approx(mean_reciprocal_rank(*zip(*shuffled, strict=True)), **EXACT)


@pytest.mark.parametrize("k", [0, -1, True, 1.5, "2", None])
def test_k_must_be_a_whole_number_of_at_least_one(k: Any) -> None:
    with pytest.raises(InvalidInput, match="k must be a whole number of at least 1"):
        recall_at_k(["a"], {"a"}, k=k)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: recall_at_k("abc", {"a"}, k=1), "ranking must be a list"),
        (lambda: recall_at_k(["a"], "a", k=1), r"golden must be a set .* write \{name\}"),
        (lambda: reciprocal_rank(["a", "b"], {"a"}, scores=[1.0]), "2 documents and scores 1 numbers"),
        (lambda: reciprocal_rank(["a"], {"a"}, scores=[math.nan]), "'a' is nan"),
        (lambda: mean_reciprocal_rank([["a"]], []), "one set of golden documents per ranking"),
        (lambda: ndcg(["a"], {"a": -1}), "the gain of 'a' must be finite"),
    ],
)
def test_what_cannot_be_ranked_is_refused_by_name(call: Callable[[], float], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


def test_the_mean_of_nothing_is_undefined() -> None:
    assert math.isnan(mean_defined([math.nan]))
    assert mean_defined([1.0, math.nan]) == 1.0
