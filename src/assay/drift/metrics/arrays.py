"""The same metrics over whole arrays: a row of golden ranks per drift, a number per drift out.

Ranks count from 1; ``inf`` is a golden document that was not ranked, ``nan`` fills the row of a drift with fewer golden
documents than the longest row. With ``tied`` (the size of the block of equal scores that a golden document stands in)
ranks are the best possible ones and values are expected ones over all orders of the ties.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.core import InvalidInput
from assay.core.arrays import FloatArray
from assay.core.checks import as_whole

__all__ = [
    "GoldenRanks",
    "golden_ranks",
    "mean_reciprocal_ranks",
    "ndcgs",
    "recalls_at_k",
    "reciprocal_ranks",
    "successes_at_k",
]


_BLOCK = 1 << 17  # scores compared at once: they stay in the cache


class GoldenRanks(NamedTuple):
    """Per drift and golden document: its best possible rank and the size of its tie block, both [drifts, golden].

    Attributes
    ----------
    ranks : ndarray of shape (drifts, golden)
        The best possible rank of every golden document; nan where a drift has fewer of them.
    tied : ndarray of shape (drifts, golden)
        How many documents share that place.

    Examples
    --------
    >>> golden_ranks([[0.1, 0.9, 0.5]], [2]).ranks.tolist()
    [[2.0]]
    """

    ranks: FloatArray
    tied: FloatArray


def golden_ranks(scores: npt.ArrayLike, golden: npt.ArrayLike) -> GoldenRanks:
    """Ranks of the golden documents from scores, higher is better.

    Parameters
    ----------
    scores : array-like of shape (drifts, documents)
        A score per document; minus infinity means that it was not ranked.
    golden : array-like of shape (drifts,) or (drifts, golden)
        Document numbers: one per drift, or a row per drift filled up with -1.

    Returns
    -------
    GoldenRanks
        The ranks, and the sizes of the ties.

    Examples
    --------
    >>> golden_ranks([[0.1, 0.9, 0.5], [0.2, 0.2, 0.1]], [2, 0])
    GoldenRanks(ranks=array([[2.],
           [1.]]), tied=array([[1.],
           [2.]]))
    """
    s = np.asarray(scores)
    if s.dtype.kind not in "iuf" or s.ndim != 2:
        raise InvalidInput(f"scores must be numbers [drifts, documents], got {s.dtype} of shape {s.shape}.")
    g = np.asarray(golden)
    g = g[:, None] if g.ndim == 1 else g
    if (
        g.dtype.kind not in "iu"
        or g.ndim != 2
        or len(g) != len(s)
        or (g.size and not -1 <= g.min() <= g.max() < s.shape[1])
    ):
        raise InvalidInput(
            f"golden must hold document numbers from 0 to {s.shape[1] - 1} (or -1), a row for each of {len(s)} drifts."
        )
    ordered = np.sort(g, axis=1)
    twice = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1)
    if twice.any():
        raise InvalidInput(f"golden[{int(twice.argmax())}] names a document twice; name each golden document once.")
    ranks, tied = np.full(g.shape, np.nan), np.ones(g.shape)
    step = max(1, _BLOCK // max(s.shape[1], 1))
    for start in range(0, len(s), step):
        rows = s[start : start + step]
        if s.dtype.kind == "f" and np.isnan(rows.sum()) and np.isnan(rows).any():
            row, column = np.argwhere(np.isnan(rows))[0]
            raise InvalidInput(f"scores[{start + row}, {column}] is nan, which has no place in an order.")
        for column in range(g.shape[1]):
            chosen = g[start : start + step, column]
            own = rows[np.arange(len(rows)), chosen][:, None]
            better = np.count_nonzero(rows > own, axis=1)
            same = np.count_nonzero(rows == own, axis=1)
            absent = np.isneginf(own[:, 0])
            best = np.where(absent, np.inf, better + 1.0)
            ranks[start : start + step, column] = np.where(chosen < 0, np.nan, best)
            tied[start : start + step, column] = np.where(absent | (chosen < 0), 1.0, same)
    return GoldenRanks(ranks, tied)


def recalls_at_k(ranks: npt.ArrayLike, *, k: int, tied: npt.ArrayLike | None = None) -> FloatArray:
    r"""Recall@k per drift.

    $$\mathrm{Recall@}k_q = \frac{1}{|G_q|} \sum_{d \in G_q}
    \mathrm{clip}\bigl((k - \mathrm{rank}_d + 1) / m_d, \, 0, \, 1\bigr)$$

    Parameters
    ----------
    ranks : array-like of shape (drifts,) or (drifts, golden)
        The best possible rank of every golden document, from 1 on: infinite when it was not ranked, nan where a drift
        has fewer golden documents.
    k : int
        Only the first k places count.
    tied : array-like of the same shape, optional
        How many documents share the place of each; by default none do.

    Returns
    -------
    ndarray of shape (drifts,)
        A number from 0 to 1 per drift; nan where nothing is golden.

    Examples
    --------
    >>> recalls_at_k([1, 2, 3], k=2).tolist()
    [1.0, 1.0, 0.0]
    >>> recalls_at_k([[1, 3], [float("inf"), float("nan")], [float("nan"), float("nan")]], k=2).tolist()
    [0.5, 0.0, nan]
    >>> recalls_at_k([1], k=1, tied=[2]).tolist()
    [0.5]
    """
    k = as_whole(k, "k", least=1)
    r, m = _as_ranks(ranks, tied)
    inside = np.clip((k - r + 1) / m, 0.0, 1.0)
    return _mean_of_row(np.nansum(inside, axis=1), r)


def successes_at_k(ranks: npt.ArrayLike, *, k: int, tied: npt.ArrayLike | None = None) -> FloatArray:
    r"""Success@k per drift.

    $$\mathrm{Success@}k_q = [\min_{d \in G_q} \mathrm{rank}_d \le k]$$

    Parameters
    ----------
    ranks : array-like of shape (drifts,) or (drifts, golden)
        The best possible rank of every golden document, from 1 on: infinite when it was not ranked, nan where a drift
        has fewer golden documents.
    k : int
        Only the first k places count.
    tied : array-like of the same shape, optional
        How many documents share the place of each; by default none do.

    Returns
    -------
    ndarray of shape (drifts,)
        A number from 0 to 1 per drift; nan where nothing is golden.

    Examples
    --------
    >>> successes_at_k([[3, 1], [4, 5]], k=2).tolist()
    [1.0, 0.0]
    """
    k = as_whole(k, "k", least=1)
    first, size, count = _first_block(ranks, tied)
    return _over_places(first, size, count, lambda rank: np.asarray(rank <= k, dtype=np.float64))


def reciprocal_ranks(ranks: npt.ArrayLike, *, k: int | None = None, tied: npt.ArrayLike | None = None) -> FloatArray:
    r"""Reciprocal rank of the first golden document per drift; 0 beyond k where k is given.

    $$\mathrm{RR}_q = 1 / \min_{d \in G_q} \mathrm{rank}_d$$

    Parameters
    ----------
    ranks : array-like of shape (drifts,) or (drifts, golden)
        The best possible rank of every golden document, from 1 on: infinite when it was not ranked, nan where a drift
        has fewer golden documents.
    k : int, optional
        Only the first k places count.
    tied : array-like of the same shape, optional
        How many documents share the place of each; by default none do.

    Returns
    -------
    ndarray of shape (drifts,)
        A number from 0 to 1 per drift; nan where nothing is golden.

    Examples
    --------
    >>> reciprocal_ranks([1, 2, 3, float("inf")]).round(4).tolist()
    [1.0, 0.5, 0.3333, 0.0]
    >>> reciprocal_ranks([1], tied=[2]).tolist()
    [0.75]
    """
    last = np.inf if k is None else as_whole(k, "k", least=1)
    first, size, count = _first_block(ranks, tied)
    return _over_places(first, size, count, lambda rank: np.where(rank <= last, 1.0 / rank, 0.0))


def mean_reciprocal_ranks(ranks: npt.ArrayLike, *, tied: npt.ArrayLike | None = None) -> float:
    r"""Mean reciprocal rank over the drifts that have a golden document; nan when there is none.

    $$\mathrm{MRR} = \frac{1}{|Q|} \sum_{q \in Q} \mathrm{RR}_q$$

    Parameters
    ----------
    ranks : array-like of shape (drifts,) or (drifts, golden)
        The best possible rank of every golden document, from 1 on: infinite when it was not ranked, nan where a drift
        has fewer golden documents.
    tied : array-like of the same shape, optional
        How many documents share the place of each; by default none do.

    Returns
    -------
    float
        A number from 0 to 1, or nan.

    Examples
    --------
    >>> mean_reciprocal_ranks([1, 1, 1, 1, 1, 1, 2, 2])
    0.875
    """
    values = reciprocal_ranks(ranks, tied=tied)
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def ndcgs(ranks: npt.ArrayLike, *, k: int | None = None, tied: npt.ArrayLike | None = None) -> FloatArray:
    r"""NDCG per drift, every golden document with gain 1.

    $$\mathrm{nDCG}_q = \frac{\sum_{d \in G_q} 1 / \log_2(\mathrm{rank}_d + 1)}{\sum_{i=1}^{|G_q|} 1 / \log_2(i + 1)}$$

    Parameters
    ----------
    ranks : array-like of shape (drifts,) or (drifts, golden)
        The best possible rank of every golden document, from 1 on: infinite when it was not ranked, nan where a drift
        has fewer golden documents.
    k : int, optional
        Only the first k places count.
    tied : array-like of the same shape, optional
        How many documents share the place of each; by default none do.

    Returns
    -------
    ndarray of shape (drifts,)
        A number from 0 to 1 per drift; nan where nothing is golden.

    Examples
    --------
    >>> ndcgs([1, 2, float("inf")]).round(4).tolist()
    [1.0, 0.6309, 0.0]
    """
    r, m = _as_ranks(ranks, tied)
    last = np.inf if k is None else as_whole(k, "k", least=1)
    finite = np.isfinite(r)
    highest = int((r + m - 1)[finite].max()) if finite.any() else 1
    most = max(highest, r.shape[1]) + 1
    places = np.arange(1, most + 1)
    discounts = np.where(places <= last, 1.0 / np.log2(places + 1), 0.0)
    sums = np.concatenate([[0.0], np.cumsum(discounts)])
    start = np.where(finite, r - 1, 0).astype(np.int64)
    end = start + np.where(finite, m, 0).astype(np.int64)
    gained = np.where(finite, (sums[end] - sums[start]) / m, 0.0).sum(axis=1)
    count = (~np.isnan(r)).sum(axis=1)
    result: FloatArray = np.divide(gained, sums[count], out=np.full(len(r), np.nan), where=count > 0)
    return result


def _as_ranks(ranks: npt.ArrayLike, tied: npt.ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    r = np.asarray(ranks)
    if r.dtype.kind not in "iuf" and r.size:
        raise InvalidInput(f"ranks must be numbers, got {r.dtype}.")
    r = r.astype(np.float64, copy=False)
    r = r[:, None] if r.ndim == 1 else r
    if r.ndim != 2:
        raise InvalidInput(f"ranks must be a list, or rows of golden ranks per drift, got shape {r.shape}.")
    whole = np.isnan(r) | np.isposinf(r) | ((r >= 1) & (r == np.floor(r)))
    if not whole.all():
        raise InvalidInput(f"ranks must be whole numbers from 1, inf (absent) or nan (none), got {r[~whole][0]:g}.")
    m = np.ones_like(r) if tied is None else np.asarray(tied, dtype=np.float64)
    m = m[:, None] if m.ndim == 1 else m
    if m.shape != r.shape or not ((m >= 1) & (m == np.floor(m)) & np.isfinite(m)).all():
        raise InvalidInput(f"tied must hold a whole block size of at least 1 per rank: shapes {m.shape} and {r.shape}.")
    _demand_room(r, m)
    return r, m


def _demand_room(ranks: FloatArray, tied: FloatArray) -> None:
    """A block must be as large as the golden documents in it are many."""
    ordered = np.sort(ranks, axis=1)
    shared = ((ordered[:, 1:] == ordered[:, :-1]) & np.isfinite(ordered[:, 1:])).any(axis=1)
    r, m = ranks[shared], tied[shared]
    if (((r[:, :, None] == r[:, None, :]).sum(axis=2) > m) & np.isfinite(r)).any():
        raise InvalidInput(
            "ranks: more golden documents of a drift share a rank than its block holds; say with tied how large it is."
        )


def _first_block(ranks: npt.ArrayLike, tied: npt.ArrayLike | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Per drift: rank of the block with the first golden document, its size, and how many golden ones it holds."""
    r, m = _as_ranks(ranks, tied)
    if r.shape[1] == 1:
        return r[:, 0], m[:, 0], np.ones(len(r))
    filled = np.where(np.isnan(r), np.inf, r)
    first = filled.min(axis=1) if r.shape[1] else np.full(len(r), np.inf)
    size = np.where(filled == first[:, None], m, 1.0).max(axis=1, initial=1.0)
    count = np.where(np.isinf(first), 1, (filled == first[:, None]).sum(axis=1))
    return np.where(np.isnan(r).all(axis=1), np.nan, first), size, count


def _over_places(
    first: FloatArray, size: FloatArray, count: FloatArray, value: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Expected value over the place of the first golden document in its block."""
    result: FloatArray = np.where(np.isnan(first), np.nan, value(first))
    loose = np.flatnonzero((size > 1) & np.isfinite(first))
    if not len(loose):
        return result
    rank, m, g = first[loose], size[loose], count[loose]
    chance, total = g / m, np.zeros(len(loose))  # of place 1; each next follows from the one before
    for place in range(1, int((m - g).max()) + 2):
        total += chance * value(rank + place - 1)
        chance = chance * np.clip((m - place - g + 1), 0.0, None) / np.maximum(m - place, 1.0)
    result[loose] = total
    return result


def _mean_of_row(total: FloatArray, ranks: FloatArray) -> FloatArray:
    count = (~np.isnan(ranks)).sum(axis=1)
    result: FloatArray = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
    return result
