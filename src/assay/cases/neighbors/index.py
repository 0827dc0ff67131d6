"""Nearest-neighbour search: fast candidates first, then exact distances and a fixed order of ties."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.backends import Backend, BruteForce, SinglePrecision, Tree, TreeName
from assay.cases.neighbors.checks import FloatArray, IntArray, as_k, as_matrix, demand_k
from assay.cases.neighbors.distance import EUCLIDEAN, Distance, Fast, pair_distances
from assay.cases.neighbors.faiss_search import FaissSearch
from assay.cases.neighbors.nearest import Neighbours, Probe, as_excluded, unfilled, without
from assay.core import InvalidInput, UnknownName
from assay.core.display import counted, object_html

__all__ = ["Algorithm", "CaseIndex", "Neighbours", "Probe", "as_excluded", "pair_distances"]

Algorithm: TypeAlias = Literal["auto", "brute", "kd_tree", "ball_tree", "faiss"]

_EXTRA = 4  # candidates beyond k; enough to see the boundary wherever distances differ at all
_WIDEN = 8  # how many times more candidates a query gets whose boundary is tied
_BLOCK = 1 << 19  # numbers in a temporary array (4 MB): memory does not grow with the number of queries

# A tree pays only in few dimensions, and building it costs as much as several hundred searches by brute force:
# it is tried once that many queries have been asked that the trial is a small part of the work.
_PROBE_FEATURES = 12
_PROBE_CASES = 2_000
_PROBE_AFTER = 2_000
_PROBE_QUERIES = 128

# Converting the cases pays for many queries; up to so many candidates, single precision finds them in half the time.
_SINGLE_CASES = 8_192
_SINGLE_QUERIES = 128
_SINGLE_WIDTH = 64
_SINGLE_BATCH = 8_192

_RECALL_ROWS = 256  # cases asked for their neighbours to measure what an approximate search misses
_RECALL_K = 5


class CaseIndex:
    """A case base that can be asked for the nearest cases, with exact distances and a fixed order of ties.

    The cases are kept, not copied.

    Parameters
    ----------
    cases : array of shape (cases, features)
        Numbers, at least one row.
    algorithm : str, default "auto"
        "brute", "kd_tree", "ball_tree", or "auto": brute force until a timed probe on real queries says that a tree is
        faster; the probe is kept as ``probe``. All give the same neighbours. "faiss" looks only where neighbours are
        likely, farther and farther until ``min_recall`` is reached.
    distance : Distance
        Euclidean by default.
    min_recall : float, default 0.99
        The recall that "faiss" must reach.
    recall_k : int, default 5
        On how many neighbours that recall is measured; the outcome is kept as ``recall``.
    seed : int, default 0
        The seed of the cases on which it is measured.

    Raises
    ------
    InvalidInput
        When there is no case, or ``min_recall`` cannot be reached.

    Examples
    --------
    >>> index = CaseIndex([[0.0], [2.0], [1.0], [1.0]])
    >>> index
    CaseIndex(4 cases, 1 feature, algorithm 'brute')
    >>> index.query([[1.2]], 3).indices.tolist()
    [[2, 3, 1]]
    """

    def __init__(
        self,
        cases: object,
        *,
        algorithm: Algorithm = "auto",
        distance: Distance = EUCLIDEAN,
        min_recall: float = 0.99,
        recall_k: int = _RECALL_K,
        seed: int = 0,
    ) -> None:
        _demand_algorithm(algorithm, distance)
        self.distance = distance
        # as they are compared; not a copy
        self.cases = as_matrix(cases, what="cases", missing=distance.missing)
        if not len(self.cases):
            raise InvalidInput("cases: the case base is empty; give at least one row.")
        euclidean = distance.fast is not None and distance.fast.metric == "euclidean"
        self._centre = _far_centre(self.cases) if euclidean else None
        self._searched = self.cases if self._centre is None else self.cases - self._centre
        self._asked = 0
        self._brute: BruteForce | None = None
        self._single: SinglePrecision | None = None
        self._single_pays = euclidean and len(self.cases) >= _SINGLE_CASES
        self._tree: Tree | None = None
        self._tree_name: TreeName = "ball_tree" if algorithm == "ball_tree" else "kd_tree"
        if algorithm in get_args(TreeName) and distance.fast is not None:
            self._tree = Tree(self._searched, distance.fast.metric, kind=self._tree_name)
        self._undecided = algorithm == "auto" and self._worth_probing()
        self.probe: Probe | None = None
        self._faiss: FaissSearch | None = None
        self._recall_k = 0
        self._min_recall, self._seed = min_recall, seed
        self.recall: float | None = None  # of an approximate search, measured; None: the search is exact
        if algorithm == "faiss":
            self._faiss = FaissSearch(self._searched, seed=seed)
            self._reach_recall(self._faiss, recall_k)

    def __len__(self) -> int:
        return len(self.cases)

    def __repr__(self) -> str:
        recall = "" if self.recall is None else f", recall {self.recall:.4g}"
        sizes = f"{counted(len(self), 'case')}, {counted(self.features, 'feature')}"
        return f"CaseIndex({sizes}, algorithm {self.algorithm!r}{recall})"

    def _repr_html_(self) -> str:
        exact = "exact" if self.recall is None else f"approximate, measured recall {self.recall:.4g}"
        sizes = {"cases": len(self), "features": self.features}
        return object_html("CaseIndex", {**sizes, "algorithm": self.algorithm, "search": exact})

    @property
    def features(self) -> int:
        """The number of features of a case."""
        return int(self.cases.shape[1])

    @property
    def algorithm(self) -> Literal["brute", "kd_tree", "ball_tree", "faiss"]:
        """What answers the next query."""
        if self._faiss is not None:
            return "faiss"
        return "brute" if self._tree is None else self._tree_name

    def query(self, Q: object, k: int | Literal["all"], *, exclude: npt.ArrayLike | None = None) -> Neighbours:
        """The nearest cases of each row.

        Parameters
        ----------
        Q : array of shape (n, features)
            The queries.
        k : int or "all"
            How many cases each.
        exclude : array of n row numbers, optional
            One case per row that does not count, -1 for none.

        Returns
        -------
        Neighbours
            Their rows and distances, nearest first.

        Raises
        ------
        InvalidInput
            When there are fewer than k cases, or the features do not fit.
        """
        queries = as_matrix(Q, what="queries", missing=self.distance.missing)
        if queries.shape[1] != self.features:
            raise InvalidInput(f"queries: have {queries.shape[1]} features, the cases have {self.features}.")
        excluded = None if exclude is None else as_excluded(exclude, rows=len(queries), cases=len(self))
        some = excluded is not None and bool((excluded >= 0).any())
        if len(self) == some:
            raise InvalidInput("exclude: the case base holds a single case; without it there is no neighbour.")
        if some and k != "all" and demand_k(k) == len(self):
            raise InvalidInput(
                f"k={k} neighbours were asked of {len(self) - 1} cases besides the excluded one. Lower k."
            )
        nearest = self._nearest(queries, as_k(k, available=len(self) - some) + some)
        return self._reported(nearest if excluded is None or not some else without(nearest, excluded))

    def _nearest(self, queries: FloatArray, k: int) -> Neighbours:
        self._asked += len(queries)
        nearest = unfilled(len(queries), k)
        pending = np.arange(len(queries))
        if self._faiss is not None:
            if k > self._recall_k + 1:  # one more than measured: the case itself, left out
                self._reach_recall(self._faiss, k)
            pending = self._approximate_into(self._faiss, nearest, queries, pending)
        return self._exactly_into(nearest, queries, pending)

    def _exactly_into(self, nearest: Neighbours, queries: FloatArray, pending: IntArray) -> Neighbours:
        width, fast = nearest.indices.shape[1] + _EXTRA, self.distance.fast
        quick = self._worth_single(len(pending), width)
        while fast is not None and len(pending) and width * _WIDEN < len(self):
            settled = self._search_into(fast, nearest, queries, pending, width, quick=quick)
            pending = pending[~settled]
            width, quick = width if quick else width * _WIDEN, False
        self._scan_into(nearest, queries, pending)
        return nearest

    def _search_into(
        self, fast: Fast, nearest: Neighbours, queries: FloatArray, rows: IntArray, width: int, *, quick: bool
    ) -> Any:
        """Fill the rows from ``width`` fast candidates each; tells which rows are certain."""
        settled = np.zeros(len(rows), dtype=np.bool_)
        size = max(1, _BLOCK // (width * self.features))
        # the fast search likes large batches, the exact distances small ones
        batch = _SINGLE_BATCH if quick else max(size, 1024) if width < 64 else size
        for start in range(0, len(rows), batch):
            block = rows[start : start + batch]
            moved = self._moved(queries[block])
            backend = self._backend(fast, moved, width, quick=quick and self._single_pays)
            roughly, candidates = backend.search(moved, width)
            self._order_into(fast, nearest, queries, block, candidates, size)
            certain = backend.certain(moved, nearest.distances[block, -1], roughly)
            settled[start : start + batch] = certain
            if quick and certain.mean() < 0.5:  # many ties, or too fine for single precision
                self._single_pays = False
        return settled

    def _order_into(
        self, fast: Fast, nearest: Neighbours, queries: FloatArray, block: IntArray, candidates: IntArray, size: int
    ) -> None:
        """Fill the rows with the nearest of their candidates by exact distances."""
        k = nearest.indices.shape[1]
        for inner in range(0, len(block), size):
            part = slice(inner, inner + size)
            order = np.sort(candidates[part], axis=1)
            exact = fast.pairs(queries[block[part], None, :], self.cases[order])
            # a stable sort of candidates that stand in index order: ties go to the smaller index
            order_of_distance = np.argsort(exact, axis=1, kind="stable")[:, :k]
            nearest.indices[block[part]] = np.take_along_axis(order, order_of_distance, axis=1)
            nearest.distances[block[part]] = np.take_along_axis(exact, order_of_distance, axis=1)

    def _approximate_into(
        self, faiss: FaissSearch, nearest: Neighbours, queries: FloatArray, rows: IntArray
    ) -> IntArray:
        """Fill the rows from approximate candidates; gives back the rows for which there were too few."""
        width = min(len(self), nearest.indices.shape[1] + _EXTRA)
        size = max(1, _BLOCK // (width * self.features))
        lacking = [rows[:0]]
        for start in range(0, len(rows), max(size, 1024)):
            block = rows[start : start + max(size, 1024)]
            candidates = faiss.search(self._moved(queries[block]), width).indices
            full = (candidates >= 0).all(axis=1)
            self._order_into(Fast("euclidean", pair_distances), nearest, queries, block[full], candidates[full], size)
            lacking.append(block[~full])
        return np.concatenate(lacking)

    def _reach_recall(self, faiss: FaissSearch, k: int) -> None:
        """Look into more and more cells until enough of the true neighbours of some cases are found."""
        if len(self) == 1:
            self.recall, self._recall_k = 1.0, 1
            return
        k = min(k, len(self) - 1)
        chosen = np.random.default_rng(self._seed).choice(len(self), min(_RECALL_ROWS, len(self)), replace=False)
        chosen.sort()
        queries, rows = self.cases[chosen], np.arange(len(chosen))
        exact = without(self._exactly_into(unfilled(len(rows), k + 1), queries, rows), chosen)
        recall, probes = 0.0, max(1, min(4, faiss.cells))
        # the sample's recall is an estimate, and queries lie less well than cases: halve the misses that are allowed
        aim = (1 + self._min_recall) / 2
        while True:
            faiss.probes = probes
            nearest = unfilled(len(rows), k + 1)
            self._approximate_into(faiss, nearest, queries, rows)
            near = without(nearest, chosen)
            # any case as near as the last true neighbour is as good as it: ties are not misses
            recall = float((near.distances <= exact.distances[:, -1:]).mean())
            if recall >= aim or probes == faiss.cells:
                break
            probes = min(faiss.cells, probes + max(1, probes // 2))
        self.recall, self._recall_k = recall, k
        if recall < self._min_recall:
            raise InvalidInput(
                f"algorithm 'faiss' finds {recall:.4f} of the true neighbours (recall@{k}) even when it looks "
                f"everywhere, less than min_recall={self._min_recall:g}: float32 cannot tell these cases apart. "
                "Lower min_recall, or use exact search (algorithm='auto')."
            )

    def _scan_into(self, nearest: Neighbours, queries: FloatArray, rows: IntArray) -> None:
        """Fill the rows from the distances to every case, a bounded block at a time."""
        n, k = len(self), nearest.indices.shape[1]
        size = max(1, _BLOCK // (n * self.features))
        step = max(1, _BLOCK // (size * self.features))
        for start in range(0, len(rows), size):
            block = rows[start : start + size]
            distances = np.empty((len(block), n))
            for first in range(0, n, step):
                cases = self.cases[first : first + step]
                distances[:, first : first + step] = self.distance.matrix(queries[block], cases)
            for row, to_all in zip(block, distances, strict=True):
                limit = np.partition(to_all, k - 1)[k - 1]
                within = np.flatnonzero(to_all <= limit)
                closest = within[np.argsort(to_all[within], kind="stable")[:k]]
                nearest.indices[row], nearest.distances[row] = closest, to_all[closest]

    def _reported(self, nearest: Neighbours) -> Neighbours:
        if self.distance.missing and not np.isfinite(nearest.distances).all():
            row = int(np.argmax(~np.isfinite(nearest.distances).all(axis=1)))
            raise InvalidInput(
                f"queries: row {row} has no feature in common with some of its {nearest.distances.shape[1]} nearest "
                "cases; too much is missing. Lower k, fill what is missing, or use metric='gower'."
            )
        shown = self.distance.shown
        return nearest if shown is None else nearest._replace(distances=shown(nearest.distances))

    def _moved(self, queries: FloatArray) -> FloatArray:
        return queries if self._centre is None else queries - self._centre

    def _backend(self, fast: Fast, moved: FloatArray, width: int, *, quick: bool) -> Backend:
        if self._undecided and self._asked >= _PROBE_AFTER:
            self._decide(fast, moved, width, quick=quick)
        return self._comparing_all(fast, quick=quick) if self._tree is None else self._tree

    def _comparing_all(self, fast: Fast, *, quick: bool) -> Backend:
        if quick:
            self._single = self._single or SinglePrecision(self._searched)
            return self._single
        self._brute = self._brute or BruteForce(self._searched, fast.metric)
        return self._brute

    def _worth_single(self, queries: int, width: int) -> bool:
        enough = queries >= _SINGLE_QUERIES and width <= _SINGLE_WIDTH
        return self._single_pays and self._tree is None and enough

    def _worth_probing(self) -> bool:
        return self.distance.fast is not None and len(self) >= _PROBE_CASES and self.features <= _PROBE_FEATURES

    def _decide(self, fast: Fast, moved: FloatArray, width: int, *, quick: bool) -> None:
        """Time both searches on some of the queries at hand and keep the faster one."""
        self._undecided = False
        sample = moved[:: max(1, len(moved) // _PROBE_QUERIES)][:_PROBE_QUERIES]
        brute = _seconds(lambda: self._comparing_all(fast, quick=quick).search(sample, width))
        started = perf_counter()
        tree = Tree(self._searched, fast.metric)
        build = perf_counter() - started
        by_tree = _seconds(lambda: tree.search(sample, width))
        choice: Literal["brute", "kd_tree"] = "kd_tree" if by_tree < brute else "brute"
        self._tree = tree if choice == "kd_tree" else None
        self.probe = Probe(choice, len(sample), brute, by_tree, build)


def _demand_algorithm(algorithm: object, distance: Distance) -> None:
    known = get_args(Algorithm)
    if not isinstance(algorithm, str) or algorithm not in known:
        raise UnknownName("search algorithm", str(algorithm), known)
    tree_or_cells = algorithm in ("kd_tree", "ball_tree", "faiss")
    if tree_or_cells and (distance.fast is None or (algorithm == "faiss" and distance.fast.metric != "euclidean")):
        raise InvalidInput(
            f"algorithm {algorithm!r} cannot search by metric {distance.name!r}; use 'auto' or 'brute', which can."
        )


def _far_centre(cases: FloatArray) -> FloatArray | None:
    """The mean of the cases when they lie far from the origin, where the fast search would lose their digits."""
    mean = cases.mean(axis=0)
    far = (mean**2).sum() > 0.5 * np.einsum("ij,ij->", cases, cases) / len(cases)
    return mean if far else None


def _seconds(search: Callable[[], object]) -> float:
    search()  # the first call pays for what later ones find ready
    started = perf_counter()
    search()
    return perf_counter() - started
