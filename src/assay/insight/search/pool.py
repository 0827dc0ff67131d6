"""Candidate columns: their values on the training rows, without constants and repetitions, the promising ones kept."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.insight.search.recipes import Aggregate, Recipe, RowTerm

__all__ = ["Enough", "Pool", "mean_ranks"]

_OFFERED = 2.5  # candidates that are looked at for each one that is kept
_LEAST_DIFFERENT = 8  # rows that do not have the commonest value
_SPARE = 4.0  # how far beyond its limit the pool grows before the weakest leave it
_FAR = 6.0  # standard deviations that count at most, so that a few rows do not decide
_LEAST_GAIN = 1.5  # twice the gain in likelihood without which a column is not looked at further
_PROMISING = 2.5
_LOOKED_THROUGH = 8  # for each of the strongest that are wanted
_SAME = 0.97  # correlation of columns that are nearly the same
_SAYING = 3.0  # gain that one unit of a recipe's cost must bring


def mean_ranks(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Ranks, equal ones at their mean, standardised.

    >>> mean_ranks(np.array([5, 1, 1], dtype=np.float32)).round(2).tolist()
    [1.409999..., -0.7099..., -0.7099...]
    """
    order = np.argsort(values)
    ordered = values[order]
    edges = np.concatenate([[0], np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, [len(values)]])
    ranks = np.empty(len(values))
    ranks[order] = np.repeat((edges[:-1] + edges[1:] - 1) / 2, np.diff(edges))
    standard: npt.NDArray[np.float32] = ((ranks - ranks.mean()) / (ranks.std() or 1.0)).astype(np.float32)
    return standard


class Enough(Exception):
    """A family has offered as many candidates as it may."""


@dataclass(slots=True)
class Candidate:
    """A column, standardised, with how it is computed, what it promises alone, and the family that offered it."""

    recipe: Recipe
    column: npt.NDArray[np.float32]
    middle: float
    spread: float
    gain: float  # less what the recipe costs
    section: int

    def values(self) -> FloatArray:
        """The values before standardisation."""
        values = self.column.astype(np.float64) * self.spread + self.middle
        return np.where(np.abs(values) < 1e-6 * (abs(self.middle) + self.spread), 0.0, values)


class Pool:
    """Columns and how they are computed; of columns that say the same the first stays.

    With responses (the target as standardised columns) the pool looks at each candidate alone, and of more than
    ``most`` the weakest leave it; without, it is full.
    """

    def __init__(self, rows: int, most: int, responses: FloatArray | None = None) -> None:
        self.candidates: list[Candidate] = []
        self._most = most
        self._rows = rows
        self._best = 0.0
        self._section = 0
        self.best = 0.0
        self._seen: set[bytes] = set()
        self.offered = 0
        self._last: int | None = None
        self.limit = int(_OFFERED * most)  # candidates that are looked at
        self.faults: list[str] = []
        self.counts: list[tuple[Aggregate, FloatArray]] = []  # of rows: what shares are taken of
        self._responses: npt.NDArray[np.float32] | None = None
        if responses is not None:
            moved = responses - responses.mean(axis=1, keepdims=True)
            spread = np.maximum(moved.std(axis=1, keepdims=True), 1e-12)
            self._responses = (moved / spread / np.sqrt(max(rows, 1))).astype(np.float32)

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def recipes(self) -> list[Recipe]:
        """How each column is computed."""
        return [candidate.recipe for candidate in self.candidates]

    @property
    def full(self) -> bool:
        """Whether no more are taken."""
        return self._responses is None and len(self.candidates) >= self._most

    def allow(self, count: int) -> None:
        """Start a family, which may offer this many candidates."""
        self.best = 0.0 if self._responses is not None else np.inf  # gain of what the family offers
        self._section += 1
        self._last = self.offered + count if self._responses is not None else None

    def watch(self) -> None:
        """Reset what ``promising`` looks at to the candidates from here on."""
        self._best = 0.0

    @property
    def promising(self) -> bool:
        """Whether one of those watched says something of the target."""
        return self._responses is None or self._best >= _PROMISING

    def add(self, recipe: Recipe, values: FloatArray) -> bool:
        """Take a column, unless it is constant, known or says nothing of the target; missing values count as 0."""
        if self._last is not None and self.offered >= self._last:
            raise Enough
        self.offered += 1
        if self.full:
            return False
        finite = np.nan_to_num(np.asarray(values, dtype=np.float64), nan=0.0, posinf=0.0, neginf=0.0)
        spread = finite.std()
        if not spread > 1e-12 * (abs(finite).max() + 1e-300):
            return False
        if isinstance(recipe, Aggregate) and recipe.function == "count" and not recipe.keep:
            self.counts.append((recipe, finite))
        middle = finite.mean()
        standard = ((finite - middle) / spread).astype(np.float32)
        gain = self._gain(standard)
        self._best, self.best = max(self._best, gain), max(self.best, gain)
        if gain < _LEAST_GAIN:
            return False
        rounded = np.round(standard, 3) + np.float32(0.0)
        first = rounded[np.flatnonzero(rounded)[0]] if rounded.any() else 1.0
        digest = hashlib.blake2b(
            (rounded if first > 0 else -rounded + np.float32(0.0)).tobytes(), digest_size=12
        ).digest()
        if digest in self._seen:
            return False
        self._seen.add(digest)
        if np.count_nonzero(rounded != np.median(rounded)) < _LEAST_DIFFERENT:
            return False
        paid = gain - _SAYING * recipe.cost
        self.candidates.append(Candidate(recipe, standard, float(middle), float(spread), paid, self._section))
        if self._responses is not None and len(self.candidates) > _SPARE * self._most:
            self.prune()
        return True

    def _gain(self, standard: npt.NDArray[np.float32]) -> float:
        """About twice the gain in likelihood that a column alone may bring."""
        if self._responses is None:
            return np.inf
        correlations = self._responses @ np.clip(standard, -_FAR, _FAR)
        gain = float(correlations @ correlations)
        if abs(standard).max() > _FAR:  # long tails: the order may tell more than the size
            correlations = self._responses @ mean_ranks(standard)
            gain = max(gain, float(correlations @ correlations))
        return gain

    def gain(self, values: FloatArray) -> float:
        """What values promise alone, without being offered; 0 for a constant."""
        finite = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
        spread = finite.std()
        return self._gain(((finite - finite.mean()) / spread).astype(np.float32)) if spread > 1e-12 else 0.0

    def strongest(self, count: int) -> list[tuple[Recipe, FloatArray]]:
        """The candidates that say most alone, with their values; of those that are nearly the same, the first."""
        single = [candidate for candidate in self.candidates if isinstance(candidate.recipe, Aggregate | RowTerm)]
        single = sorted(single, key=lambda candidate: -candidate.gain)[: _LOOKED_THROUGH * count]
        columns = np.array([candidate.column for candidate in single], dtype=np.float32).reshape(len(single), -1)
        open_ = np.ones(len(single), dtype=bool)
        chosen: list[Candidate] = []
        for number, candidate in enumerate(single):
            if open_[number] and len(chosen) < count:
                chosen.append(candidate)
                open_ &= np.abs(columns @ columns[number]) < _SAME * self._rows
        return [(candidate.recipe, candidate.values()) for candidate in chosen]

    def prune(self) -> None:
        """Drop the weakest of each family until the limit holds."""
        if len(self.candidates) <= self._most:
            return
        sections = np.array([candidate.section for candidate in self.candidates])
        gains = np.array([candidate.gain for candidate in self.candidates])
        order = np.lexsort((-gains, sections))
        sizes = np.bincount(sections)
        place = np.empty(len(order))
        place[order] = np.arange(len(order)) - (np.cumsum(sizes) - sizes)[sections[order]]
        survivors = np.sort(np.argsort(place / sizes[sections], kind="stable")[: self._most]).tolist()
        self.candidates = [self.candidates[one] for one in survivors]

    def costs(self) -> FloatArray:
        """The cost of each recipe."""
        return np.array([candidate.recipe.cost for candidate in self.candidates], dtype=np.float64)

    def matrix(self) -> npt.NDArray[np.float32]:
        """The columns, standardised, as rows of a matrix."""
        if not self.candidates:
            return np.empty((0, self._rows), dtype=np.float32)
        matrix = np.vstack([candidate.column for candidate in self.candidates])
        for candidate, column in zip(self.candidates, matrix, strict=True):
            candidate.column = column  # one copy is enough
        return matrix
