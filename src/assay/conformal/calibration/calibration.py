"""The outcome of calibrating: thresholds that turn probabilities into sets; saved and read as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.conformal.calibration.association import Association
from assay.conformal.calibration.combinations import combination_sets, product_levels
from assay.conformal.calibration.ranked import RANKED, ranked_sets
from assay.conformal.calibration.scores import parse_score
from assay.conformal.sets.checks import (
    TOLERANCE,
    FloatArray,
    IntArray,
    as_groups,
    as_probabilities,
    demand_distribution,
    not_a_distribution,
)
from assay.conformal.sets.combination_sets import CombinationSets
from assay.conformal.sets.counts import SetCounts, count_sets
from assay.conformal.sets.named import in_order, with_columns
from assay.conformal.sets.prediction_sets import PredictionSets, pack, words_for
from assay.core import InvalidInput, plain, read_json
from assay.core.display import counted, object_html

__all__ = ["COMBINATIONS", "Calibration", "Guarantee", "evaluate_stream", "expand", "lowest_probabilities"]

Guarantee: TypeAlias = Literal["pooled", "taskwise", "joint"]

_FORMAT = 1
_FORMAT_WITH_MODEL = 2
COMBINATIONS = "joint-combinations"  # the method whose sets hold combinations
_NOTES = 5  # in a display
_WORTH_COMPILING = 200_000  # entries of a matrix, below which NumPy is done before the kernel is loaded


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """Per task a threshold for every class: a class is in the set when its score is at most its threshold.

    Made by :func:`calibrate`; saved and read as JSON.

    Parameters
    ----------
    method, score : str
        How it was calibrated.
    alpha : float
        The share of errors that is allowed.
    guarantee : "pooled", "taskwise" or "joint"
        What is covered with probability 1 - α.
    thresholds : tuple of (groups, C) arrays, one per task
        Row 0 is for everybody; where groups were calibrated apart, row g + 1 belongs to ``groups[g]``, and a group that
        calibration never saw gets row 0.
    samples : int
        How many samples the thresholds rest on.
    groups : tuple, optional
        The groups that were calibrated apart.
    pooled : tuple of one tuple per task, optional
        Classes that had too few samples of their own and got a pooled threshold.
    chosen : str, optional
        The method that a choice between methods took.
    seed : int, default 0
        The seed of randomised scores.
    notes : tuple of str
        What a reader must know, such as classes that will be in every set.
    model : Association, optional
        The joint model of ``joint`` and ``joint-combinations``. All thresholds are then one level.
    names : tuple of str, optional
        The names of the tasks, where probabilities were given by name; new ones are then matched by name.

    Examples
    --------
    >>> from assay.conformal import calibrate
    >>> p = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]]
    >>> calibration = calibrate([p, p], [[0, 0, 1, 1], [0, 1, 1, 1]], alpha=0.25)
    >>> calibration
    Calibration('taskwise', score 'hinge', alpha 0.25, 2 tasks, 4 samples)
    >>> calibration.predict_sets([p, p])
    PredictionSets(4 samples, 2 tasks, mean size 1.12)
    """

    method: str
    score: str
    alpha: float
    guarantee: Guarantee
    thresholds: tuple[FloatArray, ...]
    samples: int
    groups: tuple[Any, ...] = ()
    pooled: tuple[tuple[int, ...], ...] = ()
    chosen: str | None = None
    seed: int = 0
    notes: tuple[str, ...] = field(default_factory=tuple)
    model: Association | None = None
    names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        groups = f", {counted(len(self.groups), 'group')}" if self.groups else ""
        return (
            f"Calibration({self.method!r}, score {self.score!r}, alpha {self.alpha:g}, "
            f"{counted(len(self.thresholds), 'task')}{groups}, {counted(self.samples, 'sample')})"
        )

    def _repr_html_(self) -> str:
        facts = {"guarantee": self.guarantee, **({"chosen": self.chosen} if self.chosen else {})}
        facts |= {f"note {number}": note for number, note in enumerate(self.notes[:_NOTES], start=1)}
        columns = ("task", "classes", "lowest threshold", "highest threshold")
        rows = (
            (task, rows.shape[1], float(rows.min()), float(rows.max())) for task, rows in enumerate(self.thresholds)
        )
        return object_html(repr(self), facts, columns=columns, rows=rows, total=len(self.thresholds))

    @property
    def classes(self) -> tuple[int, ...]:
        """The number of classes of each task."""
        return tuple(rows.shape[1] for rows in self.thresholds)

    def predict_sets(
        self, probabilities: Any, *, groups: Any = None, logits: bool = False
    ) -> PredictionSets | CombinationSets:
        """The sets for new probabilities.

        Parameters
        ----------
        probabilities : sequence of (n, C) matrices, one per task
            The probabilities of new samples.
        groups : sequence of n groups, optional
            Needed where groups were calibrated apart.
        logits : bool, default False
            The matrices hold logits.

        Returns
        -------
        PredictionSets or CombinationSets
            A set per sample and task; of method ``joint-combinations`` a set of combinations per sample.

        Raises
        ------
        InvalidInput
            When classes or groups are not those of the calibration.
        """
        inputs = with_columns(probabilities)
        probabilities = in_order(inputs, self.names, what="probabilities", like="the calibration's")
        if self.model is not None:
            matrices = as_probabilities(probabilities, classes=self.classes, logits=logits)
            self._rows(groups, len(matrices[0]))
            level = float(self.thresholds[0][0, 0])
            if self.method == COMBINATIONS:
                return combination_sets(self.model, matrices, level)
            levels = product_levels(self.model, matrices)
            return replace(PredictionSets.from_matrices([part <= level for part in levels]), names=self.names)
        score = parse_score(self.score)
        fused = score.by_probability and not self.groups and not logits
        matrices = as_probabilities(probabilities, classes=self.classes, logits=logits, check=False)
        rows = self._rows(groups, len(matrices[0]))
        rng = np.random.default_rng([self.seed, 1])
        words = []
        for task, (matrix, limits) in enumerate(zip(matrices, self.thresholds, strict=True)):
            if fused:
                words.append(_above(matrix, limits[0], task))
            elif score.call.name in RANKED and matrix.size >= _WORTH_COMPILING and (limits == limits[:, :1]).all():
                words.append(ranked_sets(score, matrix, limits[rows, 0], rng, task))
            else:
                demand_distribution(matrix, f"probabilities, task {task}")
                words.append(pack(score(matrix, rng) <= limits[rows]))
        return PredictionSets(tuple(words), self.classes, self.names)

    def count(self, probabilities: Any, labels: Any, *, groups: Any = None) -> SetCounts:
        """Counts of the sets against labels; the sets themselves are not kept."""
        labels = in_order(labels, self.names, what="labels", like="the calibration's tasks")
        sets = self.predict_sets(probabilities, groups=groups)
        return count_sets(replace(sets, names=()) if isinstance(sets, PredictionSets) else sets, labels)

    def _rows(self, groups: Any, samples: int) -> IntArray:
        if not self.groups:
            if groups is not None:
                raise InvalidInput("groups: were given, but the calibration knows none; calibrate with groups.")
            return np.zeros(samples, dtype=np.int64)
        if groups is None:
            raise InvalidInput(
                "groups: are missing; this calibration has a threshold per group, so give one per sample."
            )
        row = {name: place for place, name in enumerate(self.groups, start=1)}
        return np.asarray([row.get(name, 0) for name in as_groups(groups, samples).tolist()], dtype=np.int64)

    def to_json(self) -> dict[str, Any]:
        """Plain values; an infinite threshold is the text "inf". Groups must be texts, numbers or truth values."""
        for group in self.groups:
            if not isinstance(group, str | int | float):
                raise InvalidInput(
                    f"calibration: its group {group!r} cannot be written. Calibrate and predict with texts: "
                    "groups=[str(group) for group in groups]."
                )
        body = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name != "model" and (name != "names" or self.names)
        }
        if self.model is None:
            return {"format": _FORMAT, **plain(body)}  # type: ignore[dict-item]
        return {"format": _FORMAT_WITH_MODEL, **plain(body), "model": self.model.to_json()}  # type: ignore[dict-item]

    @classmethod
    def from_json(cls, body: dict[str, Any]) -> Calibration:
        """The inverse of :meth:`to_json`."""
        if body.get("format") not in (_FORMAT, _FORMAT_WITH_MODEL):
            raise InvalidInput(
                f"calibration: format {body.get('format')!r} is not known; this version reads {_FORMAT} and "
                f"{_FORMAT_WITH_MODEL}."
            )
        try:
            thresholds = tuple(np.asarray(rows, dtype=np.float64) for rows in body["thresholds"])
            if not thresholds or any(rows.ndim != 2 or np.isnan(rows).any() for rows in thresholds):
                raise ValueError("thresholds must be rows of numbers per task")
            parse_score(body["score"])
            model = None
            if body["format"] == _FORMAT_WITH_MODEL:
                model = Association.from_json(body["model"], [rows.shape[1] for rows in thresholds])
            if int(body["seed"]) < 0:
                raise ValueError("the seed must not be negative")
            return cls(
                method=str(body["method"]),
                score=str(body["score"]),
                alpha=float(body["alpha"]),
                guarantee=body["guarantee"],
                thresholds=thresholds,
                samples=int(body["samples"]),
                groups=tuple(body["groups"]),
                pooled=tuple(tuple(entry) for entry in body["pooled"]),
                chosen=body["chosen"],
                seed=int(body["seed"]),
                notes=tuple(body["notes"]),
                model=model,
                names=tuple(map(str, body.get("names", ()))),
            )
        except InvalidInput:
            raise
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InvalidInput(f"calibration: damaged, {type(error).__name__}: {error}.") from None

    def save(self, path: str | Path) -> None:
        """Write strict JSON."""
        text = json.dumps(self.to_json(), ensure_ascii=False, allow_nan=False, indent=1)
        Path(path).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        """Read what :meth:`save` wrote."""
        return cls.from_json(read_json(Path(path)))


def evaluate_stream(calibration: Calibration, parts: Iterable[tuple[Any, Any]]) -> SetCounts:
    """Count sets over chunks, each forgotten before the next: memory is that of one chunk.

    Parameters
    ----------
    calibration : Calibration
        What turns probabilities into sets.
    parts : iterable of (probabilities, labels)
        The chunks, as :meth:`Calibration.count` takes them.

    Returns
    -------
    SetCounts
        Every metric takes them in place of sets and labels.

    Raises
    ------
    InvalidInput
        When there is no chunk, or one does not fit the calibration.

    Examples
    --------
    >>> from assay.conformal import calibrate, coverage
    >>> p, y = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]], [0, 0, 1, 1]
    >>> counts = evaluate_stream(calibrate([p], [y], alpha=0.25), ([[p], [y]] for _ in range(3)))
    >>> counts
    SetCounts(12 samples, 1 task, coverage 1.000, mean size 1.00)
    >>> coverage(counts)
    1.0
    """
    return SetCounts.merge(calibration.count(probabilities, labels) for probabilities, labels in parts)


def lowest_probabilities(thresholds: FloatArray, dtype: np.dtype[np.floating[Any]]) -> npt.NDArray[Any]:
    """The smallest number p from 0 to 1 of a type for which 1 - p, in double precision, is at most the threshold.

    So probabilities can be compared as they are, and exactly the classes are found that the score would find.
    """
    kind, whole = dtype.type, np.dtype(f"i{dtype.itemsize}")
    # numbers from 0 on are ordered as their bits are, so the place where 1 - p passes is found by halving
    low = np.zeros(thresholds.shape, dtype=whole)
    high = np.full(thresholds.shape, np.ones(1, dtype=dtype).view(whole)[0])
    while (low < high).any():
        middle = low + (high - low) // 2
        inside = 1.0 - middle.view(dtype).astype(np.float64) <= thresholds
        high = np.where(inside, middle, high)
        low = np.where(inside, low, np.minimum(middle + 1, high))
    lowest = high.view(dtype)
    return np.where(thresholds >= 1, kind(-np.inf), np.where(thresholds < 0, kind(np.inf), lowest)).astype(dtype)


def _above(matrix: npt.NDArray[Any], thresholds: FloatArray, task: int) -> npt.NDArray[np.uint64]:
    """Sets of the hinge score in one pass that checks the probabilities on its way."""
    if matrix.size < _WORTH_COMPILING:
        demand_distribution(matrix, f"probabilities, task {task}")
        return pack(1.0 - matrix.astype(np.float64) <= thresholds)
    from assay.conformal.sets import kernels

    words = np.empty((len(matrix), words_for(matrix.shape[1])), dtype=np.uint64)
    lowest = lowest_probabilities(thresholds, matrix.dtype)
    bad = kernels.pack_above(matrix, lowest, matrix.dtype.type(TOLERANCE), words)
    if bad >= 0:
        raise not_a_distribution(matrix, bad, f"probabilities, task {task}")
    return words


def expand(values: Sequence[float], classes: Sequence[int]) -> tuple[FloatArray, ...]:
    """One threshold per task as a threshold for every class."""
    return tuple(np.full((1, count), value) for value, count in zip(values, classes, strict=True))
