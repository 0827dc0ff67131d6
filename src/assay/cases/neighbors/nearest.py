"""What a search gives back: the nearest cases of each query, one of them left out where that was asked."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from assay.cases.neighbors.checks import FloatArray, IntArray
from assay.core import InvalidInput
from assay.core.display import counted, object_html

__all__ = ["Neighbours", "Probe", "as_excluded", "unfilled", "without"]

_SHOWN = 10  # neighbours of a query in a display


class Neighbours(NamedTuple):
    """The nearest cases of each query, nearest first; equal distances are ordered by training index.

    Parameters
    ----------
    indices : array of shape (n, k)
        Rows of the cases.
    distances : array of shape (n, k)
        How far they are.

    Examples
    --------
    >>> from assay.cases import CaseIndex
    >>> CaseIndex([[0.0], [2.0], [1.0]]).query([[1.2], [0.1]], 2)
    Neighbours(2 queries, k=2, distances 0.1 to 0.9)
    """

    indices: IntArray
    distances: FloatArray

    def __repr__(self) -> str:
        queries, k = self.indices.shape
        reach = f", distances {self.distances.min():.4g} to {self.distances.max():.4g}" if self.distances.size else ""
        return f"Neighbours({counted(queries, 'query')}, k={k}{reach})"

    def _repr_html_(self) -> str:
        rows = (
            (row, ", ".join(map(str, cases[:_SHOWN].tolist())), ", ".join(f"{d:.4g}" for d in distances[:_SHOWN]))
            for row, (cases, distances) in enumerate(zip(self.indices, self.distances, strict=True))
        )
        columns = ("query", "nearest cases", "distances")
        return object_html(repr(self), {}, columns=columns, rows=rows, total=len(self.indices))


class Probe(NamedTuple):
    """What a timed trial on real queries said, in seconds."""

    choice: Literal["brute", "kd_tree"]
    queries: int
    brute: float
    kd_tree: float
    build: float


def as_excluded(exclude: npt.ArrayLike, *, rows: int, cases: int) -> IntArray:
    """One case per row that does not count, -1 for none."""
    excluded = np.asarray(exclude)
    if excluded.dtype.kind not in "iu" and excluded.size:
        raise InvalidInput(f"exclude: must be row numbers of training cases, -1 for none; got {excluded.dtype} values.")
    if excluded.shape != (rows,):
        raise InvalidInput(
            f"exclude: has shape {excluded.shape} for {rows} row(s); give one case per row, -1 for none."
        )
    outside = (excluded < -1) | (excluded >= cases)
    if outside.any():
        raise InvalidInput(f"exclude: case {excluded[outside][0]} does not exist; there are cases 0 to {cases - 1}.")
    return excluded.astype(np.int64)


def unfilled(rows: int, k: int) -> Neighbours:
    """Rows to be filled: no case, infinitely far."""
    return Neighbours(np.full((rows, k), -1, dtype=np.int64), np.full((rows, k), np.inf))


def without(nearest: Neighbours, excluded: IntArray) -> Neighbours:
    """One neighbour less per row: the one left out, or the last where it is not among them."""
    hit = nearest.indices == excluded[:, None]
    hit[~hit.any(axis=1), -1] = True
    shape = (len(nearest.indices), nearest.indices.shape[1] - 1)
    return Neighbours(nearest.indices[~hit].reshape(shape), nearest.distances[~hit].reshape(shape))
