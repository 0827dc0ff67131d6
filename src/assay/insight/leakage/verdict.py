"""What the leak checks say of one function, and of a solution."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from assay.core import Json
from assay.core.display import counted, object_html, shortened
from assay.insight.columns.typed_columns import shown_cell

__all__ = ["KINDS", "Examples", "LeakVerdict", "LeakageReport", "Verdict", "examples"]

Verdict: TypeAlias = Literal["leak", "clean", "blocked", "inconclusive"]
Examples: TypeAlias = list[dict[str, Json]]

KINDS: Final = {
    "own label": "the value for a row depends on that row's own label",
    "order": "the value for a row depends on the row's position or on the order of the calls",
    "temporal": "the value for a row depends on what became known only after its time of prediction",
    "memorised": "the source holds the labels of rows",
    "file": "the function tried to reach a file, which the sandbox denies",
    "network": "the function tried to reach the network, which the sandbox denies",
    "process": "the function tried to start or signal a process, which the sandbox denies",
    "memory": "the function searched the interpreter's memory, where the sandbox hides the tables",
    "environment": "the function asked for environment variables, which the sandbox takes away",
    "nondeterministic": "the same call gives different values",
    "not run": "the function does not run, so nothing is known about it",
}
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakVerdict:
    """One function's verdict.

    Attributes
    ----------
    name : str
        The function.
    verdict : {"leak", "clean", "blocked", "inconclusive"}
        What was found; ``blocked`` functions tried what the sandbox denies and do not leak otherwise.
    kind : str or None
        The kind of leak, such as ``own label`` or ``temporal``, or why nothing is known.
    status : str
        How the function ran.
    evidence : mapping of str to JSON
        The test, rows with the values before and after, lines of the source, warnings.

    Examples
    --------
    >>> LeakVerdict(name="peek", verdict="leak", kind="own label")
    LeakVerdict('peek': leak (own label))
    """

    name: str
    verdict: Verdict
    kind: str | None = None
    status: str = "ok"
    evidence: Mapping[str, Json] = field(default_factory=dict)

    def __repr__(self) -> str:
        kind = f" ({self.kind})" if self.kind else ""
        return f"LeakVerdict({shortened(self.name)!r}: {self.verdict}{kind})"

    def _repr_html_(self) -> str:
        return object_html(
            f"{self.name}: {self.verdict}", {"kind": self.kind, "meaning": self._meaning(), **self.evidence}
        )

    def _meaning(self) -> str:
        return KINDS.get(self.kind or "", "")

    def to_json(self) -> dict[str, Json]:
        """As it stands in reports."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakageReport:
    """Verdicts on the functions of a solution.

    Attributes
    ----------
    functions : tuple of LeakVerdict
        In the order of the functions.
    isolation : str
        How strongly the functions were confined.
    notes : tuple of str
        What the problem leaves undeclared.

    Examples
    --------
    >>> peek = LeakVerdict(name="peek", verdict="leak", kind="own label")
    >>> report = LeakageReport(functions=(peek,), isolation="strong")
    >>> report.target_leak
    True
    >>> report
    LeakageReport(1 function: 1 leak; isolation strong)
    """

    functions: tuple[LeakVerdict, ...]
    isolation: str
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"LeakageReport({self._summary()}; isolation {self.isolation})"

    def _repr_html_(self) -> str:
        rows = (
            (
                entry.name,
                entry.verdict,
                entry._meaning(),
                entry.evidence.get("line", ""),
                entry.evidence.get("words", ""),
            )
            for entry in self.functions
        )
        facts = {
            "isolation": self.isolation,
            **{f"note {place}": note for place, note in enumerate(self.notes, start=1)},
        }
        columns = ("function", "verdict", "why", "line", "what stands there")
        return object_html(self._summary(), facts, columns=columns, rows=rows, total=len(self.functions))

    def _summary(self) -> str:
        tally = Counter(function.verdict for function in self.functions)
        verdicts = ", ".join(f"{tally[verdict]} {verdict}" for verdict in get_args(Verdict) if tally[verdict])
        return f"{counted(len(self.functions), 'function')}{': ' if verdicts else ''}{verdicts}"

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
        {"row": int(rows[place]), "before": shown_cell(before[place]), "after": shown_cell(after[place])}
        for place in np.flatnonzero(changed)[:_SHOWN]
    ]
