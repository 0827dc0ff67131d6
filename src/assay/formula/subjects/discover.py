"""The regressor of our own: stages from power laws to growth inside of functions."""

from __future__ import annotations

from dataclasses import dataclass

from assay.core.arrays import FloatArray
from assay.formula.subjects.adapter import Adapter, Candidate

__all__ = ["Discovery"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery(Adapter):
    """Finds a formula in stages; uses all of its time unless a formula is exact."""

    title = "discover"

    def fit(self, inputs: FloatArray, target: FloatArray, *, seconds: float, seed: int) -> list[Candidate]:
        """The chosen model first, then the front."""
        from assay.formula.discovery.search import search

        return [Candidate(found.expression, found.error) for found in search(inputs, target, seconds=seconds, seed=seed).found]
