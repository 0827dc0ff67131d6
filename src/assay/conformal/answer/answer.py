"""Answers of the conformal track, and their bytes: JSON that a person can write by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from math import prod
from typing import Any, TypeAlias

import numpy as np

from assay.conformal.answer.intervals import as_interval_lists, interval_json, interval_text
from assay.conformal.regions.region import Intervals
from assay.conformal.regions.regions import Regions
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.prediction_sets import PredictionSets, as_matrices
from assay.core import InvalidInput
from assay.core.display import counted
from assay.intake.answers import no_answer, parse_answer

__all__ = ["ConformalAnswer", "decode", "encode"]

_MOST_CLASSES = 10_000_000
_EXPECTED = (
    "a list with one boolean matrix [samples, classes] per task, True where the class is still possible, or a "
    "ConformalAnswer; for tasks of numbers Regions, or a dict of Intervals by task"
)
_ONE_OF = (
    'answer: must be an object {"sets": [task][sample][classes]} or {"combinations": [sample][combination][class]}, '
    'with "intervals": {task: {"low": [sample], "high": [sample]}} beside them or alone where tasks predict numbers,'
)

Lists: TypeAlias = tuple[tuple[tuple[int, ...], ...], ...]
Combinations: TypeAlias = tuple[tuple[tuple[int, ...], ...] | dict[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformalAnswer:
    """What a subject of the conformal track gives: for every task and test sample the classes that are still possible.

    In place of a set per task, an answer may give for every sample the combinations of classes that are still possible
    together. Tasks that predict numbers get intervals.

    Parameters
    ----------
    sets : PredictionSets, CombinationSets, sequence of boolean (n, C) matrices, or lists of class numbers
        ``sets[task][sample]``; kept as tuples of class numbers in order. ``Regions`` of all tasks are taken, too.
    combinations : CombinationSets or lists, optional
        ``combinations[sample]`` lists combinations, each a class number per task; or it is a product of sets,
        ``{"product": [[0, 1], [2]]}``. With them ``sets`` is left out.
    intervals : mapping of str to Intervals, (n, 2) arrays or ``{"low": [...], "high": [...]}``, optional
        By the name of each task that predicts numbers. A bound that is infinite, or null in JSON, rules nothing out; an
        interval whose low is above its high is empty.

    Raises
    ------
    InvalidInput
        When a class is named twice or is not a class number, or both forms are given.

    Examples
    --------
    >>> ConformalAnswer(sets=[[[0], [2, 0]]]).sets
    (((0,), (0, 2)),)
    >>> ConformalAnswer(combinations=[[[0, 1], [2, 0]], {"product": [[0, 1], [1]]}])
    ConformalAnswer(2 samples, 2 tasks, mean size 2.00)
    >>> ConformalAnswer(intervals={"price": [[1.0, 2.5], [0.0, np.inf]]})
    ConformalAnswer(intervals of price (1 of 2 unbounded))
    >>> ConformalAnswer(sets=[[[0, 0]]])
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: answer: task 0, sample 0 names class 0 twice.
    """

    sets: Lists = ()
    combinations: Combinations | None = None
    intervals: Mapping[str, Any] = field(default_factory=dict)  # by task low and high, as tuples

    def __post_init__(self) -> None:
        sets: Any = self.sets
        if isinstance(sets, Regions):
            object.__setattr__(self, "intervals", {**sets.intervals, **self.intervals})
            sets = list(sets.sets.values())
        object.__setattr__(self, "intervals", as_interval_lists(self.intervals))
        if isinstance(sets, CombinationSets):
            object.__setattr__(self, "sets", ())
            object.__setattr__(self, "combinations", sets if self.combinations is None else self.combinations)
            sets = ()
        if self.combinations is not None:
            if not isinstance(sets, list | tuple) or len(sets):
                raise InvalidInput("answer: give either sets or combinations, not both.")
            object.__setattr__(self, "sets", ())
            object.__setattr__(self, "combinations", _as_combinations(self.combinations))
            return
        if isinstance(sets, list | tuple) and sets and all(hasattr(task, "shape") for task in sets):
            sets = PredictionSets.from_matrices(as_matrices(sets))
        if isinstance(sets, PredictionSets):
            object.__setattr__(self, "sets", _lists(sets))
            return
        if not isinstance(sets, list | tuple):  # that none is too few is said by who knows how many tasks there are
            raise no_answer(sets, wanted=_EXPECTED)
        object.__setattr__(self, "sets", tuple(_as_task(rows, task) for task, rows in enumerate(sets)))

    def __repr__(self) -> str:
        if self.combinations is not None:
            return self._with_intervals(_combination_text(self.combinations))
        if self.intervals and not self.sets:
            return self._with_intervals("")
        sizes = [len(labels) for rows in self.sets for labels in rows]
        mean = f", mean size {sum(sizes) / len(sizes):.2f}" if sizes else ""
        samples = counted(len(self.sets[0]) if self.sets else 0, "sample")
        return self._with_intervals(f"{samples}, {counted(len(self.sets), 'task')}{mean}")

    def _with_intervals(self, content: str) -> str:
        intervals = interval_text(self.intervals) if self.intervals else ""
        return f"ConformalAnswer({', '.join(filter(None, (content, intervals)))})"

    @classmethod
    def of(cls, sets: PredictionSets | CombinationSets | Regions) -> ConformalAnswer:
        """The answer that gives these sets; of regions the intervals as well."""
        return cls(sets=sets)  # type: ignore[arg-type]  # made tuples


def _lists(sets: PredictionSets) -> Lists:
    return tuple(tuple(map(tuple, sets.labels(task))) for task in range(sets.tasks))


def _listed(sets: CombinationSets) -> Combinations:
    boxes = [sets.products.labels(task) for task in range(sets.tasks)]
    return tuple(
        {"product": [boxes[task][sample] for task in range(sets.tasks)]} if boxed else tuple(sets.labels(sample))
        for sample, boxed in enumerate(sets.is_product.tolist())
    )


def _as_combinations(combinations: Any) -> Combinations:
    """Lists in order; that classes fit the tasks is checked by who knows the tasks."""
    if isinstance(combinations, CombinationSets):
        return _listed(combinations)
    if not isinstance(combinations, list | tuple):
        raise no_answer(
            combinations, wanted="a list with the combinations of each sample, each a list of a class per task"
        )
    entries: list[tuple[tuple[int, ...], ...] | dict[str, Any]] = []
    for sample, entry in enumerate(combinations):
        if isinstance(entry, dict):
            if set(entry) != {"product"} or not isinstance(entry["product"], list | tuple):
                raise InvalidInput(f'answer: sample {sample} must be a list of combinations, or {{"product": [...]}}.')
            entries.append({"product": [list(row) for row in _as_task(entry["product"], sample)]})
        else:
            entries.append(tuple(tuple(row) for row in _rows_of(entry, sample)))
    return tuple(entries)


def _rows_of(entry: Any, sample: int) -> list[list[int]]:
    if not isinstance(entry, list | tuple) or not all(isinstance(row, list | tuple) for row in entry):
        raise InvalidInput(
            f"answer: combinations, sample {sample}: must be a list of combinations, each a list of one class number "
            "per task."
        )
    _demand_whole(entry, f"combinations, sample {sample}")
    return sorted([int(label) for label in row] for row in entry)


def _combination_text(combinations: Combinations) -> str:
    sizes = [prod(map(len, entry["product"])) if isinstance(entry, dict) else len(entry) for entry in combinations]
    lengths = [len(entry["product"]) if isinstance(entry, dict) else len(entry[0]) for entry in combinations if entry]
    mean = f", mean size {sum(sizes) / len(sizes):.2f}" if sizes else ""
    return f"{counted(len(sizes), 'sample')}, {counted(max(lengths, default=0), 'task')}{mean}"


def _as_task(rows: Any, task: int) -> tuple[tuple[int, ...], ...]:
    if not isinstance(rows, list | tuple):
        raise InvalidInput(
            f"answer: task {task} must be a boolean matrix, or a list of class numbers per sample; got "
            f"{type(rows).__name__}."
        )
    for sample, row in enumerate(rows):
        if not isinstance(row, list | tuple):
            raise InvalidInput(
                f"answer: task {task}, sample {sample} must be a list of class numbers, got {type(row).__name__}."
            )
    _demand_whole(rows, f"task {task}")
    ordered_rows = tuple(tuple(sorted(map(int, row))) for row in rows)
    for sample, (row, ordered) in enumerate(zip(rows, ordered_rows, strict=True)):
        if len(set(ordered)) != len(row):
            twice = next(a for a, b in pairwise(ordered) if a == b)
            raise InvalidInput(f"answer: task {task}, sample {sample} names class {twice} twice.")
        if ordered and not 0 <= ordered[0] <= ordered[-1] < _MOST_CLASSES:
            outside = ordered[0] if ordered[0] < 0 else ordered[-1]
            raise InvalidInput(f"answer: task {task}, sample {sample}: {outside} is not a class number.")
    return ordered_rows


def _demand_whole(rows: Sequence[Sequence[Any]], what: str) -> None:
    kinds = set(map(type, chain.from_iterable(rows)))
    if any(kind is bool or not issubclass(kind, int | np.integer) for kind in kinds):
        raise InvalidInput(f"answer: {what}: class numbers must be whole numbers.")


def encode(answer: ConformalAnswer | PredictionSets | CombinationSets | Mapping[str, Any] | Sequence[Any]) -> bytes:
    """The answer as JSON, the classes of each set in order. Sets alone, intervals by task and regions are answers, too.

    >>> encode([[[1, 0], []]])
    b'{"sets":[[[0,1],[]]]}'
    >>> encode({"price": Intervals(np.array([1.0]), np.array([np.inf]))})
    b'{"intervals":{"price":{"low":[1.0],"high":[null]}}}'
    """
    if isinstance(answer, dict) and answer and all(isinstance(entry, Intervals) for entry in answer.values()):
        answer = ConformalAnswer(intervals=answer)
    if isinstance(answer, list | tuple | PredictionSets | CombinationSets | Regions):
        answer = ConformalAnswer(sets=answer)  # type: ignore[arg-type]  # made tuples, and checked
    if not isinstance(answer, ConformalAnswer):
        raise no_answer(answer, wanted=_EXPECTED)
    body: dict[str, Any] = {}
    if answer.combinations is not None:
        body["combinations"] = answer.combinations
    elif answer.sets or not answer.intervals:
        body["sets"] = answer.sets
    if answer.intervals:
        body["intervals"] = interval_json(answer.intervals)
    return json.dumps(body, separators=(",", ":"), allow_nan=False).encode()


def decode(data: bytes) -> ConformalAnswer:
    """Read an answer from untrusted bytes; whatever is wrong with them is an InvalidInput.

    >>> decode(b'{"sets": [[[1], []]]}').sets
    (((1,), ()),)
    """
    body = parse_answer(data)
    if not isinstance(body, dict) or set(body) - {"intervals"} not in ({"sets"}, {"combinations"}, set()) or not body:
        raise InvalidInput(f"{_ONE_OF} and nothing else.")
    return ConformalAnswer(**body)
