"""Forests on one column, prepared once and asked for any number of targets."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.insight.fits.forest.randomness import bootstrap
from assay.insight.fits.forest.settings import ForestSettings

__all__ = ["OneColumn", "PreparedArrays", "SortedColumn", "prepare", "sort_column"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedArrays:
    """Arrays, and values that hold some."""

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return sum(getattr(getattr(self, entry.name), "nbytes", 0) for entry in fields(self))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SortedColumn(PreparedArrays):
    """A column in ascending order with what each tree draws of it; none of this depends on the target."""

    settings: ForestSettings
    order: npt.NDArray[np.int64]  # training rows by ascending value
    values: npt.NDArray[np.float32]  # their values
    counts: npt.NDArray[np.uint8]  # [trees, rows], in this order
    queries: npt.NDArray[np.float32]  # distinct test values, ascending
    places: npt.NDArray[np.int64]  # where each test row finds its value

    def answers(self, total: FloatArray) -> FloatArray:
        """Sums over the trees for the test values, as means for the test rows."""
        return np.asarray((total / self.settings.trees)[self.places])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneColumn(PreparedArrays):
    """A sorted column and the groups of equal values that answer the test values, for trees without a depth limit.

    Such a tree ends in groups of equal values whatever its splits, so no split has to be searched.
    """

    column: SortedColumn
    starts: npt.NDArray[np.int32]
    stops: npt.NDArray[np.int32]
    reach: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]

    def regress(self, target: FloatArray) -> FloatArray:
        """Mean prediction of the trees for each test row."""
        from assay.insight.fits.forest.kernels.one_column import group_means

        column = self.column
        total = np.zeros(column.queries.size)
        group_means(column.counts, target[column.order], self.starts, self.stops, self.reach, self.ends, total)
        return column.answers(total)

    def classify(self, codes: npt.NDArray[np.int64], classes: int) -> FloatArray:
        """Mean share of each class, one row per test row."""
        from assay.insight.fits.forest.kernels.one_column import class_shares, pair_shares

        column = self.column
        total = np.zeros((column.queries.size, classes))
        ordered = codes[column.order].astype(np.int32)
        groups = (self.starts, self.stops, self.reach, self.ends)
        if classes == 2:
            pair_shares(column.counts, ordered, *groups, total)
        else:
            class_shares(column.counts, ordered, *groups, total, np.zeros(classes))
        return column.answers(total)


def sort_column(
    train: npt.NDArray[np.float32], test: npt.NDArray[np.float32], settings: ForestSettings
) -> SortedColumn:
    """A finite column in ascending order, with the draws of every tree."""
    order = np.argsort(train, kind="stable")
    draws = bootstrap(train.size, settings.trees, settings.seed)
    queries, places = np.unique(test, return_inverse=True)
    return SortedColumn(
        settings=settings,
        order=order,
        values=train[order],
        counts=np.take(draws.counts, order, axis=1),
        queries=queries,
        places=places.reshape(-1),
    )


def prepare(train: npt.NDArray[np.float32], test: npt.NDArray[np.float32], settings: ForestSettings) -> OneColumn:
    """Sort a finite column, attach the draws of every tree and find the groups that answer the test values."""
    from assay.insight.fits.forest.kernels.one_column import find_groups

    column = sort_column(train, test, settings)
    room = settings.trees * min(column.queries.size, train.size)
    starts, stops, reach = (np.empty(room, dtype=np.int32) for _ in range(3))
    ends = np.empty(settings.trees, dtype=np.int64)
    tolerance = np.float32(settings.tolerance)
    find_groups(column.values, column.counts, column.queries, tolerance, starts, stops, reach, ends)
    used = int(ends[-1])
    starts, stops, reach = (array[:used].copy() for array in (starts, stops, reach))
    return OneColumn(column=column, starts=starts, stops=stops, reach=reach, ends=ends)
