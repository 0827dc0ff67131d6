"""How well a ranking puts the golden documents first: one drift at a time, names in, a number out.

All take ``scores`` (one per ranked document) as an option: documents with equal scores are tied, and the value is the
expected one over all orders of the ties. Without scores the ranking is a total order. A document that is named twice
counts where it stands first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from assay.core import AnyProblem, InvalidInput, Metric, MetricFamily
from assay.core.checks import as_whole
from assay.drift.documents.ties import blocks, gains, places
from assay.drift.examine.evidence import DriftEvidence

__all__ = ["mean_reciprocal_rank", "ndcg", "recall_at_k", "reciprocal_rank", "success_at_k"]


def recall_at_k(
    ranking: Sequence[str], golden: Collection[str], *, k: int, scores: Sequence[float] | None = None
) -> float:
    r"""Share of the golden documents within the first k; with one golden document, whether it is there.

    $$\mathrm{Recall@}k = |\{r_1, \dots, r_k\} \cap G| \, / \, |G|$$

    Undefined (nan) when nothing is golden.

    Parameters
    ----------
    ranking : sequence of str
        Documents, the likeliest cause first.
    golden : collection of str
        The documents that tell the cause.
    k : int
        Only the first k places count.
    scores : sequence of float, optional
        A score per ranked document; equal scores are a tie, and the expected value over its orders is taken.

    Returns
    -------
    float
        A share from 0 to 1, or nan.

    Examples
    --------
    >>> recall_at_k(["c", "b", "a"], {"b"}, k=1)
    0.0
    >>> recall_at_k(["c", "b", "a"], {"b"}, k=2)
    1.0
    >>> recall_at_k(["c", "b", "a"], {"b", "z"}, k=2)
    0.5
    >>> recall_at_k(["c", "b"], {"b"}, k=1, scores=[0.7, 0.7])
    0.5
    """
    k, relevant = as_whole(k, "k", least=1), gains(golden)
    if not relevant:
        return math.nan
    inside_k = 0.0
    for block in blocks(ranking, relevant, scores):
        inside = min(max(k - block.before, 0), block.size)
        inside_k += len(block.gains) * inside / block.size
    return inside_k / len(relevant)


def success_at_k(
    ranking: Sequence[str], golden: Collection[str], *, k: int, scores: Sequence[float] | None = None
) -> float:
    r"""Whether any golden document is within the first k.

    $$\mathrm{Success@}k = [\{r_1, \dots, r_k\} \cap G \neq \emptyset]$$

    Undefined (nan) when nothing is golden.

    Parameters
    ----------
    ranking : sequence of str
        Documents, the likeliest cause first.
    golden : collection of str
        The documents that tell the cause.
    k : int
        Only the first k places count.
    scores : sequence of float, optional
        A score per ranked document; equal scores are a tie, and the expected value over its orders is taken.

    Returns
    -------
    float
        1.0 or 0.0 without ties, or nan.

    Examples
    --------
    >>> success_at_k(["c", "b", "a"], {"a", "b"}, k=2)
    1.0
    >>> success_at_k(["c", "b", "a"], {"a"}, k=2)
    0.0
    >>> round(success_at_k(["a", "b", "c"], {"a", "b"}, k=1, scores=[1, 1, 1]), 4)
    0.6667
    """
    k, relevant = as_whole(k, "k", least=1), gains(golden)
    if not relevant:
        return math.nan
    for block in blocks(ranking, relevant, scores):
        if block.gains:
            return min(1.0, math.fsum(places(block.size, len(block.gains))[: max(k - block.before, 0)]))
    return 0.0


def reciprocal_rank(
    ranking: Sequence[str],
    golden: Collection[str],
    *,
    k: int | None = None,
    scores: Sequence[float] | None = None,
) -> float:
    r"""One over the rank of the first golden document; 0 when it is absent, or beyond k where k is given.

    $$\mathrm{RR} = 1 / \min\{i : r_i \in G\}$$

    Undefined (nan) when nothing is golden.

    Parameters
    ----------
    ranking : sequence of str
        Documents, the likeliest cause first.
    golden : collection of str
        The documents that tell the cause.
    k : int, optional
        Only the first k places count.
    scores : sequence of float, optional
        A score per ranked document; equal scores are a tie, and the expected value over its orders is taken.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Examples
    --------
    >>> reciprocal_rank(["c", "b", "a"], {"a", "b"})
    0.5
    >>> reciprocal_rank([], {"a"})
    0.0
    >>> reciprocal_rank(["a", "b"], {"b"}, scores=[0.7, 0.7])
    0.75
    >>> reciprocal_rank(["c", "b", "a"], {"a"}, k=2)
    0.0
    """
    last = math.inf if k is None else as_whole(k, "k", least=1)
    relevant = gains(golden)
    if not relevant:
        return math.nan
    for block in blocks(ranking, relevant, scores):
        if block.gains:
            chances = places(block.size, len(block.gains))
            ranks = range(block.before + 1, block.before + 1 + len(chances))
            return math.fsum(chance / rank for rank, chance in zip(ranks, chances, strict=True) if rank <= last)
    return 0.0


def mean_reciprocal_rank(
    rankings: Sequence[Sequence[str]],
    goldens: Sequence[Collection[str]],
    *,
    scores: Sequence[Sequence[float] | None] | None = None,
) -> float:
    r"""Mean of the reciprocal ranks over all drifts that have a golden document.

    $$\mathrm{MRR} = \frac{1}{|Q|} \sum_{q \in Q} \mathrm{RR}_q, \qquad Q = \{q : G_q \neq \emptyset\}$$

    A drift without an answer has an empty ranking, counts 0 and never leaves the mean. Drifts where nothing is golden
    are left out; the mean is undefined (nan) when there are no others.

    Parameters
    ----------
    rankings : sequence of sequences of str
        A ranking per drift, the likeliest cause first.
    goldens : sequence of collections of str
        The golden documents of each drift.
    scores : sequence of sequences of float, optional
        Scores per ranking, where there are any; equal scores are a tie.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Examples
    --------
    >>> mean_reciprocal_rank([["a", "b"], ["a", "b"], []], [{"a"}, {"b"}, {"a"}])
    0.5
    >>> mean_reciprocal_rank([["a"]], [set()])
    nan
    """
    if len(rankings) != len(goldens) or (scores is not None and len(scores) != len(rankings)):
        count = "" if scores is None else f" and {len(scores)} lists of scores"
        raise InvalidInput(f"give one set of golden documents per ranking: got {len(rankings)}, {len(goldens)}{count}.")
    score_lists = scores if scores is not None else [None] * len(rankings)
    values = [
        reciprocal_rank(ranking, golden, scores=s)
        for ranking, golden, s in zip(rankings, goldens, score_lists, strict=True)
    ]
    return mean_defined(values)


def ndcg(
    ranking: Sequence[str],
    golden: Collection[str] | Mapping[str, float],
    *,
    k: int | None = None,
    scores: Sequence[float] | None = None,
) -> float:
    r"""Discounted gain of the ranking over that of the best possible one.

    $$\mathrm{nDCG} = \frac{\sum_i g(r_i) / \log_2(i + 1)}{\sum_i g(r^*_i) / \log_2(i + 1)}$$

    where $g$ is 1 for a golden document unless a mapping gives its gain, and $r^*$ sorts by gain. With k, both sums end
    there. Undefined (nan) when nothing is golden.

    Parameters
    ----------
    ranking : sequence of str
        Documents, the likeliest cause first.
    golden : collection of str, or mapping of str to float
        The documents that tell the cause, or the gain of each.
    k : int, optional
        Only the first k places count.
    scores : sequence of float, optional
        A score per ranked document; equal scores are a tie, and the expected value over its orders is taken.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Examples
    --------
    >>> ndcg(["b", "a"], {"b"})
    1.0
    >>> round(ndcg(["a", "b"], {"b"}), 4)
    0.6309
    >>> round(ndcg(["a", "b"], {"a": 1, "b": 3}), 4)
    0.7967
    """
    last = len(ranking) if k is None else as_whole(k, "k", least=1)
    relevant = gains(golden)
    if not relevant:
        return math.nan
    gained = 0.0
    for block in blocks(ranking, relevant, scores):
        end = min(block.before + block.size, last)
        discounts = math.fsum(_discount(rank) for rank in range(block.before + 1, end + 1))
        gained += sum(block.gains) / block.size * discounts
    most = len(relevant) if k is None else last
    best = sorted(relevant.values(), reverse=True)[:most]
    return gained / math.fsum(gain * _discount(rank) for rank, gain in enumerate(best, start=1))


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def mean_defined(values: Sequence[float]) -> float:
    """The mean of what is not nan; nan when nothing is left.

    >>> mean_defined([1.0, float("nan"), 0.0])
    0.5
    """
    defined = [value for value in values if not math.isnan(value)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def scores_of(
    ranking: Sequence[str], golden: Collection[str], *, ks: Sequence[int], scores: Sequence[float] | None = None
) -> dict[str, float]:
    """What reports say of one drift: its recall at each k, and its reciprocal rank."""
    recalls = {f"recall@{k}": recall_at_k(ranking, golden, k=k, scores=scores) for k in ks}
    return {**recalls, "mrr": reciprocal_rank(ranking, golden, scores=scores)}


def _mean(metric: Callable[..., float], **options: int) -> Callable[[DriftEvidence], float]:
    """The mean over the drifts that have a golden document."""
    return lambda evidence: mean_defined(
        [metric(v.ranking, v.golden, scores=v.scores, **options) for v in evidence.verdicts]
    )


def _with_cause(problem: AnyProblem) -> float:
    # a metric that is undefined on a problem is undefined for a failed subject too: otherwise only failures would count
    return 0.0 if any(problem.truth.goldens) else math.nan


_AT_K: Mapping[str, Callable[..., float]] = {
    "recall": recall_at_k,
    "success": success_at_k,
    "mrr": reciprocal_rank,
    "ndcg": ndcg,
}


def _at_k(name: str, k: int) -> Metric[DriftEvidence]:
    # a drift may have more golden documents than the first two places hold
    oracle = None if name == "recall" and k <= 2 else 1.0
    return Metric(f"{name}@{k}", _mean(_AT_K[name], k=k), _AT_K[name], floor=_with_cause, oracle=oracle, limits=(0, 1))


KS = (1, 2, 5)

FAMILIES: tuple[MetricFamily[DriftEvidence], ...] = tuple(
    MetricFamily(name=name, parameter="k", make=partial(_at_k, name), example=10) for name in _AT_K
)

METRICS: tuple[Metric[DriftEvidence], ...] = (
    Metric("mrr", _mean(reciprocal_rank), mean_reciprocal_rank, floor=_with_cause, oracle=1.0, limits=(0, 1)),
    *(_at_k(name, k) for name in ("recall", "success") for k in KS),
    Metric("ndcg", _mean(ndcg), ndcg, floor=_with_cause, oracle=1.0, limits=(0, 1)),
)
