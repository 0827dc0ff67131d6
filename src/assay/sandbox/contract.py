"""What goes into the sandbox and what comes out: functions, tables, limits, results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from assay.core.checks import demand_positive

if TYPE_CHECKING:
    import pandas as pd

    from assay.sandbox.transfer import SharedTable

__all__ = ["CLOCK", "Allowance", "FunctionResult", "FunctionSource", "Limits", "Status", "Tables"]

Status: TypeAlias = Literal["ok", "exception", "invalid output", "timeout", "memory", "crashed"]

CLOCK = datetime(2025, 1, 1, 12, 0, 0)  # what now() and today() say unless another time is given


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one function and one solution may use; exceeding one fails that function alone.

    >>> Limits(memory_mb=0)
    Traceback (most recent call last):
        ...
    assay.core.errors.InvalidInput: sandbox limits: memory_mb must be a positive number, got 0.
    """

    function_seconds: float = 60.0
    solution_seconds: float = 600.0
    memory_mb: float = 2048  # beyond what the interpreter and the tables take
    output_mb: float = 64

    def __post_init__(self) -> None:
        for name in ("function_seconds", "solution_seconds", "memory_mb", "output_mb"):
            value = getattr(self, name)
            demand_positive(value, f"sandbox limits: {name}")


class Allowance:
    """Seconds that all runs of one function may take together; ``whole`` is what its solution's functions share.

    >>> solution = Allowance(10)
    >>> first, second = Allowance(8, whole=solution), Allowance(8, whole=solution)
    >>> first.spend(7)
    >>> first.left, second.left, second.reason
    (1.0, 3.0, "the solution's 10 s")
    """

    __slots__ = ("_seconds", "_spent", "_whole")

    def __init__(self, seconds: float, *, whole: Allowance | None = None) -> None:
        self._seconds = seconds
        self._spent = 0.0
        self._whole = whole

    @property
    def left(self) -> float:
        """What may still be used; not above 0 when nothing is left."""
        own = self._seconds - self._spent
        return own if self._whole is None else min(own, self._whole.left)

    @property
    def reason(self) -> str:
        """The limit that is reached first, in words."""
        if self._whole is not None and self._whole.left < self._seconds - self._spent:
            return f"the solution's {self._whole._seconds:g} s"
        return f"its {self._seconds:g} s"

    @property
    def used_up(self) -> str:
        """Why a run cannot start when nothing is left, in words.

        >>> allowance = Allowance(5)
        >>> allowance.spend(6)
        >>> allowance.used_up
        'its 5 s for all runs were used up by its earlier runs'
        """
        by = "by its earlier runs" if self._spent > 0 else "before it started"
        return f"{self.reason} for all runs were used up {by}"

    def spend(self, seconds: float) -> None:
        """Count the seconds of a run."""
        self._spent += seconds
        if self._whole is not None:
            self._whole.spend(seconds)


@dataclass(frozen=True, slots=True)
class FunctionSource:
    """A function's name and the source that defines it, imports and helpers included.

    A function that is run several times may be given an allowance for all its runs.
    """

    name: str
    code: str
    allowance: Allowance | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What functions see: the rows they are called with, the training table, tables by file name.

    Frames are handed over as they are; a table given as :class:`SharedTable` is handed over once and used many times.
    """

    rows: pd.DataFrame | SharedTable
    train: pd.DataFrame | SharedTable | None = None
    auxiliary: Mapping[str, pd.DataFrame | SharedTable] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionResult:
    """One function's column, one value per row, or why there is none.

    A function that raised on some rows only is ``ok``: those rows are null, counted in ``rows_failed``, and ``message``
    tells of the first. ``attempts`` lists what it reached for that the sandbox denies: files, network, processes.
    """

    name: str
    status: Status
    message: str = ""
    column: Any = None  # pyarrow.Array of bool, int64, float64, string or null
    rows_failed: int = 0
    attempts: tuple[str, ...] = ()
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory_mb: float = 0.0
