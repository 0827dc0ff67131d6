"""Trees on one column that are really grown, prepared once and asked for any number of targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.insight.fits.forest.exact_sums import sums_are_exact
from assay.insight.fits.forest.one_column import PreparedArrays, SortedColumn, sort_column
from assay.insight.fits.forest.randomness import bootstrap
from assay.insight.fits.forest.settings import ForestSettings

__all__ = ["GrownColumn", "prepare_growth"]


_CLOSE = np.array([True])  # values may lie within the tolerance


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GrownColumn(PreparedArrays):
    """A sorted column and the groups of equal values that each tree can cut between."""

    column: SortedColumn
    starts: npt.NDArray[np.int32]
    stops: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    codes: npt.NDArray[np.uint32]  # [1, rows]: the rank of each training row among the distinct values
    distinct: npt.NDArray[np.float32]  # [1, values]
    places: npt.NDArray[np.int64]  # where each training row stands in ascending order
    crowd: int  # the most drawn rows that share a value in a tree

    def regress(self, target: FloatArray) -> FloatArray:
        """Mean prediction of the trees for each test row.

        Sums round as scikit-learn's do when no two rows of a tree share a value, or when nothing is rounded. Otherwise
        their order is followed only in trees where it may decide a split; elsewhere the last bits may differ.
        """
        from assay.insight.fits.forest.kernels.one_column_growth import grow_mean_trees, mean_room, root_sums

        column, settings = self.column, self.column.settings
        draws = bootstrap(target.size, settings.trees, settings.seed)
        roots = np.empty((settings.trees, 2))
        root_sums(draws.counts, np.array(target, dtype=np.float64), roots)  # one layout, compiled once
        ordered, total = target[column.order], np.zeros(column.queries.size)
        exact = self.crowd == 1 or sums_are_exact(target)
        groups, limit, tree = (self.starts, self.stops, self.ends), settings.depth_limit, 0
        room = mean_room(target.size, column.queries.size)
        while True:
            tree = grow_mean_trees(
                column.values, column.counts, ordered, roots, column.queries, *groups, limit, exact, tree, total, room
            )
            if tree == settings.trees:
                return column.answers(total)
            self._grow_in_order(ordered, tree, total)
            tree += 1

    def _grow_in_order(self, ordered: FloatArray, tree: int, total: FloatArray) -> None:
        """Add one tree that sums in scikit-learn's order among rows that share a value, too."""
        from assay.insight.fits.forest.kernels.tree_regressor import regress

        column, settings = self.column, self.column.settings
        draws = bootstrap(ordered.size, settings.trees, settings.seed)
        total += regress(
            self.codes,
            self.distinct,
            _CLOSE,
            ordered[self.places],
            False,
            column.queries[None],
            draws.counts[tree : tree + 1],
            draws.states[tree : tree + 1].astype(np.int64),
            settings.depth_limit,
            np.float32(settings.tolerance),
            0,  # rows share values on nodes of any size
        )

    def classify(self, codes: npt.NDArray[np.int64], classes: int) -> FloatArray:
        """Mean share of each class, one row per test row."""
        from assay.insight.fits.forest.kernels.one_column_growth import class_room, grow_class_trees

        sorted_column = self.column
        total = np.zeros((sorted_column.queries.size, classes))
        grow_class_trees(
            sorted_column.values,
            sorted_column.counts,
            codes[sorted_column.order],
            sorted_column.queries,
            self.starts,
            self.stops,
            self.ends,
            sorted_column.settings.depth_limit,
            total,
            class_room(codes.size, classes),
        )
        return sorted_column.answers(total)


def prepare_growth(
    train: npt.NDArray[np.float32], test: npt.NDArray[np.float32], settings: ForestSettings
) -> GrownColumn:
    """Sort a finite column, attach the draws of every tree and find the groups of equal values."""
    from assay.insight.fits.forest.kernels.one_column_growth import find_all_groups

    column = sort_column(train, test, settings)
    most = np.count_nonzero(column.counts)
    starts, stops = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
    ends = np.empty(settings.trees, dtype=np.int64)
    crowd = find_all_groups(column.values, column.counts, np.float32(settings.tolerance), starts, stops, ends)
    starts, stops = (array[: int(ends[-1])].copy() for array in (starts, stops))
    distinct, codes = np.unique(train, return_inverse=True)
    return GrownColumn(
        column=column,
        starts=starts,
        stops=stops,
        ends=ends,
        codes=codes.astype(np.uint32)[None],
        distinct=distinct[None],
        places=np.argsort(column.order),
        crowd=crowd,
    )
