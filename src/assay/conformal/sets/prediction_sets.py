"""Prediction sets for several tasks at once, a bit per class, and the forms in which others give theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.conformal.sets.checks import BoolArray, IntArray, as_class_counts, to_numpy
from assay.conformal.sets.named import by_name, in_order
from assay.core import InvalidInput
from assay.core.display import counted, object_html, shortened

__all__ = ["PredictionSets", "SetsLike", "as_matrices", "pack", "words_for"]

WordArray: TypeAlias = npt.NDArray[np.uint64]
SetsLike: TypeAlias = "PredictionSets | Sequence[npt.ArrayLike] | npt.ArrayLike"

_BITS = 64
_LONGEST_LINE = 100


@dataclass(frozen=True, slots=True, eq=False)
class PredictionSets:
    """For every sample and task the set of classes that are still possible, a bit per class.

    Bit c of a row stands at byte c // 8, bit c % 8; bits beyond the last class are zero. Slices, ``==`` and
    :meth:`concatenate` work as on arrays of samples. Usually made by :meth:`from_labels`, :meth:`from_matrices` or
    :meth:`Calibration.predict_sets`.

    Parameters
    ----------
    words : tuple of arrays of uint64, one per task
        The packed sets.
    classes : tuple of int
        The number of classes of each task.
    names : tuple of str, optional
        The names of the tasks; labels that are given by name are then matched by name.

    Raises
    ------
    InvalidInput
        When words and classes do not fit together.

    Examples
    --------
    >>> sets = PredictionSets.from_labels([[[0], [0, 2]], [[1], []]], classes=(3, 2))
    >>> sets
    PredictionSets(2 samples, 2 tasks, mean size 1.00)
    >>> len(sets), sets.classes, sets.sizes().tolist()
    (2, (3, 2), [[1, 1], [2, 0]])
    >>> sets[0]
    PredictionSets(1 sample, 2 tasks: {0}, {1})
    >>> sets.matrix(0).tolist()
    [[True, False, False], [True, False, True]]
    """

    words: tuple[WordArray, ...]
    classes: tuple[int, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        counts = as_class_counts(self.classes)
        object.__setattr__(self, "classes", counts)
        object.__setattr__(self, "words", tuple(self.words))
        object.__setattr__(self, "names", tuple(self.names))
        if self.names and len(self.names) != len(counts):
            raise InvalidInput(f"sets: {len(self.names)} names for {len(counts)} tasks.")
        if len(self.words) != len(counts):
            raise InvalidInput(f"sets: {len(self.words)} tasks of words for {len(counts)} class counts.")
        for task, (words, count) in enumerate(zip(self.words, counts, strict=True)):
            if words.dtype != np.uint64 or words.ndim != 2 or words.shape[1] != words_for(count):
                raise InvalidInput(
                    f"sets, task {task}: {count} classes need words of shape (n, {words_for(count)}) and type uint64, "
                    f"got {words.dtype} {words.shape}."
                )
            _demand_samples(len(words), len(self.words[0]), task)

    @classmethod
    def from_matrices(
        cls, sets: Sequence[npt.ArrayLike] | Mapping[str, npt.ArrayLike] | npt.ArrayLike, *, level: int | None = None
    ) -> PredictionSets:
        """Pack one (n, C) matrix of booleans or 0/1 numbers per task, in a list or by the task's name.

        (n, C, 1), as MAPIE gives it, is taken too; of (n, C, levels) ``level`` is the place of the one that is meant.
        """
        named = by_name(sets)
        values = named.values if isinstance(named.values, list | tuple) else [named.values]
        tasks: Sequence[str | int] = named.names or range(len(values))
        levelled = [_at_level(matrix, level, task) for task, matrix in zip(tasks, values, strict=True)]
        matrices = as_matrices(dict(zip(named.names, levelled, strict=True)) if named.names else levelled)
        classes = tuple(matrix.shape[1] for matrix in matrices)
        return cls(tuple(pack(matrix) for matrix in matrices), classes, named.names)

    @classmethod
    def from_labels(
        cls,
        sets: Sequence[Sequence[Iterable[Any]]] | Mapping[str, Sequence[Iterable[Any]]],
        *,
        classes: Sequence[int | Sequence[Any] | npt.NDArray[Any]]
        | Mapping[str, int | Sequence[Any] | npt.NDArray[Any]],
    ) -> PredictionSets:
        """Pack lists of classes, ``sets[task][sample]``; order does not matter, doubles count once.

        ``classes`` says per task how many there are, where the lists hold their numbers, or which, where they hold
        labels, as crepes gives them.

        >>> PredictionSets.from_labels([[["oak"], ["oak", "ash"]]], classes=[["ash", "oak"]]).labels(0)
        [[1], [0, 1]]
        """
        named = by_name(sets)
        per_task = in_order(classes, named.names, what="classes", like="the sets")
        if len(named.values) != len(per_task):
            raise InvalidInput(f"sets: {len(named.values)} tasks of lists for {len(per_task)} class counts.")
        counts = as_class_counts([_count(entry) for entry in per_task])
        tasks: Sequence[str | int] = named.names or range(len(counts))
        words = [
            _pack_lists(_numbered(rows, own, task), count, task)
            for task, rows, own, count in zip(tasks, named.values, per_task, counts, strict=True)
        ]
        return cls(tuple(words), counts, named.names)

    @classmethod
    def full(cls, samples: int, classes: Sequence[int]) -> PredictionSets:
        """All classes for every sample."""
        return cls.from_matrices([np.ones((samples, count), dtype=np.bool_) for count in as_class_counts(classes)])

    @classmethod
    def concatenate(cls, parts: Sequence[PredictionSets]) -> PredictionSets:
        """The samples of several parts, one after the other."""
        if not parts:
            raise InvalidInput("sets: there is nothing to concatenate.")
        first = parts[0]
        for part in parts[1:]:
            if part.classes != first.classes:
                raise InvalidInput(f"sets: parts of {first.classes} and of {part.classes} classes do not fit.")
        return cls(
            tuple(np.concatenate([part.words[t] for part in parts]) for t in range(first.tasks)),
            first.classes,
            first.names,
        )

    @property
    def tasks(self) -> int:
        """How many tasks."""
        return len(self.classes)

    @property
    def nbytes(self) -> int:
        """Memory of the packed sets."""
        return sum(words.nbytes for words in self.words)

    def __len__(self) -> int:
        return len(self.words[0])

    def __repr__(self) -> str:
        if len(self) == 1:
            return f"PredictionSets(1 sample, {counted(self.tasks, 'task')}: {self.told_sample(0)})"
        size = f", mean size {self.sizes().mean():.2f}" if len(self) else ""
        return f"PredictionSets({counted(len(self), 'sample')}, {counted(self.tasks, 'task')}{size})"

    def told_sample(self, sample: int) -> str:
        """One sample's classes of every task, in one line that ends where it would be too long."""
        texts = []
        for task in range(min(self.tasks, _LONGEST_LINE)):
            name = f"{shortened(self.names[task])} " if self.names else ""
            classes = np.flatnonzero(self[[sample]].matrix(task)[0])[:_LONGEST_LINE]
            texts.append(f"{name}{{{', '.join(map(str, classes.tolist()))}}}")
        return shortened(", ".join(texts), _LONGEST_LINE)

    def _repr_html_(self) -> str:
        sizes = self.sizes()
        means = sizes.mean(axis=0) if len(self) else np.full(self.tasks, np.nan)
        shares = [(sizes == size).mean(axis=0) if len(self) else np.full(self.tasks, np.nan) for size in (0, 1)]
        rows = zip(range(self.tasks), self.classes, means.tolist(), *(share.tolist() for share in shares), strict=True)
        columns = ("task", "classes", "mean size", "empty", "singletons")
        return object_html(repr(self), {}, columns=columns, rows=rows, total=self.tasks)

    def __getitem__(self, rows: Any) -> PredictionSets:
        """The sets of some samples: a slice, a mask or row numbers."""
        if isinstance(rows, int | np.integer):
            rows = [rows]
        return PredictionSets(tuple(words[rows] for words in self.words), self.classes, self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PredictionSets):
            return NotImplemented
        same = self.classes == other.classes
        return same and all(np.array_equal(a, b) for a, b in zip(self.words, other.words, strict=True))

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def matrix(self, task: int) -> BoolArray:
        """One task as an (n, C) boolean matrix."""
        bits = np.unpackbits(_bytes(self.words[task]), axis=1, bitorder="little", count=self.classes[task])
        return bits.view(np.bool_)

    def matrices(self) -> tuple[BoolArray, ...]:
        """Every task as an (n, C) boolean matrix."""
        return tuple(self.matrix(task) for task in range(self.tasks))

    def labels(self, task: int) -> list[list[int]]:
        """One task as lists of class numbers."""
        matrix = self.matrix(task)
        members = np.nonzero(matrix)[1].tolist()
        ends = np.cumsum(matrix.sum(axis=1)).tolist()
        return [members[start:end] for start, end in pairwise([0, *ends])]

    def sizes(self) -> IntArray:
        """How many classes each set holds, (n, T)."""
        counted = [np.bitwise_count(words).sum(axis=1, dtype=np.int64) for words in self.words]
        return np.stack(counted, axis=1)

    def task(self, number: int) -> PredictionSets:
        """One task alone."""
        return PredictionSets((self.words[number],), (self.classes[number],), self.names[number : number + 1])


def words_for(classes: int) -> int:
    """How many 64-bit words hold that many classes."""
    return -(-classes // _BITS)


def as_matrices(sets: Any) -> tuple[BoolArray, ...]:
    """One (n, C) boolean matrix per task, from booleans or 0/1 numbers; a single matrix is a single task."""
    if isinstance(sets, PredictionSets):
        return sets.matrices()
    named = by_name(sets)
    parts = list(named.values) if isinstance(named.values, list | tuple) else [named.values]
    if not parts:
        raise InvalidInput("sets: there is no task; give one (n, C) matrix per task.")
    tasks: Sequence[str | int] = named.names or range(len(parts))
    matrices = tuple(_as_matrix(values, task) for task, values in zip(tasks, parts, strict=True))
    for task, matrix in zip(tasks, matrices, strict=True):
        _demand_samples(len(matrix), len(matrices[0]), task, tasks[0])
    return matrices


def _as_matrix(values: Any, task: str | int) -> BoolArray:
    try:
        array = to_numpy(values)
    except ValueError:
        raise InvalidInput(
            f"sets, task {task!r}: rows differ in length. Lists of classes go through PredictionSets.from_labels."
        ) from None
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim == 3 and array.shape[2] > 1:
        raise InvalidInput(
            f"sets, task {task!r}: have {array.shape[2]} levels, shape {array.shape}. Say which is meant, as in "
            "sets[:, :, 0] or PredictionSets.from_matrices(sets, level=0)."
        )
    if array.ndim != 2 or array.shape[1] < 1:
        raise InvalidInput(
            f"sets, task {task!r}: must be an (n, C) matrix of booleans or 0/1, got shape {array.shape}. Lists of "
            "classes go through PredictionSets.from_labels."
        )
    if array.dtype != np.bool_:
        if array.dtype.kind not in "iuf" or not ((array == 0) | (array == 1)).all():
            raise InvalidInput(f"sets, task {task!r}: must hold booleans or 0 and 1 only, got {array.dtype}.")
        array = array.astype(np.bool_)
    return np.ascontiguousarray(array)


def _at_level(values: Any, level: int | None, task: str | int) -> Any:
    if level is None:
        return values
    array = to_numpy(values)
    if array.ndim != 3 or not -array.shape[2] <= level < array.shape[2]:
        raise InvalidInput(
            f"sets, task {task!r}: there is no level {level} in an array of shape {array.shape}; its last axis has the "
            "levels."
        )
    return array[:, :, level]


def _count(classes: Any) -> Any:
    """How many classes, from their number or their names."""
    return classes if np.ndim(classes) == 0 else len(classes)


def _numbered(rows: Any, classes: Any, task: str | int) -> Any:
    """Lists of labels as lists of class numbers, where the classes are named."""
    if np.ndim(classes) == 0:
        return rows
    number = {label: place for place, label in enumerate(to_numpy(classes).tolist())}
    numbered = []
    for sample, row in enumerate(rows):
        labels = to_numpy(row).tolist() if hasattr(row, "tolist") else list(row)
        unknown = [label for label in labels if label not in number]
        if unknown:
            raise InvalidInput(
                f"sets, task {task!r}, sample {sample}: {unknown[0]!r} is none of the classes {list(number)[:10]}."
            )
        numbered.append([number[label] for label in labels])
    return numbered


def pack(matrix: BoolArray) -> WordArray:
    """A boolean matrix as words."""
    width = words_for(matrix.shape[1]) * 8
    bits = np.packbits(matrix, axis=1, bitorder="little")
    whole = np.zeros((len(matrix), width), dtype=np.uint8)
    whole[:, : bits.shape[1]] = bits
    return _words(whole)


# kernels address bits by value, files and NumPy by byte: on a machine of the other byte order the two differ
def _words(whole: npt.NDArray[np.uint8]) -> WordArray:
    return np.ascontiguousarray(whole.view(np.dtype("<u8")), dtype=np.uint64)


def _bytes(words: WordArray) -> npt.NDArray[np.uint8]:
    return np.ascontiguousarray(words, dtype=np.dtype("<u8")).view(np.uint8)


def _pack_lists(rows: Sequence[Iterable[int]], classes: int, task: str | int) -> WordArray:
    matrix = np.zeros((len(rows), classes), dtype=np.bool_)
    lists = [list(row) for row in rows]
    members = np.asarray(list(chain.from_iterable(lists)))
    if members.size:
        places = np.repeat(np.arange(len(lists)), [len(entry) for entry in lists])
        if members.ndim != 1 or members.dtype.kind not in "iu":
            raise InvalidInput(f"sets, task {task!r}: must be lists of class numbers, got {members.dtype}.")
        outside = (members < 0) | (members >= classes)
        if outside.any():
            first = int(np.argmax(outside))
            raise InvalidInput(
                f"sets, task {task!r}, sample {places[first]}: {members[first]} is outside the {classes} classes 0 to "
                f"{classes - 1}."
            )
        matrix[places, members] = True
    return pack(matrix)


def _demand_samples(samples: int, expected: int, task: str | int, first: str | int = 0) -> None:
    if samples != expected:
        raise InvalidInput(f"sets, task {task!r}: has {samples} samples, task {first!r} has {expected}.")
