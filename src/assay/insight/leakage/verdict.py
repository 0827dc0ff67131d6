"""What the leak checks say of one function, and of a solution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.core import Json

__all__ = ["KINDS", "Examples", "LeakVerdict", "LeakageReport", "Verdict", "examples"]

Verdict: TypeAlias = Literal["leak", "clean", "inconclusive"]
Examples: TypeAlias = list[dict[str, Json]]

KINDS: Final = {
    "own label": "the value for a row depends on that row's own label",
    "order": "the value for a row depends on the row's position or on the order of the calls",
    "temporal": "the value for a row depends on what became known only after its time of prediction",
    "memorised": "the source holds the labels of training rows",
    "nondeterministic": "the same call gives different values",
    "not run": "the function does not run, so nothing is known about it",
}
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakVerdict:
    """One function's verdict. Evidence holds the test, rows with the values before and after, lines, warnings."""

    name: str
    verdict: Verdict
    kind: str | None = None
    status: str = "ok"
    evidence: Mapping[str, Json] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """As it stands in reports."""
        return {
            "name": self.name,
            "verdict": self.verdict,
            "kind": self.kind,
            "status": self.status,
            "evidence": dict(self.evidence),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakageReport:
    """Verdicts in the order of the functions; notes tell what the problem leaves undeclared."""

    functions: tuple[LeakVerdict, ...]
    isolation: str
    notes: tuple[str, ...] = ()

    @property
    def target_leak(self) -> bool:
        """Whether any function leaks."""
        return any(function.verdict == "leak" for function in self.functions)

    def to_json(self) -> dict[str, Json]:
        """As it stands in reports."""
        return {
            "target_leak": self.target_leak,
            "isolation": self.isolation,
            "functions": [function.to_json() for function in self.functions],
            "notes": list(self.notes),
        }


def examples(
    rows: npt.NDArray[np.int64], before: npt.NDArray[Any], after: npt.NDArray[Any], changed: npt.NDArray[np.bool_]
) -> Examples:
    """The first rows that changed, counted from 0 as in train.csv, with both values."""
    return [
        {"row": int(rows[place]), "before": _shown(before[place]), "after": _shown(after[place])}
        for place in np.flatnonzero(changed)[:_SHOWN]
    ]


def _shown(value: Any) -> Json:
    if value is None or value != value:
        return None
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return value[:200] if isinstance(value, str) else value
