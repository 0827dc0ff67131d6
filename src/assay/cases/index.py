"""Exact nearest-neighbour search: fast candidates first, then exact distances and a fixed order of ties."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from assay.cases.checks import FloatArray, IntArray, as_k, as_matrix
from assay.core import InvalidInput, UnknownName

__all__ = ["Algorithm", "CaseIndex", "Neighbours", "Probe", "pair_distances"]

Algorithm: TypeAlias = Literal["auto", "brute", "kd_tree"]

_EXTRA = 4  # candidates beyond k; enough to see the boundary wherever distances differ at all
_WIDEN = 8  # how many times more candidates a query gets whose boundary is tied
_BLOCK = 1 << 19  # numbers in a temporary array (4 MB): memory does not grow with the number of queries
_ROUNDING = float(np.finfo(np.float64).eps)

# A tree pays only in few dimensions, and building it costs as much as several hundred searches by brute force:
# it is tried once that many queries have been asked that the trial is a small part of the work.
_PROBE_FEATURES = 12
_PROBE_CASES = 2_000
_PROBE_AFTER = 2_000
_PROBE_QUERIES = 32


class Neighbours(NamedTuple):
    """The nearest cases of each query, nearest first; equal distances are ordered by training index."""

    indices: IntArray
    distances: FloatArray


class Probe(NamedTuple):
    """What a timed trial on real queries said, in seconds."""

    choice: Literal["brute", "kd_tree"]
    queries: int
    brute: float
    kd_tree: float
    build: float


def pair_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    r"""Distances between rows that broadcast against each other, always summed in the same order.

    $$d(a, b) = \sqrt{\sum_j (a_j - b_j)^2}$$

    >>> pair_distances(np.array([[0.0, 0.0], [3.0, 0.0]]), np.array([[3.0, 4.0]])).tolist()
    [5.0, 4.0]
    """
    difference = a - b
    np.square(difference, out=difference)
    total: FloatArray = np.sqrt(difference.sum(axis=-1))
    return total


class CaseIndex:
    """A case base that can be asked for the nearest cases, with exact distances and a fixed order of ties.

    ``algorithm`` is "brute", "kd_tree" or "auto": brute force until a timed probe on real queries says that a tree is
    faster; the probe is kept as ``probe``. All give the same neighbours. The cases are kept, not copied.

    >>> index = CaseIndex([[0.0], [2.0], [1.0], [1.0]])
    >>> index.query([[1.2]], 3).indices.tolist()
    [[2, 3, 1]]
    """

    def __init__(self, cases: object, *, algorithm: Algorithm = "auto") -> None:
        if algorithm not in get_args(Algorithm):
            raise UnknownName("search algorithm", str(algorithm), get_args(Algorithm))
        self._cases = as_matrix(cases, what="cases")
        if not len(self._cases):
            raise InvalidInput("cases: the case base is empty; give at least one row.")
        self._centre = _far_centre(self._cases)
        self._searched = self._cases if self._centre is None else self._cases - self._centre
        self._asked = 0
        self._brute: Any = None
        self._tree: Any = _build_tree(self._searched) if algorithm == "kd_tree" else None
        self._undecided = algorithm == "auto" and self._worth_probing()
        self.probe: Probe | None = None

    def __len__(self) -> int:
        return len(self._cases)

    @property
    def features(self) -> int:
        """The number of features of a case."""
        return int(self._cases.shape[1])

    @property
    def algorithm(self) -> Literal["brute", "kd_tree"]:
        """What answers the next query."""
        return "brute" if self._tree is None else "kd_tree"

    def query(self, Q: object, k: int | Literal["all"]) -> Neighbours:
        """The k nearest cases of each row of Q."""
        queries = as_matrix(Q, what="queries")
        if queries.shape[1] != self.features:
            raise InvalidInput(f"queries: have {queries.shape[1]} features, the cases have {self.features}.")
        k = as_k(k, available=len(self))
        self._asked += len(queries)
        found = Neighbours(np.empty((len(queries), k), dtype=np.int64), np.empty((len(queries), k)))
        pending, width = np.arange(len(queries)), k + _EXTRA
        while len(pending) and width * _WIDEN < len(self):
            settled = self._search_into(found, queries, pending, width)
            pending, width = pending[~settled], width * _WIDEN
        self._scan_into(found, queries, pending)
        return found

    def _search_into(self, found: Neighbours, queries: FloatArray, rows: IntArray, width: int) -> np.ndarray[Any, Any]:
        """Fill the rows from ``width`` fast candidates each; tells which rows are certain."""
        k = found.indices.shape[1]
        settled = np.zeros(len(rows), dtype=np.bool_)
        size = max(1, _BLOCK // (width * self.features))
        # the fast search likes large batches, the exact distances small ones
        batch = max(size, 1024) if width < 64 else size
        for start in range(0, len(rows), batch):
            block = rows[start : start + batch]
            moved = queries[block] if self._centre is None else queries[block] - self._centre
            fast, candidates = self._fast_search(moved, width)
            for inner in range(0, len(block), size):
                part = slice(inner, inner + size)
                order = np.sort(candidates[part], axis=1)
                exact = pair_distances(queries[block[part], None, :], self._cases[order])
                # a stable sort of candidates that stand in index order: ties go to the smaller index
                nearest = np.argsort(exact, axis=1, kind="stable")[:, :k]
                found.indices[block[part]] = np.take_along_axis(order, nearest, axis=1)
                found.distances[block[part]] = np.take_along_axis(exact, nearest, axis=1)
            last = found.distances[block, k - 1]
            settled[start : start + batch] = last**2 + self._rounding(moved, last) < fast[:, -1] ** 2
        return settled

    def _rounding(self, moved: FloatArray, last: FloatArray) -> FloatArray:
        """How far the fast search may misjudge the square of a distance up to ``last``.

        It computes |q|² - 2qx + |x|², whose error is relative to (|q| + |x|)², not to the distance; a case within
        ``last`` of q has |x| <= |q| + last. So a case outside the candidates cannot be nearer than it seems by more.
        """
        norm = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        bound: FloatArray = 8.0 * (self.features + 8) * _ROUNDING * (2.0 * norm + last) ** 2
        return bound

    def _scan_into(self, found: Neighbours, queries: FloatArray, rows: IntArray) -> None:
        """Fill the rows from the distances to every case, a bounded block at a time."""
        n, k = len(self), found.indices.shape[1]
        size = max(1, _BLOCK // (n * self.features))
        step = max(1, _BLOCK // (size * self.features))
        for start in range(0, len(rows), size):
            block = rows[start : start + size]
            distances = np.empty((len(block), n))
            for first in range(0, n, step):
                cases = self._cases[first : first + step]
                distances[:, first : first + step] = pair_distances(queries[block, None, :], cases[None])
            for row, to_all in zip(block, distances, strict=True):
                limit = np.partition(to_all, k - 1)[k - 1]
                within = np.flatnonzero(to_all <= limit)
                nearest = within[np.argsort(to_all[within], kind="stable")[:k]]
                found.indices[row], found.distances[row] = nearest, to_all[nearest]

    def _fast_search(self, moved: FloatArray, width: int) -> tuple[FloatArray, IntArray]:
        if self._undecided and self._asked >= _PROBE_AFTER:
            self._decide(moved, width)
        return self._by_brute_force(moved, width) if self._tree is None else self._by_tree(self._tree, moved, width)

    def _by_brute_force(self, moved: FloatArray, width: int) -> tuple[FloatArray, IntArray]:
        if self._brute is None:
            from sklearn.neighbors import NearestNeighbors

            self._brute = NearestNeighbors(algorithm="brute").fit(self._searched)
        distances, indices = self._brute.kneighbors(moved, width)
        return distances, indices

    @staticmethod
    def _by_tree(tree: Any, moved: FloatArray, width: int) -> tuple[FloatArray, IntArray]:
        distances, indices = tree.query(moved, width)
        return distances, indices

    def _worth_probing(self) -> bool:
        return len(self) >= _PROBE_CASES and self.features <= _PROBE_FEATURES

    def _decide(self, moved: FloatArray, width: int) -> None:
        """Time both searches on some of the queries at hand and keep the faster one."""
        self._undecided = False
        sample = moved[:: max(1, len(moved) // _PROBE_QUERIES)][:_PROBE_QUERIES]
        brute = _seconds(lambda: self._by_brute_force(sample, width))
        started = perf_counter()
        tree = _build_tree(self._searched)
        build = perf_counter() - started
        by_tree = _seconds(lambda: self._by_tree(tree, sample, width))
        choice: Literal["brute", "kd_tree"] = "kd_tree" if by_tree < brute else "brute"
        self._tree = tree if choice == "kd_tree" else None
        self.probe = Probe(choice, len(sample), brute, by_tree, build)


def _far_centre(cases: FloatArray) -> FloatArray | None:
    """The mean of the cases when they lie far from the origin, where the fast search would lose their digits."""
    mean = cases.mean(axis=0)
    far = (mean**2).sum() > 0.5 * np.einsum("ij,ij->", cases, cases) / len(cases)
    return mean if far else None


def _build_tree(searched: FloatArray) -> Any:
    from sklearn.neighbors import KDTree

    return KDTree(searched)


def _seconds(search: Callable[[], object]) -> float:
    search()  # the first call pays for what later ones find ready
    started = perf_counter()
    search()
    return perf_counter() - started
