"""What a subject may spend on one task."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.core.checks import demand_whole
from assay.core.errors import InvalidInput
from assay.core.files.digest import Json

__all__ = ["Budget"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one answer may use; the seed is its only source of randomness.

    Memory, processor seconds and tasks are those of all processes of a subject together.

    >>> Budget(seconds=-1)
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: budget: seconds must be a positive number, got -1.
    """

    seed: int = 0
    seconds: float = 60.0
    memory_mb: int = 2048
    cpu_seconds: float | None = None  # no bound but the wall clock's
    tasks: int | None = None  # processes and threads; by default as many as the machine suggests

    def __post_init__(self) -> None:
        demand_whole(self.seed, "budget: seed")
        for name, value in (("seconds", self.seconds), ("cpu_seconds", self.cpu_seconds)):
            if name == "cpu_seconds" and value is None:
                continue
            if not isinstance(value, int | float) or not (0 < value < math.inf):
                raise InvalidInput(f"budget: {name} must be a positive number, got {value!r}.")
        demand_whole(self.memory_mb, "budget: memory_mb", least=1)
        if self.tasks is not None:
            demand_whole(self.tasks, "budget: tasks", least=1)

    def to_json(self) -> dict[str, Json]:
        """The budget as a plain mapping; equal budgets give equal JSON."""
        body: dict[str, Json] = {"seed": self.seed, "seconds": float(self.seconds), "memory_mb": self.memory_mb}
        if self.cpu_seconds is not None:
            body["cpu_seconds"] = float(self.cpu_seconds)
        if self.tasks is not None:
            body["tasks"] = self.tasks
        return body
