"""Approximate search with faiss for large case bases; how much it misses is measured, not assumed."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.cases.neighbors.backends import Candidates
from assay.cases.neighbors.checks import FloatArray
from assay.core import InvalidInput, MissingExtra

__all__ = ["FaissSearch"]

_CELLS = 4  # times the root of the number of cases
_PER_CELL = 39  # cases that faiss wants per cell to place its centre
_TRAINED_ON = 64  # at most so many per cell
_LARGEST = 1e15  # float32 overflows at the square of about 1.8e19
_ROWS = 1 << 16  # converted to float32 at a time


class FaissSearch:
    """Cells around centres (an inverted file): a query looks into the ``probes`` nearest cells only.

    Cells and not a graph of neighbours, because building the graph took twenty times as long at 100,000 cases for
    queries no faster at a recall of 0.99, and because opening every cell is an exact search: any recall can be had.
    """

    def __init__(self, cases: FloatArray, *, seed: int = 0) -> None:
        try:
            import faiss
        except ImportError:
            raise MissingExtra("Approximate search", "faiss-cpu", "faiss") from None
        if cases.size and np.abs(cases).max() > _LARGEST:
            raise InvalidInput(
                f"algorithm 'faiss' computes in float32 and cannot hold {np.abs(cases).max():.3g}. "
                "Scale the features, or use exact search."
            )
        n, features = cases.shape
        self.cells = max(1, min(_CELLS * int(np.sqrt(n)), n // _PER_CELL))
        self.probes = 1
        rng = np.random.default_rng(seed)
        quantizer = faiss.IndexFlatL2(features)
        self._index: Any = faiss.IndexIVFFlat(quantizer, features, self.cells)
        self._index.cp.seed = 1 + int(rng.integers(1 << 30))
        size = min(n, max(self.cells * _TRAINED_ON, 1024))
        chosen = np.sort(rng.choice(n, size=size, replace=False))
        self._index.train(np.ascontiguousarray(cases[chosen], dtype=np.float32))
        for start in range(0, n, _ROWS):
            self._index.add(np.ascontiguousarray(cases[start : start + _ROWS], dtype=np.float32))

    def search(self, queries: FloatArray, width: int) -> Candidates:
        """The nearest cases of the cells looked into; the index -1 stands where those held too few."""
        self._index.nprobe = self.probes
        near = np.clip(queries, -_LARGEST, _LARGEST)
        distances, indices = self._index.search(np.ascontiguousarray(near, dtype=np.float32), width)
        # a query that float32 cannot hold has no candidates worth the name
        indices[(near != queries).any(axis=1)] = -1
        return Candidates(distances, indices)
