"""Fast searches that propose candidates; who asks them computes the distances again and orders the ties."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from assay.cases.neighbors.checks import FloatArray, IntArray
from assay.cases.neighbors.distance import FastMetric

__all__ = ["Backend", "BruteForce", "Candidates", "Tree", "TreeName"]

TreeName: TypeAlias = Literal["kd_tree", "ball_tree"]
_ROUNDING = float(np.finfo(np.float64).eps)


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

        ``last`` is the exact distance of the last neighbour wanted, ``found`` the candidates' fast distances.
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
