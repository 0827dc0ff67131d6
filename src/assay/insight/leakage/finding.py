"""What a leak check finds: a kind, the test that showed it, the rows that show it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from assay.core import Json
from assay.insight.leakage.perturbations import BoolArray, IntArray
from assay.insight.leakage.perturbed_runs import Candidate, Outcome, differ
from assay.insight.leakage.verdict import Examples, examples

__all__ = ["Found", "compare", "found_in", "place_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Reason enough for a conviction."""

    kind: str
    test: str
    changed: int = 0
    rows: Examples = field(default_factory=list)
    statistic: dict[str, Json] = field(default_factory=dict)


def compare(candidate: Candidate, other: Outcome, *, tolerance: float = 0.0, scale: float = 0.0) -> BoolArray:
    """Where a candidate's values in another world differ from its plain ones; nowhere when a limit stopped it."""
    if not other.comparable:
        return np.zeros(len(candidate.rows), dtype=np.bool_)
    return differ(candidate.plain.values, other.values, tolerance=tolerance, scale=scale)


def found_in(kind: str, test: str, rows: IntArray, before: Outcome, after: Outcome, changed: BoolArray) -> Found:
    """A finding that shows the changed rows."""
    shown = examples(rows, before.values, after.values, changed)
    return Found(kind=kind, test=test, changed=int(changed.sum()), rows=shown)


def place_of(rows: IntArray, wanted: IntArray) -> IntArray:
    """Where wanted rows stand among sorted rows."""
    return np.searchsorted(rows, wanted)
