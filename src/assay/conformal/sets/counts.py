"""Everything that the metrics need of sets and labels, as whole numbers that can be added up part by part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from math import log2, nan, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.conformal.sets.checks import MISSING, BoolArray, IntArray, as_labels, demand_range
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.named import in_order, names_of
from assay.conformal.sets.prediction_sets import PredictionSets, SetsLike, as_matrices
from assay.core import InvalidInput
from assay.core.display import counted, object_html

__all__ = ["SetCounts", "TaskCounts", "count_sets"]

_MISSED, _HIT, _UNKNOWN = 0, 1, 2
_TOGETHER = ("known", "covered", "single", "volume", "empty")  # counts of all tasks of a sample at once
_MOST_COMPILED = 2**16  # classes: the kernels sum sizes in 16 bits
_WORTH_COMPILING = 2_000_000  # entries of a matrix, below which NumPy is done before the kernels are loaded


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TaskCounts:
    """One task: how often each class was missed and hit, and how often each size was missed, hit or unlabelled."""

    by_class: IntArray  # [C, 2]
    by_size: IntArray  # [C + 1, 3]

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.by_class)

    @property
    def samples(self) -> int:
        """All samples, those without a label included."""
        return int(self.by_size.sum())

    @property
    def labelled(self) -> int:
        """Samples whose label is known."""
        return int(self.by_class.sum())

    @property
    def hits(self) -> int:
        """Labelled samples whose set holds the label."""
        return int(self.by_class[:, _HIT].sum())

    @property
    def sizes(self) -> IntArray:
        """How many sets have 0, 1, ... C classes."""
        counts: IntArray = self.by_size.sum(axis=1)
        return counts

    @property
    def total_size(self) -> int:
        """The sizes of all sets together."""
        return int(self.sizes @ np.arange(self.classes + 1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SetCounts:
    """Counts of sets against labels, which every metric takes. Counts of parts add up to the counts of the whole.

    Made by :func:`count_sets`, :func:`evaluate_stream` or :meth:`Calibration.count`.

    Parameters
    ----------
    tasks : tuple of TaskCounts
        What concerns each task alone.
    known : int
        Samples whose labels are known in every task.
    covered : int
        How many of those are covered in every task.
    single : int
        Samples whose sets are all singletons: one combination is left.
    volume : int
        How many combinations are left, summed over samples: of product sets the product of their sizes.
    empty : int
        Samples with an empty set in some task: no combination is left.

    Examples
    --------
    >>> part = count_sets([[[True, False], [True, True]]], [[0, 1]])
    >>> part + part
    SetCounts(4 samples, 1 task, coverage 1.000, mean size 1.50)
    >>> (part + part).samples, (part + part).tasks[0].hits
    (4, 4)
    """

    tasks: tuple[TaskCounts, ...]
    known: int  # samples whose labels are known in every task
    covered: int  # of those, how many are covered in every task
    single: int  # samples whose sets are all singletons
    volume: int  # product of the sizes, summed over samples
    empty: int  # samples with an empty set in some task

    def __repr__(self) -> str:
        rows = [_means(task) for task in self.tasks]
        means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
        means_text = f", coverage {means[0]:.3f}, mean size {means[1]:.2f}" if self.samples else ""
        return f"SetCounts({counted(self.samples, 'sample')}, {counted(len(self.tasks), 'task')}{means_text})"

    def _repr_html_(self) -> str:
        facts = {"covered in every task": f"{self.covered} of {self.known}", "an empty set": self.empty}
        columns = ("task", "classes", "labelled", "coverage", "mean size")
        rows = ((number, task.classes, task.labelled, *_means(task)) for number, task in enumerate(self.tasks))
        return object_html(repr(self), facts, columns=columns, rows=rows, total=len(self.tasks))

    @property
    def samples(self) -> int:
        """All samples."""
        return self.tasks[0].samples if self.tasks else 0

    @property
    def classes(self) -> tuple[int, ...]:
        """The number of classes of each task."""
        return tuple(task.classes for task in self.tasks)

    def __add__(self, other: SetCounts) -> SetCounts:
        if not isinstance(other, SetCounts):
            return NotImplemented
        if self.classes != other.classes:
            raise InvalidInput(f"counts of {self.classes} and of {other.classes} classes do not belong together.")
        tasks = tuple(
            TaskCounts(by_class=a.by_class + b.by_class, by_size=a.by_size + b.by_size)
            for a, b in zip(self.tasks, other.tasks, strict=True)
        )
        return SetCounts(tasks=tasks, **{name: getattr(self, name) + getattr(other, name) for name in _TOGETHER})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SetCounts):
            return NotImplemented
        return self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    @staticmethod
    def merge(parts: Iterable[SetCounts]) -> SetCounts:
        """The counts of all parts, as they arrive: from chunks of a file, or from many workers."""
        arrived = iter(parts)
        first = next(arrived, None)
        if first is None:
            raise InvalidInput("counts: there is nothing to merge.")
        return reduce(SetCounts.__add__, arrived, first)

    def to_json(self) -> dict[str, Any]:
        """Plain whole numbers, to be sent from a worker to where the parts are merged."""
        return {
            "by_class": [task.by_class.tolist() for task in self.tasks],
            "by_size": [task.by_size.tolist() for task in self.tasks],
            **{name: getattr(self, name) for name in _TOGETHER},
        }

    @classmethod
    def from_json(cls, body: dict[str, Any]) -> SetCounts:
        """The inverse of :meth:`to_json`."""
        try:
            tasks = tuple(
                TaskCounts(by_class=np.asarray(classes, dtype=np.int64), by_size=np.asarray(sizes, dtype=np.int64))
                for classes, sizes in zip(body["by_class"], body["by_size"], strict=True)
            )
            rest = {name: int(body[name]) for name in _TOGETHER}
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InvalidInput(f"counts of sets: damaged, {type(error).__name__}: {error}.") from None
        return cls(tasks=tasks, **rest)


def count_sets(sets: SetsLike | CombinationSets, labels: Any = None) -> SetCounts:
    """Count sets against labels in one pass.

    Parameters
    ----------
    sets : PredictionSets, CombinationSets, or sequence of (n, C) matrices, one per task
        The sets. Of combinations, each task counts the classes that they leave open in it; what concerns all tasks at
        once (covered, single, volume, empty) counts combinations.
    labels : sequence of n class numbers per task, or (n, T) matrix, optional
        What is right; -1 is missing. Without labels only sizes are counted.

    Returns
    -------
    SetCounts
        Every metric takes them in place of sets and labels.

    Raises
    ------
    InvalidInput
        When labels do not fit the sets.

    Examples
    --------
    >>> count_sets([[[1, 0], [1, 1]], [[0, 1], [0, 1]]], [[0, 1], [1, 0]])
    SetCounts(2 samples, 2 tasks, coverage 0.750, mean size 1.25)
    """
    if isinstance(sets, CombinationSets):
        return _count_combinations(sets, labels)
    packed = isinstance(sets, PredictionSets)
    sources: tuple[npt.NDArray[Any], ...] = sets.words if isinstance(sets, PredictionSets) else as_matrices(sets)
    classes = sets.classes if isinstance(sets, PredictionSets) else tuple(matrix.shape[1] for matrix in sources)
    samples = len(sources[0])
    if labels is None:
        columns: tuple[IntArray, ...] = tuple(np.full(samples, MISSING, dtype=np.int64) for _ in classes)
    else:
        labels = in_order(labels, names_of(sets), what="labels", like="the sets")
        columns = as_labels(labels, samples=samples)
        if len(columns) != len(classes):
            as_labels(labels, classes)  # says what is wrong
    alone = len(classes) == 1
    counted_tasks = (
        _count_task(source, count, column, packed=packed, task=task, keep=not alone)
        for task, (source, count, column) in enumerate(zip(sources, classes, columns, strict=True))
    )
    tasks, sizes, hits = zip(*counted_tasks, strict=True)
    if alone:
        only = tasks[0]
        return SetCounts(
            tasks=(only,),
            known=only.labelled,
            covered=only.hits,
            single=int(only.sizes[1]),
            volume=only.total_size,
            empty=int(only.sizes[0]),
        )
    return _together(tasks, np.stack(sizes), np.stack(hits))


def _count_combinations(sets: CombinationSets, labels: Any) -> SetCounts:
    """Tasks by what the combinations leave open in each; together by the combinations themselves."""
    apart = count_sets(sets.project(), labels)
    sizes = sets.sizes()
    fits = log2(prod(sets.classes)) + log2(max(len(sets), 1)) < 62
    return SetCounts(
        tasks=apart.tasks,
        known=apart.known,
        covered=0 if labels is None else int(sets.contains(labels).sum()),
        single=int((sizes == 1).sum()),
        volume=int(sizes.sum()) if fits else sum(sizes.tolist()),
        empty=int((sizes == 0).sum()),
    )


def _means(task: TaskCounts) -> tuple[float, float]:
    """Coverage and mean size, for displays."""
    coverage = task.hits / task.labelled if task.labelled else nan
    return coverage, task.total_size / task.samples if task.samples else nan


def _together(tasks: tuple[TaskCounts, ...], sizes: npt.NDArray[Any], hits: npt.NDArray[Any]) -> SetCounts:
    return SetCounts(
        tasks=tasks,
        known=int((hits != _UNKNOWN).all(axis=0).sum()),
        covered=int((hits == _HIT).all(axis=0).sum()),
        single=int((sizes == 1).all(axis=0).sum()),
        volume=_volume(sizes, tuple(task.classes for task in tasks)),
        empty=int((sizes == 0).any(axis=0).sum()),
    )


def _volume(sizes: npt.NDArray[Any], classes: tuple[int, ...]) -> int:
    """Exact: with Python's whole numbers where 64 bits might not hold the sum."""
    samples = max(sizes.shape[1], 1)
    if sum(log2(count) for count in classes) + log2(samples) < 62:
        return int(np.prod(sizes, axis=0, dtype=np.int64).sum())
    return sum(prod(column) for column in zip(*(row.tolist() for row in sizes), strict=True))


def _count_task(
    source: npt.NDArray[Any], classes: int, labels: IntArray, *, packed: bool, task: int, keep: bool
) -> tuple[TaskCounts, npt.NDArray[np.int32], npt.NDArray[np.int8]]:
    by_class, by_size = np.zeros((classes, 2), dtype=np.int64), np.zeros((classes + 1, 3), dtype=np.int64)
    if source.size < _WORTH_COMPILING // (64 if packed else 1) or not _compilable(classes):
        return _count_plainly(source, classes, labels, packed=packed, task=task)
    from assay.conformal.sets import kernels

    size = np.empty(len(labels) if keep else 0, dtype=np.int32)
    hit = np.empty(len(labels) if keep else 0, dtype=np.int8)
    flat = (labels, by_class.reshape(-1), by_size.reshape(-1), size if keep else None, hit if keep else None)
    if packed:
        bad = kernels.count_packed(source, classes, *flat)
    elif classes % 4 == 0 and classes <= 4 * kernels.LANES:
        bad = kernels.count_lanes(source.view(np.uint32), source.view(np.uint8), *flat)
    else:
        bad = kernels.count_matrix(source.view(np.uint8), *flat)
    if bad >= 0:
        demand_range(labels, classes, what=f"labels, task {task}")
    return TaskCounts(by_class=by_class, by_size=by_size), size, hit


def _compilable(classes: int) -> bool:
    return classes < _MOST_COMPILED


def _count_plainly(
    source: npt.NDArray[Any], classes: int, labels: IntArray, *, packed: bool, task: int
) -> tuple[TaskCounts, npt.NDArray[np.int32], npt.NDArray[np.int8]]:
    demand_range(labels, classes, what=f"labels, task {task}")
    matrix: BoolArray = PredictionSets((source,), (classes,)).matrix(0) if packed else source
    size = matrix.sum(axis=1, dtype=np.int32)
    rows = np.arange(len(labels))
    inside = matrix[rows, np.maximum(labels, 0)]
    hit = np.where(labels == MISSING, _UNKNOWN, inside).astype(np.int8)
    labelled = labels != MISSING
    by_class = np.bincount(labels[labelled] * 2 + hit[labelled], minlength=2 * classes).reshape(classes, 2)
    by_size = np.bincount(size.astype(np.int64) * 3 + hit, minlength=3 * (classes + 1)).reshape(classes + 1, 3)
    return TaskCounts(by_class=by_class.astype(np.int64), by_size=by_size.astype(np.int64)), size, hit
