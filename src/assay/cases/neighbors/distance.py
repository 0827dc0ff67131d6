"""How two rows are told apart, once they stand in the space of comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from assay.cases.neighbors.checks import FloatArray
from assay.cases.neighbors.gower import Gower
from assay.core import InvalidInput

__all__ = [
    "BRAYCURTIS",
    "CHEBYSHEV",
    "EUCLIDEAN",
    "HAVERSINE",
    "MANHATTAN",
    "Distance",
    "Fast",
    "FastMetric",
    "by_callable",
    "by_name",
    "gower",
    "minkowski",
    "nan_euclidean",
    "pair_distances",
]

Rows: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
FastMetric: TypeAlias = Literal["euclidean", "manhattan", "chebyshev"]


class Fast(NamedTuple):
    """A fast search that proposes candidates, and the exact distances to judge them by.

    ``pairs`` compares rows that broadcast against each other.
    """

    metric: FastMetric
    pairs: Rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Distance:
    """A distance that can be computed exactly, and how to search for it fast, if at all.

    ``matrix`` compares every row of one array with every row of another; a pair's distance never depends on what is
    computed beside it. ``shown`` turns the distances that are searched into those that are reported, without changing
    their order.
    """

    name: str
    matrix: Rows
    fast: Fast | None = None  # None: every query is compared with every case
    missing: bool = False  # whether rows may have nan
    shown: Callable[[FloatArray], FloatArray] | None = None


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


@dataclass(frozen=True, slots=True)
class _EveryPair:
    """Each row of one array against each row of another."""

    pairs: Rows

    def __call__(self, a: FloatArray, b: FloatArray) -> FloatArray:
        return self.pairs(a[:, None, :], b[None])


# distances are functions and small callable values, never closures: explanations can be pickled


def _from_pairs(name: str, pairs: Rows, *, fast: FastMetric | None = None, missing: bool = False) -> Distance:
    quick = None if fast is None else Fast(fast, pairs)
    return Distance(name=name, matrix=_EveryPair(pairs), fast=quick, missing=missing)


def _manhattan(a: FloatArray, b: FloatArray) -> FloatArray:
    difference = a - b
    total: FloatArray = np.abs(difference, out=difference).sum(axis=-1)
    return total


def _chebyshev(a: FloatArray, b: FloatArray) -> FloatArray:
    difference = a - b
    largest: FloatArray = np.abs(difference, out=difference).max(axis=-1)
    return largest


def _braycurtis(a: FloatArray, b: FloatArray) -> FloatArray:
    difference = a - b
    total = (np.abs(a) + np.abs(b)).sum(axis=-1)
    distances: FloatArray = np.zeros(total.shape)
    np.divide(np.abs(difference, out=difference).sum(axis=-1), total, out=distances, where=total > 0)
    return distances


def _haversine(a: FloatArray, b: FloatArray) -> FloatArray:
    north, east = np.sin((a[..., 0] - b[..., 0]) / 2) ** 2, np.sin((a[..., 1] - b[..., 1]) / 2) ** 2
    chord = north + np.cos(a[..., 0]) * np.cos(b[..., 0]) * east
    angle: FloatArray = 2 * np.arcsin(np.sqrt(np.clip(chord, 0.0, 1.0)))
    return angle


EUCLIDEAN = _from_pairs("euclidean", pair_distances, fast="euclidean")
MANHATTAN = _from_pairs("manhattan", _manhattan, fast="manhattan")
CHEBYSHEV = _from_pairs("chebyshev", _chebyshev, fast="chebyshev")
# scikit-learn's denominator, the sum of |a| + |b|; scipy's, |a + b|, is no distance where signs differ
BRAYCURTIS = _from_pairs("braycurtis", _braycurtis)
# the angle between two places given as latitude and longitude in radians
HAVERSINE = _from_pairs("haversine", _haversine)


@dataclass(frozen=True, slots=True)
class _Minkowski:
    p: float

    def __call__(self, a: FloatArray, b: FloatArray) -> FloatArray:
        difference = a - b
        np.abs(difference, out=difference)
        largest = difference.max(axis=-1)
        # relative to the largest, so that no power overflows
        np.divide(difference, largest[..., None], out=difference, where=largest[..., None] > 0)
        total: FloatArray = largest * (difference**self.p).sum(axis=-1) ** (1.0 / self.p)
        return total


def minkowski(p: float) -> Distance:
    """The p-th root of the sum of p-th powers."""
    return _from_pairs(f"minkowski (p={p:g})", _Minkowski(p))


@dataclass(frozen=True, slots=True)
class _NanEuclidean:
    weights: FloatArray

    def __call__(self, a: FloatArray, b: FloatArray) -> FloatArray:
        difference = a - b
        missing = np.isnan(difference)
        difference[missing] = 0.0
        squares = np.square(difference, out=difference).sum(axis=-1)
        common = np.where(missing, 0.0, self.weights).sum(axis=-1)
        distances: FloatArray = np.full(squares.shape, np.inf)
        np.divide(squares * self.weights.sum(), common, out=distances, where=common > 0)
        return np.sqrt(distances)


def nan_euclidean(weights: FloatArray) -> Distance:
    r"""Euclidean distance over the features that both rows have, scaled up for those that are missing.

    $$d(a, b) = \sqrt{\frac{\sum_j w_j}{\sum_j m_j w_j} \sum_j m_j w_j (a_j - b_j)^2}$$

    The rows are already multiplied by the roots of the weights. Rows without a common feature are infinitely far apart.
    """
    return _from_pairs("nan_euclidean", _NanEuclidean(weights), missing=True)


def gower(yard: Gower) -> Distance:
    """Gower's distance, by ranges and categories."""
    return _from_pairs("gower", yard.pairs, missing=True)


@dataclass(frozen=True, slots=True)
class _ByName:
    name: str
    params: Mapping[str, Any]
    boolean: bool

    def __call__(self, a: FloatArray, b: FloatArray) -> FloatArray:
        from scipy.spatial.distance import cdist

        first, second = (a != 0, b != 0) if self.boolean else (a, b)
        try:
            distances: FloatArray = np.asarray(cdist(first, second, metric=self.name, **self.params), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"metric {self.name!r} with metric_params {dict(self.params)!r}: {error}.") from None
        return _proper(distances, f"metric {self.name!r}")


def by_name(name: str, params: Mapping[str, Any], *, boolean: bool) -> Distance:
    """A distance as scipy defines it; a boolean one asks of every value only whether it is 0."""
    return Distance(name=name, matrix=_ByName(name, params, boolean))


@dataclass(frozen=True, slots=True)
class _ByCallable:
    function: Callable[..., Any]
    params: Mapping[str, Any]
    name: str

    def __call__(self, a: FloatArray, b: FloatArray) -> FloatArray:
        distances = np.empty((len(a), len(b)))
        for row, first in enumerate(a):
            for column, second in enumerate(b):
                value = self.function(first, second, **self.params)
                try:
                    distances[row, column] = value
                except (TypeError, ValueError):
                    raise InvalidInput(f"metric {self.name!r} must give a number, got {value!r}.") from None
        return _proper(distances, f"metric {self.name!r}")


def by_callable(function: Callable[..., Any], params: Mapping[str, Any]) -> Distance:
    """A distance that the user's function computes, a pair of rows at a time."""
    name = str(getattr(function, "__name__", type(function).__name__))
    return Distance(name=name, matrix=_ByCallable(function, params, name))


def _proper(distances: FloatArray, what: str) -> FloatArray:
    bad = ~(np.isfinite(distances) & (distances >= 0))
    if bad.any():
        # rounding may leave a tiny negative number where two rows are the same
        if (np.isfinite(distances) & (distances > -1e-9)).all():
            return np.maximum(distances, 0.0)
        value = distances[bad][0]
        raise InvalidInput(
            f"{what}: gives the distance {value} for some query and case; it must be finite and not negative. "
            "Choose a metric that is defined for all rows."
        )
    return distances
