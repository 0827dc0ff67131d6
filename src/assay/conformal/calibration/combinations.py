"""Combinations of all tasks' classes by their joint probability: all of them, or the likeliest where they are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.conformal.calibration.association import Association, log_probabilities
from assay.conformal.calibration.boxes import growth_levels
from assay.conformal.sets.checks import FloatArray, IntArray
from assay.conformal.sets.combination_sets import CombinationSets, demand_numbered
from assay.conformal.sets.prediction_sets import PredictionSets

__all__ = ["BEAM", "MOST_COMPLETE", "combination_levels", "combination_sets", "product_levels"]

MOST_COMPLETE = 65_536  # combinations that are all listed; of more, only the likeliest
BEAM = 4_096  # how many these are; a set that needs more is a product
_AT_ONCE = 500_000  # numbers at a time, by which samples are taken in parts: they stay in the processor's cache
_SWEEPS = 10


def product_levels(
    model: Association, probabilities: Sequence[npt.NDArray[np.floating[Any]]]
) -> tuple[FloatArray, ...]:
    """The level at which each class of each task joins the sample's product set; classes up to a level are the set."""
    width = max(_width(probabilities), 257 * len(probabilities))
    together = _pair_values(model, [matrix.shape[1] for matrix in probabilities])
    parts = [growth_levels(_marginals(model, part, together)) for part in _parts(probabilities, width)]
    return tuple(np.concatenate([part[task] for part in parts]) for task in range(len(probabilities)))


def combination_levels(
    model: Association, probabilities: Sequence[npt.NDArray[np.floating[Any]]], labels: IntArray
) -> FloatArray:
    """The level at which each sample's own combination joins its set; ``labels`` is [samples, tasks]."""
    levels, start = [], 0
    together = _pair_values(model, [matrix.shape[1] for matrix in probabilities])
    for part in _parts(probabilities, _width(probabilities)):
        ranked = _rank(model, part, together)
        levels.append(ranked.levels_of(labels[start : start + len(part[0])]))
        start += len(part[0])
    return np.concatenate(levels)


def combination_sets(
    model: Association, probabilities: Sequence[npt.NDArray[np.floating[Any]]], level: float
) -> CombinationSets:
    """All combinations up to a level; a product set where the level reaches beyond those that are ranked."""
    classes = [matrix.shape[1] for matrix in probabilities]
    if np.isposinf(level):
        return CombinationSets.from_products(PredictionSets.full(len(probabilities[0]), classes))
    together = _pair_values(model, classes)
    parts = _parts(probabilities, _width(probabilities))
    return CombinationSets.concatenate(_rank(model, part, together).up_to(level) for part in parts)


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """Combinations of some samples with their levels, and what lies beyond the last of them."""

    classes: tuple[int, ...]
    numbers: IntArray  # [1 or samples, M]; rows in the order of numbers
    levels: FloatArray  # [samples, M]
    beyond: FloatArray | None  # [samples]: from here on the set is a product; None when all combinations are ranked
    boxes: tuple[FloatArray, ...]  # per task [samples, C]: levels of classes, where there is a beyond

    def levels_of(self, labels: IntArray) -> FloatArray:
        """Of the samples' own combinations."""
        own: FloatArray
        rows = np.arange(len(labels))
        own_numbers = np.ravel_multi_index(tuple(labels.T), self.classes)
        if self.beyond is None:
            own = self.levels[rows, own_numbers]
            return own
        here = self.numbers == own_numbers[:, None]
        place = here.argmax(axis=1)
        boxed = np.stack([levels[rows, labels[:, task]] for task, levels in enumerate(self.boxes)]).max(axis=0)
        # within the list only if the product that replaces the list holds it too: then its set never loses it again
        is_listed = here[rows, place] & (boxed <= self.beyond)
        own = np.where(is_listed, self.levels[rows, place], np.maximum(boxed, self.beyond))
        return own

    def up_to(self, level: float) -> CombinationSets:
        """The sets of one level."""
        samples = len(self.levels)
        boxed = np.zeros(samples, dtype=np.bool_) if self.beyond is None else level >= self.beyond
        inside = (self.levels <= level) & ~boxed[:, None]
        sample, place = np.nonzero(inside)
        numbers = self.numbers[0][place] if len(self.numbers) == 1 else self.numbers[sample, place]
        starts = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]).astype(np.int64)
        listed = CombinationSets.listed(numbers, starts, self.classes)
        if not boxed.any():
            return listed
        products = PredictionSets.from_matrices([(levels <= level) & boxed[:, None] for levels in self.boxes])
        return CombinationSets(numbers=listed.numbers, starts=starts, products=products, is_product=boxed)


def _rank(model: Association, probabilities: Sequence[npt.NDArray[np.floating[Any]]], together: FloatArray) -> _Ranked:
    logs = log_probabilities(probabilities)
    classes = tuple(matrix.shape[1] for matrix in logs)
    if demand_numbered(classes) <= MOST_COMPLETE:
        values = _all_values(model, logs, together)
        levels = _levels(values, np.zeros(len(values)))
        return _Ranked(classes, np.arange(values.shape[1])[None], levels, None, ())
    numbers, values = _likeliest(model, logs)
    independent = _independent_values(logs, numbers, classes)
    mass = np.log(np.exp(independent).sum(axis=1))  # how much the list holds, for what it lacks
    levels = _levels(values, np.minimum(mass, 0.0))
    return _Ranked(
        classes, numbers, levels, levels.max(axis=1), growth_levels(_marginals(model, probabilities, together))
    )


def _levels(values: FloatArray, mass: FloatArray) -> FloatArray:
    """Minus the logarithm of the probability; 0 for the likeliest, so that no set is empty."""
    highest = values.max(axis=1, keepdims=True)
    whole = highest[:, 0] + np.log(np.exp(values - highest).sum(axis=1)) - mass
    levels: FloatArray = np.maximum(whole[:, None] - values, 0.0)
    levels[np.arange(len(values)), values.argmax(axis=1)] = 0.0
    return levels


def _pair_values(model: Association, classes: Sequence[int]) -> FloatArray:
    """What the pairs of each combination's labels add, in the order of their numbers; nothing where they are many."""
    starts = np.concatenate([[0], np.cumsum(classes)])
    together = np.zeros(1)
    if prod(classes) > MOST_COMPLETE:
        return together
    pulled = np.zeros((1, int(starts[-1])))  # of each combination so far, on the classes of later tasks
    for task in range(len(classes)):
        columns = slice(starts[task], starts[task + 1])
        together = (together[:, None] + pulled[:, columns]).reshape(-1)
        pulled = (pulled[:, None, :] + model.pairs[columns][None]).reshape(len(together), -1)
    return together


def _all_values(model: Association, logs: Sequence[FloatArray], together: FloatArray) -> FloatArray:
    """The model's unnormalised log probability of every combination, in the order of their numbers."""
    starts = np.concatenate([[0], np.cumsum([matrix.shape[1] for matrix in logs])])
    values = np.zeros((len(logs[0]), 1))
    for task, matrix in enumerate(logs):
        own = model.scales[task] * matrix + model.offsets[starts[task] : starts[task + 1]]
        values = (values[:, :, None] + own[:, None, :]).reshape(len(values), values.shape[1] * own.shape[1])
    return values + together


def _likeliest(model: Association, logs: Sequence[FloatArray]) -> tuple[IntArray, FloatArray]:
    """By beam search, task after task: numbers of combinations in order, and their unnormalised log probabilities."""
    classes = [matrix.shape[1] for matrix in logs]
    starts = np.concatenate([[0], np.cumsum(classes)])
    samples = len(logs[0])
    rows = np.arange(samples)[:, None]
    numbers, values = np.zeros((samples, 1), dtype=np.int64), np.zeros((samples, 1))
    members = np.zeros((samples, 1, 0), dtype=np.int64)
    for task, matrix in enumerate(logs):
        columns = slice(starts[task], starts[task + 1])
        own = (model.scales[task] * matrix + model.offsets[columns])[:, None, :]
        pulled = np.zeros((*numbers.shape, classes[task]))
        for earlier in range(task):
            pulled += model.pairs[starts[earlier] + members[:, :, earlier]][:, :, columns]
        grown = (values[:, :, None] + own + pulled).reshape(samples, values.shape[1] * classes[task])
        width = min(BEAM, grown.shape[1])
        best = np.sort(np.argpartition(-grown, width - 1, axis=1)[:, :width], axis=1)  # numbers stay in order
        before, label = np.divmod(best, classes[task])
        values = grown[rows, best]
        numbers = numbers[rows, before] * classes[task] + label
        members = np.concatenate([members[rows, before], label[:, :, None]], axis=2)
    return numbers, values


def _independent_values(logs: Sequence[FloatArray], numbers: IntArray, classes: tuple[int, ...]) -> FloatArray:
    """The log probability of each combination where tasks are independent."""
    rows = np.arange(len(numbers))[:, None]
    columns = np.unravel_index(numbers, classes)
    total: FloatArray = np.sum([matrix[rows, column] for matrix, column in zip(logs, columns, strict=True)], axis=0)
    return total


def _marginals(
    model: Association, probabilities: Sequence[npt.NDArray[np.floating[Any]]], together: FloatArray
) -> Sequence[FloatArray]:
    """Each task's own probabilities under the model: exact sums, or where combinations are many a fixed point."""
    if model.is_none:
        return [np.asarray(matrix, dtype=np.float64) for matrix in probabilities]
    logs = log_probabilities(probabilities)
    classes = [matrix.shape[1] for matrix in logs]
    if prod(classes) <= MOST_COMPLETE:
        values = _all_values(model, logs, together)
        shares = np.exp(values - values.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        marginals = []
        for count in classes:  # the first task is summed out, so that each sum is over a smaller rest
            cube = shares.reshape(len(values), count, shares.shape[1] // count)
            marginals.append(cube.sum(axis=2))
            shares = cube.sum(axis=1)
        return marginals
    starts = np.concatenate([[0], np.cumsum(classes)])
    shares = np.concatenate([np.exp(matrix) for matrix in logs], axis=1)
    for _ in range(_SWEEPS):  # mean field: each task given the others' expected pull
        for task, matrix in enumerate(logs):
            columns = slice(starts[task], starts[task + 1])
            own = model.scales[task] * matrix + model.offsets[columns] + shares @ model.pairs[:, columns]
            raised = np.exp(own - own.max(axis=1, keepdims=True))
            shares[:, columns] = raised / raised.sum(axis=1, keepdims=True)
    return [shares[:, starts[task] : starts[task + 1]] for task in range(len(classes))]


def _width(probabilities: Sequence[npt.NDArray[np.floating[Any]]]) -> int:
    classes = [int(matrix.shape[1]) for matrix in probabilities]
    whole = prod(classes)
    return whole if whole <= MOST_COMPLETE else BEAM * max(classes) * 4


def _parts(probabilities: Sequence[npt.NDArray[np.floating[Any]]], width: int) -> Iterator[list[FloatArray]]:
    step = max(1, _AT_ONCE // width)
    for start in range(0, max(len(probabilities[0]), 1), step):
        yield [np.asarray(matrix[start : start + step], dtype=np.float64) for matrix in probabilities]
