"""Candidate columns: their values on the training rows, without constants and repetitions."""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from assay.core.arrays import FloatArray
from assay.insight.search.recipes import Recipe

__all__ = ["Pool"]

_LEAST_DIFFERENT = 8  # rows that do not have the commonest value


class Pool:
    """Columns and how they are computed; of columns that say the same the first stays."""

    def __init__(self, rows: int, most: int) -> None:
        self.recipes: list[Recipe] = []
        self._most = most
        self._rows = rows
        self._columns: list[npt.NDArray[np.float32]] = []
        self._seen: set[bytes] = set()
        self.offered = 0
        self.faults: list[str] = []

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def full(self) -> bool:
        """Whether no more are taken."""
        return len(self._columns) >= self._most

    def add(self, recipe: Recipe, values: FloatArray) -> bool:
        """Take a column, unless it is constant or known; missing values count as 0."""
        self.offered += 1
        if self.full:
            return False
        finite = np.nan_to_num(np.asarray(values, dtype=np.float64), nan=0.0, posinf=0.0, neginf=0.0)
        spread = finite.std()
        if not spread > 1e-12 * (abs(finite).max() + 1e-300):
            return False
        standard = ((finite - finite.mean()) / spread).astype(np.float32)
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
        self._columns.append(standard)
        self.recipes.append(recipe)
        return True

    def recipe(self, place: int) -> Recipe:
        """How a column is computed."""
        return self.recipes[place]

    def costs(self) -> FloatArray:
        """How much each takes to say."""
        return np.array([recipe.cost for recipe in self.recipes], dtype=np.float64)

    def matrix(self) -> npt.NDArray[np.float32]:
        """The columns, standardised, as rows of a matrix."""
        if not self._columns:
            return np.empty((0, self._rows), dtype=np.float32)
        matrix = np.vstack(self._columns)
        self._columns = list(matrix)  # one copy is enough
        return matrix
