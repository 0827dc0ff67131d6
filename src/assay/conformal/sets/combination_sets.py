"""Sets of combinations: for every sample the combinations of all tasks' classes that are still possible together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import prod
from typing import Any

import numpy as np

from assay.conformal.sets.checks import MISSING, BoolArray, IntArray, as_class_counts, as_labels
from assay.conformal.sets.prediction_sets import PredictionSets
from assay.core import InvalidInput
from assay.core.display import counted, object_html, shortened

__all__ = ["MOST_NUMBERED", "CombinationSets", "demand_numbered"]

MOST_NUMBERED = 2**62  # combinations, so that each has a number of 64 bits
_LONGEST_LINE = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CombinationSets:
    """For every sample the combinations of classes that are still possible, as a list or as a product of sets.

    A combination is one class of every task. Its number counts combinations with the last task running fastest, as
    ``numpy.ravel_multi_index`` does. A product set is a special case: :meth:`from_products`. Slices, ``==`` and
    :meth:`concatenate` work as on arrays of samples. Usually made by :meth:`from_labels` or
    :meth:`Calibration.predict_sets`.

    Parameters
    ----------
    numbers : array of int64
        The listed combinations of all samples, sample after sample, in order and without doubles within a sample.
    starts : array of n + 1 int64
        Where the combinations of each sample start in ``numbers``; the last is where they end.
    products : PredictionSets
        The sets of those samples whose set is a product, empty for the others.
    is_product : array of n bool
        Which samples these are; they list no combination.

    Raises
    ------
    InvalidInput
        When the parts do not fit together, or there are more than 2^62 combinations.

    Examples
    --------
    >>> sets = CombinationSets.from_labels([[[0, 1], [2, 0]], [[1, 1]]], classes=(3, 2))
    >>> sets
    CombinationSets(2 samples, 2 tasks, mean size 1.50)
    >>> sets.sizes().tolist(), sets.labels(0)
    ([2, 1], [(0, 1), (2, 0)])
    >>> sets[0]
    CombinationSets(1 sample, 2 tasks: (0, 1), (2, 0))
    >>> sets.project().labels(0), sets.contains([[0, 1], [0, 1]]).tolist()
    ([[0, 2], [1]], [False, True])
    """

    numbers: IntArray
    starts: IntArray
    products: PredictionSets
    is_product: BoolArray

    def __post_init__(self) -> None:
        whole = demand_numbered(self.classes)
        samples = len(self.is_product)
        if len(self.products) != samples or self.starts.shape != (samples + 1,):
            raise InvalidInput(f"combinations: the parts are of {samples}, {len(self.products)} and other samples.")
        sizes = np.diff(self.starts)
        if (sizes < 0).any() or self.starts[0] != 0 or self.starts[-1] != len(self.numbers):
            raise InvalidInput("combinations: starts must rise from 0 to the number of listed combinations.")
        if (sizes[self.is_product] > 0).any():
            raise InvalidInput("combinations: a sample has both a list and a product.")
        if len(self.numbers) and not 0 <= self.numbers.min() <= self.numbers.max() < whole:
            raise InvalidInput(f"combinations: numbers must lie from 0 to {whole - 1}.")
        inside = np.ones(len(self.numbers), dtype=np.bool_)
        inside[self.starts[:-1][sizes > 0]] = False
        if (np.diff(self.numbers, prepend=0) <= 0)[inside].any():
            raise InvalidInput("combinations: those of a sample must rise, without doubles.")

    @classmethod
    def listed(cls, numbers: Sequence[IntArray] | Any, starts: IntArray, classes: Sequence[int]) -> CombinationSets:
        """From numbers of combinations, each sample's in order."""
        samples = len(starts) - 1
        return cls(
            numbers=np.ascontiguousarray(numbers, dtype=np.int64),
            starts=np.ascontiguousarray(starts, dtype=np.int64),
            products=_nothing(samples, classes),
            is_product=np.zeros(samples, dtype=np.bool_),
        )

    @classmethod
    def from_labels(cls, sets: Sequence[Any], *, classes: Sequence[int]) -> CombinationSets:
        """From lists: of each sample its combinations, of each combination the class of every task.

        A sample may be a mapping ``{"product": [[classes of task 0], ...]}`` in place of a list.
        """
        counts = as_class_counts(classes)
        demand_numbered(counts)
        boxes = np.asarray([isinstance(entry, dict) for entry in sets], dtype=np.bool_)
        rows = [[] if boxed else list(entry) for entry, boxed in zip(sets, boxes.tolist(), strict=True)]
        ends = np.cumsum([0, *map(len, rows)])
        flat = list(chain.from_iterable(rows))
        numbers = np.zeros(len(flat), dtype=np.int64)
        if flat:
            members = _members(flat, ends, counts)
            numbers = np.ravel_multi_index(tuple(members.T), counts).astype(np.int64)
            sample = np.repeat(np.arange(len(rows)), np.diff(ends))
            order = np.lexsort((numbers, sample))
            numbers = numbers[order]
            double = (np.diff(numbers) == 0) & (np.diff(sample) == 0)
            if double.any():
                at = int(np.argmax(double))
                named = np.unravel_index(int(numbers[at]), counts)
                raise InvalidInput(f"combinations, sample {sample[at]}: {[int(c) for c in named]} is named twice.")
        products = _nothing(len(rows), counts)
        if boxes.any():
            lists = [_box(entry, sample, len(counts)) for sample, entry in enumerate(sets)]
            products = PredictionSets.from_labels(
                [[row[task] for row in lists] for task in range(len(counts))], classes=counts
            )
        return cls(numbers=numbers, starts=ends.astype(np.int64), products=products, is_product=boxes)

    @classmethod
    def from_products(cls, products: PredictionSets) -> CombinationSets:
        """Every combination of the tasks' sets."""
        samples = len(products)
        return cls(
            numbers=np.zeros(0, dtype=np.int64),
            starts=np.zeros(samples + 1, dtype=np.int64),
            products=products,
            is_product=np.ones(samples, dtype=np.bool_),
        )

    @classmethod
    def concatenate(cls, parts: Iterable[CombinationSets]) -> CombinationSets:
        """The sets of several runs of samples, one after the other."""
        all_parts = list(parts)
        if not all_parts:
            raise InvalidInput("combinations: there is nothing to concatenate.")
        sizes = np.concatenate([np.diff(part.starts) for part in all_parts])
        return cls(
            numbers=np.concatenate([part.numbers for part in all_parts]),
            starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            products=PredictionSets.concatenate([part.products for part in all_parts]),
            is_product=np.concatenate([part.is_product for part in all_parts]),
        )

    @property
    def classes(self) -> tuple[int, ...]:
        """The number of classes of each task."""
        return self.products.classes

    @property
    def tasks(self) -> int:
        """How many tasks."""
        return len(self.classes)

    def __len__(self) -> int:
        return len(self.is_product)

    def __repr__(self) -> str:
        if len(self) == 1:
            if self.is_product[0]:
                content = f"every combination of {self.products.told_sample(0)}"
            else:
                combinations = zip(*np.unravel_index(self.numbers[:_LONGEST_LINE], self.classes), strict=True)
                content = (
                    shortened(", ".join(str(tuple(map(int, each))) for each in combinations), _LONGEST_LINE) or "none"
                )
            return f"CombinationSets(1 sample, {counted(self.tasks, 'task')}: {content})"
        size = f", mean size {self.sizes().mean(dtype=np.float64):.2f}" if len(self) else ""
        return f"CombinationSets({counted(len(self), 'sample')}, {counted(self.tasks, 'task')}{size})"

    def _repr_html_(self) -> str:
        sizes = self.sizes()
        facts = {
            "combinations": prod(self.classes),
            "sets of one": int((sizes == 1).sum()),
            "empty sets": int((sizes == 0).sum()),
            "largest set": int(sizes.max(initial=0)),
        }
        return object_html(repr(self), facts)

    def __getitem__(self, rows: Any) -> CombinationSets:
        """The sets of some samples: a slice, a mask or row numbers."""
        chosen = np.atleast_1d(np.arange(len(self))[rows])
        sizes = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        places = np.arange(starts[-1]) + np.repeat(self.starts[:-1][chosen] - starts[:-1], sizes)
        return CombinationSets(
            numbers=self.numbers[places],
            starts=starts,
            products=self.products[chosen],
            is_product=self.is_product[chosen],
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CombinationSets):
            return NotImplemented
        arrays = ("numbers", "starts", "is_product")
        same = all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)
        return same and self.products == other.products

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def sizes(self) -> IntArray:
        """How many combinations each set holds, (n,)."""
        products = self.products.sizes().prod(axis=1)
        return np.where(self.is_product, products, np.diff(self.starts))

    def labels(self, sample: int) -> list[tuple[int, ...]]:
        """One sample's combinations, a class per task."""
        sample = range(len(self))[sample]  # -1 is the last one
        if self.is_product[sample]:
            boxes = [np.flatnonzero(self.products[[sample]].matrix(task)[0]) for task in range(self.tasks)]
            columns = [grid.ravel() for grid in np.meshgrid(*boxes, indexing="ij")]
        else:
            here = self.numbers[self.starts[sample] : self.starts[sample + 1]]
            columns = list(np.unravel_index(here, self.classes))
        return [tuple(map(int, row)) for row in zip(*columns, strict=True)]

    def project(self) -> PredictionSets:
        """What the sets leave open in each task alone: the classes of the combinations."""
        sample = np.repeat(np.arange(len(self)), np.diff(self.starts))
        matrices = []
        members = np.unravel_index(self.numbers, self.classes)
        empty = self.is_product & (self.products.sizes() == 0).any(axis=1)  # a product with an empty set holds nothing
        for task, column in enumerate(members):
            matrix = self.products.matrix(task).copy()
            matrix[empty] = False
            matrix[sample, column] = True
            matrices.append(matrix)
        return PredictionSets.from_matrices(matrices)

    def contains(self, labels: Any) -> BoolArray:
        """Whether each sample's combination of labels is in its set; False where a label is missing."""
        columns = as_labels(labels, self.classes, samples=len(self))
        labelled = np.logical_and.reduce([column != MISSING for column in columns])
        places = tuple(np.maximum(column, 0) for column in columns)
        numbers = np.ravel_multi_index(places, self.classes)
        sample = np.repeat(np.arange(len(self)), np.diff(self.starts))
        listed = np.zeros(len(self), dtype=np.bool_)
        listed[sample[self.numbers == numbers[sample]]] = True
        rows = np.arange(len(self))
        boxed = np.logical_and.reduce([self.products.matrix(t)[rows, column] for t, column in enumerate(places)])
        hit: BoolArray = labelled & np.where(self.is_product, boxed, listed)
        return hit


def demand_numbered(classes: Sequence[int]) -> int:
    """How many combinations there are; refused where they are too many to have numbers."""
    whole = prod(classes)
    if whole > MOST_NUMBERED:
        raise InvalidInput(
            f"combinations: {len(classes)} tasks have more than {MOST_NUMBERED} of them. Give product sets instead "
            '(method "joint" in place of "joint-combinations").'
        )
    return whole


def _nothing(samples: int, classes: Sequence[int]) -> PredictionSets:
    return PredictionSets.from_matrices([np.zeros((samples, count), dtype=np.bool_) for count in classes])


def _members(flat: list[Any], ends: IntArray, counts: tuple[int, ...]) -> IntArray:
    try:
        members = np.asarray(flat)
    except ValueError:
        members = np.empty(0)
    if members.ndim != 2 or members.shape[1] != len(counts) or members.dtype.kind not in "iu":
        raise InvalidInput(
            f"combinations: each must be a list of {len(counts)} class numbers, one per task, as in "
            f"{[0] * len(counts)}."
        )
    outside = ((members < 0) | (members >= np.asarray(counts))).any(axis=1)
    if outside.any():
        at = int(np.argmax(outside))
        sample = int(np.searchsorted(ends, at, side="right")) - 1
        raise InvalidInput(
            f"combinations, sample {sample}: {members[at].tolist()} is outside the {counts} classes of the tasks."
        )
    return members.astype(np.int64)


def _box(entry: Any, sample: int, tasks: int) -> Sequence[Sequence[int]]:
    if not isinstance(entry, dict):
        return [[]] * tasks
    lists = entry.get("product")
    if set(entry) != {"product"} or not isinstance(lists, list | tuple) or len(lists) != tasks:
        raise InvalidInput(
            f'combinations, sample {sample}: a product is {{"product": [...]}} with a list of classes for each of '
            f"the {tasks} tasks."
        )
    return lists
