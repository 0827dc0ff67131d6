"""Fast searches that propose candidates; who asks them computes the distances again and orders the ties."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import FloatArray, IntArray
from assay.cases.neighbors.distance import FastMetric

__all__ = ["Backend", "BruteForce", "Candidates", "SinglePrecision", "Tree", "TreeName"]

TreeName: TypeAlias = Literal["kd_tree", "ball_tree"]
_ROUNDING = float(np.finfo(np.float64).eps)
_SINGLE = np.finfo(np.float32)
_SIDE = 1024  # queries and cases that are multiplied at a time: 4 MB of products stay near the processor
_SOME = 16  # times as many products as are wanted give the first limit

Singles: TypeAlias = npt.NDArray[np.float32]


class Candidates(NamedTuple):
    """The nearest cases by the reckoning of a fast search, nearest first."""

    distances: FloatArray
    indices: IntArray


class Backend(Protocol):
    """A search that is exact up to rounding."""

    def search(self, queries: FloatArray, width: int) -> Candidates:
        """The ``width`` nearest cases of each query."""

    def certain(self, queries: FloatArray, last: FloatArray, fast: FloatArray) -> Any:
        """Which queries cannot have a nearer case beyond the candidates, whatever was rounded.

        ``last`` is the exact distance of the last neighbour, ``fast`` the candidates' distances by the fast search.
        """


class BruteForce:
    """Compares each query with every case, many at a time."""

    def __init__(self, cases: FloatArray, metric: FastMetric) -> None:
        from sklearn.neighbors import NearestNeighbors

        self._euclidean = metric == "euclidean"
        self._search: Any = NearestNeighbors(algorithm="brute", metric=metric).fit(cases)

    def search(self, queries: FloatArray, width: int) -> Candidates:
        """The nearest by matrix products where the metric is Euclidean."""
        return Candidates(*self._search.kneighbors(queries, width))

    def certain(self, queries: FloatArray, last: FloatArray, fast: FloatArray) -> Any:
        """By the error of matrix products, or of sums of differences."""
        return _clear_euclidean(queries, last, fast) if self._euclidean else _clear(last, fast)


class SinglePrecision:
    """Compares many queries with every case in half the numbers: Euclidean, for batches.

    A query's products with a block of cases are one matrix product; only those below what the query has already are
    looked at. Blocks are strided through the cases, so that their order does not matter. Cases are converted block by
    block and not kept.
    """

    def __init__(self, cases: FloatArray) -> None:
        self._cases = cases
        # nothing is lost by moving both, and small numbers have small errors
        self._centre: FloatArray = cases.mean(axis=0)
        self._strides = -(-len(cases) // _SIDE)

    def search(self, queries: FloatArray, width: int) -> Candidates:
        """The ``width`` nearest of at least as many cases, in no order; the distance is that of the farthest."""
        candidates = Candidates(np.empty((len(queries), 1)), np.empty((len(queries), width), dtype=np.int64))

        def fill(start: int) -> None:
            part = slice(start, start + _SIDE)
            candidates.distances[part, 0], candidates.indices[part] = self._search(queries[part] - self._centre, width)

        starts = range(0, len(queries), _SIDE)
        blas = _blas()
        threads = min(len(starts), max((library["num_threads"] for library in blas.info()), default=1))
        with blas.limit(limits=1):
            if threads > 1:
                with ThreadPoolExecutor(threads) as pool:
                    list(pool.map(fill, starts))
            else:
                list(map(fill, starts))
        return candidates

    def _search(self, queries: FloatArray, width: int) -> tuple[FloatArray, IntArray]:
        """The distance up to which nothing was missed, and the candidates of each query."""
        nearest = _Nearest(len(queries), width)
        with np.errstate(over="ignore", invalid="ignore"):  # see ``certain``
            turned = np.ones((len(queries), queries.shape[1] + 1), dtype=np.float32)
            turned[:, :-1] = -2.0 * queries
            for first in range(self._strides):
                nearest.add(turned @ self._block(first).T, first, self._strides)
            limits, indices = nearest.settle()
            # |x|² - 2qx lacks |q|²
            squares = limits + np.einsum("ij,ij->i", queries, queries)
        return np.sqrt(np.maximum(squares, 0.0)), indices

    def _block(self, first: int) -> Singles:
        """Every so many cases, and the squares of their lengths."""
        rows = self._cases[first :: self._strides] - self._centre
        block = np.empty((len(rows), rows.shape[1] + 1), dtype=np.float32)
        block[:, :-1] = rows
        block[:, -1] = np.einsum("ij,ij->i", rows, rows)
        return block

    def certain(self, queries: FloatArray, last: FloatArray, fast: FloatArray) -> Any:
        """By the error of products of single precision; what that cannot hold is never certain."""
        moved = queries - self._centre
        reach = (2.0 * np.sqrt(np.einsum("ij,ij->i", moved, moved)) + last) ** 2
        terms = queries.shape[1] + 8
        bound = terms * (float(_SINGLE.eps) * reach + 8.0 * float(_SINGLE.tiny))
        # an infinite limit: fewer candidates than wanted could be told apart at all
        holds = (reach < 0.01 * float(_SINGLE.max)) & np.isfinite(fast[:, -1])
        return (last**2 + bound < fast[:, -1] ** 2) & holds


class _Nearest:
    """The smallest products of each query, from blocks that come one after the other."""

    def __init__(self, queries: int, width: int) -> None:
        self._width = width
        self._limits = np.full(queries, np.inf, dtype=np.float32)  # what is not below is not wanted
        self._rows: list[npt.NDArray[np.uint16]] = []
        self._products: list[Singles] = []
        self._indices: list[IntArray] = []
        self._held, self._settled = 0, 0

    def add(self, products: Singles, first: int, stride: int) -> None:
        """The products of all queries with the cases ``first``, ``first + stride``, ..."""
        columns = products.shape[1]
        if not self._rows and columns > self._width:
            some = products[:, :: max(1, columns // (_SOME * self._width))]
            self._limits = np.partition(some, self._width - 1, axis=1)[:, self._width - 1]
            below = products <= self._limits[:, None]
        else:
            below = products < self._limits[:, None]
        places = np.flatnonzero(below)
        rows = places // columns
        self._rows.append(rows.astype(np.uint16))
        self._products.append(products.ravel()[places])
        self._indices.append(first + stride * (places - rows * columns))
        self._held += len(places)
        if self._held > 2 * self._settled:
            self.settle()

    def settle(self) -> tuple[FloatArray, IntArray]:
        """Keep the ``width`` smallest of each query."""
        queries, width = len(self._limits), self._width
        rows, products = np.concatenate(self._rows), np.concatenate(self._products)
        indices = np.concatenate(self._indices)
        order = np.argsort(rows, kind="stable")
        rows, products, indices = rows[order], products[order], indices[order]
        counts = np.bincount(rows, minlength=queries)
        place = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        table = np.full((queries, max(width, int(counts.max(initial=0)))), np.inf, dtype=np.float32)
        table[rows, place] = products
        names = np.full(table.shape, -1, dtype=np.int64)
        names[rows, place] = indices
        smallest = np.argpartition(table, width - 1, axis=1)[:, :width]
        least, named = np.take_along_axis(table, smallest, axis=1), np.take_along_axis(names, smallest, axis=1)
        self._limits = least.max(axis=1)
        self._rows = [np.repeat(np.arange(queries, dtype=np.uint16), width)]
        self._products, self._indices = [least.ravel()], [named.ravel()]
        self._held = self._settled = least.size
        return self._limits.astype(np.float64), named


@cache
def _blas() -> Any:
    """Small products are faster without threads, which wait for each other."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController().select(user_api="blas")


class Tree:
    """Compares each query with the cases near it; pays in few dimensions or on clustered data."""

    def __init__(self, cases: FloatArray, metric: FastMetric, *, kind: TreeName = "kd_tree") -> None:
        from sklearn.neighbors import BallTree, KDTree

        self._euclidean = metric == "euclidean"
        self._tree: Any = (KDTree if kind == "kd_tree" else BallTree)(cases, metric=metric)
        # a ball's centre and radius are rounded relative to the coordinates, not to the distances
        self._slack = 0.0 if kind == "kd_tree" else 1e-12 * float(np.abs(cases).max(initial=0.0)) * cases.shape[1]

    def search(self, queries: FloatArray, width: int) -> Candidates:
        """The nearest by branch and bound."""
        return Candidates(*self._tree.query(queries, width))

    def certain(self, queries: FloatArray, last: FloatArray, fast: FloatArray) -> Any:
        """By the error of differences, and of the balls' centres and radii."""
        if self._slack:
            last = last + self._slack + 1e-12 * np.abs(queries).max(axis=1) * queries.shape[1]
        return _clear_euclidean(queries, last, fast) if self._euclidean else _clear(last, fast)


def _clear_euclidean(queries: FloatArray, last: FloatArray, fast: FloatArray) -> Any:
    """By the error of |q|² - 2qx + |x|², relative to (|q| + |x|)² and not to the distance.

    A case within ``last`` of q has |x| <= |q| + last. So a case outside the candidates cannot be nearer than it seems
    by more. Moving cases and queries to a common centre errs no more than that, too.
    """
    norm = np.sqrt(np.einsum("ij,ij->i", queries, queries))
    bound = 8.0 * (queries.shape[1] + 8) * _ROUNDING * (2.0 * norm + last) ** 2
    return last**2 + bound < fast[:, -1] ** 2


def _clear(last: FloatArray, fast: FloatArray) -> Any:
    # direct differences err by a few units in the last place; this is far more
    return last * (1.0 + 1e-10) < fast[:, -1]
