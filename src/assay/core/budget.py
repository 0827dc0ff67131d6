"""What a subject may spend on one task."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from assay.core.checks import demand_whole
from assay.core.errors import InvalidInput
from assay.core.files.digest import Json

__all__ = ["Budget"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Seed, wall-clock seconds and memory: the seed is the subject's only source of randomness.

    >>> Budget(seconds=-1)
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: budget: seconds must be a positive number, got -1.
    """

    seed: int = 0
    seconds: float = 60.0
    memory_mb: int = 2048

    def __post_init__(self) -> None:
        demand_whole(self.seed, "budget: seed")
        if not isinstance(self.seconds, int | float) or not (0 < self.seconds < math.inf):
            raise InvalidInput(f"budget: seconds must be a positive number, got {self.seconds!r}.")
        demand_whole(self.memory_mb, "budget: memory_mb", least=1)

    def to_json(self) -> dict[str, Json]:
        """The budget as a plain mapping; equal budgets give equal JSON."""
        return {**asdict(self), "seconds": float(self.seconds)}
