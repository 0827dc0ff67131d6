"""What a subject may spend on one task."""

from __future__ import annotations

from dataclasses import dataclass

from assay.core.checks import demand_positive, demand_whole
from assay.core.display import object_html
from assay.core.files.digest import Json

__all__ = ["Budget"]

_ALWAYS = ("seed", "seconds", "memory_mb")  # always part of the repr


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one answer may use; the seed is its only source of randomness.

    Memory, processor seconds and tasks are those of all processes of a subject together. Tokens and cost are told to
    the subject, which keeps to them: nothing else can count them.

    Parameters
    ----------
    seed : int, default 0
        The only source of randomness.
    seconds : float, default 60
        On the wall clock.
    memory_mb : int, default 2048
        Of all processes together.
    cpu_seconds : float, optional
        Of all processors together; no bound but the wall clock's by default.
    tasks : int, optional
        Processes and threads; as many as the machine suggests by default.
    tokens : int, optional
        Of language models, those sent and those received together.
    cost : float, optional
        Money, in the currency of the prices that the subject reckons with.

    Raises
    ------
    InvalidInput
        When an amount is not positive.

    Examples
    --------
    >>> Budget(seconds=10)
    Budget(seed 0, 10 s, 2048 MB)
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
    tokens: int | None = None  # of language models, those sent and those received together
    cost: float | None = None  # money, in the currency of the prices that the subject reckons with

    def __post_init__(self) -> None:
        demand_whole(self.seed, "budget: seed")
        demand_whole(self.memory_mb, "budget: memory_mb", least=1)
        for name in ("tasks", "tokens"):
            if getattr(self, name) is not None:
                demand_whole(getattr(self, name), f"budget: {name}", least=1)
        for name in ("seconds", "cpu_seconds", "cost"):
            if name == "seconds" or getattr(self, name) is not None:
                demand_positive(getattr(self, name), f"budget: {name}")

    def __repr__(self) -> str:
        more = [f"{name} {amount}" for name, amount in self.to_json().items() if name not in _ALWAYS]
        return f"Budget({', '.join([f'seed {self.seed}', f'{self.seconds:g} s', f'{self.memory_mb} MB', *more])})"

    def _repr_html_(self) -> str:
        return object_html("Budget", self.to_json())

    def to_json(self) -> dict[str, Json]:
        """The budget as a plain mapping; equal budgets give equal JSON. What is not set is left out."""
        body: dict[str, Json] = {"seed": self.seed, "seconds": float(self.seconds), "memory_mb": self.memory_mb}
        for name in ("cpu_seconds", "cost"):
            if (amount := getattr(self, name)) is not None:
                body[name] = float(amount)
        for name in ("tasks", "tokens"):
            if (count := getattr(self, name)) is not None:
                body[name] = count
        return body
